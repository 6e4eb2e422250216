"""The long-document laboratory: readings recognised from specs, their agreement with people by density, and commands for what is missing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from core.errors import TouchstoneError
from core.evaluation.reports.text import report_text
from core.evaluation.studies.readings import BEST_PASSAGE, WHOLE, Readings, reading_of
from core.evaluation.study import StudyData
from core.results.cases.cases import build_cases
from core.scoring.metric import METRICS
from core.types import Rating, StoredScore, Verdict
from tests.unit.core.evaluation.studies.bench_samples import sample, scored

BEST, UNION = "retrieve[metric=rouge2]", "retrieve[metric=rouge2,reading=union]"


def data(columns: Mapping[str, list[float]], ratings: list[float] | None = None) -> StudyData:
    """Summaries of a document each, the first half consistent, with these scores."""
    number = len(next(iter(columns.values())))
    samples = []
    for place in range(number):
        verdict = None if ratings else Verdict.CONSISTENT if place < number // 2 else Verdict.INCONSISTENT
        kept = [StoredScore(spec, values[place], f"{spec}|v") for spec, values in columns.items()]
        one = scored(sample(f"s{place}", verdict, {}), *kept)
        if ratings:
            one = replace(one, item=replace(one.item, ratings=(Rating("ann", "factuality", ratings[place]),)))
        samples.append(one)
    return StudyData(datasets=("long ones",), cases=build_cases(samples), resamples=50)


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("rouge2", ("rouge2", WHOLE)),
        (BEST, ("rouge2", BEST_PASSAGE)),
        ("retrieve[metric=rouge2,reading=union,ranking=bm25]", ("rouge2", "union, by BM25")),
        ("retrieve[metric=rouge2,query=question]", ("rouge2", f"{BEST_PASSAGE}, by the question")),
        ("retrieve[metric=rouge2,reranker=some/encoder]", ("rouge2", f"{BEST_PASSAGE}, reranked")),
        ("retrieve[metric=bleu,weighted=discourse,k=5]", ("bleu", f"{BEST_PASSAGE}, weighted by discourse, k=5")),
    ],
)
def test_a_reading_is_told_from_the_settings_of_retrieval(spec: str, expected: tuple[str, str]) -> None:
    assert reading_of(METRICS.parse(spec)) == expected


def test_readings_stand_beside_labels_overall_and_by_density() -> None:
    rising = [n / 12 for n in range(12)]
    density = [n % 6 / 10 for n in range(12)]
    report = Readings(bins=2).run(
        data({"rouge2": rising, BEST: [0.9] * 6 + [0.1] * 6, UNION: rising, "information-density": density})
    )
    agreement = report.table("agreement")
    assert agreement.figure("agreement", reading=WHOLE).value == 0
    assert agreement.figure("agreement", reading=BEST_PASSAGE).value == 1
    assert agreement.figure("above_whole", reading=BEST_PASSAGE).value == 1
    assert [row["n"] for row in report.table("density").records()] == [6] * 6
    assert report.table("density").figure("agreement", reading=BEST_PASSAGE, bin=2).value == 1
    assert report.sentences[0].startswith("ROUGE-2 agrees best with people when it reads the best passage")
    assert "the union agrees with people by −1.000 more than the best passage" in report.sentences[1]
    missing = {row["reading"]: row["command"] for row in report.table("missing").records()}
    assert set(missing) == {"best passage, by BM25", "union, by BM25", "best passage, weighted by discourse"}
    assert missing["union, by BM25"] == (
        "python cli.py score-dataset 'long ones' --metric 'retrieve[metric=rouge2,ranking=bm25,reading=union]'"
    )
    assert report.charts[0].series[0].name == WHOLE
    assert report_text(report)


def test_ratings_serve_where_there_is_no_label_and_densities_may_be_missing() -> None:
    rising = [n / 8 for n in range(8)]
    found = data({"rouge2": rising[::-1], BEST: rising}, ratings=rising)
    report = Readings().run(found)
    assert report.table("agreement").columns[2].title == "Kendall's τ with factuality"
    table = report.table("agreement")
    assert table.figure("agreement", reading=WHOLE).value == -1
    assert table.figure("agreement", reading=BEST_PASSAGE).value == 1
    assert report.problems == (
        "There are no bins of density without its scores: python cli.py score-dataset 'long ones' --metric information-density",
    )
    with pytest.raises(TouchstoneError, match="aspect of ratings"):
        Readings(human="fluency").run(found)


def test_data_without_retrieval_or_without_people_are_refused_with_what_to_do() -> None:
    with pytest.raises(
        TouchstoneError, match=r"score-dataset 'long ones' --metric 'retrieve\[metric=rouge2,reading=union\]'"
    ):
        Readings().run(data({"rouge2": [0.1, 0.2]}))
    with pytest.raises(TouchstoneError, match="Nobody labelled or rated"):
        Readings().run(StudyData(cases=build_cases([scored(sample("a", None, {}), StoredScore(BEST, 0.1, "v"))])))
