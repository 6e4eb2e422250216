"""Slices of the cases, and the measures of each metric on each slice: intervals, the best, and what is not significantly worse."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from types import MappingProxyType

import numpy as np

from core.base import Track, untracked
from core.errors import TouchstoneError, UnknownNameError
from core.results.cases.cases import Cases, MetricColumn
from core.scoring import is_surface
from core.stats import (
    MIN_TEST_DOCUMENTS,
    RESAMPLES,
    Estimate,
    LabelledScores,
    Mask,
    MetricStatistic,
    Numbers,
    Resamples,
    ScorePairs,
    Statistic,
    StatisticDifference,
    auc,
    average_precision,
    balanced_accuracy,
    choose_threshold,
    compare_paired,
    consistency_share,
    delong_test,
    holm_correction,
    mark_best,
    mcnemar_test,
    mean_shift,
    on_shared_cases,
    right_decisions,
    sensitivity,
    sign_rate,
    sign_test,
    tie_share,
    undefined,
)
from core.types import ErrorType, Format, Sample

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
        "slice": lambda sample: sample.item.slices,
        "dataset": lambda sample: (sample.dataset,),
    }
)
"""Fields that cases can be sliced by."""

_MOST_FIELDS = 2
_ERROR_FIELDS = ("error_type", "required_type", "category")


@dataclass(frozen=True, slots=True, eq=False)
class Slice:
    """A part of the cases: rows of `pairs`, (pairs,), of labelled `summaries` and of all `samples`, (samples,) each."""

    name: str
    pairs: Mask
    summaries: Mask
    samples: Mask


def slice_cases(cases: Cases, by: str | None = None) -> list[Slice]:
    """All cases, then those of each value of a field that occurs, or of each two values of two fields with a comma between.

    Raises UnknownNameError for another field, TouchstoneError for more than two.
    """
    every = Slice(
        OVERALL_SLICE,
        np.ones(len(cases.pairs), dtype=np.bool_),
        ~np.isnan(cases.labels),
        np.ones(len(cases.samples), dtype=np.bool_),
    )
    if by is None:
        return [every]
    fields = slice_fields(by)
    slices = _slice_by(cases, fields[0])
    for field in fields[1:]:
        slices = [
            Slice(
                f"{part.name} × {other.name}",
                part.pairs & other.pairs,
                part.summaries & other.summaries,
                part.samples & other.samples,
            )
            for part in slices
            for other in _slice_by(cases, field)
        ]
        if not set(fields).isdisjoint(_ERROR_FIELDS):  # two may share nothing but what the errors stand against
            slices = [part for part in slices if (cases.labels[part.summaries] == 0).any()]
    return [every, *(part for part in slices if part.pairs.any() or part.samples.any())]


def slice_fields(by: str) -> list[str]:
    """The one or two fields that `--by` names. Raises UnknownNameError for another one, TouchstoneError for more than two."""
    fields = [field.strip() for field in by.split(",")]
    if len(fields) > _MOST_FIELDS:
        raise TouchstoneError(f"--by {by} names {len(fields)} fields. Name one, or two with a comma between.")
    for field in fields:
        if field not in SLICE_FIELDS:
            raise UnknownNameError("slice", field, SLICE_FIELDS)
    return fields


def _slice_by(cases: Cases, by: str) -> list[Slice]:
    values = [SLICE_FIELDS[by](sample) for sample in cases.samples]
    # error types in the order of the literature, other values by name
    rank = {kind.value: place for place, kind in enumerate(ErrorType)}
    names = sorted(set(chain.from_iterable(values)), key=lambda name: (rank.get(name, len(rank)), name))
    slices = [_build_slice(cases, by, name, _has_any(values, {name})) for name in names]
    types = frozenset(ErrorType)
    for family in _ERROR_FAMILIES if by in {"error_type", "required_type"} else ():
        members = {kind.value for kind in types if kind.value.startswith(family)}
        slices.append(_build_slice(cases, by, f"{family} Error", _has_any(values, members)))
    return slices


def _has_any(values: Iterable[tuple[str, ...]], names: set[str]) -> Mask:
    return np.array([not names.isdisjoint(value) for value in values], dtype=np.bool_)


def _build_slice(cases: Cases, by: str, name: str, mask: Mask) -> Slice:
    """A pair belongs where its broken side does. Errors of one type stand against all consistent summaries."""
    sides: Numbers = cases.pairs[:, 1]
    labelled = ~np.isnan(cases.labels)
    if by not in _ERROR_FIELDS:
        return Slice(name, mask[sides], labelled & mask, mask)
    broken = mask & (cases.labels == 0)
    consistent = cases.labels == 1 if broken.any() else np.zeros(len(mask), dtype=np.bool_)
    return Slice(name, mask[sides], broken | consistent, broken | consistent)


Measure = Callable[[Cases, Slice, MetricColumn], Statistic]
"""A statistic of one metric on one slice."""


ON_SEVERAL_SCALES = MetricStatistic(Estimate(None, None, None, 0, "Its scores here are on several scales."))


@dataclass(frozen=True, slots=True)
class MeasuresRow:
    """One metric on one slice: `n` pairs, or labelled summaries where there are no pairs; `failed` have no score."""

    metric: str
    slice: str
    n: int
    failed: int
    figures: Mapping[str, MetricStatistic]


def pairs_in_slice(cases: Cases, part: Slice, column: MetricColumn) -> ScorePairs:
    """The minimal pairs of a slice, the faithful side as the original."""
    good, bad = cases.pairs[part.pairs].T
    return ScorePairs(column.values[good], column.values[bad], cases.documents[bad], column.direction)


def harmless_in_slice(cases: Cases, part: Slice, column: MetricColumn) -> ScorePairs:
    """The harmless edits of a slice with their originals."""
    originals, edited = cases.harmless[part.samples[cases.harmless[:, 1]]].T
    return ScorePairs(column.values[originals], column.values[edited], cases.documents[edited], column.direction)


def labelled_in_slice(cases: Cases, part: Slice, column: MetricColumn) -> LabelledScores:
    """Both sides of the pairs, originals repeated (Ma et al. 2023), where all labels are of pairs; else every summary once."""
    if cases.paired:
        return LabelledScores.of(pairs_in_slice(cases, part, column))
    return _summaries(cases, part.summaries, column)


def balanced_accuracy_of_rest(cases: Cases, part: Slice, column: MetricColumn) -> Statistic:
    """Balanced accuracy on the rest of the data, the threshold chosen on all of the development split."""
    chosen_on, judged = _split_summaries(cases, part, column)
    if not len(chosen_on.labels):
        return undefined(len(judged.defined().labels), "The dataset has no development split to choose a threshold on.")
    if error := chosen_on.defined().error:
        return undefined(len(judged.defined().labels), f"No threshold can be chosen on the development split: {error}")
    return balanced_accuracy(judged, choose_threshold(chosen_on))


def _split_summaries(cases: Cases, part: Slice, column: MetricColumn) -> tuple[LabelledScores, LabelledScores]:
    """The labelled summaries of the development split, and those of a slice outside of it."""
    chosen_on = _summaries(cases, cases.development & ~np.isnan(cases.labels), column)
    return chosen_on, _summaries(cases, part.summaries & ~cases.development, column)


MEASURES: Mapping[str, Measure] = MappingProxyType(
    {
        "consistency": lambda cases, part, column: consistency_share(pairs_in_slice(cases, part, column)),
        "ties": lambda cases, part, column: tie_share(pairs_in_slice(cases, part, column)),
        "auc": lambda cases, part, column: auc(labelled_in_slice(cases, part, column)),
        "average_precision": lambda cases, part, column: average_precision(labelled_in_slice(cases, part, column)),
        "balanced_accuracy": balanced_accuracy_of_rest,
        "sign_rate": lambda cases, part, column: sign_rate(pairs_in_slice(cases, part, column)),
        "mean_shift": lambda cases, part, column: mean_shift(pairs_in_slice(cases, part, column)),
        "sensitivity": lambda cases, part, column: sensitivity(
            pairs_in_slice(cases, part, column), harmless_in_slice(cases, part, column)
        ),
    }
)
"""The measures of every metric on every slice: shares and areas in 0..1, but the mean shift in units of the metric and the
sensitivity a quotient."""

UNIT_MEASURES = ("mean_shift",)
"""Measures in units of the metric, so that no metric is the best."""

SIGNED_MEASURES = (*UNIT_MEASURES, "sensitivity")
"""Measures that are no shares, and may be negative."""

PAPER_MEASURES = ("consistency", "ties", "auc")
"""Measures in the tables of papers; the others take longer."""

_MAX_WEIGHED = 5_000 * RESAMPLES  # cases by resamples that are weighed in seconds
_MIN_RESAMPLES = 500
_COMPARED_MEASURES = ("consistency", "auc", "average_precision", "balanced_accuracy", "sensitivity")


def affordable_resamples(cases: Cases) -> int:
    """Number of resamples that a person can wait for: all of them up to 5,000 summaries, at least 500."""
    return max(_MIN_RESAMPLES, min(RESAMPLES, _MAX_WEIGHED // max(1, len(cases.samples))))


def draw_resamples(cases: Cases, resamples: int = RESAMPLES, seed: int = 0, track: Track = untracked) -> Resamples:
    """The resamples of documents that serve all figures of these cases; `track` shows how far long passes over them are."""
    return Resamples.draw(max(1, cases.clusters), resamples, seed, track)


def metric_rows(
    cases: Cases, parts: Sequence[Slice], resamples: Resamples, names: Sequence[str] = PAPER_MEASURES
) -> Iterator[MeasuresRow]:
    """Every metric on every slice, slice by slice in the order given; `names` are those of MEASURES to be told.

    Statistics of the surface are controls, of which none is best. A metric on several scales has figures in the slices of one scale alone, and no row where there is no such slice.
    """
    shown = shown_columns(cases, parts)
    labelled = [part for part in parts if part.pairs.any() or part.summaries.any()]
    for part in labelled or parts[:1]:
        one_scale = replace(cases, columns=tuple(column for column in shown if has_one_scale(cases, part, column)))
        figures = {name: _measure_slice(name, one_scale, part, resamples) for name in names}
        for column in shown:
            of_metric = {name: by_metric.get(column.name, ON_SEVERAL_SCALES) for name, by_metric in figures.items()}

            scores = pairs_in_slice(cases, part, column).shifts if part.pairs.any() else column.values[part.summaries]
            failed = int(np.isnan(scores).sum())
            yield MeasuresRow(column.name, part.name, len(scores) - failed, failed, of_metric)


FIGURE_TITLES = MappingProxyType(
    {
        "consistency": "Consistency",
        "auc": "ROC AUC",
        "ties": "Ties",
        "average_precision": "Average precision",
        "balanced_accuracy": "Balanced accuracy",
        "sign_rate": "Sign rate",
        "mean_shift": "Mean shift",
        "sensitivity": "Sensitivity",
    }
)
"""The figures of the page in their order."""


_PAIR_MEASURES = ("consistency", "ties", "sign_rate", "mean_shift", "sensitivity")


def available_measures(cases: Cases, names: Sequence[str] = tuple(FIGURE_TITLES)) -> list[str]:
    """The measures that can be computed: some need minimal pairs, one harmless edits as well."""
    offered = [name for name in names if len(cases.pairs) or name not in _PAIR_MEASURES]
    return [name for name in offered if len(cases.harmless) or name != "sensitivity"]


def measure_format(name: str) -> Format:
    """Format of a measure's figures: percent, or units of the metric."""
    return "units" if name in SIGNED_MEASURES else "percent"


def shown_columns(cases: Cases, parts: Sequence[Slice]) -> tuple[MetricColumn, ...]:
    """The metrics that have figures in at least one slice."""
    separate = [column for column in cases.separate if any(has_one_scale(cases, part, column) for part in parts)]
    return (*cases.columns, *separate)


def has_one_scale(cases: Cases, part: Slice, column: MetricColumn) -> bool:
    if column.scales is None:
        return True
    rows = part.samples.copy()
    rows[cases.pairs[part.pairs].ravel()] = True
    return len(np.unique(column.scales[rows & ~np.isnan(column.values)])) == 1


def _measure_slice(name: str, cases: Cases, part: Slice, resamples: Resamples) -> dict[str, MetricStatistic]:
    statistics = [MEASURES[name](cases, part, column) for column in cases.columns]
    names = [column.name for column in cases.columns]
    distributions = dict(zip(names, resamples.of_each(statistics), strict=True))
    estimates = {metric: distribution.estimate() for metric, distribution in distributions.items()}
    if name == "sign_rate":
        # whether pairs that moved go either way equally often
        measured = [column for column in cases.columns if estimates[column.name].value is not None]
        ps = [
            sign_test(pairs_in_slice(cases, part, column).gains)
            if estimates[column.name].documents >= MIN_TEST_DOCUMENTS
            else None
            for column in measured
        ]
        corrected = {column.name: p for column, p in zip(measured, holm_correction(ps), strict=True)}
        return {
            metric: MetricStatistic(estimate, tests={SIGN_TEST: corrected[metric]} if metric in corrected else {})
            for metric, estimate in estimates.items()
        }
    if name not in _COMPARED_MEASURES:
        return {metric: MetricStatistic(estimate) for metric, estimate in estimates.items()}

    # the paired bootstrap, which decides, and the test that reviewers ask for; on the cases that both metrics scored
    columns = {column.name: column for column in cases.columns}

    def bootstrap(best: str, other: str) -> StatisticDifference:
        first, second = columns[best], columns[other]
        same_cases = np.array_equal(np.isnan(first.values), np.isnan(second.values))
        if distributions[best].n == distributions[other].n and same_cases:
            return compare_paired(distributions[best], distributions[other])
        shared = zip((first, second), on_shared_cases(first.values, second.values), strict=True)
        both = [MEASURES[name](cases, part, replace(column, values=values)) for column, values in shared]
        return compare_paired(*resamples.of_each(both))

    def classical(best: str, other: str) -> float | None:
        if min(distributions[best].documents, distributions[other].documents) < MIN_TEST_DOCUMENTS:
            return None
        return _CLASSICAL_TESTS[name][1](cases, part, columns[best], columns[other])

    second = {_CLASSICAL_TESTS[name][0]: classical} if name in _CLASSICAL_TESTS else {}
    made = {BOOTSTRAP_TEST: lambda best, other: bootstrap(best, other).p, **second}
    ranked = {metric: estimate for metric, estimate in estimates.items() if not is_surface(metric)}
    marked = mark_best(ranked, made)
    return {metric: marked.get(metric, MetricStatistic(estimate)) for metric, estimate in estimates.items()}


BOOTSTRAP_TEST = "paired bootstrap"
SIGN_TEST = "sign test"

_MetricTest = Callable[[Cases, Slice, MetricColumn, MetricColumn], float | None]


def _mcnemar_of_pairs(cases: Cases, part: Slice, best: MetricColumn, other: MetricColumn) -> float | None:
    gains = (pairs_in_slice(cases, part, column).gains for column in (best, other))
    return mcnemar_test(*(np.where(np.isnan(gain), np.nan, gain > 0) for gain in gains))


def _mcnemar_of_decisions(cases: Cases, part: Slice, best: MetricColumn, other: MetricColumn) -> float | None:
    splits = (_split_summaries(cases, part, column) for column in (best, other))
    return mcnemar_test(*(right_decisions(judged, choose_threshold(chosen_on)) for chosen_on, judged in splits))


def _delong_of_summaries(cases: Cases, part: Slice, best: MetricColumn, other: MetricColumn) -> float | None:
    return delong_test(*(labelled_in_slice(cases, part, column) for column in (best, other)))


_CLASSICAL_TESTS: Mapping[str, tuple[str, _MetricTest]] = MappingProxyType(
    {
        "consistency": ("McNemar", _mcnemar_of_pairs),
        "auc": ("DeLong", _delong_of_summaries),
        "balanced_accuracy": ("McNemar", _mcnemar_of_decisions),
    }
)
"""By measure, the test beside the bootstrap; it takes cases as independent."""


def _summaries(cases: Cases, rows: np.ndarray, column: MetricColumn) -> LabelledScores:
    return LabelledScores(column.values[rows], cases.labels[rows] == 1, cases.documents[rows], column.direction)
