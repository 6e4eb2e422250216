"""The number of labels that makes the interval of a rate narrow enough, alone and with the scores of metrics."""

from __future__ import annotations

import math

import numpy as np

from core.stats.proportion import MIN_ERRORS, clopper_pearson, wilson
from core.stats.statistic import CONFIDENCE_LEVEL, Values

_GRID = 4001  # points of the scores of either kind of summary
_WIDTH = 9.0  # standard deviations on either side


def explained_share(auc: float, rate: float) -> float:
    """The share of the variance of a label that a metric of this area under the ROC curve explains, in 0..1.

    Scores of both kinds are taken as normal with the same variance (the binormal model of Dorfman and Alf 1969).
    """
    from scipy.special import ndtri  # scipy takes half a second, and most commands estimate nothing

    if not 0 < rate < 1:
        return 0.0
    distance = math.sqrt(2) * float(ndtri(min(max(auc, 1 - auc), 1 - 1e-9)))
    at = np.linspace(-_WIDTH, _WIDTH + distance, _GRID)
    right, wrong = (np.exp(-((at - place) ** 2) / 2) / math.sqrt(2 * math.pi) for place in (0.0, distance))
    density = rate * wrong + (1 - rate) * right
    chance = np.divide(rate * wrong, density, out=np.zeros_like(at), where=density > 0)
    spread = float(np.sum(density * (chance - rate) ** 2) * (at[1] - at[0]))
    return min(max(spread / (rate * (1 - rate)), 0.0), 1.0)


def expected_margin(labels: float, rate: float, pool: float, explained: float = 0.0, design: float = 1.0) -> float:
    """Half the width of the 95 % interval from that number of labels drawn at random from a pool, in 0..1.

    `explained` is the share of the variance that scores explain, `design` the factor by which labels in documents vary
    more. Where fewer than ten errors are expected it is that of the exact interval, of the labels alone.
    """
    from scipy.special import ndtri  # as above

    if labels >= pool:
        return 0.0
    size = labels / design
    if labels * min(rate, 1 - rate) < MIN_ERRORS:
        low, high = clopper_pearson(rate * size, size)
        return (high - low) / 2
    size /= (1 - labels / pool) * max(1e-9, 1 - explained)
    low, high = wilson(rate, size, float(ndtri((1 + CONFIDENCE_LEVEL) / 2)))
    return (high - low) / 2


def labels_needed(margin: float, rate: float, pool: int, explained: float = 0.0, design: float = 1.0) -> int:
    """The smallest number of labels with an expected margin of at most this; at most the whole pool."""
    least, most = 1, pool
    while least < most:
        middle = (least + most) // 2
        if expected_margin(middle, rate, pool, explained, design) <= margin:
            most = middle
        else:
            least = middle + 1
    return least


def label_grid(most: int) -> Values:
    """About 30 numbers of labels up to this at which a curve is computed, denser where they are small."""
    return np.unique(np.round(np.geomspace(10, max(20, most), 30)))
