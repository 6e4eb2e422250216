"""Audit question of judges: what does a right verdict cost, in money, tokens and seconds, by the usage that the server counted?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar, Literal

import numpy as np

from core.assessment.audit.evidence import Evidence
from core.assessment.audit.question import QUESTIONS, AuditAnswer, AuditFigure, AuditQuestion, FigureCase, Level
from core.assessment.audit.shown_pairs import labelled_case
from core.scoring import VerdictUsage
from core.stats import Estimate, Values, quotient

_THOUSAND = 1000


@QUESTIONS.add
class CostPerVerdictQuestion(AuditQuestion):
    """Cost of all labelled summaries by the number judged rightly at the threshold; a failure costs as much as the others on average."""

    name: ClassVar[str] = "cost-per-verdict"
    title: ClassVar[str] = "What does a right verdict cost?"
    axis: ClassVar[str] = "cost/verdict"
    place: ClassVar[int] = 22
    asked_of: ClassVar[Literal["all", "judges"]] = "judges"
    less_is_better: ClassVar[bool] = True

    def finding(self, evidence: Evidence, metric: str) -> AuditAnswer:
        right, usages = _right(evidence, metric), _usages(evidence, metric)
        if right is None:
            return self.not_measured("Without labels of both kinds there is no threshold, and so no right verdict.")
        if not np.nansum(right):
            return self.not_measured("No summary is judged rightly.")
        read, written = (
            _per_right(
                evidence, right, [None if usage is None else float(getattr(usage.tokens, part)) for usage in usages]
            )
            for part in ("read", "written")
        )
        money = _per_right(evidence, right, [usage.money if usage else None for usage in usages])
        figures = [
            figure
            for figure in (
                AuditFigure("money for a right verdict", money, "money", "in the currency of the prices"),
                AuditFigure("tokens read for a right verdict", read, "count"),
                AuditFigure("tokens written for a right verdict", written, "count"),
                *_seconds(evidence, metric, right),
            )
            if figure.estimate.value is not None
        ]
        if not figures:
            return self.not_measured("Its answers were kept, and nobody counted their tokens.")
        first, *others = figures
        no_price = " The price of its endpoint is not set." if any(usages) and money.value is None else ""
        return replace(
            self.found(
                Level.MEASURED,
                f"A right verdict costs {', '.join(f'{figure} ({figure.label})' for figure in figures)}; "
                f"{100 * float(np.nanmean(right)):.0f} % of the verdicts are right at its threshold.{no_price}",
                first,
            ),
            details=tuple(others),
            command=evidence.audit_command(metric),
            warning="",
        )

    def cases(self, evidence: Evidence, metric: str) -> Sequence[FigureCase]:
        """Every labelled summary with its verdict and what that used up."""
        right, usages = _right(evidence, metric), _usages(evidence, metric)
        if right is None:
            return ()
        rows = zip(evidence.cases.samples, evidence.scores(metric), right, usages, strict=True)
        return [
            labelled_case(
                sample,
                float(score),
                {
                    "verdict": "right" if verdict else "wrong",
                    "tokens read": usage.tokens.read if usage else None,
                    "tokens written": usage.tokens.written if usage else None,
                    "money": usage.money if usage else None,
                },
            )
            for sample, score, verdict, usage in rows
            if not np.isnan(verdict)
        ]


def _right(evidence: Evidence, metric: str) -> Values | None:
    """1 where a summary is judged rightly, 0 where not or not at all, (samples,), nan without a label; None without a threshold."""
    threshold, scores, labels = evidence.threshold(metric), evidence.scores(metric), evidence.cases.labels
    if threshold is None:
        return None
    accepted = threshold.accepts_scores(scores, evidence.card(metric).direction)
    right = (accepted == (labels == 1)) & ~np.isnan(scores)
    return np.where(np.isnan(labels), np.nan, right.astype(np.float64))


def _usages(evidence: Evidence, metric: str) -> list[VerdictUsage | None]:
    """Usage behind the score of each sample."""
    usages = evidence.judges[metric].usages
    return [usages.get(sample.stored, usages.get(sample.item.example.id)) for sample in evidence.cases.samples]


def _per_right(evidence: Evidence, right: Values, costs: Sequence[float | None]) -> Estimate:
    """The sum of costs by the number of right verdicts; no value where no cost is known."""
    values = np.array([np.nan if cost is None else cost for cost in costs], dtype=np.float64)
    if np.isnan(values).all():
        return Estimate(None, None, None, 0, "No cost is known.")
    filled, labelled = np.where(np.isnan(values), np.nanmean(values), values), ~np.isnan(right)
    return evidence.drawn.estimate(quotient(filled[labelled], right[labelled], evidence.cases.documents[labelled]))


def _seconds(evidence: Evidence, metric: str, right: Values) -> list[AuditFigure]:
    """By the clock while texts were asked again, several at once; none where those answers were kept."""
    repetition = evidence.repetitions.get(metric)
    if repetition is None or repetition.timed < 1 or not repetition.questions:
        return []
    seconds = _THOUSAND * repetition.seconds / repetition.timed / float(np.nanmean(right))
    figure = Estimate(seconds, None, None, repetition.timed)
    return [AuditFigure("time for 1,000 right verdicts", figure, "seconds", "by the clock, several questions at once")]
