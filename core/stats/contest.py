"""Every consistent summary against every inconsistent one, sorted once so that weighing them is a sum down the order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.sparse import csr_array  # type: ignore[import-untyped]  # it ships no types

from core.stats.statistic import Mask, Numbers, Values, tally


@dataclass(frozen=True, slots=True, eq=False)
class Contest:
    """Wins of consistent over inconsistent summaries, ties one half, by document.

    The distinct scores of consistent summaries cut the line of scores into slots: slot 2j + 1 is the j-th score itself,
    the even ones lie between. `bad` counts inconsistent summaries, (slots, documents). `halves`, (documents, slots),
    takes from their running sums what the consistent ones beat. Of each document, (documents,): `own` are the wins
    inside of it, `made` and `lost` the numbers of its consistent and inconsistent summaries.
    """

    bad: csr_array
    halves: csr_array
    own: Values
    made: Values
    lost: Values

    @classmethod
    def of(cls, scores: Values, labels: Mask, places: Numbers, documents: int) -> Self:
        """From scores (higher is better), labels (True: consistent) and the place of each case's document, (n,) each."""
        steps, at = np.unique(scores[labels], return_inverse=True)
        below = np.searchsorted(steps, scores[~labels])
        slots = below + np.searchsorted(steps, scores[~labels], side="right")
        good, bad, height = places[labels], places[~labels], 2 * len(steps) + 1
        sides = np.concatenate([2 * at, 2 * at + 1])  # what lies below, and with what ties
        return cls(
            tally(slots, bad, (height, documents)),
            tally(np.tile(good, 2), sides, (documents, height), np.full(len(sides), 0.5)),
            _inside(good * height + 2 * at, bad * height + slots, good, documents, height),
            np.bincount(good, minlength=documents).astype(np.float64),
            np.bincount(bad, minlength=documents).astype(np.float64),
        )


def _inside(good: Numbers, bad: Numbers, places: Numbers, documents: int, height: int) -> Values:
    """Wins inside of each document, (documents,), where a document and a slot in it are one number."""
    bad = np.sort(bad)
    beaten = np.searchsorted(bad, good, side="right") + np.searchsorted(bad, good + 1, side="right")
    wins = beaten / 2 - np.searchsorted(bad, places * height)
    return np.bincount(places, weights=wins, minlength=documents).astype(np.float64)
