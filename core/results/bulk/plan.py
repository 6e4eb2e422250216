"""Time and price of a run over blocks, from a sample of its blocks that was scored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from core.results.bulk.bulk_run import format_duration
from core.results.bulk.scorer import BlockReport
from core.stats import Estimate, cluster_mean
from core.types import Counts

_SECONDS_PER_HOUR = 3600.0


TimedReport = tuple[float, BlockReport]
"""Report of a block after the seconds from the beginning of the run until it came."""


@dataclass(frozen=True, slots=True)
class BulkPlan:
    """Forecast of a run from the blocks of a sample."""

    pairs: int
    """Pairs of the whole run."""
    workers: int
    """Workers of the run, of the kind that scored the sample."""
    blocks_sampled: int
    """Blocks of the sample."""
    pairs_sampled: int
    """Pairs in these blocks."""
    start_seconds: float
    """Seconds that a worker takes until its first block is done, without the scoring itself."""
    pair_seconds: Estimate
    """Seconds of one worker for a pair."""
    hours: Estimate
    """Duration of the run by the clock, in hours."""
    price: Estimate
    """Price of all workers, in the unit of their hourly price."""
    counts: Counts
    """Questions, tokens and passes of the sample."""

    def record(self) -> dict[str, Any]:
        """The fields by their names in printed JSON."""
        estimates = ("pair_seconds", "hours", "price")
        return asdict(self) | {name: getattr(self, name).record() for name in estimates}


def plan_run(
    sample: Sequence[TimedReport], block_pairs: Mapping[str, int], crew: int, pairs: int, workers: int, hourly: float
) -> BulkPlan:
    """The plan by reports of a sample that this number of workers scored, in the order in which they came.

    The first block of each worker counts for its start alone: models are loaded and batches grow meanwhile. The interval of the
    mean time is Student's over blocks, as if these were drawn from endlessly many (Cochran, 1977, eq. 6.13 without the
    correction for a finite population). Needs two blocks beside the first ones.
    """
    later = [report for _, report in sample[crew:]]
    sizes = np.array([block_pairs[report.block] for report in later])
    seconds = np.array([report.seconds for report in later])
    blocks = np.arange(len(later))
    pair_seconds = cluster_mean(np.repeat(seconds / sizes, sizes), np.repeat(blocks, sizes), bounds=(0.0, np.inf))
    mean_s = pair_seconds.value or 0.0
    start = max((after_s - mean_s * block_pairs[report.block] for after_s, report in sample[:crew]), default=0.0)
    start = max(0.0, start)
    hours = _scaled(pair_seconds, pairs / workers / _SECONDS_PER_HOUR, start / _SECONDS_PER_HOUR)
    return BulkPlan(
        pairs,
        workers,
        len(sample),
        sum(block_pairs[report.block] for _, report in sample),
        start,
        pair_seconds,
        hours,
        _scaled(hours, workers * hourly),
        sum((report.counts for _, report in sample), Counts()),
    )


def _scaled(estimate: Estimate, factor: float, added: float = 0.0) -> Estimate:
    ends = (estimate.value, estimate.low, estimate.high)
    value, low, high = (None if end is None else added + factor * end for end in ends)
    return replace(estimate, value=value, low=low, high=high)


def plan_sentences(plan: BulkPlan) -> list[str]:
    """The sample, the time of a pair and of the whole run, and its price where a worker has one."""
    counts, sampled = plan.counts, plan.pairs_sampled
    per_pair = f"{counts.asked / sampled:.1f} questions asked and {counts.tokens / sampled:,.0f} tokens a pair"
    value, low, high = (
        "–" if end is None else format_duration(_SECONDS_PER_HOUR * end)
        for end in (plan.hours.value, plan.hours.low, plan.hours.high)
    )
    return [
        f"Sample: {plan.blocks_sampled} blocks, {plan.pairs_sampled:,} pairs{f'; {per_pair}' if counts.asked else ''}.",
        f"A pair takes a worker {_ends(plan.pair_seconds, 1000, '.3g')} ms; a worker starts in {plan.start_seconds:.0f} s.",
        f"{plan.pairs:,} pairs on {plan.workers:,} workers: {value} [{low}, {high}].",
        *([f"Price: {_ends(plan.price, 1, ',.2f')}."] if plan.price.value else []),
    ]


def _ends(estimate: Estimate, factor: float, form: str) -> str:
    assert estimate.value is not None
    value = f"{factor * estimate.value:{form}}"
    if estimate.low is None or estimate.high is None:
        return value
    return f"{value} [{factor * estimate.low:{form}}, {factor * estimate.high:{form}}]"
