"""Audit question: can it be gamed? The gain by a phrase without content, and the wrong summaries lifted over the threshold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np

from core.audit.evidence import Evidence
from core.audit.question import QUESTIONS, Case, Figure, Finding, Level, Question, Scale
from core.audit.shown_pairs import format_decisions, shown_shift, shown_shifts
from core.metric import METRICS
from core.perturbation import PERTURBATIONS
from core.runs.shifts import STRESS_RESAMPLES, Shift, pairs_of_shifts, score_array
from core.stats.bootstrap import Resamples
from core.stats.discrimination import Threshold
from core.stats.statistic import Estimate
from core.studies.gaming import MetricGaming, lifted_share, metric_gaming

LIFTED_SCALE = Scale(good=0.05, fails=0.2)
GAIN_SCALE = Scale(good=0.1, fails=0.5)
"""In standard deviations of the scores of originals, where no label gives a threshold."""


@QUESTIONS.add
@dataclass(frozen=True)
class Gaming(Question):
    """The best phrase on summaries that are not inconsistent, judged on those that are."""

    name: ClassVar[str] = "gaming"
    title: ClassVar[str] = "Can it be gamed?"
    axis: ClassVar[str] = "gamed"
    place: ClassVar[int] = 4
    page: ClassVar[Literal["", "evaluate", "stress"]] = "stress"
    tab: ClassVar[str] = "gaming"

    def finding(self, evidence: Evidence, metric: str) -> Finding:
        standings = metric_gaming(evidence.run, evidence.shifts)
        found = next((one for one in standings if one.metric == metric), None)
        if found is None:
            return self.not_measured("No phrase was scored, or the metric has no better side.")
        best, threshold = found.best, evidence.threshold(metric)
        gain = Figure("gain by the best phrase", best.spreads, "deviations", f"“{best.phrase.text}”")
        shifts = [one for one in evidence.gaming_shifts if one.metric == metric and one.kind == best.phrase.spec]
        lifted = Figure(
            "wrong summaries lifted over the threshold", _lifted(evidence, shifts, metric, threshold), "share"
        )
        figure, scale = (gain, GAIN_SCALE) if lifted.estimate.value is None else (lifted, LIFTED_SCALE)
        level = scale.level(figure.estimate)
        return replace(
            self.found(level, _sentence(best.phrase.text, gain, lifted), figure),
            brief=_brief(level, lifted.estimate),
            details=_details(found, gain, lifted),
            pairs=shown_shifts(evidence.gaming_run, shifts, abs),
            command=evidence.stress_command(metric),
        )

    def cases(self, evidence: Evidence, metric: str) -> Sequence[Case]:
        """Every inconsistent summary without and with the best phrase, and what the threshold says of it."""
        standings = metric_gaming(evidence.run, evidence.shifts)
        found = next((one for one in standings if one.metric == metric), None)
        if found is None:
            return ()
        kind = found.best.phrase.spec
        shifts = [one for one in evidence.gaming_shifts if one.metric == metric and one.kind == kind]
        threshold = evidence.threshold(metric)
        return [_lifted_case(evidence, one, threshold) for one in shifts]


def _lifted(evidence: Evidence, shifts: Sequence[Shift], metric: str, threshold: Threshold | None) -> Estimate:
    numbers = {group: place for place, group in enumerate(dict.fromkeys(shift.group for shift in shifts))}
    if threshold is None or not numbers:
        return Estimate(None, None, None, 0, "The data have no labels of both kinds, so there is no threshold.")
    drawn = Resamples.draw(len(numbers), STRESS_RESAMPLES, evidence.run.plan.seed)
    return drawn.estimate(lifted_share(pairs_of_shifts(metric, shifts, numbers), threshold))


def _lifted_case(evidence: Evidence, shift: Shift, threshold: Threshold | None) -> Case:
    cells: dict[str, str | float | None] = {"without": shift.before, "with the phrase": shift.after}
    if threshold:
        direction, scores = METRICS.parse(shift.metric).card.direction, score_array([shift.before, shift.after])
        decisions = format_decisions(threshold.accepts_scores(scores, direction), ~np.isnan(scores))
        cells |= dict(zip(("decision without", "decision with it"), decisions, strict=True))
    return Case(cells, shown_shift(evidence.gaming_run, shift))


def _sentence(phrase: str, gain: Figure, lifted: Figure) -> str:
    moves = f"moves its mean by {gain} standard deviations of its scores" if gain.estimate.value is not None else ""
    lifts = (
        f"lifts {lifted} of the wrong summaries that its threshold refuses" if lifted.estimate.value is not None else ""
    )
    return f"Appending “{phrase}” {' and '.join(filter(None, [moves, lifts])) or 'leaves all scores without a spread'}."


def _brief(level: Level, lifted: Estimate) -> str:
    if lifted.value is None or level not in (Level.WEAK, Level.FAILS):
        return ""
    return f"a filler lifts {100 * lifted.value:.0f} % of wrong summaries"


def _details(found: MetricGaming, gain: Figure, lifted: Figure) -> tuple[Figure, ...]:
    plays = [
        Figure(
            f"gain by {PERTURBATIONS.parse(play.phrase.spec).card.title}",
            play.spreads,
            "deviations",
            f"“{play.phrase.text}”",
        )
        for play in found.plays
    ]
    more = [Figure("summaries with a phrase that score higher", found.raised, "share")]
    return tuple(one for one in [gain, lifted, *more, *plays] if one.estimate.value is not None)
