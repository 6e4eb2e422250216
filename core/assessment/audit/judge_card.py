"""The card of a judge: what was found about a model at an endpoint, whichever metrics ask it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.assessment.audit.audit_judge import JudgeModel
from core.assessment.audit.question import AuditAnswer, MetricAudit


@dataclass(frozen=True, slots=True)
class JudgeCard:
    """The audits of all metrics that ask one model at one endpoint."""

    model: JudgeModel
    audits: tuple[MetricAudit, ...]

    def rows(self) -> list[tuple[str, list[AuditAnswer | None]]]:
        """A row for each question of the card: its title, and the finding on each metric."""
        titles = {finding.question: finding.title for audit in self.audits for finding in audit.on_card}
        return [(title, [audit.finding(question) for audit in self.audits]) for question, title in titles.items()]


def judge_cards(audits: Sequence[MetricAudit]) -> list[JudgeCard]:
    """A card for each model and endpoint, in the order of the audits; none without a judge."""
    models = dict.fromkeys(audit.judge for audit in audits if audit.judge)
    return [JudgeCard(model, tuple(audit for audit in audits if audit.judge == model)) for model in models]
