"""The order in which summaries of a pool are drawn for labels, each with a known probability that depends on its scores.

Summary i arrives at E_i / w_i with E_i exponential, and those that arrive first are drawn: one after another without
replacement, each with probability w_i of what is left. Given the arrival after the last that counts, each is drawn
independently with probability 1 - exp(-w_i * arrival) (Rosén 1997; Cohen and Kaplan 2007), whenever one stops.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from core.stats.statistic import Numbers, Values

DrawWay = Literal["random", "stratified", "active"]
"""Simple random; stratified by score, by Neyman's allocation; or active inference, by the uncertainty of each summary."""

SELECTION_PROBABILITY = "selection_probability"
"""The column of a file or a table that holds how likely a summary was drawn for a label."""

STRATA = 5
_UNIFORM = (
    0.5  # of the weight is shared evenly, so that wrong expectations cost little (Zrnic and Candès 2024, section 4)
)
_STEPS = 60  # of bisection


@dataclass(frozen=True, slots=True, eq=False)
class DrawnPool:
    """A pool from which summaries are drawn: their weights, (N,), which sum to 1, features, (N, k), and expected rates, (N,)."""

    weights: Values
    features: Values
    expected: Values

    @property
    def size(self) -> int:
        return len(self.weights)


@dataclass(frozen=True, slots=True, eq=False)
class PoolDraw:
    """Summaries in the order of their draw: `rows` and `arrivals`, (n,) each, and the arrival of the first that is not drawn.

    That is infinite where all are drawn. `labels` is about how many it takes to reach the margin, `basis` says by what.
    """

    pool: DrawnPool
    rows: Numbers
    arrivals: Values
    next_arrival: float
    labels: int
    basis: str


def expected_rates(scores: Values, rate: float, auc: float) -> Values:
    """The chance that each summary is inconsistent, (N,), by normal scores that are higher where it is more likely so.

    Two normal distributions of one spread that a metric of this `auc` separates, and a mean of `rate`. A score of nan
    counts as average.
    """
    from scipy.special import expit, ndtri  # scipy takes half a second, and most commands draw nothing

    distances = math.sqrt(2) * float(ndtri(auc)) * np.nan_to_num(scores)
    low, high = -60.0, 60.0
    for _ in range(_STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if float(expit(distances + middle).mean()) < rate else (low, middle)
    chances: Values = expit(distances + low)
    return chances


def draw_weights(expected: Values, way: DrawWay) -> Values:
    """The probability of each summary to be drawn first, (N,), by its chance of being inconsistent.

    Half of it is uniform, the other half is proportional to the standard deviation of the label: of the summary by active
    inference, of its stratum (a fifth of the summaries, by their chance) by Neyman's allocation.
    """
    size = len(expected)
    if way == "random":
        return np.full(size, 1 / size)
    chances = expected
    if way == "stratified":
        ranks = np.empty(size, dtype=np.intp)
        ranks[np.argsort(expected, kind="stable")] = np.arange(size)
        strata = ranks * STRATA // size
        means = np.bincount(strata, weights=expected, minlength=STRATA) / np.maximum(
            1, np.bincount(strata, minlength=STRATA)
        )
        chances = means[strata]
    spread = np.sqrt(np.clip(chances * (1 - chances), 1e-9, None))
    weights: Values = (1 - _UNIFORM) * spread / spread.sum() + _UNIFORM / size
    return weights


def arrivals(weights: Values, seed: int) -> Values:
    """The arrival of each summary, (N,); the first ones are drawn. The same for the same seed."""
    times: Values = np.random.default_rng(seed).exponential(size=len(weights)) / weights
    return times


def selection_probabilities(weights: Values, next_arrival: float) -> Values:
    """The probability that each of these summaries, (n,), is drawn before `next_arrival`, that of the first that does not count."""
    chances: Values = -np.expm1(-weights * next_arrival)
    return chances


def drawn_first(times: Values, number: int) -> Numbers:
    """The rows of the summaries that arrive first, up to that number, in their order."""
    return np.argsort(times, kind="stable")[:number]
