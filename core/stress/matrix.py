"""The table metric × perturbation: which metrics move when they should not, and stay when they should move."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from core.metric import METRICS
from core.perturbation import PERTURBATIONS, Intent
from core.stats.estimate import Estimate
from core.stats.pairs import Pairs, consistency, mean_absolute_shift, mean_shift, ties, wrong_way
from core.stats.resampling import Resamples
from core.stats.statistic import Numbers, Statistic
from core.stress.noise import Band, band
from core.stress.records import Run
from core.stress.shifts import Shift

WRONG: dict[Intent, Callable[[Pairs], Statistic]] = {
    "preserving": consistency,  # the original is strictly better, though nothing was broken
    "breaking": wrong_way,  # the broken summary is strictly better
    "gaming": wrong_way,  # the summary with the phrase is strictly better
}
"""The share of pairs that moved the wrong way, by what the perturbation is meant to do."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One metric under one kind of perturbation, over the pairs that it could be applied to.

    `shift` and `size` are the mean signed and absolute shift, in the metric's own units. `wrong` is the share of pairs that moved
    the wrong way and `still` of those that did not move. `failed` pairs have no score; `noise` is the band of harmless edits of
    the same size, and `multiple` the mean size of the shift by that of theirs.
    """

    metric: str
    kind: str
    intent: Intent
    shift: Estimate
    size: Estimate
    wrong: Estimate
    still: Estimate
    failed: int
    noise: Band
    multiple: float | None


@dataclass(frozen=True, slots=True)
class Applied:
    """How many sources a kind of perturbation could be applied to, and why not to the others: reasons and counts."""

    kind: str
    intent: Intent
    made: int
    refused: dict[str, int]


def matrix(run: Run, found: Sequence[Shift], resamples: int = 2000) -> list[Cell]:
    """A cell for every metric and kind of the plan that has shifts, with intervals by document; kinds in the plan's order."""
    numbers = {group: place for place, group in enumerate(dict.fromkeys(shift.group for shift in found))}
    drawn = Resamples.draw(len(numbers), resamples, run.plan.seed) if numbers else None
    cells: list[Cell] = []
    for metric in run.plan.metrics:
        of_metric = [shift for shift in found if shift.metric == metric]
        harmless = [shift for shift in of_metric if intent_of(shift.kind) == "preserving"]
        for kind in run.plan.kinds:
            of_kind = [shift for shift in of_metric if shift.kind == kind]
            if of_kind and drawn:
                cells.append(_cell(metric, kind, of_kind, harmless, numbers, drawn))
    return cells


def applied(run: Run) -> list[Applied]:
    """What could be perturbed and what not, for each kind of the plan."""
    return [_applied(run, kind) for kind in run.plan.kinds]


def intent_of(kind: str) -> Intent:
    return PERTURBATIONS.parse(kind).card.intent


def _cell(
    metric: str,
    kind: str,
    found: Sequence[Shift],
    harmless: Sequence[Shift],
    numbers: dict[str, int],
    drawn: Resamples,
) -> Cell:
    intent = intent_of(kind)
    pairs = Pairs(
        _values([shift.before for shift in found]),
        _values([shift.after for shift in found]),
        _documents([numbers[shift.group] for shift in found]),
        METRICS.parse(metric).card.direction,
    )
    size = drawn.estimate(mean_absolute_shift(pairs))
    noise = band([shift for shift in harmless if shift.kind != kind], round(float(np.median([s.words for s in found]))))
    return Cell(
        metric=metric,
        kind=kind,
        intent=intent,
        shift=drawn.estimate(mean_shift(pairs)),
        size=size,
        wrong=drawn.estimate(WRONG[intent](pairs)),
        still=drawn.estimate(ties(pairs)),
        failed=sum(shift.size is None for shift in found),
        noise=noise,
        multiple=None if size.value is None else noise.multiple(size.value),
    )


def _values(scores: Sequence[float | None]) -> np.ndarray:
    return np.array([np.nan if score is None else score for score in scores], dtype=np.float64)


def _documents(numbers: Sequence[int]) -> Numbers:
    return np.array(numbers, dtype=np.intp)


def _applied(run: Run, kind: str) -> Applied:
    made = [variant for (_, of), variant in run.variants.items() if of == kind]
    refused: dict[str, int] = {}
    for variant in made:
        if variant.summary is None:
            refused[variant.refusal] = refused.get(variant.refusal, 0) + 1
    return Applied(kind, intent_of(kind), len(made) - sum(refused.values()), refused)
