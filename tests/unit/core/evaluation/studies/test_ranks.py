"""Ranks of metrics with bootstrap intervals: counted by hand, and drawn in the pack."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from core.errors import UnknownNameError
from core.evaluation.reports.figures import report_figures
from core.evaluation.reports.text import report_text
from core.evaluation.studies.measures import Measures
from core.evaluation.studies.ranks import metric_ranks
from core.evaluation.study import StudyData
from core.results.cases.cases import Cases, build_cases
from core.results.cases.measures import draw_resamples, slice_cases
from core.types import ErrorType
from tests.unit.core.evaluation.studies.bench_samples import pair

GOOD, BAD = (
    {"sharp": 0.9, "blunt": 0.5, "wrong": 0.1, "same": 0.9},
    {"sharp": 0.1, "blunt": 0.5, "wrong": 0.9, "same": 0.1},
)


def cases_of_two_datasets(number: int = 12) -> Cases:
    """The metric "sharp" is always right, as "same" is, "blunt" ties and "wrong" is never right."""
    pairs = [
        pair(f"{name}-{n}", GOOD, BAD, ErrorType.COREFERENCE, name) for name in ("one", "two") for n in range(number)
    ]
    return build_cases([side for both in pairs for side in both])


def test_equal_metrics_share_the_mean_of_their_ranks_in_every_resample() -> None:
    cases = cases_of_two_datasets()
    found = list(metric_ranks(cases, slice_cases(cases, "dataset"), draw_resamples(cases, 50), "auc"))
    assert [one.slice for one in found] == ["Overall"] * 4 + ["one"] * 4 + ["two"] * 4
    ranks = {(one.slice, one.metric): (one.rank.value, one.rank.ends) for one in found}
    assert ranks["Overall", "sharp"] == ranks["Overall", "same"] == (1.5, (1.5, 1.5))
    assert ranks["one", "blunt"] == (3.0, (3.0, 3.0))
    assert ranks["two", "wrong"] == (4.0, (4.0, 4.0))


def test_a_metric_on_several_scales_is_ranked_in_the_slices_of_one_scale() -> None:
    """QAFactEval and BARTScore lie on other scales in each released dataset: they have a rank in each, and none over all."""
    cases = cases_of_two_datasets()
    scales = np.array([sample.dataset for sample in cases.samples])
    sharp = next(column for column in cases.columns if column.name == "sharp")
    others = tuple(column for column in cases.columns if column.name != "sharp")
    cases = replace(cases, columns=others, separate=(replace(sharp, scales=scales),))
    found = list(metric_ranks(cases, slice_cases(cases, "dataset"), draw_resamples(cases, 50), "auc"))
    assert {one.slice: one.rank.value for one in found if one.metric == "sharp"} == {"one": 1.5, "two": 1.5}
    assert {one.slice: one.among for one in found} == {"Overall": 3, "one": 4, "two": 4}


def test_the_report_says_which_metrics_may_be_first() -> None:
    report = Measures(view="ranks").run(
        StudyData(datasets=("one", "two"), cases=cases_of_two_datasets(), by="dataset", resamples=50)
    )
    assert "Overall: same has rank 1.5 of 4 by ROC AUC." in report_text(report)
    assert report.table().figure("rank", slice="two", metric="wrong").value == 4.0
    assert report.command == (
        "python cli.py study measures --dataset one --dataset two --by dataset --resamples 50 --view ranks"
    )


def test_a_rank_that_hangs_on_a_few_documents_has_a_wide_interval() -> None:
    """A is right on documents 0 to 6, B on 5 to 11: seven each, so that resamples order them either way."""
    pairs = [
        pair(str(n), {"a": 1.0, "b": 1.0}, {"a": float(n > 6), "b": float(n < 5)}, ErrorType.COREFERENCE)
        for n in range(12)
    ]
    cases = build_cases([side for both in pairs for side in both])
    found = list(metric_ranks(cases, slice_cases(cases), draw_resamples(cases, 200), "consistency"))
    assert [(one.rank.value, one.rank.ends) for one in found] == [(1.5, (1.0, 2.0))] * 2


def test_a_measure_that_has_no_better_side_is_refused() -> None:
    cases = cases_of_two_datasets()
    with pytest.raises(UnknownNameError, match="consistency"):
        list(metric_ranks(cases, slice_cases(cases), draw_resamples(cases, 2), "ties"))


@pytest.mark.slow
def test_the_ranks_of_every_slice_are_drawn_the_same_again() -> None:
    report = Measures(view="ranks").run(
        StudyData(datasets=("toy",), cases=cases_of_two_datasets(), by="dataset", resamples=20)
    )
    files = report_figures(report)
    assert list(files) == ["ranks.svg", "ranks.pdf"]
    assert all(name in files["ranks.svg"].decode() for name in ("sharp", "blunt", "wrong", "two"))
    assert files == report_figures(report)
