"""Means with intervals by document, all on the same draws, so that what is compared is compared alike."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from core.stats.estimate import Estimate
from core.stats.resampling import Resamples
from core.stats.statistic import mean

RESAMPLES = 2000


@dataclass(frozen=True, slots=True, eq=False)
class Means:
    """The documents by number, and how often each is drawn."""

    numbers: Mapping[str, int]
    drawn: Resamples

    @classmethod
    def over(cls, groups: Iterable[str], seed: int, resamples: int = RESAMPLES) -> Means:
        """Draws over the documents that are named, at least one, each once."""
        numbers = {group: place for place, group in enumerate(dict.fromkeys(groups))}
        return cls(numbers, Resamples.draw(len(numbers), resamples, seed))

    def of(self, cases: Iterable[tuple[str, float | None]]) -> Estimate:
        """The mean of values with their documents; None has failed and does not count."""
        known = list(cases)
        values = np.array([np.nan if value is None else value for _, value in known], dtype=np.float64)
        documents = np.array([self.numbers[group] for group, _ in known], dtype=np.intp)
        return self.drawn.estimate(mean(values, documents))
