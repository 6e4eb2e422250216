"""The rank of each metric in each slice with its bootstrap interval, as over datasets in BUMP (Ma et al. 2023, figure 3)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from core.cases.cases import Cases
from core.cases.measures import MEASURES, SIGNED_MEASURES, UNIT_MEASURES, Slice, has_one_scale
from core.errors import UnknownNameError
from core.stats.bootstrap import Distribution, Resamples
from core.stats.statistic import Estimate
from core.stats.text_tables import align_columns
from core.studies.tables import format_measure

RANKED_MEASURES = tuple(name for name in MEASURES if name not in {*UNIT_MEASURES, "ties"})
"""The measures of which more is better."""


@dataclass(frozen=True, slots=True)
class MetricRank:
    """One metric in one slice: `rank` is 1 for the best of `among` metrics, equal ones share the mean of their ranks."""

    metric: str
    slice: str
    rank: Estimate
    value: Estimate
    among: int


def metric_ranks(cases: Cases, parts: Sequence[Slice], drawn: Resamples, measure: str) -> Iterator[MetricRank]:
    """The metrics of each slice, the best first; the interval is that of the rank over resamples of documents.

    A metric without a figure or an interval in a slice has no rank there. Raises UnknownNameError for another measure.
    """
    if measure not in RANKED_MEASURES:
        raise UnknownNameError("measure to rank by", measure, RANKED_MEASURES)
    for part in parts:
        found = {
            column.name: drawn.of(MEASURES[measure](cases, part, column))
            for column in cases.columns
            if has_one_scale(cases, part, column)
        }
        yield from _ranks_in_slice(part.name, {name: one for name, one in found.items() if one.draws.size})


def _ranks_in_slice(part: str, found: dict[str, Distribution]) -> list[MetricRank]:
    from scipy.stats import rankdata  # it takes a second, and few commands rank

    if not found:
        return []
    values = rankdata([-(one.value or 0.0) for one in found.values()])
    draws = rankdata(-np.stack([one.draws for one in found.values()]), axis=0, nan_policy="omit")
    ranks = [
        MetricRank(
            name,
            part,
            Distribution(float(value), of_metric, one.n, one.why, one.documents).estimate(),
            one.estimate(),
            len(found),
        )
        for (name, one), value, of_metric in zip(found.items(), values, draws, strict=True)
    ]
    return sorted(ranks, key=lambda one: (one.rank.value or 0.0, one.metric))


def format_ranks(found: Sequence[MetricRank], measure: str) -> str:
    """One line for each metric and slice."""
    lines = [
        (
            one.slice,
            one.metric,
            format_rank(one.rank),
            str(one.among),
            format_measure(one.value, measure),
            str(one.value.n),
        )
        for one in found
    ]
    return align_columns(
        [("slice", "metric", "rank", "of", f"{measure}{'' if measure in SIGNED_MEASURES else ', %'}", "n"), *lines]
    )


def format_rank(rank: Estimate) -> str:
    """A rank with its interval, as 2 [1, 3.5]."""
    between = "" if rank.low is None or rank.high is None else f" [{rank.low:g}, {rank.high:g}]"
    return f"{rank.value:g}{between}"
