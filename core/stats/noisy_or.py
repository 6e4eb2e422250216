"""Bags that are wrong as soon as one of their rows is, by the noisy-or of what is known of the rows.

Of a summary that is labelled as a whole nobody says which sentence or word is wrong (Maron and Lozano-Pérez 1998, A Framework for
Multiple-Instance Learning): it is consistent with the product of the probabilities that its rows are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.stats.statistic import Mask, Numbers, Values

_LEAST_DOUBT = 1e-300  # below it the logarithm has no number


@dataclass(frozen=True, slots=True, eq=False)
class Bags:
    """Rows of the scores of members, (rows, members), and the bag that each is of, (rows,): 0 to bags - 1 in ascending order, none empty.

    A member that has no score has none in all rows of the bag, where it is nan.
    """

    values: Values
    owners: Numbers

    @classmethod
    def singles(cls, values: Values) -> Bags:
        """Each row a bag of its own, whose noisy-or is the row."""
        return cls(values, np.arange(len(values)))

    @property
    def starts(self) -> Numbers:
        """The first row of each bag, (bags,)."""
        return np.flatnonzero(np.diff(self.owners, prepend=-1))

    @property
    def missing(self) -> Mask:
        """True where a member has no score, (bags, members)."""
        lacking: Mask = np.isnan(self.values[self.starts])
        return lacking

    def only(self, mask: Mask) -> Bags:
        """The bags for which `mask`, (bags,), is true."""
        rows = mask[self.owners]
        return Bags(self.values[rows], (np.cumsum(mask) - 1)[self.owners[rows]])

    def of_members(self, members: Sequence[int] | Numbers) -> Bags:
        return Bags(self.values[:, members], self.owners)


def doubts(odds: Values, owners: Numbers) -> Values:
    """Minus the log probability that no row is wrong, (bags,), for the log odds that each row is wrong, (rows,)."""
    return np.bincount(owners, weights=np.logaddexp(0, odds)).astype(np.float64)


def log_wrong(doubt: Values) -> Values:
    """The log probability that some row is wrong, for minus the log probability that none is."""
    return np.asarray(np.log(-np.expm1(-np.maximum(doubt, _LEAST_DOUBT))))


def odds_of_consistent(doubt: Values) -> Values:
    """The odds that no row is wrong, for minus the log probability of that."""
    least = np.maximum(doubt, _LEAST_DOUBT)
    odds: Values = np.exp(-least) / -np.expm1(-least)
    return odds
