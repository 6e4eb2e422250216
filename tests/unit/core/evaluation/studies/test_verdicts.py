"""The verdicts of metrics on minimal pairs, counted by hand."""

from __future__ import annotations

import pytest

from core.errors import TouchstoneError
from core.evaluation.studies.verdicts import Verdicts
from core.evaluation.study import StudyData
from core.results.cases.cases import Cases, build_cases
from core.types import ErrorType, Verdict
from tests.unit.core.evaluation.studies.bench_samples import pair, sample


def cases() -> Cases:
    """Of three pairs "a" is right, wrong and wrong, "b" right on two and within its noise on one."""
    broken = [(0.1, 0.1), (0.9, 0.1), (0.9, 0.5)]
    pairs = [
        pair(str(n), {"a": 0.5, "b": 0.5}, {"a": a, "b": b}, ErrorType.COREFERENCE) for n, (a, b) in enumerate(broken)
    ]
    return build_cases([side for both in pairs for side in both])


def test_verdicts_are_counted_for_each_metric_and_listed_for_each_pair() -> None:
    report = Verdicts().run(StudyData(datasets=("own",), cases=cases()))
    assert [row[:5] for row in report.table("metrics").rows] == [("a", 1, 2, 0, 0), ("b", 2, 0, 1, 0)]
    assert report.table("pairs").cells("a") == ["right", "wrong", "wrong"]
    assert report.table("pairs").cells("b") == ["right", "right", "noise"]
    assert report.sentences == (
        "2 of 3 pairs are caught by any of 2 metrics; the smallest set that catches them all: b (+2).",
        "Metrics disagree on 1 of 3 pairs, and on 1 no metric moves the right way.",
    )


@pytest.mark.parametrize(("pairs", "number"), [("all pairs", 3), ("metrics disagree", 1), ("all wrong", 1)])
def test_the_list_has_the_pairs_that_are_asked_for(pairs: str, number: int) -> None:
    report = Verdicts(pairs=pairs).run(StudyData(datasets=("own",), cases=cases()))
    assert len(report.table("pairs").rows) == number
    assert report.table("metrics").rows == Verdicts().run(StudyData(cases=cases())).table("metrics").rows


def test_without_a_minimal_pair_there_is_no_verdict() -> None:
    with pytest.raises(TouchstoneError, match="no minimal pair"):
        Verdicts().run(StudyData(cases=build_cases([sample("a", Verdict.CONSISTENT, {"a": 0.5})])))
