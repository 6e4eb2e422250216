"""The figures of each metric on each slice, with intervals, the best marked and what is not significantly worse."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from core.meta.cases import Cases, Column
from core.meta.slices import Slice
from core.stats.compare import Comparison, compare, holm, shared
from core.stats.discrimination import Labelled, auc, average_precision
from core.stats.estimate import Estimate
from core.stats.pairs import Pairs, consistency, mean_shift, sign_rate, ties
from core.stats.resampling import RESAMPLES, Distribution, Resamples
from core.stats.statistic import Statistic, Values, undefined
from core.stats.thresholds import balanced_accuracy, choose
from core.types import Split

ALPHA = 0.05

Measure = Callable[[Cases, Slice, Column], Statistic]
"""A statistic of one metric on one slice."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A statistic of one metric on one slice. `p` is that of being equal to the best one, corrected by Holm over the metrics.

    `best` marks the largest value of the slice, `level` those that are not significantly worse.
    """

    estimate: Estimate
    best: bool = False
    level: bool = False
    p: float | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """One metric on one slice: `n` pairs, or labelled summaries where there are no pairs; `failed` have no score."""

    metric: str
    slice: str
    n: int
    failed: int
    figures: Mapping[str, Figure]


def pairs_of(cases: Cases, part: Slice, column: Column) -> Pairs:
    """The minimal pairs of a slice, the faithful side as the original."""
    good, bad = cases.pairs[part.pairs].T
    return Pairs(column.values[good], column.values[bad], cases.documents[bad], column.direction)


def labelled_of(cases: Cases, part: Slice, column: Column) -> Labelled:
    """Both sides of the pairs, originals repeated (Ma et al. 2023), where all labels are of pairs; else every summary once."""
    if cases.paired:
        return Labelled.of(pairs_of(cases, part, column))
    return _summaries(cases, part.summaries, column)


def balanced(cases: Cases, part: Slice, column: Column) -> Statistic:
    """Balanced accuracy on the rest of the data, the threshold chosen on all of the development split."""
    development = np.array([sample.item.split is Split.DEV for sample in cases.samples], dtype=np.bool_)
    labelled = ~np.isnan(cases.labels)
    chosen_on = _summaries(cases, development & labelled, column)
    judged = _summaries(cases, part.summaries & ~development, column)
    if not development.any():
        return undefined(len(judged.defined().labels), "The dataset has no development split to choose a threshold on.")
    if why := chosen_on.defined().why:
        return undefined(len(judged.defined().labels), f"No threshold can be chosen on the development split: {why}")
    return balanced_accuracy(judged, choose(chosen_on))


MEASURES: Mapping[str, Measure] = MappingProxyType(
    {
        "consistency": lambda cases, part, column: consistency(pairs_of(cases, part, column)),
        "ties": lambda cases, part, column: ties(pairs_of(cases, part, column)),
        "auc": lambda cases, part, column: auc(labelled_of(cases, part, column)),
        "average_precision": lambda cases, part, column: average_precision(labelled_of(cases, part, column)),
        "balanced_accuracy": balanced,
        "sign_rate": lambda cases, part, column: sign_rate(pairs_of(cases, part, column)),
        "mean_shift": lambda cases, part, column: mean_shift(pairs_of(cases, part, column)),
    }
)
"""What is told of every metric on every slice: shares and areas in 0..1, but the mean shift in units of the metric."""

IN_UNITS = ("mean_shift",)
"""What is told in units of the metric, so that no metric is the best."""

PUBLISHED = ("consistency", "ties", "auc")
"""What the papers' tables hold; the others take longer."""

_AFFORDED = 5_000 * RESAMPLES  # cases by resamples that are weighed in seconds
_FEWEST = 500
_CONTESTED = ("consistency", "auc", "average_precision", "balanced_accuracy")


def affordable(cases: Cases) -> int:
    """How many resamples a person can wait for: all of them up to 5,000 summaries, at least 500."""
    return max(_FEWEST, min(RESAMPLES, _AFFORDED // max(1, len(cases.samples))))


def draws(cases: Cases, resamples: int = RESAMPLES, seed: int = 0) -> Resamples:
    """The resamples of documents that serve all figures of these cases."""
    return Resamples.draw(max(1, cases.clusters), resamples, seed)


def rows(cases: Cases, parts: Sequence[Slice], drawn: Resamples, names: Sequence[str] = PUBLISHED) -> Iterator[Row]:
    """Every metric on every slice, slice by slice in the order given; `names` are those of MEASURES to be told."""
    for part in parts:
        figures = {name: _figures(name, cases, part, drawn) for name in names}
        for column in cases.columns:
            of_metric = {name: found[column.name] for name, found in figures.items()}
            yield Row(column.name, part.name, *_numbers(cases, part, column), of_metric)


def _figures(name: str, cases: Cases, part: Slice, drawn: Resamples) -> dict[str, Figure]:
    found = {column.name: drawn.of(MEASURES[name](cases, part, column)) for column in cases.columns}
    against = _against_best(name, cases, part, drawn, found) if name in _CONTESTED else {}
    return {metric: _figure(distribution, against.get(metric)) for metric, distribution in found.items()}


def _figure(distribution: Distribution, against: tuple[bool, float | None] | None) -> Figure:
    if against is None:
        return Figure(distribution.estimate())
    best, p = against
    return Figure(distribution.estimate(), best, best or (p is not None and p >= ALPHA), p)


def _against_best(
    name: str, cases: Cases, part: Slice, drawn: Resamples, found: Mapping[str, Distribution]
) -> dict[str, tuple[bool, float | None]]:
    """Whether each metric is the best, and the corrected p of being equal to it."""
    values = {metric: distribution.value for metric, distribution in found.items() if distribution.value is not None}
    if not values:
        return {}
    best, *others = sorted(values, key=lambda metric: -values[metric])
    columns = {column.name: column for column in cases.columns}

    def again(column: Column, scores: Values) -> Distribution:
        return drawn.of(MEASURES[name](cases, part, Column(column.name, scores, column.direction)))

    def tested(other: str) -> Comparison:
        one, two = columns[best], columns[other]
        if found[best].n == found[other].n and _same_cases(one, two):
            return compare(found[best], found[other])
        ours, theirs = shared(one.values, two.values)
        return compare(again(one, ours), again(two, theirs))

    corrected = holm([tested(other).p for other in others])
    return {best: (True, None), **{other: (False, p) for other, p in zip(others, corrected, strict=True)}}


def _same_cases(one: Column, two: Column) -> bool:
    return bool(np.array_equal(np.isnan(one.values), np.isnan(two.values)))


def _summaries(cases: Cases, chosen: np.ndarray, column: Column) -> Labelled:
    return Labelled(column.values[chosen], cases.labels[chosen] == 1, cases.documents[chosen], column.direction)


def _numbers(cases: Cases, part: Slice, column: Column) -> tuple[int, int]:
    """Pairs, or summaries, with a score and without."""
    scores = pairs_of(cases, part, column).shifts if part.pairs.any() else column.values[part.summaries]
    without = int(np.isnan(scores).sum())
    return len(scores) - without, without
