"""Audit question: does the metric repeat? The same texts in another order, of a judge another sample, and in other words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from core.audit.evidence import Evidence
from core.audit.question import (
    MOST_SHOWN_PAIRS,
    QUESTIONS,
    Case,
    Figure,
    Finding,
    Level,
    Question,
    Scale,
    ShownPair,
    worst_level,
)
from core.audit.repetition import RepeatedScore
from core.audit.repetition import Repetition as AskedAgain
from core.audit.shown_pairs import text_case
from core.metric import METRICS
from core.runs.shifts import STRESS_RESAMPLES, score_array
from core.stats.agreement import LabelMatrix, cohen_kappa, nominal_distance
from core.stats.bootstrap import Resamples
from core.stats.discrimination import Threshold
from core.stats.statistic import Estimate, Mask, Values, mean, number_documents

SCALE = Scale(good=0.99, fails=0.9)
FLIP_SCALE = Scale(good=0.05, fails=0.2)
"""Of the decisions under other words: a judge that answers the question, and not its wording, changes few."""

_TOLERANCE = 1e-4
"""Difference that another size of batch leaves in single precision."""


@QUESTIONS.add
@dataclass(frozen=True)
class Repetition(Question):
    """The share of texts with the same score, and of a judge the decisions that flip when its instructions are reworded."""

    name: ClassVar[str] = "repetition"
    title: ClassVar[str] = "Does it repeat?"
    axis: ClassVar[str] = "repeats"
    place: ClassVar[int] = 7
    scores: ClassVar[bool] = True

    def finding(self, evidence: Evidence, metric: str) -> Finding:
        asked = evidence.repetitions.get(metric)
        again = _agreement(evidence, metric, asked)
        reworded = {
            one.way: found
            for one in evidence.rewordings.get(metric, ())
            if (found := _agreement(evidence, metric, one))
        }
        flips = [found.flips for found in reworded.values() if found.flips]
        levels = [SCALE.level(again.same.estimate)] if again else []
        levels += [FLIP_SCALE.level(one.estimate) for one in flips]
        if not levels:
            return self.not_measured(asked.way if asked and not asked.scores else "No text has both scores.")
        figure = again.same if again else max(flips, key=lambda one: one.estimate.value or 0.0)
        sentences = [_again_sentence(asked, again) if asked and again else "", _reworded_sentence(flips)]
        level = worst_level(levels)
        return replace(
            self.found(level, " ".join(filter(None, sentences)), figure),
            brief="its decisions depend on the wording of its instructions"
            if any(FLIP_SCALE.level(one.estimate) is Level.FAILS for one in flips)
            else "",
            details=(
                *(again.details() if again else ()),
                *(one for way, found in reworded.items() for one in found.details(f", {way}")),
            ),
            pairs=again.pairs if again else (),
            command=evidence.audit_command(metric),
        )

    def cases(self, evidence: Evidence, metric: str) -> Sequence[Case]:
        """Every text with its first score and those of asking again."""
        asked = evidence.repetitions.get(metric)
        ways = [("asked again", asked)] if asked and asked.scores else []
        ways += [(one.way, one) for one in evidence.rewordings.get(metric, ())]
        by_text: dict[str, list[tuple[str, RepeatedScore]]] = {}
        for way, repetition in ways:
            for one in repetition.scores:
                by_text.setdefault(one.example.id, []).append((way, one))
        return [_repeated_case(scores) for scores in by_text.values()]


@dataclass(frozen=True, slots=True)
class _Agreement:
    """Two scores of the same texts: those that are the same, and at the threshold, where there is one, what flips."""

    same: Figure
    largest: Figure
    pairs: tuple[ShownPair, ...]
    flips: Figure | None = None
    kappa: Figure | None = None

    def details(self, way: str = "") -> list[Figure]:
        """The figures, those of another wording with its name; there the same score is not to be expected."""
        shown = [self.largest, self.flips, self.kappa]
        return [replace(one, label=f"{one.label}{way}") for one in shown if one is not None]


def _agreement(evidence: Evidence, metric: str, asked: AskedAgain | None) -> _Agreement | None:
    """None where no text has both scores."""
    both = [one for one in asked.scores if one.first is not None and one.second is not None] if asked else []
    if not both:
        return None
    first, second = score_array(one.first for one in both), score_array(one.second for one in both)
    documents = number_documents([one.example.document] for one in both)
    drawn = Resamples.draw(int(documents.max()) + 1, STRESS_RESAMPLES, evidence.seed)
    same = np.isclose(first, second, rtol=_TOLERANCE, atol=_TOLERANCE)
    difference = Estimate(float(np.max(np.abs(first - second))), None, None, len(both))
    found = _Agreement(
        Figure("texts with the same score", drawn.estimate(mean(same.astype(np.float64), documents)), "share"),
        Figure("largest difference", difference, "score"),
        _different(both, same),
    )
    decided = _decisions(evidence.threshold(metric), first, second, metric)
    if decided is None:
        return found
    one, two = decided
    flips = drawn.estimate(mean((one != two).astype(np.float64), documents))
    matrix = LabelMatrix(np.column_stack([one, two]).astype(np.float64), documents)
    kappa = drawn.estimate(cohen_kappa(matrix, 0, 1, nominal_distance))
    return replace(
        found,
        flips=Figure("decisions that flip at its threshold", flips, "share"),
        kappa=Figure("Cohen's kappa of the decisions", kappa, "score"),
    )


def _repeated_case(scores: Sequence[tuple[str, RepeatedScore]]) -> Case:
    _, first = scores[0]
    cells = {"first": first.first, **{way: one.second for way, one in scores}}
    return text_case(first.example, cells, first.first, first.second)


def _again_sentence(asked: AskedAgain, again: _Agreement) -> str:
    return f"Asked {asked.way}, {again.same} of {again.same.estimate.n} texts have the same score."


def _reworded_sentence(flips: Sequence[Figure]) -> str:
    if not flips:
        return ""
    worst = max(flips, key=lambda one: one.estimate.value or 0.0)
    most = f" at most, of {len(flips)} wordings" if len(flips) > 1 else ""
    return f"With its instructions in other words {worst} of its decisions flip{most}."


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
