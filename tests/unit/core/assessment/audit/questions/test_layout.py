"""Other layouts as a question of the audit: a real metric on bundled summaries, and scores that are known beforehand."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import replace

import pytest

from core.assessment.audit.data import items_data
from core.assessment.audit.evidence import Evidence
from core.assessment.audit.evidence_work import EvidenceWork
from core.assessment.audit.question import AuditAnswer, Level
from core.assessment.audit.questions.layout import LayoutQuestion
from core.data.datasets.bundled import bundled_items
from core.results.runs.runner import continue_run
from core.results.runs.stress_run import ScoreRecord, StressRun, intent_of
from core.scoring.engine.engine import Engine
from core.scoring.metric import METRICS
from core.settings import Settings
from core.types import Verdict

METRIC = "coverage"
DOCUMENTS = 32

Scored = Callable[[str, str], float]
"""From the kind of a variant, "" for the original, and its summary to a score."""


@pytest.fixture(scope="module")
def tried(tmp_path_factory: pytest.TempPathFactory) -> Evidence:
    folder = tmp_path_factory.mktemp("layout")
    originals = [item for item in bundled_items() if item.parent is None and item.intended is not Verdict.INCONSISTENT]
    by_group = {item.group: item for item in reversed(originals)}
    settings = Settings(cache_dir=folder, device="cpu", database_url=f"sqlite:///{folder / 'kept.db'}")
    with closing(Engine.open(settings)) as engine:
        data = items_data(folder / "pairs.jsonl", list(by_group.values())[:DOCUMENTS], None, 0)
        work = EvidenceWork(engine, settings, data, [METRICS.parse(METRIC), METRICS.parse("summary-length")])
        for run in (work.gathered.run, work.gathered.layout_run):
            for _ in continue_run(engine, run):
                done, total = work.counts
                assert done <= total
        return work.gathered


def scored(run: StressRun, score: Scored) -> StressRun:
    """The run with other scores of the metric."""
    readings = {
        key: replace(reading, value=score(key[1], _summary(run, reading)))
        for key, reading in run.readings.items()
        if key[2] == METRIC
    }
    return StressRun(run.plan, run.sources, run.variants, readings)


def _summary(run: StressRun, reading: ScoreRecord) -> str:
    if reading.kind:
        return run.variants[reading.source, reading.kind].summary or ""
    return run.sources[reading.source].example.summary


def found(evidence: Evidence, score: Scored) -> AuditAnswer:
    runs = scored(evidence.run, score), scored(evidence.layout_run, score)
    return LayoutQuestion().finding(replace(evidence, run=runs[0], layout_run=runs[1]), METRIC)


def sees_errors(kind: str, summary: str) -> float:  # noqa: ARG001  # whatever the layout is
    return 0.2 if kind and intent_of(kind) == "breaking" else 0.9


def likes_prose(kind: str, summary: str) -> float:
    return 0.1 if summary.startswith(("-", "1.", "#")) or "**" in summary else sees_errors(kind, summary)


def likes_no_hash(kind: str, summary: str) -> float:
    return 0.1 if summary.startswith("#") else sees_errors(kind, summary)


def test_a_metric_that_reads_words_alone_is_not_moved(tried: Evidence) -> None:
    answer = LayoutQuestion().finding(tried, METRIC)
    assert answer.level is Level.GOOD
    assert answer.figure
    assert answer.figure.estimate.value == 0
    assert "by 0 on average and 0 at most" in answer.sentence


def test_a_metric_that_loses_as_much_by_bullets_as_by_errors_fails_and_says_by_which(tried: Evidence) -> None:
    answer = found(tried, likes_prose)
    assert answer.level is Level.FAILS
    assert "Most often: Prose as a list (100%)" in answer.sentence
    assert "0.8 at most, where errors lower it by 0.7" in answer.sentence
    assert answer.brief == "layout moves it as far as errors"
    assert answer.pairs
    assert all(pair.score_after == 0.1 for pair in answer.pairs)


def test_a_metric_that_only_headings_move_is_neither_good_nor_bad(tried: Evidence) -> None:
    answer = found(tried, likes_no_hash)
    assert answer.figure
    assert answer.figure.estimate.value is not None
    assert 0.1 < answer.figure.estimate.value < 0.3
    assert answer.level not in {Level.GOOD, Level.FAILS}
    assert {detail.label: detail.estimate.value for detail in answer.details}[
        "further than the median error, markdown[to=heading]"
    ] == 1


def test_a_shift_smaller_than_the_errors_of_the_summary_does_not_count(tried: Evidence) -> None:
    answer = found(tried, lambda kind, summary: sees_errors(kind, summary) - 0.6 * summary.startswith("-"))
    assert answer.level is Level.GOOD
    assert "0.6 at most" in answer.sentence


def test_what_no_error_lowers_is_not_praised_for_standing_still(tried: Evidence) -> None:
    answer = found(tried, lambda _kind, _summary: 0.5)
    assert answer.level is Level.MEASURED
    assert "That errors lower it cannot be told" in answer.sentence


def test_what_moves_by_layout_and_not_by_errors_fails(tried: Evidence) -> None:
    assert found(tried, lambda _kind, summary: float(len(summary))).level is Level.FAILS


def test_every_layout_is_a_case_of_the_figure(tried: Evidence) -> None:
    cases = LayoutQuestion().cases(tried, METRIC)
    assert len(cases) == sum(kind != "" for (_, kind, metric) in tried.layout_run.readings if metric == METRIC)
    assert {case.cells["further"] for case in cases} == {"no"}
    assert all(case.pair.before != case.pair.after for case in cases)


def test_a_metric_without_a_better_side_is_not_asked_and_scores_no_layout(tried: Evidence) -> None:
    assert LayoutQuestion().finding(tried, "summary-length").level is Level.NOT_ASKED
    assert not any(metric == "summary-length" for _, _, metric in tried.layout_run.readings)


def test_few_documents_give_no_verdict(tried: Evidence) -> None:
    few = dict(list(tried.layout_run.sources.items())[:6])
    readings = {key: reading for key, reading in tried.layout_run.readings.items() if key[0] in few}
    run = StressRun(tried.layout_run.plan, few, tried.layout_run.variants, readings)
    answer = LayoutQuestion().finding(replace(tried, layout_run=run), METRIC)
    assert answer.level is Level.TOO_FEW
    assert "too few for a verdict" in answer.warning


def test_summaries_without_layouts_or_errors_are_not_measured(tried: Evidence) -> None:
    nothing = StressRun(tried.layout_run.plan, tried.layout_run.sources, tried.layout_run.variants, {})
    assert LayoutQuestion().finding(replace(tried, layout_run=nothing), METRIC).level is Level.NOT_MEASURED
