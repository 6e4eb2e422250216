"""Agreement of people: raw, Cohen's kappa, Krippendorff's alpha and Gwet's AC1, for any number of people and missing labels.

A distance is that between two labels, so that near misses count less than misses: it takes the categories,
(categories,), and how often each was given, (categories, resamples), and returns the distances of every two,
(categories, categories, resamples or 1)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import permutations
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from core.stats.statistic import (
    Mask,
    Numbers,
    Statistic,
    Values,
    cluster_documents,
    count_matrix,
    mean,
    quotient,
    ratio,
    sums_by,
    undefined,
)

if TYPE_CHECKING:
    pass


@dataclass(frozen=True, slots=True, eq=False)
class LabelMatrix:
    """Labels as numbers, (items, people), nan where one is missing, and the items' documents, (items,).

    `offered` are the categories to choose from; those that nobody chose count where chance is computed over all.
    """

    labels: Values
    documents: Numbers
    offered: tuple[float, ...] = ()

    @property
    def categories(self) -> Values:
        """All categories in order, (categories,)."""
        labels = self.labels[~np.isnan(self.labels)]
        categories: Values = np.union1d(labels, np.array(self.offered, dtype=np.float64))
        return categories

    @property
    def labelled(self) -> Mask:
        """Mask of the labels that are there, (items, people)."""
        return ~np.isnan(self.labels)

    @property
    def codes(self) -> Numbers:
        """The place of each label among the categories, (items, people); without meaning where one is missing."""
        return np.searchsorted(self.categories, self.labels)

    def of(self, *people: int) -> LabelMatrix:
        """The labels of some people only; the categories stay."""
        return LabelMatrix(self.labels[:, people], self.documents, tuple(self.categories.tolist()))

    def comparable(self) -> LabelMatrix:
        """The items that have two labels or more."""
        has_several = self.labelled.sum(axis=1) > 1
        return LabelMatrix(self.labels[has_several], self.documents[has_several], tuple(self.categories.tolist()))

    @property
    def error(self) -> str:
        """Reason that there is no agreement by chance to compare with; empty where there is."""
        labels = self.labels[self.labelled]
        if not len(labels):
            return "No item was labelled by two people."
        if np.ptp(labels) == 0:
            return f"All {len(labels)} labels are of one class: agreement beyond chance is undefined."
        return ""


def group_alike(ratings: LabelMatrix) -> tuple[Numbers, LabelMatrix]:
    """The group of each document, (documents,), whose items have the same labels of the same people, and the items of one document of each.

    Documents are numbered from 0; in the second, by their group.
    """
    patterns = np.unique(np.nan_to_num(ratings.labels, nan=np.inf), axis=0, return_inverse=True)[1].reshape(-1)
    order = np.lexsort([patterns, ratings.documents])
    ends = np.flatnonzero(np.diff(ratings.documents[order])) + 1
    numbers: dict[bytes, int] = {}
    items = np.split(order, ends)
    groups = np.array([numbers.setdefault(patterns[of_document].tobytes(), len(numbers)) for of_document in items])
    first = np.unique(groups, return_index=True)[1]
    kept = np.concatenate([items[place] for place in first])
    documents = np.repeat(np.arange(len(first)), [len(items[place]) for place in first])
    return groups, LabelMatrix(ratings.labels[kept], documents, ratings.offered)


Distance = Callable[[Values, Values], Values]


def nominal_distance(categories: Values, frequencies: Values) -> Values:  # noqa: ARG001  # classes have no order and no frequency
    apart: Values = (categories[:, None] != categories[None]).astype(np.float64)[..., None]
    return apart


def linear_distance(categories: Values, frequencies: Values) -> Values:  # noqa: ARG001  # a measured distance needs no frequency
    apart: Values = np.abs(categories[:, None] - categories[None])[..., None]
    return apart


def interval_distance(categories: Values, frequencies: Values) -> Values:  # noqa: ARG001  # a measured distance needs no frequency
    """Squared: the quadratic weights of kappa, the interval metric of alpha."""
    squares: Values = (categories[:, None] - categories[None])[..., None] ** 2
    return squares


def ordinal_distance(categories: Values, frequencies: Values) -> Values:  # noqa: ARG001  # the order is all that counts of them
    """Squared differences of middle ranks (Krippendorff 2011)."""
    ranks = np.cumsum(frequencies, axis=0) - frequencies / 2
    squares: Values = (ranks[:, None] - ranks[None]) ** 2
    return squares


DISTANCES: Mapping[str, Distance] = MappingProxyType(
    {"nominal": nominal_distance, "ordinal": ordinal_distance, "interval": interval_distance}
)
"""By level of measurement, the one that takes labels for least first."""


def raw_agreement(ratings: LabelMatrix) -> Statistic:
    """Share of pairs of labels of the same item that are equal; every pair of people counts once per item."""
    comparable = ratings.comparable()
    if not len(comparable.documents):
        return undefined(0, "No item was labelled by two people.")
    counts = _category_counts(comparable)  # (items, categories)
    labels = counts.sum(axis=1)
    return quotient((counts * (counts - 1)).sum(axis=1), labels * (labels - 1), comparable.documents)


def label_prevalence(ratings: LabelMatrix, category: float) -> Statistic:
    """Share of all labels that are of a category; `n` counts labels."""
    documents = np.repeat(ratings.documents, ratings.labels.shape[1])
    labels = ratings.labels.ravel()
    return mean(np.where(np.isnan(labels), np.nan, labels == category), documents)


def krippendorff_alpha(ratings: LabelMatrix, distance: Distance) -> Statistic:
    """Krippendorff's alpha (2011): 1 less observed by expected disagreement; items with one label do not count."""
    comparable = ratings.comparable()
    if comparable.error:
        return undefined(len(comparable.documents), comparable.error)
    numbers, places = cluster_documents(comparable.documents)
    # a slider offers a hundred answers of which a few are given: a table of all has ten thousand cells
    comparable = LabelMatrix(comparable.labels, comparable.documents)
    categories = comparable.categories
    # ordered pairs of labels of one item by document, each by the number of others there, (categories², documents)
    is_labelled, codes, width = comparable.labelled, comparable.codes, len(comparable.categories)
    shares = 1 / (is_labelled.sum(axis=1) - 1)
    pairs = list(permutations(range(is_labelled.shape[1]), 2))
    both = [np.flatnonzero(is_labelled[:, first] & is_labelled[:, second]) for first, second in pairs]
    items = np.concatenate(both)
    cells = [codes[at, first] * width + codes[at, second] for at, (first, second) in zip(both, pairs, strict=True)]
    coincidences = count_matrix(np.concatenate(cells), places[items], (width * width, len(numbers)), shares[items])
    shape = (len(categories), len(categories), -1)

    def weigh(weights: Values) -> Values:
        meetings = (coincidences @ weights).reshape(shape)  # (categories, categories, resamples)
        frequencies = meetings.sum(axis=1)  # (categories, resamples)
        apart = distance(categories, frequencies)
        observed = (meetings * apart).sum(axis=(0, 1))
        expected = (frequencies[:, None] * frequencies[None] * apart).sum(axis=(0, 1))
        disagreement: Values = (frequencies.sum(axis=0) - 1) * ratio(observed, expected)
        return 1 - disagreement

    return Statistic(len(comparable.documents), numbers, weigh, max(len(numbers), len(categories) ** 2))


def gwet_ac1(ratings: LabelMatrix) -> Statistic:
    """Gwet's AC1 (2008), which stays meaningful where one class is rare.

    Categories that were offered and never chosen count. `n` are the items with two labels; the others tell how often
    each category is chosen.
    """
    comparable, categories = ratings.comparable(), len(ratings.categories)
    if not len(comparable.documents):
        return undefined(0, "No item was labelled by two people.")
    if categories < 2:
        return undefined(len(comparable.documents), "Only one class is known: say which others were offered.")
    labelled = ratings.labelled.any(axis=1)
    counts = _category_counts(ratings)[labelled]
    numbers, places = cluster_documents(ratings.documents[labelled])
    labels = counts.sum(axis=1)
    agreement = np.nan_to_num(ratio((counts * (counts - 1)).sum(axis=1), labels * (labels - 1)))
    # per item its agreement and whether it has two labels, then one and the shares of the categories
    terms = np.column_stack([agreement, labels > 1, np.ones(len(labels)), counts / labels[:, None]])
    sums = sums_by(places, terms, len(numbers))
    return Statistic(len(comparable.documents), numbers, lambda weights: _ac1_of_sums(sums.T @ weights), len(numbers))


def _category_counts(ratings: LabelMatrix) -> Values:
    """Number of people who chose each category for each item, (items, categories)."""
    counts: Values = (ratings.labels[..., None] == ratings.categories).sum(axis=1).astype(np.float64)
    return counts


def _ac1_of_sums(sums: Values) -> Values:
    agreement, comparable, items, *shares = sums
    observed = ratio(agreement, comparable)
    prevalence = np.array([ratio(share, items) for share in shares])
    chance: Values = (prevalence * (1 - prevalence)).sum(axis=0) / (len(prevalence) - 1)
    return ratio(observed - chance, 1 - chance)


def cohen_kappa(ratings: LabelMatrix, first: int, second: int, distance: Distance) -> Statistic:
    """Agreement of two people beyond chance on the items that both labelled (Cohen 1960; weighted, Cohen 1968).

    Distances are counted in steps between neighbouring categories. Undefined where both use one class only.
    """
    comparable = ratings.of(first, second).comparable()
    if comparable.error:
        return undefined(len(comparable.documents), comparable.error)
    numbers, places = cluster_documents(comparable.documents)
    steps, codes = np.unique(comparable.codes, return_inverse=True)
    width = len(steps)
    cells = codes[:, 0] * width + codes[:, 1]
    table = count_matrix(cells, places, (width * width, len(numbers)))

    def weigh(weights: Values) -> Values:
        meetings = (table @ weights).reshape(width, width, -1)  # (categories, categories, resamples)
        row_totals, column_totals = meetings.sum(axis=1), meetings.sum(axis=0)  # (categories, resamples)
        apart = distance(steps.astype(np.float64), row_totals + column_totals)
        observed = (meetings * apart).sum(axis=(0, 1)) * row_totals.sum(axis=0)
        expected = (row_totals[:, None] * column_totals[None] * apart).sum(axis=(0, 1))
        return 1 - ratio(observed, expected)

    return Statistic(len(comparable.documents), numbers, weigh, max(len(numbers), width * width))
