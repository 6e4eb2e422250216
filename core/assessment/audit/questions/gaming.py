"""Audit question: can it be gamed? Wrong summaries that a phrase without content lifts over the threshold, beyond harmless edits of its length."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar, Literal

import numpy as np

from core.assessment.audit.evidence import Evidence
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
from core.assessment.audit.shown_pairs import format_decisions, shown_shift, shown_shifts
from core.edits import PERTURBATIONS, Repeated
from core.evaluation import PhraseEffect, lifted_share
from core.results import STRESS_RESAMPLES, Shift, pairs_of_shifts, score_array
from core.scoring import METRICS
from core.stats import Estimate, Resamples, difference, format_share

LIFTED_SCALE = VerdictScale(good=0.05, fails=0.2)
GAIN_SCALE = VerdictScale(good=0.1, fails=0.5)
"""In standard deviations of the scores of originals, where no label gives a threshold."""


@QUESTIONS.add
class GamingQuestion(AuditQuestion):
    """The best phrase on summaries that are not inconsistent, judged on those that are against repeating as many of their words."""

    name: ClassVar[str] = "gaming"
    title: ClassVar[str] = "Can it be gamed?"
    axis: ClassVar[str] = "gamed"
    place: ClassVar[int] = 8
    needs: ClassVar[Needs] = "runs"
    scores: ClassVar[bool] = True
    less_is_better: ClassVar[bool] = True
    page: ClassVar[Literal["", "evaluate", "stress"]] = "stress"
    tab: ClassVar[str] = "gaming"

    def finding(self, evidence: Evidence, metric: str) -> AuditAnswer:
        row = evidence.phrase_gains.get(metric)
        if row is None:
            return self.not_measured("No phrase was scored, or the metric has no better side.")
        best = row.best
        gain = AuditFigure("gain by the best phrase", best.spreads, "deviations", f"“{best.phrase.text}”")
        shifts = _shifts_by(evidence, metric, best.phrase.spec)
        lifted, control, excess = _lifted(
            evidence, metric, shifts, _shifts_by(evidence, metric, _control_kind(evidence, best))
        )
        lifts = (
            AuditFigure("wrong summaries lifted beyond harmless edits of the same length", excess, "share"),
            AuditFigure("wrong summaries lifted over the threshold", lifted, "share"),
            AuditFigure("wrong summaries lifted by repeating as many of their words", control, "share"),
        )
        gains = (
            AuditFigure(
                "gain beyond harmless edits of the same length", best.excess, "deviations", f"“{best.phrase.text}”"
            ),
            gain,
            AuditFigure("gain by harmless edits of the same length", best.control, "deviations"),
        )
        (figure, raw, harmless), scale = (gains, GAIN_SCALE) if lifted.value is None else (lifts, LIFTED_SCALE)
        level = _level(scale, raw.estimate, figure.estimate)
        plays = [
            AuditFigure(
                f"gain by {PERTURBATIONS.parse(play.phrase.spec).card.title}",
                play.spreads,
                "deviations",
                f"“{play.phrase.text}”",
            )
            for play in row.plays
        ]
        more = [AuditFigure("summaries with a phrase that score higher", row.raised, "share")]
        details = tuple(figure for figure in [*gains, *lifts, *more, *plays] if figure.estimate.value is not None)
        brief = f"a filler lifts {format_share(lifted)} of wrong summaries, harmless words {format_share(control)}"
        is_gamed = lifted.value is not None and level in (Level.WEAK, Level.FAILS)
        sentence = _sentence(best.phrase.text, raw, harmless, figure, level)
        if figure is lifts[0]:
            sentence += f" {_gain_sentence(gain, gains[2])}"
        # without a control the verdict rests on what the phrase does
        finding = self.found(level, sentence, raw if figure.estimate.value is None else figure)
        return replace(
            finding,
            warning=self.found(level, "", raw, scale).warning if level is Level.TOO_FEW else finding.warning,
            brief=brief if is_gamed else "",
            details=details,
            pairs=shown_shifts(evidence.gaming_run, shifts, abs),
            command=evidence.stress_command(metric),
        )

    def cases(self, evidence: Evidence, metric: str) -> Sequence[FigureCase]:
        """Every inconsistent summary without and with the best phrase, and what the threshold says of it."""
        row = evidence.phrase_gains.get(metric)
        if row is None:
            return ()
        repeated = {shift.source: shift for shift in _shifts_by(evidence, metric, _control_kind(evidence, row.best))}
        threshold = evidence.threshold(metric)
        shown = []
        for shift in _shifts_by(evidence, metric, row.best.phrase.spec):
            control = repeated.get(shift.source)
            scores = [shift.before, shift.after, control.after if control else None]
            cells: dict[str, str | float | None] = dict(
                zip(("without", "with the phrase", "with words repeated"), scores, strict=True)
            )
            if threshold:
                direction, values = METRICS.parse(shift.metric).card.direction, score_array(scores)
                decisions = format_decisions(threshold.accepts_scores(values, direction), ~np.isnan(values))
                cells |= dict(
                    zip(
                        ("decision without", "decision with it", "decision with words repeated"), decisions, strict=True
                    )
                )
            shown.append(FigureCase(cells, shown_shift(evidence.gaming_run, shift)))
        return shown


def _shifts_by(evidence: Evidence, metric: str, kind: str) -> list[Shift]:
    """Shifts of the inconsistent summaries under one kind."""
    return [shift for shift in evidence.gaming_shifts if shift.metric == metric and shift.kind == kind]


def _control_kind(evidence: Evidence, best: PhraseEffect) -> str:
    """The kind that repeats as many words as the phrase has, or nearly so; empty where the run has none."""
    kinds = [kind for kind in map(PERTURBATIONS.parse, evidence.gaming_run.plan.kinds) if isinstance(kind, Repeated)]
    nearest = min(kinds, key=lambda kind: abs(kind.words - best.words), default=None)
    return nearest.spec if nearest else ""


def _lifted(
    evidence: Evidence, metric: str, shifts: Sequence[Shift], repeated: Sequence[Shift]
) -> tuple[Estimate, Estimate, Estimate]:
    """The shares that the phrase lifts and that the repetition does, and their difference, on the same resamples."""
    threshold = evidence.threshold(metric)
    numbers = {group: place for place, group in enumerate(dict.fromkeys(shift.group for shift in (*shifts, *repeated)))}
    if threshold is None or not shifts:
        missing = Estimate(None, None, None, 0, "The data have no labels of both kinds, so there is no threshold.")
        return missing, missing, missing
    resamples = Resamples.draw(len(numbers), STRESS_RESAMPLES, evidence.run.plan.seed)
    lifted, control = (
        resamples.of(lifted_share(pairs_of_shifts(metric, of, numbers), threshold)) for of in (shifts, repeated)
    )
    return lifted.estimate(), control.estimate(), difference(lifted, control)


def _level(scale: VerdictScale, raw: Estimate, excess: Estimate) -> Level:
    """Good where a phrase lifts next to nothing; a claim that it games only where it lifts more than harmless edits do."""
    level = scale.level(raw)
    if level is Level.GOOD or scale.observed_level(raw) in (Level.GOOD, Level.TOO_FEW):
        return level
    if excess.low is None or excess.low <= 0:
        return Level.MEASURED
    return worst_level([Level.WEAK, scale.level(excess)])


def _sentence(phrase: str, raw: AuditFigure, harmless: AuditFigure, excess: AuditFigure, level: Level) -> str:
    if raw.estimate.value is None:
        return f"Appending “{phrase}” leaves all scores without a spread."
    if raw.unit != "share":
        what = f"moves its mean by {raw} standard deviations of its scores, {_control(harmless)}"
    else:
        what = f"lifts {raw} of the wrong summaries that its threshold refuses, repeating as many of their own words {harmless}"
    if excess.estimate.value is None:
        return f"Appending “{phrase}” {what}."
    claim = {
        Level.GOOD: "",
        Level.TOO_FEW: f" The difference is {excess}.",
        Level.MEASURED: f" The difference, {excess}, is not clear of zero: that the phrase does it is not shown.",
    }
    return f"Appending “{phrase}” {what}.{claim.get(level, f' The phrase alone does {excess}.')}"


def _gain_sentence(gain: AuditFigure, harmless: AuditFigure) -> str:
    """The gain that papers report, with its control."""
    if gain.estimate.value is None:
        return "The scores of the others have no spread, so that no gain can be measured by it."
    return f"It moves the mean of the others by {gain} standard deviations of their scores, {_control(harmless)}."


def _control(harmless: AuditFigure) -> str:
    if harmless.estimate.value is None:
        return "no harmless edit is as long"
    return f"harmless edits of the same length by {harmless}"
