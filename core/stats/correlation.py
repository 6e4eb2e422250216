"""Correlation of scores with human judgements, by case and by the means of systems: Pearson, Spearman and Kendall's tau-b."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from core.stats.statistic import (
    Numbers,
    Statistic,
    Values,
    cluster_documents,
    count_matrix,
    ratio,
    sums_by,
    undefined,
)

_MIN_VARIANCE = 1e-12  # of a variance that is 1 in the whole sample: what rounding leaves of a constant
_MAX_SIGNS = 1 << 22  # signs of differences held at once
_MAX_DOCUMENTS = 3000  # documents, whose square is held


@dataclass(frozen=True, slots=True, eq=False)
class RatedScores:
    """Scores and human judgements of the same cases, nan where one is missing, and their documents, (n,) each."""

    scores: Values
    human: Values
    documents: Numbers

    def defined(self) -> RatedScores:
        """The cases that have both."""
        has_both = ~np.isnan(self.scores) & ~np.isnan(self.human)
        return RatedScores(self.scores[has_both], self.human[has_both], self.documents[has_both])

    @property
    def error(self) -> str:
        """Reason why there is no correlation; empty where there is one."""
        if len(self.scores) < 3:
            return f"A correlation needs three cases with both values, and there are {len(self.scores)}."
        for what, values in (("scores", self.scores), ("judgements", self.human)):
            if np.ptp(values) == 0:
                return f"All {len(values)} {what} are the same ({values[0]:g})."
        return ""


def pearson(rated: RatedScores) -> Statistic:
    """The linear correlation of scores and judgements."""
    complete = rated.defined()
    if complete.error:
        return undefined(len(complete.scores), complete.error)
    numbers, places = cluster_documents(complete.documents)
    x, y = _standardise(complete.scores), _standardise(complete.human)
    sums = sums_by(places, np.column_stack([np.ones(len(x)), x, y, x * x, y * y, x * y]), len(numbers))
    return Statistic(len(x), numbers, lambda weights: _pearson_from_moments(sums.T @ weights), len(numbers))


def spearman(rated: RatedScores) -> Statistic:
    """The correlation of ranks, equal values sharing theirs; every resample is ranked again."""
    complete = rated.defined()
    if complete.error:
        return undefined(len(complete.scores), complete.error)
    numbers, places = cluster_documents(complete.documents)
    x, y = (np.unique(values, return_inverse=True)[1] for values in (complete.scores, complete.human))
    by_x, by_y = (count_matrix(ranks, places, (int(ranks.max()) + 1, len(numbers))) for ranks in (x, y))

    def weigh(weights: Values) -> Values:
        from_x, from_y = _middle_ranks(by_x @ weights), _middle_ranks(by_y @ weights)
        together = np.einsum("nr,nr,nr->r", weights[places], from_x[x], from_y[y])
        return ratio(together, np.sqrt(_rank_variance(by_x @ weights, from_x) * _rank_variance(by_y @ weights, from_y)))

    return Statistic(len(x), numbers, weigh, len(x))


def kendall(rated: RatedScores) -> Statistic:
    """Tau-b: concordant less discordant pairs of cases, by the geometric mean of those not tied on either side.

    The work grows with the square of the number of documents: it is undefined for more than 3,000 of them.
    """
    complete = rated.defined()
    if complete.error:
        return undefined(len(complete.scores), complete.error)
    numbers, places = cluster_documents(complete.documents)
    if len(numbers) > _MAX_DOCUMENTS:
        return undefined(
            len(complete.scores), f"Tau is not computed for more than {_MAX_DOCUMENTS:,} documents. Take Spearman's."
        )

    documents = len(numbers)
    spread = count_matrix(places, np.arange(len(places)), (documents, len(places)))
    agreeing = np.zeros((documents, documents))
    step = max(1, _MAX_SIGNS // len(places))
    for start in range(0, len(places), step):
        some = slice(start, start + step)
        signs = np.sign(complete.scores[some, None] - complete.scores) * np.sign(
            complete.human[some, None] - complete.human
        )
        np.add.at(agreeing, places[some], (spread @ signs.T).T)

    x, y = (np.unique(values, return_inverse=True)[1] for values in (complete.scores, complete.human))
    by_x, by_y = (count_matrix(ranks, places, (int(ranks.max()) + 1, len(numbers))) for ranks in (x, y))

    def weigh(weights: Values) -> Values:
        balance = np.einsum("dr,dr->r", agreeing @ weights, weights)
        return ratio(balance, np.sqrt(_untied_pairs(by_x @ weights) * _untied_pairs(by_y @ weights)))

    return Statistic(len(x), numbers, weigh, max(len(numbers), by_x.shape[0], by_y.shape[0]))


def without_system_means(values: Values, systems: Numbers) -> Values:
    """Subtract from (n,) values the mean of their system; nan stays nan and counts in no mean.

    A correlation of two such residuals is FRANK's partial correlation (Pagnoni, Balachandran and Tsvetkov 2021).
    """
    has_value = ~np.isnan(values)
    parts = np.column_stack([values[has_value], np.ones(has_value.sum())])
    sums, counts = sums_by(systems[has_value], parts, int(systems.max()) + 1).T
    means = ratio(sums, counts)
    return values - means[systems]


def _standardise(values: Values) -> Values:
    """Values of mean 0 and variance 1, so that sums of squares lose no digits."""
    standard: Values = (values - values.mean()) / values.std()
    return standard


def _pearson_from_moments(sums: Values) -> Values:
    """Pearson from the sums of 1, x, y, xx, yy and xy, (6, resamples)."""
    n, x, y, xx, yy, xy = sums
    varied = ratio(xx, n) - ratio(x, n) ** 2, ratio(yy, n) - ratio(y, n) ** 2
    spread = np.where(np.minimum(*varied) > _MIN_VARIANCE, varied[0] * varied[1], 0.0)
    return ratio(ratio(xy, n) - ratio(x, n) * ratio(y, n), np.sqrt(spread))


def _middle_ranks(weights: Values) -> Values:
    """Middle ranks of the distinct values, counted from the mean rank, (distinct, resamples)."""
    sums = np.cumsum(weights, axis=0)
    ranks: Values = sums - weights / 2 - sums[-1] / 2
    return ranks


def _rank_variance(weights: Values, ranks: Values) -> Values:
    spread: Values = np.einsum("dr,dr,dr->r", weights, ranks, ranks)
    return spread


def _untied_pairs(weights: Values) -> Values:
    """Twice the number of pairs of cases whose values differ, from the weights of distinct values."""
    pairs: Values = weights.sum(axis=0) ** 2 - np.einsum("dr,dr->r", weights, weights)
    return pairs


_ROUNDING_SHARE = 1e-12  # of the largest mean: what the order of summing leaves between equal ones

Coefficient = Callable[[Values, Values], Values]
"""A correlation down the columns of two arrays, (systems, resamples) each, to (resamples,)."""


def correlation_of_systems(rated: RatedScores, systems: Numbers, coefficient: Coefficient) -> Statistic:
    """The correlation of mean scores with mean judgements; `n` is the number of systems, (n,) numbers them from 0.

    A resample that draws no case of one of the systems has no value.
    """
    has_both = ~np.isnan(rated.scores) & ~np.isnan(rated.human)
    names, columns = np.unique(systems[has_both], return_inverse=True)
    if len(names) < 3:
        return undefined(len(names), f"A correlation of systems needs three of them, and there are {len(names)}.")
    numbers, places = cluster_documents(rated.documents[has_both])
    cells = [
        count_matrix(columns, places, (len(names), len(numbers)), amounts)
        for amounts in (np.ones(len(places)), rated.scores[has_both], rated.human[has_both])
    ]

    def weigh(weights: Values) -> Values:
        counts, scores, human = (cell @ weights for cell in cells)
        return coefficient(ratio(scores, counts), ratio(human, counts))

    statistic = Statistic(len(names), numbers, weigh, len(names) ** 2)
    value = statistic.weigh(np.ones((len(statistic.documents), 1)))[0]
    return undefined(statistic.n, "All systems have the same mean.") if np.isnan(value) else statistic


def pearson_of_means(x: Values, y: Values) -> Values:
    x, y = x - x.mean(axis=0), y - y.mean(axis=0)
    return ratio((x * y).sum(axis=0), np.sqrt((x * x).sum(axis=0) * (y * y).sum(axis=0)))


def spearman_of_means(x: Values, y: Values) -> Values:
    return pearson_of_means(_pairwise_order(x).sum(axis=1), _pairwise_order(y).sum(axis=1))


def kendall_of_means(x: Values, y: Values) -> Values:
    """Tau-b."""
    x, y = _pairwise_order(x), _pairwise_order(y)
    both = np.abs(x).sum(axis=(0, 1)) * np.abs(y).sum(axis=(0, 1))
    return ratio((x * y).sum(axis=(0, 1)), np.sqrt(both))


def _pairwise_order(values: Values) -> Values:
    """The sign of the difference of every two systems, (systems, systems, resamples); 0 where it is mere rounding."""
    differences = values[:, None] - values[None]
    return np.where(np.abs(differences) > _ROUNDING_SHARE * np.abs(values).max(axis=0), np.sign(differences), 0.0)
