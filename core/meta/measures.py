"""Slices of the cases, and the measures of each metric on each slice: intervals, the best, and what is not significantly worse."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np

from core.errors import UnknownNameError
from core.meta.cases import Cases, MetricColumn
from core.stats.bootstrap import RESAMPLES, Distribution, Resamples
from core.stats.comparison import Comparison, compare_paired, holm_correction, on_shared_cases
from core.stats.discrimination import LabelledScores, auc, average_precision, balanced_accuracy, choose_threshold
from core.stats.score_pairs import ScorePairs, consistency_share, mean_shift, sign_rate, tie_share
from core.stats.statistic import Estimate, Mask, Numbers, Statistic, Values, undefined
from core.types import ErrorType, Sample, Split

OVERALL_SLICE = "Overall"
_ERROR_FAMILIES = ("Intrinsic", "Extrinsic")

SliceField = Callable[[Sample], tuple[str, ...]]
"""The values that a sample has of one field."""

SLICE_FIELDS: MappingProxyType[str, SliceField] = MappingProxyType(
    {
        "error_type": lambda sample: (sample.item.error_type.value,) if sample.item.error_type else (),
        "required_type": lambda sample: (sample.item.required_type.value,) if sample.item.required_type else (),
        "category": lambda sample: sample.item.categories,
        "domain": lambda sample: (sample.item.domain,) if sample.item.domain else (),
        "system": lambda sample: (sample.item.system,) if sample.item.system else (),
        "source": lambda sample: (sample.item.source,) if sample.item.source else (),
        "split": lambda sample: (sample.item.split.value,) if sample.item.split else (),
        "dataset": lambda sample: (sample.dataset,),
    }
)
"""What cases can be sliced by."""

_ERROR_FIELDS = ("error_type", "required_type", "category")


@dataclass(frozen=True, slots=True, eq=False)
class Slice:
    """A part of the cases: rows of `pairs`, (pairs,), and labelled summaries, (samples,)."""

    name: str
    pairs: Mask
    summaries: Mask


def slice_cases(cases: Cases, by: str | None = None) -> list[Slice]:
    """All cases, then those of each value of a field that occurs. Raises UnknownNameError for another field."""
    every = Slice(OVERALL_SLICE, np.ones(len(cases.pairs), dtype=np.bool_), ~np.isnan(cases.labels))
    if by is None:
        return [every]
    if by not in SLICE_FIELDS:
        raise UnknownNameError("slice", by, SLICE_FIELDS)
    values = [frozenset(SLICE_FIELDS[by](sample)) for sample in cases.samples]
    found = [_build_slice(cases, by, name, _has_any(values, {name})) for name in _order_values(values)]
    types = frozenset(ErrorType)
    for family in _ERROR_FAMILIES if by in {"error_type", "required_type"} else ():
        members = {kind.value for kind in types if kind.value.startswith(family)}
        found.append(_build_slice(cases, by, f"{family} Error", _has_any(values, members)))
    return [every, *(one for one in found if one.pairs.any() or one.summaries.any())]


def _order_values(values: Iterable[frozenset[str]]) -> list[str]:
    """Values of error types in the order of the literature, others by name."""
    rank = {kind.value: place for place, kind in enumerate(ErrorType)}
    return sorted(frozenset[str]().union(*values), key=lambda name: (rank.get(name, len(rank)), name))


def _has_any(values: Iterable[frozenset[str]], wanted: set[str]) -> Mask:
    return np.array([bool(value & wanted) for value in values], dtype=np.bool_)


def _build_slice(cases: Cases, by: str, name: str, chosen: Mask) -> Slice:
    """A pair belongs where its broken side does. Errors of one type stand against all consistent summaries."""
    sides: Numbers = cases.pairs[:, 1]
    labelled = ~np.isnan(cases.labels)
    if by not in _ERROR_FIELDS:
        return Slice(name, chosen[sides], labelled & chosen)
    broken = chosen & (cases.labels == 0)
    consistent = cases.labels == 1 if broken.any() else np.zeros(len(chosen), dtype=np.bool_)
    return Slice(name, chosen[sides], broken | consistent)


SIGNIFICANCE_LEVEL = 0.05

Measure = Callable[[Cases, Slice, MetricColumn], Statistic]
"""A statistic of one metric on one slice."""


@dataclass(frozen=True, slots=True)
class Measurement:
    """A statistic of one metric on one slice. `p` is that of being equal to the best one, corrected by Holm over the metrics.

    `best` marks the largest value of the slice, `level` those that are not significantly worse.
    """

    estimate: Estimate
    best: bool = False
    level: bool = False
    p: float | None = None


_ON_SEVERAL_SCALES = Measurement(Estimate(None, None, None, 0, "Its scores here are on several scales."))


@dataclass(frozen=True, slots=True)
class MetricRow:
    """One metric on one slice: `n` pairs, or labelled summaries where there are no pairs; `failed` have no score."""

    metric: str
    slice: str
    n: int
    failed: int
    figures: Mapping[str, Measurement]


def pairs_in_slice(cases: Cases, part: Slice, column: MetricColumn) -> ScorePairs:
    """The minimal pairs of a slice, the faithful side as the original."""
    good, bad = cases.pairs[part.pairs].T
    return ScorePairs(column.values[good], column.values[bad], cases.documents[bad], column.direction)


def labelled_in_slice(cases: Cases, part: Slice, column: MetricColumn) -> LabelledScores:
    """Both sides of the pairs, originals repeated (Ma et al. 2023), where all labels are of pairs; else every summary once."""
    if cases.paired:
        return LabelledScores.of(pairs_in_slice(cases, part, column))
    return _summaries(cases, part.summaries, column)


def balanced_accuracy_of_rest(cases: Cases, part: Slice, column: MetricColumn) -> Statistic:
    """Balanced accuracy on the rest of the data, the threshold chosen on all of the development split."""
    development = np.array([sample.item.split is Split.DEV for sample in cases.samples], dtype=np.bool_)
    labelled = ~np.isnan(cases.labels)
    chosen_on = _summaries(cases, development & labelled, column)
    judged = _summaries(cases, part.summaries & ~development, column)
    if not development.any():
        return undefined(len(judged.defined().labels), "The dataset has no development split to choose a threshold on.")
    if why := chosen_on.defined().why:
        return undefined(len(judged.defined().labels), f"No threshold can be chosen on the development split: {why}")
    return balanced_accuracy(judged, choose_threshold(chosen_on))


MEASURES: Mapping[str, Measure] = MappingProxyType(
    {
        "consistency": lambda cases, part, column: consistency_share(pairs_in_slice(cases, part, column)),
        "ties": lambda cases, part, column: tie_share(pairs_in_slice(cases, part, column)),
        "auc": lambda cases, part, column: auc(labelled_in_slice(cases, part, column)),
        "average_precision": lambda cases, part, column: average_precision(labelled_in_slice(cases, part, column)),
        "balanced_accuracy": balanced_accuracy_of_rest,
        "sign_rate": lambda cases, part, column: sign_rate(pairs_in_slice(cases, part, column)),
        "mean_shift": lambda cases, part, column: mean_shift(pairs_in_slice(cases, part, column)),
    }
)
"""The measures of every metric on every slice: shares and areas in 0..1, but the mean shift in units of the metric."""

UNIT_MEASURES = ("mean_shift",)
"""Measures in units of the metric, so that no metric is the best."""

PAPER_MEASURES = ("consistency", "ties", "auc")
"""What the papers' tables hold; the others take longer."""

_MAX_WEIGHED = 5_000 * RESAMPLES  # cases by resamples that are weighed in seconds
_MIN_RESAMPLES = 500
_COMPARED_MEASURES = ("consistency", "auc", "average_precision", "balanced_accuracy")


def affordable_resamples(cases: Cases) -> int:
    """How many resamples a person can wait for: all of them up to 5,000 summaries, at least 500."""
    return max(_MIN_RESAMPLES, min(RESAMPLES, _MAX_WEIGHED // max(1, len(cases.samples))))


def draw_resamples(cases: Cases, resamples: int = RESAMPLES, seed: int = 0) -> Resamples:
    """The resamples of documents that serve all figures of these cases."""
    return Resamples.draw(max(1, cases.clusters), resamples, seed)


def metric_rows(
    cases: Cases, parts: Sequence[Slice], drawn: Resamples, names: Sequence[str] = PAPER_MEASURES
) -> Iterator[MetricRow]:
    """Every metric on every slice, slice by slice in the order given; `names` are those of MEASURES to be told.

    A metric on several scales has figures in the slices of one scale alone, and no row where there is no such slice.
    """
    shown = shown_columns(cases, parts)
    for part in parts:
        one_scale = replace(cases, columns=tuple(column for column in shown if _has_one_scale(cases, part, column)))
        figures = {name: _measure_slice(name, one_scale, part, drawn) for name in names}
        for column in shown:
            of_metric = {name: found.get(column.name, _ON_SEVERAL_SCALES) for name, found in figures.items()}
            yield MetricRow(column.name, part.name, *_count_scores(cases, part, column), of_metric)


def shown_columns(cases: Cases, parts: Sequence[Slice]) -> tuple[MetricColumn, ...]:
    """The metrics that have figures in at least one slice."""
    separate = [column for column in cases.separate if any(_has_one_scale(cases, part, column) for part in parts)]
    return (*cases.columns, *separate)


def _has_one_scale(cases: Cases, part: Slice, column: MetricColumn) -> bool:
    if column.scales is None:
        return True
    rows = part.summaries.copy()
    rows[cases.pairs[part.pairs].ravel()] = True
    return len(np.unique(column.scales[rows & ~np.isnan(column.values)])) == 1


def _measure_slice(name: str, cases: Cases, part: Slice, drawn: Resamples) -> dict[str, Measurement]:
    found = {column.name: drawn.of(MEASURES[name](cases, part, column)) for column in cases.columns}
    against = _tested_against_best(name, cases, part, drawn, found) if name in _COMPARED_MEASURES else {}
    return {metric: _build_measurement(distribution, against.get(metric)) for metric, distribution in found.items()}


def _build_measurement(distribution: Distribution, against: tuple[bool, float | None] | None) -> Measurement:
    if against is None:
        return Measurement(distribution.estimate())
    best, p = against
    return Measurement(distribution.estimate(), best, best or (p is not None and p >= SIGNIFICANCE_LEVEL), p)


def _tested_against_best(
    name: str, cases: Cases, part: Slice, drawn: Resamples, found: Mapping[str, Distribution]
) -> dict[str, tuple[bool, float | None]]:
    """Whether each metric is the best, and the corrected p of being equal to it."""
    values = {metric: distribution.value for metric, distribution in found.items() if distribution.value is not None}
    if not values:
        return {}
    best, *others = sorted(values, key=lambda metric: -values[metric])
    columns = {column.name: column for column in cases.columns}

    def again(column: MetricColumn, scores: Values) -> Distribution:
        return drawn.of(MEASURES[name](cases, part, MetricColumn(column.name, scores, column.direction)))

    def tested(other: str) -> Comparison:
        one, two = columns[best], columns[other]
        if found[best].n == found[other].n and _same_cases(one, two):
            return compare_paired(found[best], found[other])
        ours, theirs = on_shared_cases(one.values, two.values)
        return compare_paired(again(one, ours), again(two, theirs))

    corrected = holm_correction([tested(other).p for other in others])
    return {best: (True, None), **{other: (False, p) for other, p in zip(others, corrected, strict=True)}}


def _same_cases(one: MetricColumn, two: MetricColumn) -> bool:
    return bool(np.array_equal(np.isnan(one.values), np.isnan(two.values)))


def _summaries(cases: Cases, chosen: np.ndarray, column: MetricColumn) -> LabelledScores:
    return LabelledScores(column.values[chosen], cases.labels[chosen] == 1, cases.documents[chosen], column.direction)


def _count_scores(cases: Cases, part: Slice, column: MetricColumn) -> tuple[int, int]:
    """Pairs, or summaries, with a score and without."""
    scores = pairs_in_slice(cases, part, column).shifts if part.pairs.any() else column.values[part.summaries]
    without = int(np.isnan(scores).sum())
    return len(scores) - without, without
