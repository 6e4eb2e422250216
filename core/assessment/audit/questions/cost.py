"""Audit question: what does the metric cost, in seconds, memory and money for 1,000 summaries like these?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

from core.assessment.audit.evidence import Evidence
from core.assessment.audit.question import QUESTIONS, AuditAnswer, AuditFigure, AuditQuestion, FigureCase, Level
from core.assessment.audit.shown_pairs import text_case
from core.scoring import METRICS
from core.stats import Estimate
from core.types import Result

_THOUSAND = 1000


@QUESTIONS.add
class CostQuestion(AuditQuestion):
    """Measured by the clock and in processor time while the texts were asked again, so that the cache has no part in it; no verdict."""

    name: ClassVar[str] = "cost"
    title: ClassVar[str] = "What does it cost?"
    axis: ClassVar[str] = "cost"
    place: ClassVar[int] = 15
    scores: ClassVar[bool] = True

    def finding(self, evidence: Evidence, metric: str) -> AuditAnswer:
        repetition, card = evidence.repetitions.get(metric), METRICS.parse(metric).card
        if repetition is None or repetition.timed < 1:
            return self.not_measured(repetition.way if repetition and repetition.way else "Too few texts to be timed.")
        seconds = Estimate(_THOUSAND * repetition.seconds / repetition.timed, None, None, repetition.timed)
        figure = AuditFigure("time for 1,000 summaries", seconds, "seconds", repetition.device)
        device = f" on {repetition.device}" if repetition.device else ""
        tokens = [
            outcome.counts.tokens
            for outcome in evidence.outcomes
            if isinstance(outcome, Result) and outcome.metric == metric
        ]
        memory = card.memory_mb or card.download_mb
        processor = Estimate(_THOUSAND * repetition.processor_seconds / repetition.timed, None, None, repetition.timed)
        details = [
            AuditFigure("processor time of this process for 1,000 summaries", processor, "seconds"),
            AuditFigure(
                "memory of its largest model, as its card says", Estimate(float(memory), None, None, 0), "megabytes"
            ),
            AuditFigure(
                "tokens read for 1,000 summaries, what was cached left out",
                Estimate(_THOUSAND * sum(tokens) / max(1, len(tokens)), None, None, len(tokens)),
                "count",
            ),
        ]
        return replace(
            self.found(
                Level.MEASURED,
                f"1,000 summaries like these take {figure} by the clock{device}, {details[0]} of processor time, measured on "
                f"{repetition.timed} of them. Other work on the machine makes the first longer.",
                figure,
            ),
            details=tuple(details),
            command=evidence.audit_command(metric),
            warning="",
        )

    def cases(self, evidence: Evidence, metric: str) -> Sequence[FigureCase]:
        """The tokens read of every text; those that were cached are not among them."""
        texts = {text.id: text for text in evidence.data.texts}
        results = [outcome for outcome in evidence.outcomes if isinstance(outcome, Result) and outcome.metric == metric]
        return [
            text_case(
                texts[result.example_id],
                {"score": result.score, "tokens read": result.counts.tokens},
                result.score,
                result.score,
            )
            for result in results
        ]
