"""Gains made comparable between metrics: in standard deviations of each metric over the original summaries."""

from __future__ import annotations

import numpy as np

from core.stats.pairs import Pairs
from core.stats.statistic import Numbers, Statistic, Values, clusters, ratio, sums_by, undefined

_FLAT = 1e-12  # of the variance of all originals: what rounding leaves of a constant


def gains(pairs: Pairs) -> Values:
    """How much better the edited side is, (n,), nan where either failed; no shift is a plain zero."""
    better: Values = 0.0 - pairs.gains
    return better


def standardised(pairs: Pairs, originals: Values, documents: Numbers) -> Statistic:
    """Mean gain of (n,) pairs by the standard deviation of (sources,) original scores, those that are nan left out.

    Both are weighed by the same documents, so that a resample has its own spread.
    """
    gain = gains(pairs)
    gained, scored = ~np.isnan(gain), ~np.isnan(originals)
    if not gained.any():
        return undefined(0, "No pair has a value.")
    if np.ptp(originals[scored]) == 0:
        return undefined(int(gained.sum()), "All originals score the same: there is no spread to compare with.")
    standard = (originals[scored] - originals[scored].mean()) / originals[scored].std()
    numbers, places = clusters(np.concatenate([pairs.documents[gained], documents[scored]]))
    sums = sums_by(places, _columns(gain[gained] / originals[scored].std(), standard), len(numbers))
    return Statistic(int(gained.sum()), numbers, lambda weights: _by_spread(sums.T @ weights), len(numbers))


def _columns(gain: Values, originals: Values) -> Values:
    """Number and sum of the gains, number, sum and sum of squares of the originals: a row each, (gains + originals, 5)."""
    columns = np.zeros((len(gain) + len(originals), 5))
    columns[: len(gain), :2] = np.column_stack([np.ones(len(gain)), gain])
    columns[len(gain) :, 2:] = np.column_stack([np.ones(len(originals)), originals, originals**2])
    return columns


def _by_spread(sums: Values) -> Values:
    """From the sums of `_columns`, (5, resamples)."""
    pairs, gained, originals, total, squares = sums
    variance = ratio(squares, originals) - ratio(total, originals) ** 2
    return ratio(ratio(gained, pairs), np.sqrt(np.where(variance > _FLAT, variance, 0.0)))
