"""Audit question: how much of the metric is surface? The share of its variance that features of the surface predict."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import ClassVar, Literal

from core.assessment.audit.evidence import Evidence
from core.assessment.audit.question import (
    QUESTIONS,
    AuditAnswer,
    AuditFigure,
    AuditQuestion,
    Level,
    Needs,
    VerdictScale,
)
from core.evaluation import SURFACE_FEATURES, correlations_of, missing_features, surface_shares
from core.stats import Estimate

SCALE = VerdictScale(good=0.3, fails=0.6)

_LEAST_SHOWN = 0.005  # a share below that prints as 0 %
_FEATURES = "Length, words per sentence, position, extractiveness and the six features of the surface"


@QUESTIONS.add
class SurfaceQuestion(AuditQuestion):
    """Figures of `cli.py study surface` for the metric."""

    name: ClassVar[str] = "surface"
    title: ClassVar[str] = "How much of it is surface?"
    axis: ClassVar[str] = "surface"
    place: ClassVar[int] = 9
    needs: ClassVar[Needs] = "scores"
    less_is_better: ClassVar[bool] = True
    page: ClassVar[Literal["", "evaluate", "stress"]] = "evaluate"
    tab: ClassVar[str] = "surface"

    def finding(self, evidence: Evidence, metric: str) -> AuditAnswer:
        if metric in SURFACE_FEATURES:
            return self.found(Level.FAILS, f"It is one of the {len(SURFACE_FEATURES)} features of the surface itself.")
        column = evidence.column(metric)
        missing = missing_features(evidence.cases, SURFACE_FEATURES)
        if column is None or missing:
            errors = [f" {name}: {error}" for name in missing for error in evidence.failure_reasons(name)]
            return self.not_measured(
                f"It has no score of these summaries, or a feature of the surface has none.{''.join(errors[:1])}"
            )
        features = tuple(column for column in evidence.cases.columns if column.name in SURFACE_FEATURES)
        cases = replace(evidence.cases, columns=(column, *features), separate=())
        [share] = surface_shares(cases, evidence.drawn)
        if share.variance.value is None:
            return self.not_measured(share.variance.error)
        # a prediction that is worse than the mean score predicts nothing
        predicted = share.variance.rescaled(lambda variance: max(0.0, variance))
        figure = AuditFigure("variance of its scores that the surface predicts", predicted, "share")
        order = AuditFigure("rank correlation of prediction and score", share.order, "score")
        level = SCALE.level(share.variance)
        return replace(
            self.found(
                level,
                _sentence(figure, share.variance),
                figure,
                SCALE,
            ),
            brief=f"{round(100 * (figure.estimate.value or 0.0))} % surface"
            if level in (Level.WEAK, Level.FAILS)
            else "",
            details=(
                order,
                *(
                    AuditFigure(f"rank correlation with {correlation.feature}", correlation.estimate, "score")
                    for correlation in correlations_of(column, cases, evidence.drawn)
                ),
            ),
            command=evidence.cases_command("python cli.py study surface", metric, with_metric=False)
            + f" --resamples {evidence.resamples}",
        )


def _sentence(predicted: AuditFigure, variance: Estimate) -> str:
    """Next to nothing predicted is said of these features, with what the interval still allows."""
    if (predicted.estimate.value or 0.0) >= _LEAST_SHOWN:
        return f"{_FEATURES} predict {predicted} of the variance of its scores on documents that were held out."
    bound = None if variance.high is None else math.ceil(100 * max(0.0, variance.high))
    most = "" if bound is None else f" (upper bound {bound or 1} %)"
    return f"Its scores are not predicted by these features: {_FEATURES.lower()}{most}. What else they may follow is not known."
