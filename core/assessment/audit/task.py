"""An audit in the background: measured, answered and reported while a page is looked at."""

from __future__ import annotations

from collections.abc import Callable, Generator

from core.assessment.audit.audit_report import Answers, AuditReport, answer_early, audit_metrics, build_report
from core.assessment.audit.data import audit_command
from core.assessment.audit.evidence import Evidence
from core.assessment.audit.evidence_work import EvidenceWork
from core.assessment.audit.question import AuditAnswer, MetricAudit, Needs
from core.base import BackgroundTask


class AuditTask:
    """One audit under way or done; what was scored stays in the engine's cache where it is cancelled.

    `keep` is called with the report at the end of the work, in its thread, unless scores failed that another audit may have.
    """

    def __init__(self, measured: EvidenceWork, keep: Callable[[AuditReport], None] | None = None) -> None:
        self.metrics = [*measured.gathered.released, *(metric.spec for metric in measured.metrics)]
        self.data = measured.data
        self.thresholds = [threshold.name for threshold in measured.gathered.saved_thresholds.values()]
        self._measured = measured
        self._audits: list[MetricAudit] = []
        self._early: Answers = {}
        self._keep = keep
        self.task: BackgroundTask[object] = BackgroundTask(self._work, counts=self._counts)

    @property
    def evidence(self) -> Evidence | None:
        """Measured evidence, or None before all of it is there."""
        return self._measured.finished

    @property
    def report(self) -> AuditReport | None:
        """None before every metric has its findings."""
        evidence = self.evidence
        if evidence is None or len(self._audits) < len(self.metrics):
            return None
        return build_report(evidence, self._audits, audit_command(self.data, self.metrics, evidence.seed))

    @property
    def answered(self) -> dict[str, dict[str, AuditAnswer]]:
        """Answers so far by metric and question; warnings across questions come with the report."""
        return {metric: dict(answers) for metric, answers in list(self._early.items())}

    def _counts(self) -> tuple[int, int]:
        done, total = self._measured.counts
        return done + len(self._audits), total + len(self.metrics)

    def _work(self) -> Generator[object]:
        waiting: list[Needs] = ["scores", "runs"]
        for step in self._measured.work():
            yield step
            evidence = self._measured.scores_done
            if evidence and waiting and (waiting[0] == "scores" or self._measured.runs_done):
                yield from answer_early(evidence, self.metrics, waiting.pop(0), self._early)
        for audit in audit_metrics(self._measured.evidence(), self.metrics, self._early):
            self._audits.append(audit)
            yield audit
        if self._keep and self.report and not self._measured.evidence().unexpected:
            self._keep(self.report)
