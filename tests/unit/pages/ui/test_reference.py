"""What Probe says of a score beside a reference set."""

from __future__ import annotations

from core.results.cases.cases import build_cases
from core.types import Result, Seen, StoredScore, Verdict
from pages.ui.evaluate.percentiles import describe_percentile
from tests.unit.core.evaluation.studies.bench_samples import sample, scored

CASES = build_cases(
    [
        scored(sample(str(n), verdict, {}), StoredScore("rouge2", score, "rouge2|v1"))
        for n, (score, verdict) in enumerate([(0.2, Verdict.INCONSISTENT), (0.6, Verdict.CONSISTENT)])
    ]
)


def result(signature: str) -> Result:
    return Result("edited", "rouge2", signature, 0.5, (), Seen(), 0.01, "cpu")


def test_a_score_is_placed_among_those_of_its_signature() -> None:
    told = "0.5 is above 50 % of all 2 summaries, 0 % of the 1 consistent, 100 % of the 1 inconsistent in harbour."
    assert describe_percentile(CASES, result("rouge2|v1"), "harbour") == told


def test_a_set_without_such_scores_says_how_it_gets_them() -> None:
    assert "cli.py score-dataset 'harbour' --metric 'rouge2'" in describe_percentile(
        CASES, result("rouge2|v2"), "harbour"
    )
