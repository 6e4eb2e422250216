"""Whether the metric repeats: the same texts asked again in another order, and of a judge another sample."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from core.audit.evidence import Evidence, RepeatedScore
from core.audit.question import MOST_SHOWN_PAIRS, QUESTIONS, Figure, Finding, Question, Scale, ShownPair
from core.metric import METRICS
from core.stats.agreement import LabelMatrix, cohen_kappa, nominal_distance
from core.stats.bootstrap import Resamples
from core.stats.discrimination import Threshold
from core.stats.statistic import Estimate, Mask, Values, mean, number_documents
from core.stress.shifts import STRESS_RESAMPLES, score_array

SCALE = Scale(good=0.99, fails=0.9)
_TOLERANCE = 1e-4
"""What another size of batch leaves in single precision."""


@QUESTIONS.add
@dataclass(frozen=True)
class Repetition(Question):
    """The share of texts with the same score, or the same side of the threshold where there is one."""

    name: ClassVar[str] = "repetition"
    title: ClassVar[str] = "Does it repeat?"
    axis: ClassVar[str] = "repeats"
    place: ClassVar[int] = 6

    def finding(self, evidence: Evidence, metric: str) -> Finding:
        asked = evidence.repetitions.get(metric)
        both = [one for one in asked.scores if one.first is not None and one.second is not None] if asked else []
        if asked is None or not both:
            return self.not_measured(asked.way if asked and not asked.scores else "No text has both scores.")
        first, second = score_array(one.first for one in both), score_array(one.second for one in both)
        documents = number_documents([one.example.document] for one in both)
        drawn = Resamples.draw(int(documents.max()) + 1, STRESS_RESAMPLES, evidence.seed)
        same = np.isclose(first, second, rtol=_TOLERANCE, atol=_TOLERANCE)
        figure = Figure("texts with the same score", drawn.estimate(mean(same.astype(np.float64), documents)), "share")
        decided = _decisions(evidence.threshold(metric), first, second, metric)
        details: tuple[Figure, ...] = ()
        if decided is not None:
            one, two = decided
            flips = Figure(
                "decisions that flip at its threshold",
                drawn.estimate(mean((one != two).astype(np.float64), documents)),
                "share",
            )
            kappa = cohen_kappa(
                LabelMatrix(np.column_stack([one, two]).astype(np.float64), documents), 0, 1, nominal_distance
            )
            details = (flips, Figure("Cohen's kappa of the decisions", drawn.estimate(kappa), "score"))
        largest = Figure(
            "largest difference", Estimate(float(np.max(np.abs(first - second))), None, None, len(both)), "score"
        )
        return replace(
            self.found(
                SCALE.level(figure.estimate),
                f"Asked {asked.way}, {figure} of {len(both)} texts have the same score.",
                figure,
            ),
            details=(largest, *details),
            pairs=_different(both, same),
            command=evidence.audit_command(metric),
        )


def _decisions(threshold: Threshold | None, first: Values, second: Values, metric: str) -> tuple[Values, Values] | None:
    """1 where a score is accepted, (n,) each; None without a threshold."""
    if threshold is None:
        return None
    direction = METRICS.parse(metric).card.direction
    one, two = (threshold.accepts_scores(scores, direction).astype(np.float64) for scores in (first, second))
    return one, two


def _different(both: Sequence[RepeatedScore], same: Mask) -> tuple[ShownPair, ...]:
    changed = [one for one, alike in zip(both, same, strict=True) if not alike]
    return tuple(
        ShownPair(one.example.id, "", one.example.summary, one.example.summary, one.first, one.second, "asked again")
        for one in changed[:MOST_SHOWN_PAIRS]
    )
