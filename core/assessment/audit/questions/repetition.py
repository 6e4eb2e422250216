"""Audit question: does the metric repeat? The same texts in another order, of a judge another sample."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

from core.assessment.audit.evidence import Evidence
from core.assessment.audit.question import (
    MOST_SHOWN_PAIRS,
    QUESTIONS,
    AuditAnswer,
    AuditQuestion,
    FigureCase,
    ShownPair,
    VerdictScale,
)
from core.assessment.audit.repeated_scores import repeated_scores
from core.assessment.audit.repetition import MOST_REPEATED
from core.assessment.audit.shown_pairs import text_case

SCALE = VerdictScale(good=0.9, fails=0.75)
"""Forty texts that all repeat show that 91 % of others do."""


@QUESTIONS.add
class RepetitionQuestion(AuditQuestion):
    """The share of texts with the same score."""

    name: ClassVar[str] = "repetition"
    title: ClassVar[str] = "Does it repeat?"
    axis: ClassVar[str] = "repeats"
    place: ClassVar[int] = 10
    scores: ClassVar[bool] = True

    def finding(self, evidence: Evidence, metric: str) -> AuditAnswer:
        repetition = evidence.repetitions.get(metric)
        again = repeated_scores(evidence, metric, repetition)
        if repetition is None or again is None:
            return self.not_measured(
                repetition.way if repetition and not repetition.scores else "No text has both scores."
            )
        figure = again.share_same()
        sentence = f"Asked {repetition.way}, {figure} of {figure.estimate.n} texts have the same score."
        changed = [score for score, alike in zip(again.scores, again.same, strict=True) if not alike]
        different = tuple(
            ShownPair(
                score.example.id,
                "",
                score.example.summary,
                score.example.summary,
                score.first,
                score.second,
                "asked again",
            )
            for score in changed[:MOST_SHOWN_PAIRS]
        )
        estimate = figure.estimate
        most = MOST_REPEATED * estimate.documents // estimate.n
        return replace(
            self.found(SCALE.level(estimate), sentence, figure, SCALE, most),
            details=tuple(again.details()),
            pairs=different,
            command=evidence.audit_command(metric),
        )

    def cases(self, evidence: Evidence, metric: str) -> Sequence[FigureCase]:
        """Every text with its first score and that of asking again."""
        repetition = evidence.repetitions.get(metric)
        return [
            text_case(score.example, {"first": score.first, "asked again": score.second}, score.first, score.second)
            for score in (repetition.scores if repetition else ())
        ]
