"""Agreement on answers that are no single category: rankings, the best and the worst, shares of several options.

Answers are rows of numbers, (labels, options): the ranks of the options, 1, 0 and -1 for best, neither and worst, or shares."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from core.stats.statistic import (
    Estimate,
    Mask,
    Numbers,
    Statistic,
    Values,
    cluster_documents,
    ratio,
    sums_by,
    undefined,
)

AnswerDistance = Callable[[Values, Values], Values]
"""Distances of some answers, (m, options), from others, (n, options), as (m, n)."""

_BLOCK = 256  # answers whose distances from all others are held at once
_HALVINGS = 100  # as Kiritchenko and Mohammad (2016)


def squared_distance(some: Values, others: Values) -> Values:
    """Squared differences of ranks or scores, summed over options: of rankings, the distance behind Spearman's rho."""
    squares: Values = ((some[:, None] - others[None]) ** 2).sum(axis=-1)
    return squares


def jensen_shannon_divergence(some: Values, others: Values) -> Values:
    """Jensen-Shannon divergence of distributions in bits (Lin 1991), the square of the Jensen-Shannon distance, 0 to 1."""
    middle = (some[:, None] + others[None]) / 2

    def entropy(shares: Values) -> Values:
        logs = np.log2(shares, out=np.zeros_like(shares), where=shares > 0)
        bits: Values = -(shares * logs).sum(axis=-1)
        return bits

    divergence: Values = entropy(middle) - (entropy(some)[:, None] + entropy(others)[None]) / 2
    return np.maximum(divergence, 0.0)


def distance_alpha(answers: Values, items: Numbers, documents: Numbers, distance: AnswerDistance) -> Statistic:
    """Krippendorff's alpha of answers, (labels, options), to items, (labels,), of documents, (labels,), by any distance.

    Items with one answer do not count. Undefined where all answers are the same.
    """
    places = np.unique(items, return_inverse=True)[1]
    several = np.bincount(places)[places] > 1
    if not several.any():
        return undefined(0, "No item was labelled by two people.")
    answers, items, documents = answers[several], items[several], documents[several]
    numbers, at = cluster_documents(documents)
    _, item_at, sizes = np.unique(items, return_inverse=True, return_counts=True)
    apart = np.zeros((len(numbers), len(numbers)))
    observed = np.zeros(len(answers))
    for start in range(0, len(answers), _BLOCK):
        block = slice(start, start + _BLOCK)
        distances = distance(answers[block], answers)
        same_item = item_at[block, None] == item_at[None]
        observed[block] = (distances * same_item).sum(axis=1) / (sizes[item_at[block]] - 1)
        np.add.at(apart, at[block], sums_by(at, distances.T, len(numbers)).T)
    if not apart.any():
        return undefined(len(sizes), f"All {len(answers)} answers are the same: agreement beyond chance is undefined.")
    within, labels = sums_by(at, np.column_stack([observed, np.ones(len(answers))]), len(numbers)).T

    def weigh(weights: Values) -> Values:
        expected = (weights * (apart @ weights)).sum(axis=0)
        disagreement: Values = (labels @ weights - 1) * ratio(within @ weights, expected)
        return 1 - disagreement

    return Statistic(len(sizes), numbers, weigh, len(numbers))


def split_half_reliability(scores: Values, items: Numbers, seed: int = 0) -> Estimate:
    """Split-half reliability of best-worst scaling (Kiritchenko and Mohammad 2016): the answers to each item are halved by chance, options
    are scored by each half, and Spearman's rho of the two is averaged over 100 halvings; `scores` are (labels, options).
    """
    from scipy.stats import spearmanr  # scipy takes half a second, and most commands count nothing

    _, places, sizes = np.unique(items, return_inverse=True, return_counts=True)
    several = sizes[places] > 1
    if not several.any():
        return Estimate(None, None, None, 0, "No item was labelled by two people.")
    scores, places = scores[several], np.unique(places[several], return_inverse=True)[1]
    number, rng = int(places.max()) + 1, np.random.default_rng(seed)
    halvings = [_halved_scores(scores, places, _first_half(places, rng), number) for _ in range(_HALVINGS)]
    if any(np.ptp(half) == 0 for halves in halvings for half in halves):
        return Estimate(None, None, None, number, "All options have the same score in one half.")
    return Estimate(float(np.mean([spearmanr(*halves).statistic for halves in halvings])), None, None, number)


def _first_half(places: Numbers, rng: np.random.Generator) -> Mask:
    """Half of the answers to each item, (labels,); of an odd number the middle one falls to either."""
    order = np.lexsort((rng.random(len(places)), places))
    starts = np.searchsorted(places[order], places[order])
    sizes = np.bincount(places)[places[order]]
    extra = rng.integers(2, size=int(places.max()) + 1)[places[order]]
    first = np.empty(len(places), dtype=bool)
    first[order] = np.arange(len(places)) - starts < (sizes + extra) // 2
    return first


def _halved_scores(scores: Values, places: Numbers, first: Mask, number: int) -> tuple[Values, Values]:
    """The mean score of each option of each item in both halves, (items × options,)."""

    def mean_scores(half: Mask) -> Values:
        counts = np.bincount(places[half], minlength=number)
        means: Values = sums_by(places[half], scores[half], number) / counts[:, None]
        return means.ravel()

    return mean_scores(first), mean_scores(~first)
