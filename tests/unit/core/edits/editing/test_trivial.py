"""Trivial edits are told from those that need reading."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from core.edits.editing.trivial import TrivialKind, trivial_kind
from core.text.edits import occurrences
from core.text.english.mentions import edit_origin, inserted_words
from core.types import Edit
from tests.unit.core.edits.editing.trivial_cases import (
    HELD_OUT,
    HELD_OUT_NEEDS_READING,
    NEEDS_READING,
    TRIVIAL,
    read_case,
)

SUMMARY = "Orla Voss sold 12 boats in Oslo on Monday, 3 May 2014. The harbour was not open. An 80-year-old man won."


def edit(old: str, new: str) -> Edit:
    return Edit(occurrences(old, SUMMARY)[0], new)


@pytest.mark.parametrize(
    ("old", "new", "kind"),
    [
        ("Monday", "Friday", TrivialKind.DATE),
        ("2014", "2011", TrivialKind.DATE),
        ("3 May", "7 June", TrivialKind.DATE),
        ("12", "40", TrivialKind.NUMBER),
        ("12", "forty", TrivialKind.NUMBER),
        ("An 80-year-old", "A 70-year-old", TrivialKind.NUMBER),
        (" not", "", TrivialKind.NEGATION),
        ("open", "closed", TrivialKind.NEGATION),
        ("sold", "bought", TrivialKind.NEGATION),
        ("sold", "did not sell", TrivialKind.NEGATION),
        ("won", "lost", TrivialKind.NEGATION),
        ("Oslo", "Rome", TrivialKind.NAME),
        ("Orla Voss", "Tom Reid", TrivialKind.NAME),
        ("Orla Voss sold 12 boats", "Orla Voss sold 15 boats", TrivialKind.NUMBER),
        ("The harbour was not open.", "The harbour was open.", TrivialKind.NEGATION),
        ("sold", "painted", None),
        ("sold 12 boats in Oslo", "sold none of the boats that Oslo had built", None),
        ("was not open", "was reached by none of the boats", None),
        ("The harbour was not open.", "It is not the harbour that was open.", None),
        ("boats", "boats that had burned", None),
        ("harbour", "airport", None),
        ("The harbour", "This", None),
        ("man", "woman who never sailed", None),
        ("Oslo", "Oslo", None),
    ],
)
def test_the_kind_of_an_edit(old: str, new: str, kind: TrivialKind | None) -> None:
    assert trivial_kind(edit(old, new), SUMMARY) is kind


def test_an_edit_inside_a_word_is_read_as_the_whole_word() -> None:
    start = SUMMARY.index("80")
    assert trivial_kind(Edit(occurrences("8", SUMMARY)[0], "7"), SUMMARY) is TrivialKind.NUMBER
    assert SUMMARY[start] == "8"


@pytest.mark.parametrize(
    ("old", "new", "document", "found"),
    [
        ("boats", "ships", "Two ships burned.", "intrinsic"),
        ("boats", "ship", "Two ships burned.", "intrinsic"),
        ("sold", "bought", "Who buys boats?", "intrinsic"),
        ("boats", "ships", "Two boats burned.", "extrinsic"),
        ("boats", "old ships", "Two ships burned.", "extrinsic"),
        (" not", "", "Two ships burned.", None),
        ("was not", "was", "Two ships burned.", None),
    ],
)
def test_what_an_edit_brings_in_stands_in_the_document_or_not(
    old: str, new: str, document: str, found: str | None
) -> None:
    assert edit_origin(edit(old, new), SUMMARY, document) == found


def test_only_new_content_words_count_as_brought_in() -> None:
    assert inserted_words(edit("sold 12 boats", "sold the 12 old boats"), SUMMARY) == ("old",)


@pytest.mark.parametrize(
    ("trivial", "needing_reading", "least"), [(TRIVIAL, NEEDS_READING, 1.0), (HELD_OUT, HELD_OUT_NEEDS_READING, 0.9)]
)
def test_nine_of_ten_trivial_edits_are_found_and_hardly_another(
    trivial: Mapping[str, str], needing_reading: str, least: float
) -> None:
    by_hand = [(kind, line) for kind, lines in trivial.items() for line in lines.strip().splitlines()]
    missed = [line for _, line in by_hand if kind_of(line) is None]
    wrong = [line for line in needing_reading.strip().splitlines() if kind_of(line)]
    found = len(by_hand) - len(missed)
    assert found / len(by_hand) >= least, missed
    assert found / (found + len(wrong)) >= 0.95, wrong
    other_kind = [line for kind, line in by_hand if kind_of(line) not in {None, kind}]
    assert len(other_kind) <= 1, other_kind


def kind_of(line: str) -> TrivialKind | None:
    summary, change = read_case(line)
    return trivial_kind(change, summary)
