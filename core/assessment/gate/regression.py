"""Two sets of scores of the same items compared: the paired cluster bootstrap, corrected by Holm, and what counts as a regression."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np

from core.errors import TouchstoneError, UnknownNameError
from core.results import Cases, MetricColumn, Slice, labelled_in_slice, pairs_in_slice, slice_cases
from core.stats import (
    SIGNIFICANCE_LEVEL,
    Estimate,
    Mask,
    Numbers,
    Resamples,
    Statistic,
    Threshold,
    Values,
    accuracy_of_decisions,
    auc,
    choose_threshold,
    compare_paired,
    consistency_share,
    holm_correction,
    mean,
    on_shared_cases,
    undefined,
)

MOST_EXAMPLES = 5
MEAN_SCORE = "score"
CONSISTENT = "consistent"
"""The share of consistent summaries, which few labels and the scores of all estimate; see `core/assessment/gate/rates.py`."""


@dataclass(frozen=True, slots=True)
class GradedColumn:
    """The scores of one side, and the threshold that decides, None where none is given."""

    column: MetricColumn
    threshold: float | None = None


def _accuracy(cases: Cases, part: Slice, side: GradedColumn) -> Statistic:
    """Of a threshold that is given: one that is chosen on the same labels would flatter both sides."""
    labelled = labelled_in_slice(cases, part, side.column).defined()
    if error := labelled.error or ("No threshold is given." if side.threshold is None else ""):
        return undefined(len(labelled.labels), error)
    accepted = Threshold(side.threshold or 0.0, 0, frozenset()).accepts(labelled)
    return accuracy_of_decisions(accepted, labelled.labels, labelled.documents)


GATE_MEASURES: Mapping[str, Callable[[Cases, Slice, GradedColumn], Statistic]] = MappingProxyType(
    {
        "auc": lambda cases, part, side: auc(labelled_in_slice(cases, part, side.column)),
        "consistency": lambda cases, part, side: consistency_share(pairs_in_slice(cases, part, side.column)),
        "balanced_accuracy": _accuracy,
        MEAN_SCORE: lambda cases, _, side: mean(_oriented(side.column), cases.documents),
    }
)
"""Shares and areas in 0..1 where items are labelled; else the mean score, higher being more consistent, in units of the metric."""

LIMITED_MEASURES = (*GATE_MEASURES, CONSISTENT)
"""Measures of which a drop may be limited."""


@dataclass(frozen=True, slots=True)
class Change:
    """One measure of one metric before and after, on the cases that both scored.

    `difference` is after minus before; `p` is that of no difference, corrected for all comparisons that were made, None where
    it cannot be tested.
    """

    metric: str
    measure: str
    before: Estimate
    after: Estimate
    difference: Estimate
    p: float | None

    @property
    def significant(self) -> bool:
        return self.p is not None and self.p < SIGNIFICANCE_LEVEL

    @property
    def worse(self) -> bool:
        return self.significant and (self.difference.value or 0.0) < 0

    @property
    def better(self) -> bool:
        return self.significant and (self.difference.value or 0.0) > 0


@dataclass(frozen=True, slots=True)
class Limit:
    """The largest drop of a measure that may pass, in points: percent, or units of the metric for the mean score."""

    measure: str
    points: float

    @classmethod
    def parse(cls, text: str) -> Limit:
        """From `auc:-2`. Raises UnknownNameError for another measure and TouchstoneError for what is no number below zero."""
        name, _, number = text.partition(":")
        if name not in LIMITED_MEASURES:
            raise UnknownNameError("measure of compare", name, LIMITED_MEASURES)
        try:
            points = float(number)
        except ValueError:
            points = 0.0
        if not -math.inf < points < 0:
            raise TouchstoneError(f"{text!r} names no drop. Write {name}:-2 for two points less.")
        return cls(name, points)

    def broken_by(self, change: Change) -> bool:
        """True if a change is significant and at least as large as the limit."""
        unit = 1.0 if change.measure == MEAN_SCORE else 100.0
        return (
            change.measure == self.measure and change.worse and unit * (change.difference.value or 0.0) <= self.points
        )


def regressions(changes: Sequence[Change], limits: Sequence[Limit]) -> list[Change]:
    """The changes that break a limit; without limits every one that is significantly worse."""
    if not limits:
        return [change for change in changes if change.worse]
    return [change for change in changes if any(limit.broken_by(change) for limit in limits)]


@dataclass(frozen=True, slots=True)
class ItemChange:
    """An item that the two sides decide differently, or score most differently, with both scores, and why it is shown."""

    id: str
    summary: str
    before: float
    after: float
    remark: str


@dataclass(frozen=True, slots=True)
class MetricComparison:
    """One metric on both sides: its changes, the items that became worse and better, and those that lost their score.

    `lost` are the ids of items that were scored before and are not any more: the changes say nothing of them, so that they
    fail a gate whatever else is better.
    """

    metric: str
    changes: tuple[Change, ...]
    lost: tuple[str, ...] = ()
    worse: tuple[ItemChange, ...] = ()
    better: tuple[ItemChange, ...] = ()


def compare_sides(
    cases: Cases, sides: Mapping[str, tuple[GradedColumn, GradedColumn]], resamples: Resamples
) -> list[MetricComparison]:
    """Every metric before and after; the p are corrected over all metrics and measures together.

    Raises TouchstoneError where the sides share no scored item.
    """
    [part, *_] = slice_cases(cases)
    shared = {}
    for metric, (before, after) in sides.items():
        values_before, values_after = on_shared_cases(before.column.values, after.column.values)
        shared[metric] = (
            replace(before, column=replace(before.column, values=values_before)),
            replace(after, column=replace(after.column, values=values_after)),
        )
    empty = [metric for metric, (before, _) in shared.items() if np.isnan(before.column.values).all()]
    if empty:
        raise TouchstoneError(
            f"{', '.join(empty)}: no item has a score on both sides. Compare scores of the same items."
        )
    raw_changes = []
    for metric, both in shared.items():
        for name in _measures_of(cases, both):
            was, now = (resamples.of(GATE_MEASURES[name](cases, part, side)) for side in both)
            if was.value is not None and now.value is not None:
                compared = compare_paired(now, was)
                raw_changes.append(
                    Change(metric, name, was.estimate(), now.estimate(), compared.difference, compared.p)
                )
    corrected = holm_correction([change.p for change in raw_changes])
    changes = [replace(change, p=p) for change, p in zip(raw_changes, corrected, strict=True)]
    comparisons = []
    for metric, both in shared.items():
        before, after = sides[metric]
        lost = np.flatnonzero(~np.isnan(before.column.values) & np.isnan(after.column.values))
        lost_ids = tuple(cases.samples[row].item.example.id for row in lost.tolist())
        of_metric = tuple(change for change in changes if change.metric == metric)
        comparisons.append(MetricComparison(metric, of_metric, lost_ids, *_changed_items(cases, part, both)))
    return comparisons


def _measures_of(cases: Cases, both: tuple[GradedColumn, GradedColumn]) -> list[str]:
    """Labelled summaries are to be told apart, not to rise; the mean scores of two metrics are on two scales.

    Of two thresholds on the same scores only the decisions can differ.
    """
    if _two_thresholds(*both):
        return ["balanced_accuracy"]
    labelled = not np.isnan(cases.labels).all()
    before, after = (side.column.name for side in both)
    return [name for name in GATE_MEASURES if (name != MEAN_SCORE) == labelled and (labelled or before == after)]


def _two_thresholds(before: GradedColumn, after: GradedColumn) -> bool:
    same = np.array_equal(before.column.values, after.column.values, equal_nan=True)
    return same and before.threshold != after.threshold


def _oriented(column: MetricColumn) -> Values:
    return -column.values if column.direction == "lower" else column.values


@dataclass(frozen=True, slots=True, eq=False)
class _Decisions:
    """Rows of items, (n,), whether each side is right on them, and what each says: the gain of a faithful side, or the score."""

    rows: Numbers
    before: Mask
    after: Mask
    values: tuple[Values, Values]
    words: tuple[str, str]


def _changed_items(
    cases: Cases, part: Slice, both: tuple[GradedColumn, GradedColumn]
) -> tuple[tuple[ItemChange, ...], tuple[ItemChange, ...]]:
    """Items that became worse and items that became better, the largest moves first."""
    before, after = (side.column for side in both)
    if part.pairs.any() and not _two_thresholds(*both):
        gains_before, gains_after = (
            np.nan_to_num(pairs_in_slice(cases, part, column).gains) for column in (before, after)
        )
        words = ("faithful − broken side, ordered wrongly now", "faithful − broken side, ordered rightly now")
        decisions = _Decisions(
            cases.pairs[part.pairs][:, 1], gains_before > 0, gains_after > 0, (gains_before, gains_after), words
        )
    else:
        rows = np.flatnonzero(~np.isnan(before.values))
        moved = (_oriented(after) - _oriented(before))[rows]
        scores = (before.values[rows], after.values[rows])
        if labelled_in_slice(cases, part, before).defined().error:
            decisions = _Decisions(rows, moved < 0, moved > 0, scores, ("lower", "higher"))
        else:
            rows = np.flatnonzero(part.summaries & ~np.isnan(before.values))
            right_before, right_after = (_right_rows(cases, part, side, rows) for side in both)
            scores = (before.values[rows], after.values[rows])
            decisions = _Decisions(
                rows, right_before, right_after, scores, ("decided wrongly now", "decided rightly now")
            )

    lost, won = decisions.before & ~decisions.after, ~decisions.before & decisions.after
    return _examples(cases, decisions, lost, decisions.words[0]), _examples(cases, decisions, won, decisions.words[1])


def _right_rows(cases: Cases, part: Slice, side: GradedColumn, rows: Numbers) -> Mask:
    threshold = choose_threshold(labelled_in_slice(cases, part, side.column))
    if side.threshold is not None:
        threshold = Threshold(side.threshold, 0, frozenset())
    right: Mask = threshold.accepts_scores(side.column.values[rows], side.column.direction) == (cases.labels[rows] == 1)
    return right


def _examples(cases: Cases, decisions: _Decisions, mask: Mask, remark: str) -> tuple[ItemChange, ...]:
    """Those of the largest moves."""
    before, after = decisions.values
    order = np.argsort(-np.abs(after - before), kind="stable")
    places = [place for place in order if mask[place]][:MOST_EXAMPLES]
    return tuple(
        ItemChange(item.example.id, item.example.summary, float(before[place]), float(after[place]), remark)
        for place in places
        for item in [cases.samples[decisions.rows[place]].item]
    )
