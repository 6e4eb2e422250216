"""Corrections by the words of the document: minimal, with the passage that shows them, and of one sentence."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.edits.editing.corrections import SuggestedCorrection, corrections, find_passage
from core.text import edits as executable
from core.text import sentences
from core.types import Span

DOCUMENT = (
    "The freighter Lena ran aground off Brest on Monday. The pilot had warned the captain twice. "
    "Nobody was hurt, the coast guard said. The ship carries 400 tonnes of grain."
)
OTHER = " The pilot had warned the captain twice."


def corrected(sentence: str) -> dict[str, SuggestedCorrection]:
    """Corrections of the first of two sentences, by the sentence that they make."""
    summary = sentence + OTHER
    made = {}
    for correction in corrections(DOCUMENT, summary, sentences(summary)[0]):
        edited = executable.apply(summary, [correction.edit])
        assert edited.endswith(OTHER.strip())
        made[edited.removesuffix(OTHER)] = correction
    return made


@pytest.mark.parametrize(
    ("wrong", "right", "explanation"),
    [
        (
            "The freighter Lena sank off Brest on Monday.",
            "The freighter Lena ran aground off Brest on Monday.",
            "The document says “ran aground”, not “sank”.",
        ),
        (
            "The ship carries 500 tonnes of grain.",
            "The ship carries 400 tonnes of grain.",
            "The document says “400”, not “500”.",
        ),
        ("Two sailors were hurt.", "Nobody was hurt.", "The document says “Nobody was”, not “Two sailors were”."),
        (
            "The freighter Lena ran aground off Brest on Monday, and the owner was fined.",
            "The freighter Lena ran aground off Brest on Monday.",
            "The document does not say “and the owner was fined”.",
        ),
        (
            "The freighter Maria ran aground.",
            "The freighter Lena ran aground.",
            "The document says “Lena”, not “Maria”.",
        ),
    ],
)
def test_what_the_document_says_otherwise_takes_its_words(wrong: str, right: str, explanation: str) -> None:
    correction = corrected(wrong)[right]
    assert correction.edit.explanation == explanation
    assert correction.passage == find_passage(DOCUMENT, wrong)


def test_a_sentence_that_the_document_says_has_no_correction() -> None:
    assert corrected("Nobody was hurt, the coast guard said.") == {}


def test_a_sentence_about_something_else_is_deleted_unless_it_is_the_only_one() -> None:
    foreign = "Prices rose sharply again."
    summary = f"Nobody was hurt. {foreign}"
    [correction] = corrections(DOCUMENT, summary, sentences(summary)[1])
    assert executable.apply(summary, [correction.edit]) == "Nobody was hurt."
    assert correction.passage is None
    assert corrections(DOCUMENT, foreign, Span(0, len(foreign))) == []


@given(st.text(max_size=80), st.text(max_size=80))
def test_any_texts_give_edits_that_can_be_executed_and_change_something(document: str, summary: str) -> None:
    for sentence in sentences(summary):
        for correction in corrections(document, summary, sentence):
            edited = executable.apply(summary, [correction.edit])
            assert edited != summary
            assert edited.startswith(summary[: correction.edit.span.start])
            assert edited.endswith(summary[correction.edit.span.end :])
