"""An audit in the background: answers come as questions end, and are those of the whole report; its time is measured before."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from core.assessment import read_file
from core.assessment.audit import time_estimate
from core.assessment.audit.audit_report import audit_metrics
from core.assessment.audit.data import items_data
from core.assessment.audit.evidence_work import EvidenceWork
from core.assessment.audit.question import ordered_questions
from core.assessment.audit.task import AuditTask
from core.assessment.audit.time_estimate import estimate_line, estimate_seconds
from core.scoring.engine.engine import Engine
from core.scoring.metric import METRICS, Metric
from core.settings import Settings
from core.types import Example
from tests.unit.core.assessment.audit.pair_files import write_bundled_pairs


@pytest.fixture
def work(tmp_path: Path) -> Iterator[EvidenceWork]:
    pairs = write_bundled_pairs(tmp_path / "pairs.jsonl", 4)
    settings = Settings(cache_dir=tmp_path / "cache", device="cpu")
    with closing(Engine.open(settings)) as engine:
        yield EvidenceWork(engine, settings, items_data(pairs, read_file(pairs), 2, 0), [METRICS.parse("rouge2")])


def test_early_answers_are_those_of_the_whole_report(work: EvidenceWork) -> None:
    opened = AuditTask(work)
    seen: set[int] = set()
    while opened.task.running:
        seen.add(len(opened.answered.get("rouge2", {})))
        opened.task.wait(0.01)
    assert opened.task.error == ""
    assert opened.report
    assert opened.evidence
    [audit], [again] = opened.report.metrics, [*audit_metrics(opened.evidence, ["rouge2"])]
    assert [*opened.answered["rouge2"]] != [
        finding.question for finding in audit.findings
    ]  # in the order in which they ended
    assert {*opened.answered["rouge2"]} == {question.name for question in ordered_questions()}
    levels = {finding.question: (finding.level, finding.sentence) for finding in audit.findings}
    assert levels == {finding.question: (finding.level, finding.sentence) for finding in again.findings}
    assert max(seen) > 0  # some came before the end


def test_the_time_is_measured_on_a_dozen_pairs_and_given_as_a_range(work: EvidenceWork) -> None:
    seconds = estimate_seconds(work)
    assert seconds
    assert 0 < seconds[0] < seconds[1] < 600
    assert estimate_line(work).startswith(
        f"About {work.counts[1]:,} scores, about 1 min on this machine, measured on 12"
    )
    assert work.engine.disk_use()[0] < 1_000_000  # what was measured is forgotten


def test_a_moment_in_which_the_machine_is_busy_moves_no_estimate(
    work: EvidenceWork, monkeypatch: pytest.MonkeyPatch
) -> None:
    def seconds(_: Engine, __: Metric, texts: Sequence[Example]) -> float:
        timed.append(len(texts))
        return 60.0 if len(timed) <= 2 else 0.001  # the first round, after what loads the model

    timed: list[int] = []
    monkeypatch.setattr(time_estimate, "_seconds", seconds)
    assert "about 1 min on this machine" in estimate_line(work)
    assert len(timed) > 2
