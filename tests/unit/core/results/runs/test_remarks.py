"""Remarks of the rules on variants that were meant to break something."""

from __future__ import annotations

from core.edits.perturbation import PERTURBATIONS
from core.results.runs.filters import rule_remarks
from core.types import Edit, Example, Span

SUMMARY = "Orla Voss sold 12 boats in Lindvale."
EXAMPLE = Example("a", "Orla Voss of Lindvale sold 12 boats to Ana Costa.", SUMMARY)


def remarked(kind: str, *changes: tuple[str, str]) -> tuple[str, ...]:
    edits = [Edit(Span(at := SUMMARY.index(old), at + len(old)), new) for old, new in changes]
    return rule_remarks(PERTURBATIONS.parse(kind).card, EXAMPLE, edits)


def test_a_trivial_edit_and_where_its_words_come_from_are_told() -> None:
    assert remarked("entity-swapped", ("Orla Voss", "Ana Costa")) == ("trivial: name swap", "intrinsic")
    assert remarked("number", ("12", "30")) == ("trivial: number", "extrinsic")


def test_words_from_elsewhere_than_intended_are_told() -> None:
    [_, origin, amiss] = remarked("entity-swapped", ("Orla Voss", "Tom Reid"))
    assert (origin, amiss) == ("extrinsic", "meant intrinsic, but its words are extrinsic")


def test_one_foreign_word_makes_a_variant_extrinsic() -> None:
    assert "extrinsic" in remarked("number", ("Orla Voss", "Ana Costa"), ("12", "30"))


def test_of_a_harmless_variant_nothing_is_said() -> None:
    assert remarked("shuffled", ("12", "30")) == ()
