"""Filters leave out what an NLI check, a rule or a person objects to, and nothing else."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.errors import UnknownNameError
from core.results.runs.filters import VARIANT_FILTERS, count_left_out, filter_variants
from core.results.runs.stress_run import Check, Meaning, Opinion, StressRun, VariantKey
from core.scoring.nli_check import NliResult
from tests.unit.core.results.runs.stressed import run_of


def a_run() -> StressRun:
    """Three sources with a harmless variant, a breaking one and one with a phrase each, under a guard."""
    run = run_of({"shuffled": [0.1] * 3, "number": [-0.1] * 3, "phrase": [0.2] * 3})
    guarded = StressRun(replace(run.plan, guard="entailment"))
    for record in (*run.sources.values(), *run.variants.values(), *run.readings.values()):
        guarded.add(record)
    return guarded


def gone(run: StressRun, *filters: str) -> set[VariantKey]:
    return set(run.variants) - set(filter_variants(run, filters) or ())


def test_without_a_filter_every_variant_counts() -> None:
    assert filter_variants(a_run(), []) is None


def test_what_the_guard_marked_is_left_out_and_what_it_did_not_mark_stays() -> None:
    run = a_run()
    run.add(Check("s0", "shuffled", NliResult(True, "entailment", 0.9)))
    run.add(Check("s1", "shuffled", NliResult(False, "entailment", 0.2)))
    run.add(Check("s2", "shuffled", None, "Too short."))
    assert gone(run, "contradicting") == {("s0", "shuffled")}


def test_what_the_guard_could_not_tell_is_left_out_only_where_it_was_asked() -> None:
    run = a_run()
    run.add(Check("s1", "shuffled", NliResult(False, "entailment", 0.2)))
    run.add(Check("s2", "shuffled", None, "Too short."))
    assert gone(run, "unchecked") == {("s0", "shuffled"), ("s2", "shuffled")}


@pytest.mark.parametrize(
    ("kind", "verified"),
    [
        ("shuffled", {Meaning.KEPT}),
        ("number", {Meaning.CHANGED}),
        ("phrase", {Meaning.KEPT, Meaning.CHANGED}),
    ],
)
def test_a_person_verifies_what_a_variant_was_meant_to_be(kind: str, verified: set[Meaning]) -> None:
    run = a_run()
    for source, meaning in zip(run.sources, Meaning, strict=True):
        run.add(Opinion(source, kind, meaning, "local"))
    kept = {run.opinions[key].meaning for key in filter_variants(run, ["unverified"]) or ()}
    assert kept == verified


def test_trivial_edits_and_words_from_elsewhere_are_told_by_their_remarks() -> None:
    run = a_run()
    run.add(replace(run.variants["s0", "number"], remarks=("trivial: number", "extrinsic")))
    run.add(
        replace(run.variants["s1", "number"], remarks=("extrinsic", "meant intrinsic, but its words are extrinsic"))
    )
    assert gone(run, "trivial") == {("s0", "number")}
    assert gone(run, "misplaced") == {("s1", "number")}
    assert gone(run, "trivial", "misplaced") == {("s0", "number"), ("s1", "number")}


def test_what_could_not_be_made_is_not_counted_as_left_out() -> None:
    run = a_run()
    run.add(replace(run.variants["s0", "shuffled"], summary=None, error="One sentence only."))
    assert count_left_out(run, "unverified") == 8


def test_a_filter_that_does_not_exist_names_those_that_do() -> None:
    with pytest.raises(UnknownNameError, match="contradicting"):
        filter_variants(a_run(), [*VARIANT_FILTERS, "poem"])
