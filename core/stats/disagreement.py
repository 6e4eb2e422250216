"""How far metrics disagree on items: the spread of the ranks that they give to each."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_FEWEST_METRICS = 2


def rank_disagreement(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """The standard deviation over metrics of an item's ranks, (n_items,); nan where fewer than two metrics scored it.

    `scores` is (n_items, n_metrics), nan where there is none. A metric's ranks run from 0 to 1 over the items that it
    scored, ties share the middle one: scales and outliers of metrics do not count.
    """
    ranks = np.column_stack([_relative_ranks(column) for column in scores.T]) if scores.size else scores
    spread = np.full(len(scores), np.nan)
    shared = np.sum(~np.isnan(ranks), axis=1) >= _FEWEST_METRICS
    spread[shared] = np.nanstd(ranks[shared], axis=1)
    return spread


def _relative_ranks(column: NDArray[np.float64]) -> NDArray[np.float64]:
    """Middle ranks among those that are not nan, (n_items,), between 0 and 1."""
    ranks = np.full(len(column), np.nan)
    known = ~np.isnan(column)
    ordered = np.sort(column[known])
    below, up_to = (np.searchsorted(ordered, column[known], side) for side in ("left", "right"))
    ranks[known] = (below + up_to) / (2 * len(ordered))
    return ranks
