"""The table metric × perturbation: which metrics move when they should not, and stay when they should move."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from core.edits import Intent
from core.results.runs.null_bands import NullBand, null_band
from core.results.runs.shifts import STRESS_RESAMPLES, Shift, pairs_of_shifts
from core.results.runs.stress_run import StressRun, intent_of
from core.scoring import is_surface
from core.stats import (
    FEW_PAIRS,
    SIGNIFICANCE_LEVEL,
    Estimate,
    Move,
    Resamples,
    ScorePairs,
    Statistic,
    classify_move,
    consistency_share,
    holm_correction,
    mean_absolute_shift,
    mean_shift,
    sign_test,
    tie_share,
    wrong_way_share,
)

WRONG_DIRECTION: dict[Intent, Callable[[ScorePairs], Statistic]] = {
    "preserving": consistency_share,  # the original is strictly better, though nothing was broken
    "breaking": wrong_way_share,  # the broken summary is strictly better
    "gaming": wrong_way_share,  # the summary with the phrase is strictly better
}
"""The share of pairs that moved the wrong way, by what the perturbation is meant to do."""


@dataclass(frozen=True, slots=True)
class MatrixCell:
    """One metric under one kind of perturbation, over the pairs that it could be applied to."""

    metric: str
    """Spec of the metric."""
    kind: str
    """Spec of the perturbation."""
    intent: Intent
    """Effect that the perturbation is meant to have on the meaning."""
    shift: Estimate
    """Mean signed shift, in the metric's own units."""
    size: Estimate
    """Mean absolute shift, in the metric's own units."""
    wrong: Estimate
    """Share of pairs that moved the wrong way."""
    still: Estimate
    """Share of pairs that did not move."""
    failed: int
    """Pairs without a score."""
    noise: NullBand
    """Band of the shifts under harmless edits of the same size."""
    move: Move
    """Position of the mean shift against the band."""

    @property
    def edge(self) -> float | None:
        """Distance of the mean shift in units of that to the edge of the band; None where the noise or the shift is unknown."""
        return None if self.shift.value is None else self.noise.edge(self.shift.value)

    @property
    def consistency(self) -> float | None:
        """Share of pairs whose original is strictly better, as BUMP counts it; None where that is not known."""
        if self.wrong.value is None or self.still.value is None or self.intent == "preserving":
            return None
        return 1.0 - self.wrong.value - self.still.value

    @property
    def is_clear(self) -> bool:
        """True if the mean shift differs from that of no edit at all: its interval does not hold zero."""
        ends = self.shift.ends
        return ends is not None and (ends[0] > 0 or ends[1] < 0)

    @property
    def is_right(self) -> bool:
        """True if the metric does as it should: it moves beyond noise under a breaking kind, and stays within it under another."""
        return self.move is (Move.RIGHT if self.intent == "breaking" else Move.STILL)

    @property
    def few(self) -> bool:
        """True if the mean rests on fewer than ten pairs."""
        return self.shift.n < FEW_PAIRS


@dataclass(frozen=True, slots=True)
class KindCoverage:
    """Number of sources that a kind of perturbation could be applied to, and the refusals: reasons and counts."""

    kind: str
    intent: Intent
    made: int
    refused: dict[str, int]


def shift_matrix(run: StressRun, shifts: Sequence[Shift], resamples: int = STRESS_RESAMPLES) -> list[MatrixCell]:
    """A cell for every metric and kind of the plan that has shifts, with intervals by document; kinds in the plan's order."""
    numbers = {group: place for place, group in enumerate(dict.fromkeys(shift.group for shift in shifts))}
    bootstrap = Resamples.draw(len(numbers), resamples, run.plan.seed) if numbers else None
    cells: list[MatrixCell] = []
    for metric in run.plan.metrics:
        of_metric = [shift for shift in shifts if shift.metric == metric]
        harmless = [shift for shift in of_metric if intent_of(shift.kind) == "preserving"]
        for kind in run.plan.kinds:
            of_kind = [shift for shift in of_metric if shift.kind == kind]
            if of_kind and bootstrap:
                intent = intent_of(kind)
                pairs = pairs_of_shifts(metric, of_kind, numbers)
                size = bootstrap.estimate(mean_absolute_shift(pairs))
                # a harmless kind is no noise of its own
                noise = null_band(
                    [shift for shift in harmless if shift.kind != kind],
                    round(float(np.median([s.words for s in of_kind]))),
                )
                shift = bootstrap.estimate(mean_shift(pairs))
                cell = MatrixCell(
                    metric=metric,
                    kind=kind,
                    intent=intent,
                    shift=shift,
                    size=size,
                    wrong=bootstrap.estimate(WRONG_DIRECTION[intent](pairs)),
                    still=bootstrap.estimate(tie_share(pairs)),
                    failed=sum(shift.size is None for shift in of_kind),
                    noise=noise,
                    move=Move.NONE
                    if shift.value is None
                    else classify_move(shift.value, noise.range, pairs.direction, preserving=intent == "preserving"),
                )
                cells.append(cell)
    return cells


@dataclass(frozen=True, slots=True)
class MetricBalance:
    """Numbers of harmless and breaking kinds whose noise is known, and of those under which a metric does as it should.

    `quiet` harmless kinds leave its mean shift within noise; `noticed` breaking kinds move it beyond noise towards inconsistent.
    """

    metric: str
    quiet: int
    harmless: int
    noticed: int
    breaking: int

    @property
    def robustness(self) -> float:
        return self.quiet / self.harmless

    @property
    def sensitivity(self) -> float:
        return self.noticed / self.breaking


def metric_balances(cells: Iterable[MatrixCell]) -> list[MetricBalance]:
    """Robustness and sensitivity of every metric that has a known kind of both sorts, the best sum (Youden's J + 1) first."""
    right: dict[str, dict[Intent, list[bool]]] = {}
    for cell in cells:
        if cell.move not in (Move.UNKNOWN, Move.NONE):
            right.setdefault(cell.metric, {}).setdefault(cell.intent, []).append(cell.is_right)
    balances = [
        MetricBalance(
            metric,
            sum(by_intent["preserving"]),
            len(by_intent["preserving"]),
            sum(by_intent["breaking"]),
            len(by_intent["breaking"]),
        )
        for metric, by_intent in right.items()
        if {"preserving", "breaking"} <= by_intent.keys()
    ]
    return sorted(balances, key=lambda balance: balance.robustness + balance.sensitivity, reverse=True)


def rank_metrics(cells: Iterable[MatrixCell]) -> tuple[list[MetricBalance], list[MetricBalance]]:
    """The metrics that share the lead, the best sum first, and those that are significantly behind the first of them.

    They are compared over the harmless and breaking kinds that each of them has with at least ten pairs and a known noise,
    so that all have the same denominators: by the sign test of the kinds that only one of two does right, corrected by Holm
    (1979). Statistics of the surface are controls and have no rank. Both are empty where no such kinds are shared.
    """
    counted = [
        cell
        for cell in cells
        if not (
            cell.few or cell.move in (Move.UNKNOWN, Move.NONE) or cell.intent == "gaming" or is_surface(cell.metric)
        )
    ]
    by_metric: dict[str, set[str]] = {}
    for cell in counted:
        by_metric.setdefault(cell.metric, set()).add(cell.kind)
    shared = set.intersection(*by_metric.values()) if by_metric else set()
    compared = [cell for cell in counted if cell.kind in shared]
    balances = metric_balances(compared)
    if not balances:
        return [], []
    right = {
        balance.metric: np.array([float(cell.is_right) for cell in compared if cell.metric == balance.metric])
        for balance in balances
    }
    first, *others = balances
    ps = holm_correction([sign_test(right[first.metric] - right[other.metric]) for other in others])
    behind = [other for other, p in zip(others, ps, strict=True) if p is not None and p < SIGNIFICANCE_LEVEL]
    return [balance for balance in balances if balance not in behind], behind


def kind_coverage(run: StressRun) -> list[KindCoverage]:
    """Coverage of each kind of the plan: what could be perturbed and what not."""
    coverage = []
    for kind in run.plan.kinds:
        made = [variant for (_, of), variant in run.variants.items() if of == kind]
        refused = Counter(variant.error for variant in made if variant.summary is None)
        coverage.append(KindCoverage(kind, intent_of(kind), len(made) - refused.total(), dict(refused)))
    return coverage
