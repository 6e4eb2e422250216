"""A leaderboard of systems: counted by hand, on the same documents, and without labels."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from core.errors import TouchstoneError
from core.evaluation.report import Report
from core.evaluation.studies.systems import PEOPLE, Systems, system_means
from core.evaluation.study import StudyData
from core.results.cases.cases import Cases, build_cases
from core.results.cases.measures import draw_resamples
from core.types import Rating, Sample, Verdict
from tests.unit.core.evaluation.studies.bench_samples import sample

DOCUMENTS = 40


def written(system: str, document: int, *, wrong: bool, score: float, labelled: bool) -> Sample:
    verdict = (Verdict.INCONSISTENT if wrong else Verdict.CONSISTENT) if labelled else None
    written = sample(f"{system}-{document}", verdict, {"sharp": score}, f"d{document}")
    ratings = tuple(Rating(judge, "clarity", 2.0 if system == "old" else 4.0) for judge in ("ada", "ben"))
    return replace(written, item=replace(written.item, system=system, ratings=ratings))


def cases(*, labels: bool = True) -> Cases:
    """The old system errs on every second document, the new one on every tenth; "sharp" hangs on the document far more than on the system."""
    samples = []
    for n in range(DOCUMENTS):
        for system, errs, better in (("old", n % 2 == 0, 0.0), ("new", n % 10 == 0, 0.01)):
            samples.append(written(system, n, wrong=errs, score=n / DOCUMENTS + better, labelled=labels))
    return build_cases(samples)


def report(of: Cases) -> Report:
    return Systems().run(StudyData(datasets=("toy",), cases=of, resamples=200))


def test_the_rates_are_those_of_the_labels_and_the_better_system_is_first() -> None:
    table = report(cases()).table("leaderboard")
    assert [row["system"] for row in table.records()] == ["new", "old"]
    assert [table.figure("rate", system=system).value for system in ("new", "old")] == pytest.approx([0.1, 0.5])
    assert table.figure("rank", system="new").value == 1
    assert "By the labels new is inconsistent least often" in report(cases()).sentences[0]


def test_few_labels_leave_the_order_open_that_all_labels_settle() -> None:
    of = cases()
    few = replace(of, labels=np.where(of.documents < 8, of.labels, np.nan))
    table = report(few).table("leaderboard")
    assert [row["labels"] for row in table.records()] == [8, 8]
    assert "may be first as well" in report(few).sentences[0]


def test_systems_are_compared_on_the_same_documents() -> None:
    """Documents move the means by far more than the systems: alone the intervals overlap, and the rank is sure all the same."""
    of = cases()
    means = {row.system: row for row in system_means(of, draw_resamples(of, 200)) if row.of == "sharp"}
    old, new = (means[system] for system in ("old", "new"))
    assert (new.rank.value, new.rank.ends) == (1.0, (1.0, 1.0)) or new.rank.low is None
    assert new.mean.low is not None
    assert old.mean.high is not None
    assert new.mean.low < old.mean.high
    rated = [row for row in system_means(of, draw_resamples(of, 200)) if row.of == f"{PEOPLE}clarity"]
    assert {row.system: row.mean.value for row in rated} == {"new": 4.0, "old": 2.0}


def test_without_a_label_metrics_alone_are_compared_and_without_systems_nothing() -> None:
    without = report(cases(labels=False))
    assert [table.name for table in without.tables] == ["means"]
    assert without.sentences[0] == (
        "No summary of the 2 systems has a label: metrics alone say which is more consistent."
    )
    with pytest.raises(TouchstoneError, match="needs two; these data name 0"):
        report(build_cases([sample("a", Verdict.CONSISTENT, {"sharp": 1.0})]))


def test_nobody_is_first_alone_where_systems_are_level_documents_few_or_labels_of_one_alone() -> None:
    def said(samples: list[Sample]) -> list[str]:
        return report(build_cases(samples)).sentences

    def both(documents: int) -> list[Sample]:
        return [
            written(system, n, wrong=n % 3 == 0, score=0.5, labelled=True)
            for n in range(documents)
            for system in ("old", "new")
        ]

    level = said(both(DOCUMENTS))
    assert level[0].startswith("By the labels new, old are inconsistent equally often, 35.0 ")
    assert level[1] == "sharp puts new, old level at the top of 2."
    assert said(both(3))[0].endswith("; too few documents to say more than of these.")
    of_one = [written("old", 0, wrong=True, score=0.2, labelled=True)]
    of_one += [
        written(system, n, wrong=False, score=n / 9, labelled=False) for n in range(9) for system in ("old", "new")
    ]
    assert said(of_one)[0].startswith("Only old has labels that say a rate: ")
