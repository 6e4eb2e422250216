"""Minimal pairs: how often and how far a metric moves when a summary is edited, and whether that is more than noise."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from core.stats.proportion import share
from core.stats.statistic import (
    Numbers,
    Statistic,
    Values,
    cluster_documents,
    mean,
    ratio,
    sums_by,
    undefined,
)
from core.types import Direction

_NO_DIRECTION = "The metric has no better side."
_ROUNDING = 1e-12  # of the largest score: what arithmetic leaves of no shift
_MIN_HARMLESS = 5  # shifts that a range of noise rests on
MIN_FOR_QUANTILES = 30
"""Fewer shifts than these have no middle 95 %: their range is all of them."""

SHIFT_TOLERANCE = 1e-6
"""The same score may differ by so much between batches and machines."""

FEW_PAIRS = 10
"""A mean over fewer pairs than these is marked wherever it is coloured."""

_SIGNS = {"higher": 1.0, "lower": -1.0}


@dataclass(frozen=True, slots=True, eq=False)
class ScorePairs:
    """Scores of the summaries before and after their edit, (n,) each, nan where one failed, and their documents, (n,).

    `direction` says which way consistency lies. The original is the faithful side where the edit breaks something.
    """

    original: Values
    edited: Values
    documents: Numbers
    direction: Direction = "higher"

    @property
    def shifts(self) -> Values:
        """Edited minus original in the metric's own units, (n,), nan where either failed."""
        return self.edited - self.original

    @property
    def gains(self) -> Values:
        """Gains of the original over the edited side, (n,): positive where it wins."""
        return -_SIGNS[self.direction] * self.shifts


def consistency_share(pairs: ScorePairs) -> Statistic:
    """Share of pairs whose original is strictly better; ties are failures (Ma et al. 2023)."""
    return _share_with_sign(pairs, 1.0)


def wrong_way_share(pairs: ScorePairs) -> Statistic:
    """Share of pairs whose edited side is strictly better."""
    return _share_with_sign(pairs, -1.0)


def tie_share(pairs: ScorePairs) -> Statistic:
    """Share of pairs whose sides score the same."""
    return share(_indicator(pairs.shifts, 0.0), pairs.documents)


def order_share(pairs: ScorePairs) -> Statistic:
    """Share of pairs whose faithful side scores higher, ties counting one half: one half of whatever tells nothing."""
    if pairs.direction == "neutral":
        return undefined(_count_scored(pairs), _NO_DIRECTION)
    gains = pairs.gains
    return share(np.where(np.isnan(gains), np.nan, (np.sign(gains) + 1) / 2), pairs.documents)


def sign_rate(pairs: ScorePairs) -> Statistic:
    """Share of pairs whose original is better among those that moved at all."""
    if pairs.direction == "neutral":
        return undefined(_count_scored(pairs), _NO_DIRECTION)
    gains = pairs.gains
    moved = ~np.isnan(gains) & (gains != 0)
    if not moved.any():
        return undefined(0, "No pair moved.")
    return share((gains[moved] > 0).astype(np.float64), pairs.documents[moved])


def mean_shift(pairs: ScorePairs) -> Statistic:
    """Mean of edited minus original, in the metric's own units whatever its direction."""
    return mean(pairs.shifts, pairs.documents)


def mean_absolute_shift(pairs: ScorePairs) -> Statistic:
    """Mean size of the shift, in the metric's own units."""
    return mean(np.abs(pairs.shifts), pairs.documents)


def mean_correction(corrections: ScorePairs) -> Statistic:
    """Mean gain of the original, the faithful side, over the edited one, towards consistency, in the metric's own units."""
    if corrections.direction == "neutral":
        return undefined(_count_scored(corrections), _NO_DIRECTION)
    return mean(corrections.gains, corrections.documents)


def sensitivity(corrections: ScorePairs, benign: ScorePairs) -> Statistic:
    """Mean gain by a correction ÷ mean absolute shift by an edit that keeps the meaning; `n` is the smaller of both numbers.

    Above 1 the metric moves further for a correction than for nothing, below 0 corrections lower it. Undefined where no
    benign edit moves it. Both parts are weighed by the same documents. After Ramprasad and Wallace (2024, section 4,
    figure 4.2), who draw both parts; the quotient is ours.
    """
    if corrections.direction == "neutral":
        return undefined(min(_count_scored(corrections), _count_scored(benign)), _NO_DIRECTION)
    gained, moved = ~np.isnan(corrections.shifts), ~np.isnan(benign.shifts)
    n = int(min(gained.sum(), moved.sum()))
    if not n:
        return undefined(0, f"No {'harmless edit' if gained.any() else 'correction'} has both scores.")
    gains, sizes = corrections.gains[gained], np.abs(benign.shifts[moved])
    if sizes.max() <= _ROUNDING * np.abs(benign.original[moved]).max():
        return undefined(n, "No harmless edit moves this metric: there is nothing to divide by.")
    numbers, places = cluster_documents(np.concatenate([corrections.documents[gained], benign.documents[moved]]))
    columns = np.zeros((len(places), 4))
    columns[: len(gains), :2] = np.column_stack([gains, np.ones(len(gains))])
    columns[len(gains) :, 2:] = np.column_stack([sizes, np.ones(len(sizes))])
    sums = sums_by(places, columns, len(numbers))

    def weigh(weights: Values) -> Values:
        gain, corrected, size, edited = sums.T @ weights
        return ratio(ratio(gain, corrected), ratio(size, edited))

    return Statistic(n, numbers, weigh, len(numbers))


def noise_range(shifts: Values) -> tuple[float, float] | None:
    """From lowest to highest of (n,) shifts under harmless edits, the middle 95 % from 30 on, and no shift; nan where one failed.

    None where fewer than five are known.
    """
    defined = shifts[~np.isnan(shifts)]
    if len(defined) < _MIN_HARMLESS:
        return None
    ends = [0.025, 0.975] if len(defined) >= MIN_FOR_QUANTILES else [0.0, 1.0]
    low, high = np.quantile(defined, ends)
    return min(0.0, float(low)), max(0.0, float(high))


_LEAST_END = 0.02  # of the width of the noise


def with_least_ends(low: float, high: float) -> tuple[float, float]:
    """Noise from `low` <= 0 to `high` >= 0, of which either end counts as at least a fiftieth of the width.

    An end that happens to be nearly zero would otherwise make every shift on its side many times the noise.
    """
    least = _LEAST_END * (high - low)
    return min(low, -least), max(high, least)


class Move(StrEnum):
    """Move of a metric under an edit, against what it should have done."""

    RIGHT = "right way"
    WRONG = "wrong way"
    STILL = "within noise"
    UNKNOWN = "noise unknown"
    NONE = "no score"


def classify_move(shift: float, noise: tuple[float, float] | None, direction: Direction, *, preserving: bool) -> Move:
    """The rule behind every colour: a shift counts only outside the range of harmless edits.

    Where the edit keeps the meaning any such shift is the wrong way; elsewhere one towards inconsistent is the right way, and a
    metric without a better side has none. nan is no score.
    """
    if np.isnan(shift) or (direction == "neutral" and not preserving):
        return Move.NONE
    if noise is None:
        return Move.UNKNOWN
    low, high = noise
    if low - SHIFT_TOLERANCE <= shift <= high + SHIFT_TOLERANCE:
        return Move.STILL
    if preserving:
        return Move.WRONG
    return Move.RIGHT if (shift < 0) == (direction == "higher") else Move.WRONG


def _share_with_sign(pairs: ScorePairs, sign: float) -> Statistic:
    if pairs.direction == "neutral":
        return undefined(_count_scored(pairs), _NO_DIRECTION)
    return share(_indicator(np.sign(pairs.gains), sign), pairs.documents)


def _indicator(values: Values, target: float) -> Values:
    """1 where a value equals the target, 0 where it does not, nan where it is nan."""
    return np.where(np.isnan(values), np.nan, values == target)


def _count_scored(pairs: ScorePairs) -> int:
    return int(np.sum(~np.isnan(pairs.shifts)))
