"""Two scores of the same texts compared: those that are the same, the move between them, and decisions that flip at the threshold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from core.assessment.audit.evidence import Evidence
from core.assessment.audit.question import AuditFigure
from core.assessment.audit.repetition import RepeatedRun, RepeatedScore
from core.results import STRESS_RESAMPLES, score_array
from core.stats import (
    Estimate,
    LabelMatrix,
    Mask,
    Numbers,
    Resamples,
    Values,
    cohen_kappa,
    nominal_distance,
    number_documents,
    share_estimate,
)

_TOLERANCE = 1e-4
"""Difference that another size of batch leaves in single precision."""


@dataclass(frozen=True, slots=True, eq=False)
class RepeatedScores:
    """First and second scores of texts that have both, (n,), their documents, and decisions on each, None without a threshold."""

    scores: Sequence[RepeatedScore]
    first: Values
    second: Values
    documents: Numbers
    decisions: tuple[Values, Values] | None
    seed: int

    @property
    def same(self) -> Mask:
        return np.isclose(self.first, self.second, rtol=_TOLERANCE, atol=_TOLERANCE)

    @property
    def flipped(self) -> Values | None:
        """1 where the decision is another one, (n,); None without a threshold."""
        return None if self.decisions is None else (self.decisions[0] != self.decisions[1]).astype(np.float64)

    def share_same(self) -> AuditFigure:
        return AuditFigure("texts with the same score", self._share(self.same.astype(np.float64)), "share")

    def details(self, way: str = "") -> list[AuditFigure]:
        """The largest difference, the flips and their agreement; `way` stands after their labels."""
        largest = Estimate(float(np.max(np.abs(self.first - self.second))), None, None, len(self.first))
        figures = [AuditFigure(f"largest difference{way}", largest, "score")]
        if self.decisions is not None and self.flipped is not None:
            matrix = LabelMatrix(np.column_stack(self.decisions).astype(np.float64), self.documents)
            kappa = self._drawn().estimate(cohen_kappa(matrix, 0, 1, nominal_distance))
            figures += [
                AuditFigure(f"decisions that flip at its threshold{way}", self._share(self.flipped), "share"),
                AuditFigure(f"Cohen's kappa of the decisions{way}", kappa, "score"),
            ]
        return figures

    def _share(self, values: Values) -> Estimate:
        """Each text is asked again by itself: texts of one document are as independent as others."""
        return replace(share_estimate(values, np.arange(len(values))), documents=len(np.unique(self.documents)))

    def _drawn(self) -> Resamples:
        return Resamples.draw(int(self.documents.max()) + 1, STRESS_RESAMPLES, self.seed)


def repeated_scores(evidence: Evidence, metric: str, repetition: RepeatedRun | None) -> RepeatedScores | None:
    """None where no text has both scores."""
    both = (
        [score for score in repetition.scores if score.first is not None and score.second is not None]
        if repetition
        else []
    )
    if not both:
        return None
    first, second = score_array(score.first for score in both), score_array(score.second for score in both)
    threshold, direction = evidence.threshold(metric), evidence.card(metric).direction
    decisions = None
    if threshold is not None:
        first_accepted, second_accepted = (
            threshold.accepts_scores(of, direction).astype(np.float64) for of in (first, second)
        )
        decisions = first_accepted, second_accepted
    documents = number_documents([score.example.document] for score in both)
    return RepeatedScores(both, first, second, documents, decisions, evidence.seed)
