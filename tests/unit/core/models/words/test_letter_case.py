"""Capitals of words: a sentence's own, and the document's where the letters of the sentence were all made small or large."""

from __future__ import annotations

from functools import cache

import pytest

from core.data.datasets.bundled import bundled_items
from core.models.words.letter_case import capitals
from core.models.words.word_features import ReadDocument, read_document, word_features
from core.models.words.word_states import word_spans
from core.text.segmentation import sentences
from tests.unit.core.evaluation.training.hashed_words import HashedEncoder

DOCUMENT = (
    "TARNBRIDGE. The clerk Halvard met Ingrid Moe by the river Stone in March. She asked Halvard to stay. Sales Agent: She left "
    "on Monday."
)


@cache
def read(document: str) -> ReadDocument:
    [states] = HashedEncoder().read([document])
    return read_document(states)


def capital_words(sentence: str, document: str = DOCUMENT) -> list[str]:
    forms = [span.of(sentence) for span in word_spans(sentence)]
    known = read(document)
    found = capitals(forms, known.states, known.places)
    return [form.lower() for form, has_one in zip(forms, found, strict=True) if has_one]


SENTENCE = "The agent said that Halvard's wife Ingrid left Tarnbridge by the Stone."
NAMES = ["halvard's", "ingrid", "tarnbridge", "stone"]


@pytest.mark.parametrize("sentence", [SENTENCE.lower(), SENTENCE.upper(), SENTENCE.title().replace("'S", "'s")])
def test_a_sentence_in_letters_of_one_kind_has_the_names_of_its_document(sentence: str) -> None:
    assert capital_words(sentence) == NAMES


def test_a_first_letter_alone_says_as_little_where_a_name_has_a_small_one() -> None:
    assert capital_words(SENTENCE.lower().capitalize()) == ["the", *NAMES]
    assert capital_words("The agent of the US met halvard.") == ["the", "us", "halvard"]


@pytest.mark.parametrize("sentence", ["The agent left by the stone.", "The agent met Halvard in tarnbridge."])
def test_a_sentence_without_such_a_name_or_with_a_capital_keeps_its_own(sentence: str) -> None:
    assert capital_words(sentence) == [
        span.of(sentence).lower() for span in word_spans(sentence) if span.of(sentence)[0].isupper()
    ]


def test_a_document_in_small_letters_names_nobody() -> None:
    assert capital_words(SENTENCE.lower(), DOCUMENT.lower()) == []


def test_the_features_of_a_sentence_are_those_of_the_same_in_small_letters() -> None:
    own, small = "The clerk met Halvard on Monday.", "the clerk met halvard on monday."
    one, other = HashedEncoder().read([own, small])
    before, after = (word_features(read(DOCUMENT), sentence) for sentence in (one, other))
    assert before["capital"].tolist() == [0, 0, 0, 1, 0, 1]
    assert before["calendar"].tolist() == [0, 0, 0, 0, 0, 1]
    assert all(after[name].tolist() == values.tolist() for name, values in before.items())


@pytest.mark.slow
def test_bundled_summaries_keep_their_own_capitals() -> None:
    for item in bundled_items()[::40]:
        example = item.example
        found = [span.of(example.summary) for span in sentences(example.summary)]
        own = [[word.of(text).lower() for word in word_spans(text) if word.of(text)[0].isupper()] for text in found]
        assert [capital_words(text, example.document) for text in found] == own
