"""Differences between the rates of parts of a pool, corrected for their number, and the ranks that they leave open."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from core.stats.comparison import holm_correction
from core.stats.proportion import NOT_LEVEL
from core.stats.rates.rate import ALL_LABELLED, Rate
from core.stats.statistic import Estimate

_LEAST_P = 1e-6
_HALVINGS = 40


@dataclass(frozen=True, slots=True)
class RateDifference:
    """The rate of the first part minus that of the second; `p` is corrected by Holm for all differences that were tested."""

    first: str
    second: str
    difference: Estimate
    p: float | None


def difference_interval(first: Rate, second: Rate, error: float = NOT_LEVEL) -> tuple[float, float]:
    """The interval of a difference from those of both rates (Zou and Donner 2008), which takes them as independent.

    Of rates that go up and down together, as those of systems on the same documents, it is too wide.
    """
    (low, high), (other_low, other_high) = first.interval(error), second.interval(error)
    value = first.value - second.value
    below = np.hypot(first.value - low, other_high - second.value)
    above = np.hypot(high - first.value, second.value - other_low)
    return max(-1.0, value - float(below)), min(1.0, value + float(above))


def rate_difference(first: Rate, second: Rate) -> Estimate:
    """The first rate minus the second, without an interval where all summaries of both have a label."""
    value, n, documents = first.value - second.value, min(first.n, second.n), min(first.documents, second.documents)
    if _are_known(first, second):
        return Estimate(value, None, None, n, ALL_LABELLED, documents)
    return Estimate(value, *difference_interval(first, second), n, documents=documents)


def difference_p(first: Rate, second: Rate) -> float | None:
    """The share of draws that the interval which just leaves out 0 misses, at least one in a million; None of two rates that are known."""
    if _are_known(first, second):
        return None
    least, most = np.log(_LEAST_P), 0.0
    for _ in range(_HALVINGS):
        middle = (least + most) / 2
        low, high = difference_interval(first, second, min(float(np.exp(middle)), 1 - 1e-12))
        least, most = (middle, most) if low <= 0 <= high else (least, middle)
    return float(np.exp(most))


def rate_differences(rates: Mapping[str, Rate], against: str = "") -> list[RateDifference]:
    """Every two parts that have an interval, or each `against` one of them, the largest difference first."""
    comparable = {name: rate for name, rate in rates.items() if rate.documents >= 2}
    pairs = [(name, other) for name, other in combinations(comparable, 2) if not against or against in (name, other)]
    ps = holm_correction([difference_p(comparable[name], comparable[other]) for name, other in pairs])
    differences = []
    for (label, other), p in zip(pairs, ps, strict=True):
        first, second = comparable[label], comparable[other]
        differences.append(RateDifference(label, other, rate_difference(first, second), p))
    return sorted(
        differences,
        key=lambda row: (row.p if row.p is not None else 1.0, -abs(row.difference.value or 0.0)),
    )


def _are_known(first: Rate, second: Rate) -> bool:
    """True for two rates of which all summaries have a label: there is nothing to test."""
    return not any(rate.exact or rate.variance > 0 for rate in (first, second))


def rank_intervals(rates: Mapping[str, Rate], differences: Sequence[RateDifference]) -> dict[str, Estimate]:
    """The rank of each part, 1 for the smallest rate, from the first to the last that no significant difference rules out.

    All intervals together hold in 95 % of draws, as the differences are corrected for their number (after Mohamad, Goeman
    and van Zwet 2019).
    """
    values = {name: rate.value for name, rate in rates.items()}
    below, above = (dict.fromkeys(rates, 0) for _ in range(2))
    for row in differences:
        if row.p is not None and row.p < NOT_LEVEL:
            worse, better = (row.first, row.second) if (row.difference.value or 0) > 0 else (row.second, row.first)
            below[worse] += 1
            above[better] += 1
    ranks = {}
    for name, rate in rates.items():
        smaller = sum(value < values[name] for value in values.values())
        equal = sum(value == values[name] for value in values.values())
        ranks[name] = Estimate(
            smaller + (equal + 1) / 2, 1 + below[name], len(rates) - above[name], rate.n, documents=rate.documents
        )
    return ranks
