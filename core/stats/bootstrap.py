"""The cluster bootstrap by document (Efron and Tibshirani 1993; Field and Welsh 2007): whole documents are drawn.

Pairs of one document share its difficulty and often its reference, so that they must stay together. The same resamples
serve every metric and slice: what is compared is compared on the same draws.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from core.stats.statistic import Estimate, Statistic, Values

RESAMPLES = 10_000
CONFIDENCE_LEVEL = 0.95
_MAX_CELLS = 1 << 17  # of an intermediate array: 1 MB stays in a processor's cache, more are three times slower
_TIMED_RESAMPLES = 8  # from which the time of all is projected
_MIN_RESAMPLES = 8  # resamples at once, whatever the size: with fewer, sparse products read their indices too often


@dataclass(frozen=True, slots=True, eq=False)
class Distribution:
    """A statistic of cases of so many documents, and its values in all resamples, (resamples,), nan where it has none."""

    value: float | None
    draws: Values
    n: int
    why: str = ""
    documents: int = 0

    def estimate(self) -> Estimate:
        if self.value is None or self.why:
            return Estimate(self.value, None, None, self.n, self.why, self.documents)
        if why := reason_without_interval(self.draws):
            return Estimate(self.value, None, None, self.n, why, self.documents)
        low, high = percentile_interval(self.draws)
        flat = "Every resample gives the same value, so the interval tells nothing of other documents."
        return Estimate(self.value, low, high, self.n, flat if low == high else "", self.documents)


@dataclass(frozen=True, slots=True, eq=False)
class Resamples:
    """Number of times that each document is drawn in each resample, (documents, resamples)."""

    counts: NDArray[np.uint8]

    @classmethod
    def draw(cls, documents: int, number: int = RESAMPLES, seed: int = 0) -> Resamples:
        """`number` resamples of as many documents as there are, numbered from 0."""
        rng = np.random.default_rng(seed)
        counts = np.empty((documents, number), dtype=np.uint8)
        step = _chunk_size(documents)
        for start in range(0, number, step):
            block = counts[:, start : start + step]
            size = block.shape[1]
            drawn = rng.integers(documents, size=(size, documents)) + documents * np.arange(size)[:, None]
            block[:] = np.bincount(drawn.ravel(), minlength=size * documents).reshape(size, documents).T
        return cls(counts)

    def of(self, statistic: Statistic) -> Distribution:
        """The statistic of the cases as they are, and of every resample."""
        if statistic.why:
            return Distribution(None, np.zeros(0), statistic.n, statistic.why)
        documents = len(statistic.documents)
        value = float(statistic.weigh(np.ones((len(statistic.documents), 1)))[0])
        one_document = "All cases are of one document: there is no interval." if documents < 2 else ""
        if why := statistic.without_interval or one_document:
            return Distribution(value, np.zeros(0), statistic.n, why, documents)
        step = _chunk_size(max(statistic.rows, documents))
        chunks = (self.counts[:, start : start + step] for start in range(0, self.counts.shape[1], step))
        draws = [statistic.weigh(chunk[statistic.documents].astype(np.float64)) for chunk in chunks]
        return Distribution(value, np.concatenate(draws), statistic.n, documents=documents)

    def estimate(self, statistic: Statistic) -> Estimate:
        return self.of(statistic).estimate()


def percentile_interval(draws: Values) -> tuple[float, float]:
    """The percentile interval of the defined values of (resamples,)."""
    low, high = np.quantile(draws[~np.isnan(draws)], [(1 - CONFIDENCE_LEVEL) / 2, (1 + CONFIDENCE_LEVEL) / 2])
    return float(low), float(high)


def reason_without_interval(draws: Values) -> str:
    """Reason why there is no interval: less than the share of resamples that it is to hold has a value."""
    defined = float(np.mean(~np.isnan(draws)))
    return (
        ""
        if defined >= CONFIDENCE_LEVEL
        else f"Only {defined:.0%} of the resamples have a value: there is no interval."
    )


def _chunk_size(rows: int) -> int:
    return max(_MIN_RESAMPLES, _MAX_CELLS // rows)


def projected_seconds(resamples: int, compute: Callable[[int], object]) -> float:
    """Estimate how long `compute` will take with so many resamples, from its time with a few and with a few more."""
    begun = perf_counter()
    compute(_TIMED_RESAMPLES)
    between = perf_counter()
    compute(5 * _TIMED_RESAMPLES)
    each = max(0.0, (perf_counter() - between) - (between - begun)) / (4 * _TIMED_RESAMPLES)
    return between - begun + each * resamples
