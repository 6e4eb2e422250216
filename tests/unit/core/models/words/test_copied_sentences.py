"""Sentences that the document has word for word."""

from __future__ import annotations

import pytest

from core.models.words.copied_sentences import is_copied
from core.models.words.word_features import read_document
from tests.unit.core.evaluation.training.hashed_words import encoder

DOCUMENT = "The harbour closed at noon. A ship waited outside for the pilot, who came at two."


@pytest.mark.parametrize(
    ("sentence", "copied"),
    [
        ("The harbour closed at noon.", True),
        ("the harbour CLOSED, at noon", True),
        ("at noon. A ship waited", True),
        ("A ship", True),
        ("The harbour closed at two.", False),
        ("noon at closed harbour the", False),
        ("The pilot closed the harbour.", False),
        ("", False),
    ],
)
def test_words_that_follow_each_other_in_the_document_are_a_copy(sentence: str, copied: bool) -> None:
    document, words = encoder().network.read([DOCUMENT, sentence])
    assert is_copied(read_document(document), words) is copied
