"""Inventions in summaries that were right: what is marked is what was invented, and it is of another document."""

from __future__ import annotations

import random
from functools import cache

import pytest

from core.evaluation.training.inventions import INVENTIONS, TrueClaim, invented_rows
from core.evaluation.training.training_row import TrainingRow
from core.models.words.word_states import word_spans
from core.text.segmentation import words
from core.types import Span

DOCUMENTS = {
    "harbour": "Martha Quill closed the harbour at noon because the pilot had not come from Lowick. Nobody was hurt.",
    "bakery": "Oscar Brand opened a bakery behind the station in Kelder after his uncle had lent him the money. Bread sold well.",
    "orchard": "Growers covered their apple trees with nets before the hail came, and most of the fruit was saved by Edith Ness.",
}


@cache
def rows() -> tuple[TrainingRow, ...]:
    return tuple(
        TrainingRow(name, text, text.partition(". ")[0] + ".", wrong=False, wrong_words=(), kind="", origin="extract")
        for name, text in DOCUMENTS.items()
    )


def test_every_kind_is_made_and_what_is_marked_is_wrong_words_of_others() -> None:
    made = list(invented_rows(rows(), 0))
    assert {row.kind for row in made} == set(INVENTIONS)
    for row in made:
        assert row.wrong
        assert row.wrong_words
        assert row.origin == "invention"
        assert row.parent in DOCUMENTS
        marked = {word for span in row.wrong_words for word in words(span.of(row.summary))}
        elsewhere = {word for name, text in DOCUMENTS.items() if name != row.parent for word in words(text)}
        assert marked <= elsewhere
        kept = [word for word in word_spans(row.summary) if not any(_touch(word, span) for span in row.wrong_words)]
        known = {*words(row.document), "according", "to", "said", "told", "reporters", "as", "put", "it"}
        assert {word for span in kept for word in words(span.of(row.summary))} <= known


def _touch(one: Span, other: Span) -> bool:
    return one.start < other.end and other.start < one.end


def test_the_same_seed_invents_the_same() -> None:
    assert list(invented_rows(rows(), 3)) == list(invented_rows(rows(), 3))
    assert [row.summary for row in invented_rows(rows(), 3)] != [row.summary for row in invented_rows(rows(), 4)]


def test_nothing_is_invented_from_a_near_duplicate() -> None:
    text = DOCUMENTS["harbour"]
    copies = [
        TrainingRow(name, document, text, wrong=False, wrong_words=(), kind="", origin="extract")
        for name, document in (("one", text), ("two", f"{text} It was reported later."))
    ]
    assert not list(invented_rows(copies, 0))


@pytest.mark.parametrize("kind", sorted(INVENTIONS))
def test_a_sentence_without_names_or_cuts_is_left_alone_or_replaced(kind: str) -> None:
    claim = TrueClaim("Yes.", Span(0, 3), ())
    invention = INVENTIONS[kind](claim, "Nobody came", random.Random(0))
    assert invention is None or (kind == "invented-sentence" and invention.summary == "Nobody came.")
