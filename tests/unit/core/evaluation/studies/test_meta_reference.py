"""The percentile of a score within a set that was scored with the same signature."""

from __future__ import annotations

import pytest

from core.errors import BadSettingError
from core.evaluation.studies.measures import Measures
from core.evaluation.studies.score_distributions import column_by_signature, format_percentiles, score_percentiles
from core.evaluation.study import StudyData
from core.results.cases.cases import build_cases
from core.types import StoredScore, Verdict
from tests.unit.core.evaluation.studies.bench_samples import sample, scored

SCORES = [(0.1, Verdict.INCONSISTENT), (0.2, Verdict.INCONSISTENT), (0.4, Verdict.CONSISTENT), (0.8, None)]
CASES = build_cases(
    [
        scored(sample(str(n), verdict, {}), StoredScore("rouge2", score, "rouge2|v1"))
        for n, (score, verdict) in enumerate(SCORES)
    ]
)


@pytest.mark.parametrize(
    ("score", "everywhere", "consistent"), [(0.0, 0.0, 0.0), (0.3, 50.0, 0.0), (0.4, 62.5, 50.0), (1.0, 100.0, 100.0)]
)
def test_a_percentile_is_the_share_below_and_half_of_the_equal(
    score: float, everywhere: float, consistent: float
) -> None:
    found = score_percentiles(CASES, CASES.columns[0], score)
    assert found["all"] == (everywhere, 4)
    assert (found["consistent"][0], found["inconsistent"][1]) == (consistent, 2)


def test_scores_of_another_signature_are_no_reference() -> None:
    assert column_by_signature(CASES, "rouge2|v2") is None
    column = column_by_signature(CASES, "rouge2|v1")
    assert column is CASES.columns[0]


def test_the_words_name_every_part_with_its_size() -> None:
    found = score_percentiles(CASES, CASES.columns[0], 0.3)
    assert (
        format_percentiles(found)
        == "above 50 % of all 4 summaries, 0 % of the 1 consistent, 100 % of the 2 inconsistent"
    )


def test_the_study_places_a_score_among_all_and_refuses_what_is_no_number() -> None:
    report = Measures(view="percentiles", score="0.3").run(StudyData(cases=CASES))
    assert report.sentences[0].startswith("0.3 is above 50 % of all 4 summaries")
    [whole, *_] = report.table("quantiles").records()
    assert (whole["label"], whole["n"], whole["p0"], whole["p100"]) == ("all", 4, 0.1, 0.8)
    assert [sum(y for y in line.y if isinstance(y, float)) for line in report.charts[0].series] == [1.0, 1.0]
    with pytest.raises(BadSettingError, match="must be a number"):
        Measures(view="percentiles", score="high").run(StudyData(cases=CASES))
