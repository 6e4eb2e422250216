"""Audit question: how much of the metric is surface? The share of its variance that six shallow features predict."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Literal

from core.audit.evidence import Evidence
from core.audit.question import QUESTIONS, Figure, Finding, Level, Question, Scale
from core.models.words.shallow import FEATURES
from core.studies.surface import feature_correlations, missing_features, predicted_shares

SCALE = Scale(good=0.3, fails=0.6)


@QUESTIONS.add
@dataclass(frozen=True)
class Surface(Question):
    """Figures of `cli.py study surface` for the metric."""

    name: ClassVar[str] = "surface"
    title: ClassVar[str] = "How much of it is surface?"
    axis: ClassVar[str] = "surface"
    place: ClassVar[int] = 5
    page: ClassVar[Literal["", "evaluate", "stress"]] = "evaluate"
    tab: ClassVar[str] = "surface"

    def finding(self, evidence: Evidence, metric: str) -> Finding:
        if metric in FEATURES:
            return self.found(Level.FAILS, "It is one of the six shallow features itself: all of it is surface.")
        column = evidence.column(metric)
        if column is None or missing_features(evidence.cases):
            return self.not_measured("It has no score of these summaries, or a shallow feature has none.")
        features = tuple(one for one in evidence.cases.columns if one.name in FEATURES)
        cases = replace(evidence.cases, columns=(column, *features), separate=())
        [share] = predicted_shares(cases, evidence.drawn)
        if share.variance.value is None:
            return self.not_measured(share.variance.why)
        figure = Figure("variance of its scores that shallow features predict", share.variance, "share")
        order = Figure("rank correlation of prediction and score", share.order, "score")
        level = SCALE.level(share.variance)
        correlated = [one for one in feature_correlations(cases, evidence.drawn) if one.metric == column.name]
        return replace(
            self.found(
                level,
                _sentence(figure),
                figure,
            ),
            brief=f"{max(0, round(100 * share.variance.value))} % surface" if level is not Level.TOO_FEW else "",
            details=(
                order,
                *(Figure(f"rank correlation with {one.feature}", one.estimate, "score") for one in correlated),
            ),
            command=evidence.cases_command("python cli.py study surface", metric, chosen=False)
            + f" --resamples {evidence.resamples}",
        )


def _sentence(figure: Figure) -> str:
    """A share below zero is that of a prediction which is worse than the mean."""
    if (figure.estimate.value or 0.0) < 0:
        return (
            "Six features of the surface predict its scores on documents that were held out worse than their mean does."
        )
    return (
        f"Six features of the surface predict {figure} of the variance of its scores on documents that were held out."
    )
