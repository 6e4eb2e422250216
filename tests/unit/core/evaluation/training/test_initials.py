"""Initials and degrees are one word of a trained metric, with points and without."""

from __future__ import annotations

import pytest

from core.data.datasets.bundled import bundled_items
from core.models.words.word_states import word_form, word_spans


def forms(text: str) -> list[str]:
    return [word_form(span.of(text)) for span in word_spans(text)]


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("He left the U.K.", "He left the UK"),
        ("the U.S.-based firm, non-U.S. firms and the U.K.'s", "the US-based firm, non-US firms and the UK's"),
        ("at 5 a.m. or 6 P.M., i.e. early", "at 5 am or 6 PM, ie early"),
        ("J.K. Rowling, J. K. Rowling, J.K.Rowling", "JK Rowling, JK Rowling, JK Rowling"),
        ("a Ph.D., a ph.d. and a B.Sc. of Washington , d. C.", "a PhD, a phd and a BSc of Washington, dC"),
    ],
)
def test_initials_and_degrees_are_one_word_without_their_points(text: str, read: str) -> None:
    assert forms(text) == [word.strip(",") for word in read.split()]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Vitamin C. A doctor said it.", 6),
        ("It was I. You left.", 5),
        ("3.5 of www.bbc.co.uk", 7),
        ("He came.A man left.", 5),
    ],
)
def test_the_end_of_a_sentence_a_number_and_an_address_are_no_initials(text: str, words: int) -> None:
    assert len(forms(text)) == words


def test_a_word_with_points_stands_in_the_text_without_the_last_one() -> None:
    text = "The U.S. left."
    assert [span.of(text) for span in word_spans(text)] == ["The", "U.S", "left"]


@pytest.mark.slow
def test_bundled_texts_have_no_initials_so_that_their_scores_stay() -> None:
    texts = {text for item in bundled_items() for text in (item.example.document, item.example.summary)}
    assert not [span.of(text) for text in texts for span in word_spans(text) if "." in span.of(text)]
