"""How far two labels are apart, for agreement that counts near misses as less than misses.

Each takes the categories, (categories,), and how often each was given, (categories, resamples), and returns the
distances of every two, (categories, categories, resamples or 1).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from core.stats.statistic import Values, running

Distance = Callable[[Values, Values], Values]


def nominal(categories: Values, given: Values) -> Values:  # noqa: ARG001  # classes have no order and no frequency
    apart: Values = (categories[:, None] != categories[None]).astype(np.float64)[..., None]
    return apart


def linear(categories: Values, given: Values) -> Values:  # noqa: ARG001  # a measured distance needs no frequency
    apart: Values = np.abs(categories[:, None] - categories[None])[..., None]
    return apart


def interval(categories: Values, given: Values) -> Values:  # noqa: ARG001  # a measured distance needs no frequency
    """Squared: the quadratic weights of kappa, the interval metric of alpha."""
    squares: Values = (categories[:, None] - categories[None])[..., None] ** 2
    return squares


def ordinal(categories: Values, given: Values) -> Values:  # noqa: ARG001  # the order is all that counts of them
    """Squared differences of middle ranks (Krippendorff 2011)."""
    ranks = running(given) - given / 2
    squares: Values = (ranks[:, None] - ranks[None]) ** 2
    return squares
