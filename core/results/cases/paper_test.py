"""Significance as BUMP (Ma et al. 2023) stars it: the best metric of a slice against the second best, nothing corrected.

The README of github.com/dataminr-ai/BUMP names the comparison and not the test. Chosen are the exact one-sided test of McNemar
for consistency and, for the AUC, the one-sided paired bootstrap over pairs: on the released scores they give all stars of task
1, and those of task 2 but for two cells near the limit (consistency of intrinsic entities, AUC of intrinsic circumstances).
Two stars of task 1 are double here and single in the paper (AUC of intrinsic entities, of intrinsic circumstances).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np

from core.results.cases.cases import Cases, MetricColumn
from core.results.cases.measures import MeasuresRow, Slice, labelled_in_slice, pairs_in_slice, shown_columns
from core.stats import (
    SIGNIFICANCE_LEVEL,
    LabelledScores,
    MetricStatistic,
    Resamples,
    Values,
    align_columns,
    auc,
    on_shared_cases,
)

CORRECTION = "none: only the best and the second best of a slice are compared"
LEGEND = (
    f"* the best of its slice, better than the second best (p < {SIGNIFICANCE_LEVEL:g}, not corrected: exact one-sided "
    "McNemar for consistency, one-sided paired bootstrap over pairs for AUC); = the two are not told apart."
)
_RESAMPLES, _SEED = 10_000, 0


@dataclass(frozen=True, slots=True)
class BestAgainstSecond:
    """The p of the best metric of a slice being no better than the second best; None where it cannot be tested."""

    slice: str
    figure: str
    best: str
    second: str
    p: float | None

    @property
    def star(self) -> bool:
        return self.p is not None and self.p < SIGNIFICANCE_LEVEL


def compare_best_two(cases: Cases, parts: Sequence[Slice], rows: Sequence[MeasuresRow]) -> Iterator[BestAgainstSecond]:
    """One for each slice and figure that has two metrics with a value."""
    columns = {column.name: column for column in shown_columns(cases, parts)}
    for part in parts:
        of_slice = [row for row in rows if row.slice == part.name]
        for figure, test in _TESTS.items():
            values = {row.metric: row.figures[figure].estimate.value for row in of_slice if figure in row.figures}
            order = sorted((-value, metric) for metric, value in values.items() if value is not None)
            if len(order) > 1:
                (_, best), (_, second) = order[:2]
                p = test(cases, part, columns[best], columns[second])
                yield BestAgainstSecond(part.name, figure, best, second, p)


def mark_as_paper(rows: Sequence[MeasuresRow], compared: Sequence[BestAgainstSecond]) -> list[MeasuresRow]:
    """The rows with the paper's star in place of our marks; where there is none the two best are level."""
    by_figure = {(comparison.slice, comparison.figure): comparison for comparison in compared}

    def marked(row: MeasuresRow, name: str, figure: MetricStatistic) -> MetricStatistic:
        comparison = by_figure.get((row.slice, name))
        if comparison is None or row.metric not in {comparison.best, comparison.second}:
            return MetricStatistic(figure.estimate)
        starred = comparison.star and row.metric == comparison.best
        return MetricStatistic(
            figure.estimate,
            starred,
            not comparison.star and comparison.p is not None,
            {"best against second": comparison.p},
        )

    return [
        replace(row, figures={name: marked(row, name, figure) for name, figure in row.figures.items()}) for row in rows
    ]


def format_best_two(compared: Sequence[BestAgainstSecond]) -> str:
    """One line for each comparison, in columns."""
    lines = [
        (
            comparison.slice,
            comparison.figure,
            comparison.best,
            comparison.second,
            "–" if comparison.p is None else f"{comparison.p:.4f}",
            "*" if comparison.star else "",
        )
        for comparison in compared
    ]
    return align_columns([("slice", "figure", "best", "second best", "p", ""), *lines])


def _one_sided_mcnemar(cases: Cases, part: Slice, best: MetricColumn, second: MetricColumn) -> float | None:
    """The chance of so many, or more, of the pairs that only one of the two has right being the best's."""
    from scipy.special import bdtr

    gains = on_shared_cases(*(pairs_in_slice(cases, part, column).gains for column in (best, second)))
    if np.isnan(gains).all():
        return None
    right, other = (gain > 0 for gain in gains)
    ours, theirs = int(np.sum(right & ~other)), int(np.sum(other & ~right))
    return float(bdtr(theirs, ours + theirs, 0.5)) if ours + theirs else 1.0


def _one_sided_bootstrap(cases: Cases, part: Slice, best: MetricColumn, second: MetricColumn) -> float | None:
    """The share of resamples in which the best has no larger AUC; both sides of a pair are drawn together."""
    shared = zip((best, second), on_shared_cases(best.values, second.values), strict=True)
    labelled = [labelled_in_slice(cases, part, replace(column, values=values)) for column, values in shared]
    number = len(labelled[0].labels) // (2 if cases.paired else 1)
    units = np.tile(np.arange(number), 2) if cases.paired else np.arange(number)
    resamples = Resamples.draw(number, _RESAMPLES, _SEED)
    first, other = (
        resamples.of(auc(LabelledScores(of_metric.scores, of_metric.labels, units, of_metric.direction)))
        for of_metric in labelled
    )
    if first.value is None or other.value is None or not len(first.draws):
        return None
    differences: Values = first.draws - other.draws
    defined = differences[~np.isnan(differences)]
    return (int(np.sum(defined <= 0)) + 1) / (len(defined) + 1)


_TESTS = MappingProxyType({"consistency": _one_sided_mcnemar, "auc": _one_sided_bootstrap})
"""By figure of the paper's tables, the p from the cases, a slice, the best and the second best metric."""
