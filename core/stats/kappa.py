"""Cohen's kappa for two people, with or without weights for near misses."""

from __future__ import annotations

import numpy as np

from core.stats.distance import Distance
from core.stats.ratings import Ratings
from core.stats.statistic import Statistic, Values, clusters, ratio, tally, undefined


def kappa(ratings: Ratings, first: int, second: int, distance: Distance) -> Statistic:
    """Agreement of two people beyond chance on the items that both labelled (Cohen 1960; weighted, Cohen 1968).

    Distances are counted in steps between neighbouring categories. Undefined where both use one class only.
    """
    kept = ratings.of(first, second).comparable()
    if kept.why:
        return undefined(len(kept.documents), kept.why)
    numbers, places = clusters(kept.documents)
    width = len(kept.categories)
    steps = np.arange(width, dtype=np.float64)
    cells = kept.codes[:, 0] * width + kept.codes[:, 1]
    table = tally(cells, places, (width * width, len(numbers)))

    def weigh(weights: Values) -> Values:
        return _kappa((table @ weights).reshape(width, width, -1), steps, distance)

    return Statistic(len(kept.documents), numbers, weigh, max(len(numbers), width * width))


def _kappa(table: Values, steps: Values, distance: Distance) -> Values:
    """From how often labels of the first meet labels of the second, (categories, categories, resamples)."""
    first, second = table.sum(axis=1), table.sum(axis=0)  # (categories, resamples)
    apart = distance(steps, first + second)
    observed = (table * apart).sum(axis=(0, 1)) * first.sum(axis=0)
    expected = (first[:, None] * second[None] * apart).sum(axis=(0, 1))
    return 1 - ratio(observed, expected)
