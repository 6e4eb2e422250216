"""Audit question: does the metric answer? The share of summaries without a score, by label and by reason, and scores outside its range."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

import numpy as np

from core.assessment.audit.evidence import MOST_MISSING, Evidence
from core.assessment.audit.question import (
    QUESTIONS,
    AuditAnswer,
    AuditFigure,
    AuditQuestion,
    FigureCase,
    Level,
    Needs,
    VerdictScale,
    worst_level,
)
from core.assessment.audit.shown_pairs import labelled_case
from core.stats import (
    MIN_TEST_DOCUMENTS,
    Estimate,
    difference,
    format_share,
    share,
)

SCALE = VerdictScale(good=MOST_MISSING, fails=0.2)

_MOST_REASONS = 5
_ROUNDING = 1e-6  # of the range: what single precision leaves of a bound


@QUESTIONS.add
class AnswersQuestion(AuditQuestion):
    """Summaries of the data that have no score, and scores that the metric's card does not allow."""

    name: ClassVar[str] = "answers"
    title: ClassVar[str] = "Does it answer?"
    axis: ClassVar[str] = "invalid"
    place: ClassVar[int] = 1
    needs: ClassVar[Needs] = "runs"
    less_is_better: ClassVar[bool] = True

    def finding(self, evidence: Evidence, metric: str) -> AuditAnswer:
        cases, scores = evidence.cases, evidence.scores(metric)
        if not len(scores):
            return self.not_measured("The data have no summary.")
        missing = evidence.missing(metric)
        good, bad = (
            evidence.drawn.of(share(np.where(cases.labels == label, missing, np.nan), cases.documents))
            for label in (1.0, 0.0)
        )
        more_bad = difference(bad, good)
        unscored = AuditFigure(
            "summaries without a score", evidence.drawn.estimate(share(missing, cases.documents)), "share"
        )
        card = evidence.card(metric)
        low, high = (-np.inf if card.low is None else card.low), (np.inf if card.high is None else card.high)
        slack = _ROUNDING * max(1.0, *(abs(bound) for bound in (low, high) if np.isfinite(bound)), 1.0)
        lie_outside = np.where(np.isnan(scores), np.nan, (scores < low - slack) | (scores > high + slack))  # (n,)
        bounds = ["no bound" if bound is None else f"{bound:g}" for bound in (card.low, card.high)]
        outside = AuditFigure(
            "scores outside its range",
            evidence.drawn.estimate(share(lie_outside, cases.documents)),
            "share",
            f"its card says {' to '.join(bounds)}",
        )
        selective = bool(evidence.misses_too_many(metric) and more_bad.low is not None and more_bad.low > 0)
        of_missing = worst_level([_level(unscored.estimate), *([Level.FAILS] if selective else [])])
        of_range = (
            worst_level([Level.WEAK, SCALE.observed_level(outside.estimate)]) if outside.estimate.value else Level.GOOD
        )
        level = worst_level([of_missing, of_range])
        if unscored.estimate.documents < MIN_TEST_DOCUMENTS:
            level = Level.TOO_FEW
        figure, other = (unscored, outside) if of_missing is level else (outside, unscored)
        reasons = evidence.failure_reasons(metric)
        return replace(
            self.found(level, _sentence(unscored, outside, reasons, selective=selective), figure, SCALE),
            brief="; ".join(_briefs(unscored, outside, selective=selective)),
            details=(
                AuditFigure("consistent summaries without a score", good.estimate(), "share"),
                AuditFigure("inconsistent summaries without a score", bad.estimate(), "share"),
                AuditFigure("without a score, inconsistent − consistent", more_bad, "share"),
                AuditFigure("variants of the stress run without a score", _missing_variants(evidence, metric), "share"),
                other,
                *(
                    AuditFigure("summaries without a score", Estimate(float(n), None, None, n), "count", reason)
                    for reason, n in reasons.most_common(_MOST_REASONS)
                ),
            ),
            command=evidence.audit_command(metric),
        )

    def cases(self, evidence: Evidence, metric: str) -> Sequence[FigureCase]:
        """Every summary with its score, or the reason why it has none."""
        reasons = evidence.failures(metric)
        return [
            labelled_case(sample, float(score), {"reason": reasons.get(sample.stored)})
            for sample, score in zip(evidence.cases.samples, evidence.scores(metric), strict=True)
        ]


def _level(unscored: Estimate) -> Level:
    """Verdict on the texts at hand; none where so few miss a score that it would be good, and the interval allows failing."""
    level = SCALE.observed_level(unscored)
    return Level.TOO_FEW if level is Level.WEAK and (unscored.value or 0.0) <= SCALE.good else level


def _missing_variants(evidence: Evidence, metric: str) -> Estimate:
    """Share of the edited summaries of the stress run that have no score."""
    scores = [reading for (_, kind, of), reading in evidence.run.readings.items() if of == metric and kind]
    share = sum(score.value is None for score in scores) / len(scores) if scores else None
    return Estimate(share, None, None, len(scores), "" if scores else "No summary was edited.")


def _sentence(share: AuditFigure, outside: AuditFigure, reasons: Counter[str], *, selective: bool) -> str:
    estimate = share.estimate
    parts = [f"{share} of {estimate.n} summaries have no score." if estimate.value else "Every summary has a score."]
    if selective:
        parts.append("It leaves out inconsistent ones more often: what is left looks better than the metric is.")
    if reasons:
        reason, n = reasons.most_common(1)[0]
        parts.append(f"Most often, {n} times, as: {reason}")
    if outside.estimate.value:
        parts.append(f"{outside} of its scores lie outside its range, {outside.remark}.")
    return " ".join(parts)


def _briefs(share: AuditFigure, outside: AuditFigure, *, selective: bool) -> list[str]:
    briefs = []
    if (share.estimate.value or 0.0) > MOST_MISSING:
        briefs.append(
            f"has no score for {format_share(share.estimate)}{', most of all for errors' if selective else ''}"
        )
    if outside.estimate.value:
        briefs.append(f"{format_share(outside.estimate)} of its scores lie outside its range")
    return briefs
