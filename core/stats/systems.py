"""How far a metric ranks systems as people do: correlations of the systems' means."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from core.stats.correlation import Rated
from core.stats.statistic import Numbers, Statistic, Values, clusters, ratio, tally, undefined

_ROUNDING = 1e-12  # of the largest mean: what the order of summing leaves between equal ones

Coefficient = Callable[[Values, Values], Values]
"""A correlation down the columns of two arrays, (systems, resamples) each, to (resamples,)."""


def by_system(rated: Rated, systems: Numbers, coefficient: Coefficient) -> Statistic:
    """The correlation of mean scores with mean judgements; `n` is the number of systems, (n,) numbers them from 0.

    A resample that draws no case of one of the systems has no value.
    """
    kept = ~np.isnan(rated.scores) & ~np.isnan(rated.human)
    names, columns = np.unique(systems[kept], return_inverse=True)
    if len(names) < 3:
        return undefined(len(names), f"A correlation of systems needs three of them, and there are {len(names)}.")
    numbers, places = clusters(rated.documents[kept])
    cells = [
        tally(columns, places, (len(names), len(numbers)), amounts)
        for amounts in (np.ones(len(places)), rated.scores[kept], rated.human[kept])
    ]

    def weigh(weights: Values) -> Values:
        counts, scores, human = (cell @ weights for cell in cells)
        return coefficient(ratio(scores, counts), ratio(human, counts))

    return _defined(Statistic(len(names), numbers, weigh, len(names) ** 2))


def pearson(x: Values, y: Values) -> Values:
    x, y = x - x.mean(axis=0), y - y.mean(axis=0)
    return ratio((x * y).sum(axis=0), np.sqrt((x * x).sum(axis=0) * (y * y).sum(axis=0)))


def spearman(x: Values, y: Values) -> Values:
    return pearson(_order(x).sum(axis=1), _order(y).sum(axis=1))


def kendall(x: Values, y: Values) -> Values:
    """Tau-b."""
    x, y = _order(x), _order(y)
    both = np.abs(x).sum(axis=(0, 1)) * np.abs(y).sum(axis=(0, 1))
    return ratio((x * y).sum(axis=(0, 1)), np.sqrt(both))


def _order(values: Values) -> Values:
    """The sign of the difference of every two systems, (systems, systems, resamples); 0 where it is mere rounding."""
    differences = values[:, None] - values[None]
    return np.where(np.abs(differences) > _ROUNDING * np.abs(values).max(axis=0), np.sign(differences), 0.0)


def _defined(statistic: Statistic) -> Statistic:
    value = statistic.weigh(np.ones((len(statistic.documents), 1)))[0]
    return undefined(statistic.n, "All systems have the same mean.") if np.isnan(value) else statistic
