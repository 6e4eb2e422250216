"""Labels of several people for the same items, some of them missing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.stats.statistic import Mask, Numbers, Values


@dataclass(frozen=True, slots=True, eq=False)
class Ratings:
    """Labels as numbers, (items, people), nan where one is missing, and the items' documents, (items,).

    `offered` are the categories to choose from; those that nobody chose count where chance is reckoned over all.
    """

    labels: Values
    documents: Numbers
    offered: tuple[float, ...] = ()

    @property
    def categories(self) -> Values:
        """All categories in order, (categories,)."""
        given = self.labels[~np.isnan(self.labels)]
        found: Values = np.union1d(given, np.array(self.offered, dtype=np.float64))
        return found

    @property
    def given(self) -> Mask:
        """Which labels are there, (items, people)."""
        return ~np.isnan(self.labels)

    @property
    def codes(self) -> Numbers:
        """The place of each label among the categories, (items, people); without meaning where one is missing."""
        return np.searchsorted(self.categories, self.labels)

    def of(self, *people: int) -> Ratings:
        """The labels of some people only; the categories stay."""
        return Ratings(self.labels[:, people], self.documents, tuple(self.categories.tolist()))

    def comparable(self) -> Ratings:
        """The items that have two labels or more."""
        kept = self.given.sum(axis=1) > 1
        return Ratings(self.labels[kept], self.documents[kept], tuple(self.categories.tolist()))

    @property
    def why(self) -> str:
        """Why there is no agreement by chance to reckon with; empty where there is."""
        given = self.labels[self.given]
        if not len(given):
            return "No item was labelled by two people."
        if np.ptp(given) == 0:
            return f"All {len(given)} labels are of one class: agreement beyond chance is undefined."
        return ""
