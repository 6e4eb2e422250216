"""The rank of each metric in each slice with its bootstrap interval, as over datasets in BUMP (Ma et al. 2023, figure 3)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np

from core.errors import UnknownNameError
from core.evaluation.report import Axis, Chart, Column, Pivot, Report, Series, Table
from core.evaluation.reports.cells import format_rank
from core.evaluation.study import Study, StudyData
from core.results import (
    FIGURE_TITLES,
    MEASURES,
    UNIT_MEASURES,
    Cases,
    Slice,
    has_one_scale,
    measure_format,
    shown_columns,
)
from core.scoring import metric_title, metric_titles
from core.stats import Distribution, Estimate, Resamples

RANKED_MEASURES = tuple(name for name in MEASURES if name not in {*UNIT_MEASURES, "ties", "average_precision"})
"""The measures of which more is better and which have an interval, without which there is no rank."""


@dataclass(frozen=True, slots=True)
class MetricRank:
    """One metric in one slice: `rank` is 1 for the best of `among` metrics, equal ones share the mean of their ranks."""

    metric: str
    slice: str
    rank: Estimate
    value: Estimate
    among: int


def metric_ranks(cases: Cases, parts: Sequence[Slice], draws: Resamples, measure: str) -> Iterator[MetricRank]:
    """The metrics of each slice, the best first; the interval is that of the rank over resamples of documents.

    A metric without a figure or an interval in a slice has no rank there. Raises UnknownNameError for another measure.
    """
    if measure not in RANKED_MEASURES:
        raise UnknownNameError("measure to rank by", measure, RANKED_MEASURES)
    from scipy.stats import rankdata  # takes a second to import, and few commands rank

    for part in parts:
        figures = {
            column.name: draws.of(MEASURES[measure](cases, part, column))
            for column in shown_columns(cases, parts)
            if has_one_scale(cases, part, column)
        }
        figures = {name: figure for name, figure in figures.items() if figure.draws.size}
        if not figures:
            continue
        values = rankdata([-(figure.value or 0.0) for figure in figures.values()])
        rank_draws = rankdata(-np.stack([figure.draws for figure in figures.values()]), axis=0, nan_policy="omit")
        ranks = [
            MetricRank(
                name,
                part.name,
                Distribution(float(value), of_metric, figure.n, figure.error, figure.documents).estimate(),
                figure.estimate(),
                len(figures),
            )
            for (name, figure), value, of_metric in zip(figures.items(), values, rank_draws, strict=True)
        ]
        yield from sorted(ranks, key=lambda rank: (rank.rank.value or 0.0, rank.metric))


def rank_report(study: Study, data: StudyData, measure: str) -> Report:
    """Metrics ranked in each slice by one measure."""
    ranks = list(metric_ranks(data.scored, data.parts, data.draws, measure))
    title = FIGURE_TITLES[measure]
    sentence = "No metric has this figure with an interval in any slice: it takes cases of several documents."
    if ranks:
        first, *others = [rank for rank in ranks if rank.slice == ranks[0].slice]
        sentence = f"{first.slice}: {metric_title(first.metric)} has rank {format_rank(first.rank)} of {first.among} by {title}"
        # those whose interval begins at rank 1
        level = [metric_title(rank.metric) for rank in others if (ends := rank.rank.ends) and ends[0] <= 1]
        sentence += f"; {', '.join(level)} may be first as well." if level else "."
    table = Table(
        "ranks",
        f"Ranks by {title}",
        (
            Column("slice"),
            Column("metric", format="metric"),
            Column("rank", format="rank", help="1 is the best; equal metrics share the mean of their ranks."),
            Column("among", "of", "count", "Metrics that have a figure in the slice."),
            Column("value", title, measure_format(measure)),
            Column("n", format="count"),
        ),
        tuple((rank.slice, rank.metric, rank.rank, rank.among, rank.value, rank.value.n) for rank in ranks),
        pivot=Pivot("metric", "slice", ("rank",)),
    )
    return study.report(
        data,
        [table],
        charts=[rank_chart(ranks, title)] if ranks else [],
        sentences=[sentence],
        notes=[
            f"1 is the best, with the 95 % interval of {data.resamples:,} resamples of whole documents; equal metrics share "
            "the mean of their ranks. Choose slices by dataset, and several datasets, for figure 3 of BUMP; `--by dataset,error_type` tells origins apart."
        ],
    )


def rank_chart(ranks: Sequence[MetricRank], title: str) -> Chart:
    """A panel for each slice with a point for each metric, the best over all slices on top."""
    by_metric: dict[str, list[float]] = {}
    for rank in ranks:
        by_metric.setdefault(rank.metric, []).append(
            rank.rank.value if rank.rank.value is not None else float(rank.among)
        )
    titles = metric_titles(sorted(by_metric, key=lambda metric: (fmean(by_metric[metric]), metric)))
    series = [
        Series(
            part,
            tuple(titles[rank.metric] for rank in of_slice),
            tuple(rank.rank for rank in of_slice),
            tuple(f"{titles[rank.metric]}, {part}: {format_rank(rank.rank)} of {rank.among}" for rank in of_slice),
            panel=part,
        )
        for part in dict.fromkeys(rank.slice for rank in ranks)
        if (of_slice := [rank for rank in ranks if rank.slice == part])
    ]
    return Chart(
        "ranks",
        "points",
        f"Rank by {title} with 95 % intervals",
        Axis("", tuple(titles.values()), reverse=True),
        Axis("rank", whole=True, format="rank"),
        tuple(series),
        sideways=True,
    )
