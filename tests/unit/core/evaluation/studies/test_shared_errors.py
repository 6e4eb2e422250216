"""Errors in common: misses counted by hand, and the smallest set of metrics against every subset."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from core.errors import TouchstoneError
from core.evaluation.studies.shared_errors import (
    SharedErrors,
    caught_pairs,
    coverage_sentence,
    error_overlaps,
    explained_errors,
    smallest_coverage,
)
from core.evaluation.study import StudyData
from core.results.cases.cases import build_cases
from core.stats.statistic import Values
from core.types import ErrorType, GradedExplanation, Sample, Verdict
from tests.unit.core.evaluation.studies.bench_samples import pair, sample


def of(**marks: str) -> dict[str, Values]:
    """1 caught, 0 missed, - without a score, for each pair."""
    return {name: np.array([np.nan if mark == "-" else float(mark) for mark in row]) for name, row in marks.items()}


def test_misses_of_two_metrics_are_counted_on_the_pairs_that_both_scored() -> None:
    [found] = error_overlaps(of(a="110000-1", b="10100010"))
    assert (found.n, found.left_missed, found.right_missed, found.both_missed) == (7, 4, 5, 3)
    assert found.expected == pytest.approx(20 / 7)
    assert found.phi == pytest.approx((7 * 3 - 4 * 5) / np.sqrt(4 * 3 * 5 * 2))
    assert found.phi == pytest.approx(np.corrcoef([0, 0, 1, 1, 1, 1, 0], [0, 1, 0, 1, 1, 1, 1])[0, 1])


def test_a_metric_that_misses_all_or_none_has_no_phi_and_comes_last() -> None:
    found = error_overlaps(of(a="1100", b="1100", all="0000"))
    assert [(one.left, one.right) for one in found] == [("a", "b"), ("a", "all"), ("b", "all")]
    assert [one.phi for one in found] == [pytest.approx(1.0), None, None]


def test_the_smallest_set_is_no_greedy_one() -> None:
    """Greedy takes the widest metric first and then needs both others."""
    found = smallest_coverage(of(wide="0111100", left="1110000", right="0001110"))
    assert found.metrics == ("left", "right")
    assert found.gains == (3, 3)
    assert (found.caught, found.pairs, found.among) == (6, 7, 3)
    assert coverage_sentence(found).startswith("6 of 7 pairs are caught by any of 3 metrics; the smallest set")


@pytest.mark.parametrize("seed", range(20))
def test_the_smallest_set_is_that_of_trying_every_subset(seed: int) -> None:
    hits = np.random.default_rng(seed).random((6, 15)) < 0.35
    caught = {str(place): row.astype(float) for place, row in enumerate(hits)}
    found = smallest_coverage(caught)
    anywhere = hits.any(axis=0)
    sizes = (
        size
        for size in range(7)
        for subset in combinations(range(6), size)
        if (hits[list(subset)].any(axis=0) == anywhere).all()
    )
    assert len(found.metrics) == next(sizes)
    assert (hits[[int(name) for name in found.metrics]].any(axis=0) == anywhere).all()
    assert sum(found.gains) == found.caught == anywhere.sum()


def test_where_nothing_is_caught_the_set_is_empty() -> None:
    found = smallest_coverage(of(a="00", b="0-"))
    assert (found.metrics, found.caught) == ((), 0)
    assert coverage_sentence(found) == "0 of 2 pairs are caught by any of 2 metrics."


def test_pairs_of_samples_are_caught_by_the_right_move_and_need_scores() -> None:
    sides = [
        side
        for n in range(3)
        for side in pair(str(n), {"a": 0.9, "b": 0.5}, {"a": 0.1, "b": 0.5 + 0.1 * n}, ErrorType.COREFERENCE)
    ]
    cases = build_cases(sides)
    caught = caught_pairs(cases, cases.columns)
    assert {name: values.tolist() for name, values in caught.items()} == {"a": [1, 1, 1], "b": [0, 0, 0]}
    with pytest.raises(TouchstoneError, match="score them"):
        caught_pairs(cases, [])


def test_the_report_says_the_smallest_set_and_the_two_that_miss_most_alike() -> None:
    scores = [(0.1, 0.1), (0.9, 0.9), (0.1, 0.9), (0.9, 0.9)]
    sides = [
        side
        for n, (a, b) in enumerate(scores)
        for side in pair(str(n), {"a": 0.5, "b": 0.5}, {"a": a, "b": b}, ErrorType.COREFERENCE)
    ]
    data = StudyData(datasets=("own",), cases=build_cases(sides))
    report = SharedErrors().run(data)
    assert report.sentences == (
        "2 of 4 pairs are caught by any of 2 metrics; the smallest set that catches them all: a (+2).",
        "Most alike in their misses are a and b: both miss 2 of 4, by chance it would be 1.5 (phi +0.58).",
    )
    assert report.table("metrics").rows == (("a", "b", 4, 2, 3, 2, 1.5, pytest.approx(1 / 3**0.5)),)
    assert report.table("coverage").rows == (("a", 2, 2, 4),)
    assert SharedErrors().choices(data) == {"of": ["metrics"]}


def explained(id: str, truth: Verdict | None, **given: str) -> Sample:
    """By explainer its grade, "missed" where it calls the summary consistent, "ungraded" where nobody graded it."""
    verdicts = {name: Verdict.CONSISTENT if what == "missed" else Verdict.INCONSISTENT for name, what in given.items()}
    explanations = tuple(
        GradedExplanation("why", name, "" if what in {"missed", "ungraded"} else what, "a judge", verdicts[name])
        for name, what in given.items()
    )
    one = sample(id, truth, {})
    return replace(one, item=replace(one.item, explanations=explanations))


def test_explainers_find_errors_that_they_explain_and_what_nobody_graded_is_unknown() -> None:
    bad, good = Verdict.INCONSISTENT, Verdict.CONSISTENT
    cases = build_cases(
        [
            explained("a", bad, one="entirely", two="not", mute="ungraded"),
            explained("b", bad, one="missed", two="partially", mute="ungraded"),
            explained("c", bad, one="ungraded", two="missed"),
            explained("d", good, one="missed", two="not"),
            explained("e", None, one="not", two="entirely"),
        ]
    )
    caught = explained_errors(cases)
    assert list(caught) == ["one", "two"]
    np.testing.assert_equal(caught["one"], [1, 0, np.nan, 0])
    np.testing.assert_equal(caught["two"], [0, 1, 0, 1])
    [shared] = error_overlaps(caught)
    assert (shared.n, shared.left_missed, shared.right_missed, shared.both_missed) == (3, 2, 1, 0)
    found = smallest_coverage(caught)
    assert coverage_sentence(found, "explainers", "errors") == (
        "3 of 4 errors are caught by any of 2 explainers; the smallest set that catches them all: two (+2), one (+1)."
    )


def test_without_a_grade_or_a_miss_there_is_nothing_to_share() -> None:
    with pytest.raises(TouchstoneError, match="judge them"):
        explained_errors(build_cases([explained("a", Verdict.INCONSISTENT, one="ungraded")]))
