"""Confidence sequences of the rate of a pool: intervals that hold after every label at once, so that looking at them and stopping at any time is valid.

Each label is a bet against every rate (Waudby-Smith and Ramdas 2024, sections 4 and 5), here of summaries that are drawn one
after another without replacement, with known probabilities (Shekhar et al. 2023). Predictions that are fitted on earlier
labels make the bets less risky, and whatever they are worth the intervals hold.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.stats.proportion import NOT_LEVEL
from core.stats.rates.prediction_powered import MIN_CLASS, fit_logistic
from core.stats.rates.score_draw import DrawnPool
from core.stats.statistic import Mask, Numbers, Values

_GRID = np.linspace(0.0, 1.0, 1001)  # rates that are bet against
_FIRST_FIT, _GROWTH = 20, 1.3  # labels before the first fit, and times as many before the next
_PENALTY = 1.0
_MOST_STAKE = 0.75  # of what a bet may lose
_CHUNK = 64  # labels, after which rates that are refuted are left out


@dataclass(frozen=True, slots=True, eq=False)
class RateSequence:
    """The interval after each label, (T,) each, in 0..1; it only becomes narrower."""

    low: Values
    high: Values

    @property
    def last(self) -> tuple[float, float]:
        return (float(self.low[-1]), float(self.high[-1])) if len(self.low) else (0.0, 1.0)


def rate_sequence(pool: DrawnPool, rows: Numbers, outcomes: Values, margin: float) -> RateSequence:
    """The intervals by the labels of `rows`, (T,), in the order of their draw: 1 inconsistent, 0 not, nan where there is none.

    The bets are sized to tell rates apart that differ by `margin`, in 0..1. A summary without a label counts as either.
    """
    missing = np.isnan(outcomes)
    least = _sequence(pool, rows, np.where(missing, 0.0, outcomes), margin)
    if not missing.any():
        return least
    return RateSequence(least.low, _sequence(pool, rows, np.where(missing, 1.0, outcomes), margin).high)


def _sequence(pool: DrawnPool, rows: Numbers, outcomes: Values, margin: float) -> RateSequence:
    values, floors, ceilings = _unbiased_values(pool, rows, outcomes)
    # the stake of each bet, (T,), by the variance of the values before it: the best against a rate that is off by
    # `margin`
    stakes = np.empty(len(values))
    mean, spread = 0.5, 0.25
    for place, value in enumerate(values):
        stakes[place] = margin / (spread / (place + 1) + margin * margin)
        step = value - mean
        mean += step / (place + 2)
        spread += step * (value - mean)
    wins, total = np.log(2 / NOT_LEVEL), len(rows)
    low, high = np.zeros(total), np.ones(total)
    first, last = 0, len(_GRID)  # of the grid, what is not refuted yet
    above, below = np.zeros(last), np.zeros(last)  # evidence that the rate is above, and below, each of these
    for start in range(0, total, _CHUNK):
        part = slice(start, start + _CHUNK)
        rates = _GRID[first:last]
        gains = values[part, None] - rates
        up = np.minimum(stakes[part, None], _MOST_STAKE / np.maximum(rates - floors[part, None], 1e-12))
        down = np.minimum(stakes[part, None], _MOST_STAKE / np.maximum(ceilings[part, None] - rates, 1e-12))
        risen = above + np.cumsum(np.log1p(up * gains), axis=0)
        fallen = below + np.cumsum(np.log1p(-down * gains), axis=0)
        lower, upper = _refuted_in_a_row(risen >= wins), _refuted_in_a_row(fallen[:, ::-1] >= wins)
        low[part] = np.concatenate([[0.0], _GRID])[first + lower]
        high[part] = np.concatenate([_GRID, [1.0]])[last - upper]
        before, first, last = first, first + int(lower.max()), last - int(upper.max())
        if first >= last:  # every rate is refuted: the chance of that is one in twenty at most
            break
        above, below = (evidence[-1, first - before : last - before] for evidence in (risen, fallen))
    ones, number = np.cumsum(outcomes), np.arange(1, total + 1)
    low = np.maximum.accumulate(np.maximum(low, ones / pool.size))
    high = np.minimum.accumulate(np.minimum(high, 1 - (number - ones) / pool.size))
    return RateSequence(low, high)


def _refuted_in_a_row(refuted: Mask) -> Numbers:
    """The number of rates that are refuted together with all before them, (T,), of (T, G)."""
    counts: Numbers = np.where(refuted.all(axis=1), refuted.shape[1], np.argmin(refuted, axis=1))
    return counts


def _unbiased_values(pool: DrawnPool, rows: Numbers, outcomes: Values) -> tuple[Values, Values, Values]:
    """An estimate of the rate by each label, unbiased given those before it, and the least and the most that it may be, (T,) each."""
    size, total = pool.size, len(rows)
    weights, seen = pool.weights[rows], np.zeros(size, dtype=np.bool_)
    remaining = 1 - np.concatenate([[0.0], np.cumsum(weights)])[:total]  # the weight of what is not drawn yet
    remaining = np.maximum(remaining, weights)
    ones = np.concatenate([[0.0], np.cumsum(outcomes)])[:total]
    values, floors, ceilings = np.empty(total), np.empty(total), np.empty(total)
    start, end = 0, _FIRST_FIT
    while start < total:
        predicted = _predicted(pool, rows[:start], outcomes[:start])
        rest = float(predicted[~seen].sum())
        part = slice(start, min(end, total))
        own = predicted[rows[part]]
        mean = (ones[part] + rest - np.concatenate([[0.0], np.cumsum(own)[:-1]])) / size
        scale = remaining[part] / size
        values[part] = mean + scale * (outcomes[part] - own) / weights[part]
        floors[part] = mean - scale * float((predicted / pool.weights)[~seen].max())
        ceilings[part] = mean + scale * float(((1 - predicted) / pool.weights)[~seen].max())
        seen[rows[part]] = True
        start, end = end, max(end + 1, round(end * _GROWTH))
    return values, floors, ceilings


def _predicted(pool: DrawnPool, rows: Numbers, outcomes: Values) -> Values:
    """The predicted rate of each summary, (N,): as expected before the first labels, by their rate while these are few, or fitted."""
    if not len(rows):
        return pool.expected
    inverse = 1 / pool.weights[rows]
    rate = (float(inverse @ outcomes) + 0.5 * inverse.mean()) / (float(inverse.sum()) + inverse.mean())
    if not pool.features.shape[1] or min(outcomes.sum(), len(rows) - outcomes.sum()) < MIN_CLASS:
        return np.full(pool.size, rate)
    fit = fit_logistic(pool.features[rows], outcomes, np.full(len(rows), 1 / len(rows)), _PENALTY)
    fitted: Values = 1 / (1 + np.exp(-np.clip(pool.features @ fit[1:] + fit[0], -30, 30)))
    return fitted
