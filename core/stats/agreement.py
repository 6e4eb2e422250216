"""How far people agree: raw, Krippendorff's alpha and Gwet's AC1, for any number of people and missing labels."""

from __future__ import annotations

from itertools import permutations

import numpy as np
from scipy.sparse import csr_array  # type: ignore[import-untyped]  # it ships no types

from core.stats.distance import Distance
from core.stats.ratings import Ratings
from core.stats.statistic import (
    Numbers,
    Statistic,
    Values,
    clusters,
    mean,
    quotient,
    ratio,
    sums_by,
    tally,
    undefined,
)


def raw(ratings: Ratings) -> Statistic:
    """Share of pairs of labels of the same item that are equal; every pair of people counts once per item."""
    kept = ratings.comparable()
    if not len(kept.documents):
        return undefined(0, "No item was labelled by two people.")
    counts = _counts(kept)  # (items, categories)
    labels = counts.sum(axis=1)
    return quotient((counts * (counts - 1)).sum(axis=1), labels * (labels - 1), kept.documents)


def prevalence(ratings: Ratings, category: float) -> Statistic:
    """Share of all labels that are of a category; `n` counts labels."""
    documents = np.repeat(ratings.documents, ratings.labels.shape[1])
    labels = ratings.labels.ravel()
    return mean(np.where(np.isnan(labels), np.nan, labels == category), documents)


def alpha(ratings: Ratings, distance: Distance) -> Statistic:
    """Krippendorff's alpha (2011): 1 less observed by expected disagreement; items with one label do not count."""
    kept = ratings.comparable()
    if kept.why:
        return undefined(len(kept.documents), kept.why)
    numbers, places = clusters(kept.documents)
    categories = kept.categories
    coincidences = _coincidences(kept, places, len(numbers))
    shape = (len(categories), len(categories), -1)

    def weigh(weights: Values) -> Values:
        return _alpha((coincidences @ weights).reshape(shape), categories, distance)

    return Statistic(len(kept.documents), numbers, weigh, max(len(numbers), len(categories) ** 2))


def ac1(ratings: Ratings) -> Statistic:
    """Gwet's AC1 (2008), which stays meaningful where one class is rare.

    Categories that were offered and never chosen count. `n` are the items with two labels; the others tell how often
    each category is chosen.
    """
    kept, categories = ratings.comparable(), len(ratings.categories)
    if not len(kept.documents) or categories < 2:
        return undefined(len(kept.documents), _no_ac1(kept))
    labelled = ratings.given.any(axis=1)
    counts = _counts(ratings)[labelled]
    numbers, places = clusters(ratings.documents[labelled])
    sums = sums_by(places, _ac1_terms(counts), len(numbers))
    return Statistic(len(kept.documents), numbers, lambda weights: _ac1(sums.T @ weights), len(numbers))


def _counts(ratings: Ratings) -> Values:
    """How many people chose each category for each item, (items, categories)."""
    counts: Values = (ratings.labels[..., None] == ratings.categories).sum(axis=1).astype(np.float64)
    return counts


def _coincidences(ratings: Ratings, places: Numbers, documents: int) -> csr_array:
    """Ordered pairs of labels of one item by document, each by the number of others there, (categories², documents)."""
    given, codes, width = ratings.given, ratings.codes, len(ratings.categories)
    shares = 1 / (given.sum(axis=1) - 1)
    pairs = list(permutations(range(given.shape[1]), 2))
    both = [np.flatnonzero(given[:, one] & given[:, two]) for one, two in pairs]
    items = np.concatenate(both)
    cells = [codes[at, one] * width + codes[at, two] for at, (one, two) in zip(both, pairs, strict=True)]
    return tally(np.concatenate(cells), places[items], (width * width, documents), shares[items])


def _alpha(coincidences: Values, categories: Values, distance: Distance) -> Values:
    """From how often labels of one item meet, (categories, categories, resamples)."""
    given = coincidences.sum(axis=1)  # (categories, resamples)
    apart = distance(categories, given)
    observed = (coincidences * apart).sum(axis=(0, 1))
    expected = (given[:, None] * given[None] * apart).sum(axis=(0, 1))
    disagreement: Values = (given.sum(axis=0) - 1) * ratio(observed, expected)
    return 1 - disagreement


def _no_ac1(ratings: Ratings) -> str:
    if not len(ratings.documents):
        return "No item was labelled by two people."
    return "Only one class is known: say which others were offered."


def _ac1_terms(counts: Values) -> Values:
    """Per item its agreement and whether it has two labels, then one and the shares of the categories."""
    labels = counts.sum(axis=1)
    agreement = np.nan_to_num(ratio((counts * (counts - 1)).sum(axis=1), labels * (labels - 1)))
    return np.column_stack([agreement, labels > 1, np.ones(len(labels)), counts / labels[:, None]])


def _ac1(sums: Values) -> Values:
    agreement, comparable, items, *shares = sums
    observed = ratio(agreement, comparable)
    chosen = np.array([ratio(share, items) for share in shares])
    chance: Values = (chosen * (1 - chosen)).sum(axis=0) / (len(chosen) - 1)
    return ratio(observed - chance, 1 - chance)
