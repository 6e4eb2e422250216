"""The cluster bootstrap by document (Efron and Tibshirani 1993; Field and Welsh 2007): whole documents are drawn.

Pairs of one document share its difficulty and often its reference, so that they must stay together. The same resamples
serve every metric and slice: what is compared is compared on the same draws.

The middle 95 % of the resamples is too narrow for few documents: it is widened by Student's quantile and the root of D / (D - 1)
(Hesterberg 2015). Figures in 0..1 have the intervals of `core.stats.proportion`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from core.base import Track, untracked
from core.stats.statistic import (
    CONFIDENCE_LEVEL,
    MIN_INTERVAL_DOCUMENTS,
    NO_SPREAD,
    Estimate,
    IntervalFunction,
    Numbers,
    Statistic,
    Values,
    too_few_documents,
)

Counts = NDArray[np.uint8]
RESAMPLES = 10_000
_MAX_CELLS = 1 << 17  # of an intermediate array: 1 MB stays in a processor's cache, more are three times slower
_DRAWN_TOGETHER = 64  # resamples that are turned into columns at once: one by one, each byte takes a line of the cache
_MAX_KEPT = 1 << 29  # counts that stay in memory, a byte each
_BLOCK_CELLS = 1 << 23  # of a block of resamples
_LONG_CELLS = 1 << 28  # of all intermediate arrays: more take seconds
_TIMED_RESAMPLES = 8  # from which the time of all is projected
_MIN_RESAMPLES = 8  # resamples at once, whatever the size: with fewer, sparse products read their indices too often


@dataclass(frozen=True, slots=True, eq=False)
class Distribution:
    """A statistic of cases with the number of their documents, and its values in all resamples, (resamples,), nan where undefined."""

    value: float | None
    draws: Values
    n: int
    error: str = ""
    documents: int = 0
    interval: IntervalFunction | None = None
    least_documents: int = MIN_INTERVAL_DOCUMENTS

    def estimate(self) -> Estimate:
        if self.value is None or self.error:
            return Estimate(self.value, None, None, self.n, self.error, self.documents)
        if error := self.interval_error:
            return Estimate(self.value, None, None, self.n, error, self.documents)
        if self.interval is None:
            low, high = percentile_interval(self.draws, self.documents)
        else:
            low, high = self.interval(self.value, variance_of(self.draws, self.documents))
        if low == high:
            return Estimate(self.value, None, None, self.n, NO_SPREAD, self.documents)
        return Estimate(self.value, low, high, self.n, documents=self.documents)

    @property
    def interval_error(self) -> str:
        """Reason that there is no interval; empty where there may be one."""
        return too_few_documents(self.documents, self.least_documents) or reason_without_interval(self.draws)


@dataclass(frozen=True, slots=True, eq=False)
class Resamples:
    """`number` draws of as many documents as there are, numbered from 0; the same seed gives the same draws.

    `stored_counts` says how often each document is drawn in each, (documents, number); None where that would take too much
    memory: the resamples are drawn again then, block by block, for each pass over statistics. `track` shows the progress of a
    long pass.
    """

    documents: int
    number: int
    seed: int
    stored_counts: Counts | NDArray[np.int32] | None = None
    track: Track = untracked

    @classmethod
    def draw(cls, documents: int, number: int = RESAMPLES, seed: int = 0, track: Track = untracked) -> Resamples:
        counts = next(_draw_blocks(documents, number, seed, number)) if documents * number <= _MAX_KEPT else None
        return cls(documents, number, seed, counts, track)

    @property
    def counts(self) -> Counts | NDArray[np.int32]:
        """The number of times that each document is drawn in each resample, (documents, number), whatever memory that takes."""
        return (
            next(_draw_blocks(self.documents, self.number, self.seed, self.number))
            if self.stored_counts is None
            else self.stored_counts
        )

    def of(self, statistic: Statistic) -> Distribution:
        """The statistic of the cases as they are, and of every resample."""
        return self.of_each([statistic])[0]

    def of_each(self, statistics: Sequence[Statistic]) -> list[Distribution]:
        """The same of several statistics, by one pass over the resamples."""
        return self.with_draws([_without_draws(statistic) for statistic in statistics], statistics)

    def with_draws(self, distributions: Sequence[Distribution], statistics: Sequence[Statistic]) -> list[Distribution]:
        """The distributions with the values of these statistics in all resamples, where they have a value."""
        pending = {
            place: statistics[place]
            for place, distribution in enumerate(distributions)
            if distribution.value is not None and not distribution.error
        }
        width = self.number if self.stored_counts is not None else max(_MIN_RESAMPLES, _BLOCK_CELLS // self.documents)
        steps = self._weigh_all(pending, width)
        # only long work reports its steps, which are counted as `_weigh_all` cuts them
        if self.number * sum(map(_height, pending.values())) > _LONG_CELLS:
            widths = [min(width, self.number - start) for start in range(0, self.number, width)]
            total = sum(
                -(-block_width // _chunk_size(_height(statistic)))
                for block_width in widths
                for statistic in pending.values()
            )
            steps = self.track(steps, "steps of the bootstrap", total)
        draws: dict[int, list[Values]] = {place: [] for place in pending}
        for place, values in steps:
            draws[place].append(values)
        return [
            replace(distribution, draws=np.concatenate(draws[place])) if place in draws else distribution
            for place, distribution in enumerate(distributions)
        ]

    def _weigh_all(self, statistics: Mapping[int, Statistic], width: int) -> Iterator[tuple[int, Values]]:
        """Each statistic's place and values in some resamples, all in order."""
        blocks = (
            _draw_blocks(self.documents, self.number, self.seed, width)
            if self.stored_counts is None
            else [self.stored_counts]
        )
        for block in blocks:
            for place, statistic in statistics.items():
                step = _chunk_size(_height(statistic))
                for start in range(0, block.shape[1], step):
                    chunk = block[:, start : start + step]
                    yield place, statistic.weigh(chunk[statistic.documents].astype(np.float64))

    def estimate(self, statistic: Statistic) -> Estimate:
        return self.of(statistic).estimate()


def _draw_blocks(documents: int, number: int, seed: int, size: int) -> Iterator[Counts]:
    """Blocks of `size` of the resamples, (documents, size) each, the last one smaller."""
    rng = np.random.default_rng(seed)
    step = max(1, _MAX_CELLS // documents)
    height = max(step, _DRAWN_TOGETHER)
    for start in range(0, number, size):
        block = np.empty((documents, min(size, number - start)), dtype=np.uint8)
        for first in range(0, block.shape[1], height):
            part = block[:, first : first + height]
            rows = np.empty(part.shape[::-1], dtype=np.uint8)
            for place in range(0, len(rows), step):
                several = rows[place : place + step]
                cells = rng.integers(documents, size=several.shape) + documents * np.arange(len(several))[:, None]
                several[:] = np.bincount(cells.ravel(), minlength=several.size).reshape(several.shape)
            part[:] = rows.T
        yield block


def distributions_of_alike(
    statistics: Sequence[Statistic],
    groups: Numbers,
    of_groups: Sequence[Statistic],
    number: int = RESAMPLES,
    seed: int = 0,
) -> list[Distribution]:
    """As `Resamples.of_each`, on the same draws, where many documents are alike in all that is asked: in a
    fraction of the time, and equal but for the rounding of fractions.

    `groups` numbers those that are alike from 0, (documents,); `of_groups` are the same statistics of one document of each group.
    """
    rng, width = np.random.default_rng(seed), int(groups.max()) + 1
    if 4 * width * number > _MAX_KEPT:
        return Resamples.draw(len(groups), number, seed).of_each(statistics)
    step = max(1, _MAX_CELLS // len(groups))
    counts = np.empty((number, width), dtype=np.int32)
    for start in range(0, number, step):
        part = counts[start : start + step]
        cells = groups[rng.integers(len(groups), size=(len(part), len(groups)))] + width * np.arange(len(part))[:, None]
        part[:] = np.bincount(cells.ravel(), minlength=part.size).reshape(part.shape)
    distributions = [_without_draws(statistic) for statistic in statistics]
    return Resamples(width, number, seed, counts.T).with_draws(distributions, of_groups)


def _without_draws(statistic: Statistic) -> Distribution:
    """The statistic of the cases as they are, with the reason where it is not resampled."""
    if statistic.error:
        return Distribution(None, np.zeros(0), statistic.n, statistic.error)
    documents = len(statistic.documents)
    value = float(statistic.weigh(np.ones((documents, 1)))[0])
    error = statistic.without_interval or too_few_documents(documents, 2)
    return Distribution(
        value, np.zeros(0), statistic.n, error, documents, statistic.interval, statistic.least_documents
    )


def _height(statistic: Statistic) -> int:
    return max(statistic.rows, len(statistic.documents))


def variance_of(draws: Values, documents: int) -> float:
    """The variance of the figure itself, from its defined values in resamples of that number of documents, (resamples,)."""
    return float(np.nanvar(draws)) * documents / (documents - 1)


def percentile_interval(draws: Values, documents: int) -> tuple[float, float]:
    """The percentile interval of the defined values of (resamples,), widened for the number of documents."""
    from scipy.special import ndtr, stdtrit  # scipy takes half a second, and most commands estimate nothing

    t = float(stdtrit(documents - 1, (1 + CONFIDENCE_LEVEL) / 2))
    outside = float(ndtr(-t * math.sqrt(documents / (documents - 1))))
    low, high = np.quantile(draws[~np.isnan(draws)], [outside, 1 - outside])
    return float(low), float(high)


def reason_without_interval(draws: Values) -> str:
    """Reason that there is no interval: less than the share of resamples that it is to hold has a value."""
    defined = float(np.mean(~np.isnan(draws)))
    return (
        ""
        if defined >= CONFIDENCE_LEVEL
        else f"Only {defined:.0%} of the resamples have a value: there is no interval."
    )


def _chunk_size(rows: int) -> int:
    return max(_MIN_RESAMPLES, _MAX_CELLS // rows)


def projected_seconds(resamples: int, compute: Callable[[int], object]) -> float:
    """Estimate the time of `compute` with that number of resamples, from its time with a few and with a few more."""
    begun = perf_counter()
    compute(_TIMED_RESAMPLES)
    between = perf_counter()
    compute(5 * _TIMED_RESAMPLES)
    each = max(0.0, (perf_counter() - between) - (between - begun)) / (4 * _TIMED_RESAMPLES)
    return between - begun + each * resamples
