"""The stars of a paper: the best metric of a slice against the second best, by hand and on the released scores."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from core.data.dataset import DATASETS, ImportCounts, strict_items
from core.results.cases.cases import Cases, build_cases
from core.results.cases.measures import draw_resamples, metric_rows, slice_cases
from core.results.cases.paper_test import BestAgainstSecond, compare_best_two, mark_as_paper
from core.types import ErrorType, Sample
from tests.doubles.released import DATA, needs
from tests.unit.core.evaluation.studies.bench_samples import pair


def judged_pairs(*outcomes: tuple[int, bool, bool]) -> Cases:
    """So many pairs each that "one", and that "two" has right; "none" has none right."""
    samples: list[Sample] = []
    for number, one, two in outcomes:
        for _ in range(number):
            good, bad = {"one": 1.0, "two": 1.0, "none": 0.0}, {"one": 1.0 - one, "two": 1.0 - two, "none": 0.0}
            samples += pair(f"p{len(samples)}", good, bad, ErrorType.COREFERENCE)
    return build_cases(samples)


def compared(cases: Cases, by: str | None = None) -> tuple[list[BestAgainstSecond], dict[tuple[str, str, str], str]]:
    """What the paper's tests say, and the mark of each metric, slice and figure."""
    parts = slice_cases(cases, by)
    rows = list(metric_rows(cases, parts, draw_resamples(cases, 20), ("consistency", "auc")))
    found = list(compare_best_two(cases, parts, rows))
    marked = mark_as_paper(rows, found)
    return found, {(row.metric, row.slice, name): one.mark for row in marked for name, one in row.figures.items()}


@pytest.mark.parametrize(("only_one", "p", "marks"), [(5, 1 / 2**5, ["*", "", ""]), (4, 1 / 2**4, ["=", "=", ""])])
def test_consistency_is_starred_by_mcnemar_against_the_second_best_alone(
    only_one: int, p: float, marks: Sequence[str]
) -> None:
    """Of the pairs that only one of the two best has right all are the best's: p is one of 2 to the power of their number."""
    found, shown = compared(judged_pairs((4, True, True), (only_one, True, False), (2, False, False)))
    of_consistency = next(one for one in found if one.figure == "consistency")
    assert (of_consistency.best, of_consistency.second, of_consistency.p) == ("one", "two", pytest.approx(p))
    assert [shown[metric, "Overall", "consistency"] for metric in ("one", "two", "none")] == marks


def test_a_slice_with_one_metric_is_compared_with_nothing() -> None:
    samples = pair("a", {"one": 1.0}, {"one": 0.0}, ErrorType.COREFERENCE)
    found, shown = compared(build_cases(samples))
    assert (found, set(shown.values())) == ([], {""})


@pytest.mark.slow
@needs("bump")
def test_the_stars_on_bump_are_those_of_tables_4a_and_5a() -> None:
    """The 92.3 of table 4a and the 78.4 of table 5a have a star; our bootstrap by article with Holm's correction gives them none."""
    items = strict_items(DATASETS.parse("bump").read(DATA / "bump" / "task1_dataset.json"), ImportCounts())
    cases = build_cases([Sample("bump", item, document=item.group) for item in items])
    found, _ = compared(cases, "error_type")
    starred = {name: {one.slice for one in found if one.figure == name and one.star} for name in ("consistency", "auc")}
    assert {one.slice for one in found if one.figure == "auc"} - starred["auc"] == {"Coreference"}
    assert starred["consistency"] == {"Intrinsic Predicate", "Intrinsic Error"}
    entity = next(one for one in found if (one.slice, one.figure) == ("Extrinsic Entity", "auc"))
    assert (entity.best, entity.second, entity.star) == ("QAFactEval", "Q2", True)
