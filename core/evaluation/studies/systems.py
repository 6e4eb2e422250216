"""A leaderboard of systems: their rates of inconsistent summaries from few labels, and their mean scores on the same documents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar

import numpy as np

from core.errors import TouchstoneError
from core.evaluation.report import Axis, Cell, Chart, Column, Pivot, Report, Series, Table
from core.evaluation.reports.cells import format_rank
from core.evaluation.study import STUDIES, Group, Input, Outlet, Study, StudyData
from core.results import (
    Cases,
    LabelDraw,
    draw_of_labels,
    mean_ratings,
    part_rates,
    pool_of_cases,
    shown_columns,
    slice_cases,
)
from core.scoring import metric_title
from core.stats import (
    Distribution,
    Estimate,
    Mask,
    Resamples,
    Values,
    format_percent,
    mean,
    percent_words,
    rank_intervals,
    rate_differences,
)

PEOPLE = "people: "
"""Prefix of an aspect that people rated, among the names of metrics."""


@dataclass(frozen=True, slots=True)
class SystemMean:
    """Mean of a metric, or of people's ratings, over the summaries of a system; rank 1 is the most consistent by it."""

    system: str
    of: str
    mean: Estimate
    rank: Estimate


@dataclass(frozen=True, slots=True)
class SystemRate:
    """Rate of inconsistent summaries of a system; `alone` is that by the labels without scores, None where all have a label."""

    system: str
    rank: Estimate
    rate: Estimate
    alone: Estimate | None
    labels: int
    summaries: int


def system_masks(cases: Cases) -> dict[str, Mask]:
    """The samples of each system. Raises TouchstoneError where fewer than two systems are named."""
    names = sorted({sample.item.system for sample in cases.samples if sample.item.system and not sample.item.parent})
    if len(names) < 2:
        raise TouchstoneError(
            f"A comparison of systems needs two; these data name {len(names)}. Import a file whose column `system` says who wrote "
            "each summary."
        )
    return {
        name: np.array([s.item.system == name and not s.item.parent for s in cases.samples], dtype=np.bool_)
        for name in names
    }


def system_means(cases: Cases, draws: Resamples) -> Iterator[SystemMean]:
    """Means by each metric with a better side and by each rated aspect, over resamples of the same whole documents.

    A rank has the interval that it has over these resamples, so that systems are compared on the same documents.
    """
    masks = system_masks(cases)
    values: dict[str, tuple[Values, float]] = {
        column.name: (column.values, -1.0 if column.direction == "lower" else 1.0)
        for column in shown_columns(cases, slice_cases(cases))
        if column.direction != "neutral"
    }
    values |= {f"{PEOPLE}{aspect}": (of_aspect, 1.0) for aspect, of_aspect in mean_ratings(cases).items()}
    for name, (scores, sign) in values.items():
        for system, (figure, rank) in ranked_means(scores, masks, cases, draws, sign).items():
            yield SystemMean(system, name, figure, rank)


def ranked_means(
    values: Values, masks: Mapping[str, Mask], cases: Cases, draws: Resamples, sign: float
) -> dict[str, tuple[Estimate, Estimate]]:
    """The mean of (samples,) values of each system and its rank, 1 for the highest where `sign` is 1, for the lowest where it is -1.

    Systems without a value are left out, and all where fewer than two have one.
    """
    from scipy.stats import rankdata  # takes a second to import, and few commands rank

    means = {system: draws.of(mean(np.where(mask, values, np.nan), cases.documents)) for system, mask in masks.items()}
    means = {system: figure for system, figure in means.items() if figure.value is not None}
    if len(means) < 2:
        return {}
    ranks = rankdata([-sign * (figure.value or 0.0) for figure in means.values()])
    resampled = [figure.draws for figure in means.values()]
    rank_draws = [np.zeros(0)] * len(means)
    if all(array.size for array in resampled):
        rank_draws = [*rankdata(-sign * np.stack(resampled), axis=0, nan_policy="omit")]
    return {
        system: (
            figure.estimate(),
            Distribution(float(rank), of_system, figure.n, figure.error, figure.documents).estimate(),
        )
        for (system, figure), rank, of_system in zip(means.items(), ranks, rank_draws, strict=True)
    }


@STUDIES.add
@dataclass(frozen=True)
class Systems(Study):
    """Systems in the order of their rate of inconsistent summaries, and the order that each metric and people's ratings give."""

    name: ClassVar[str] = "systems"
    title: ClassVar[str] = "Systems"
    does: ClassVar[str] = (
        "Compare the systems that wrote the summaries: the rate of inconsistent ones, from few labels, and the mean of every metric."
    )
    group: ClassVar[Group] = "How many are wrong?"
    place: ClassVar[int] = 80
    takes: ClassVar[tuple[Input, ...]] = (Input.SAMPLES,)
    without: ClassVar[Mapping[Outlet, str]] = MappingProxyType(
        {
            "audit": "An audit judges a metric, and this compares the systems that wrote the summaries.",
        }
    )

    @classmethod
    def in_pack(cls, data: StudyData) -> Sequence[Study]:
        """Itself where two systems are named."""
        return [cls()] if len({sample.item.system for sample in data.samples.samples} - {""}) > 1 else []

    def run(self, data: StudyData) -> Report:
        cases = data.samples
        masks = system_masks(cases)
        draw = _draw(cases)
        rates = _rates(cases, masks, data.draws, draw)
        means = list(system_means(cases, data.draws))
        if not rates and not means:
            raise TouchstoneError(
                "No summary here has a label, a rating or a score. Score the data, or label a few dozen."
            )
        return self.report(
            data,
            [*([_rate_table(rates, masks)] if rates else []), *([_mean_table(means)] if means else [])],
            charts=[_chart(rates)] if rates else [],
            sentences=_sentences(rates, means, len(masks)),
            notes=[
                "Rates: labels and scores together, as the study prevalence (prediction-powered inference); ranks are those that "
                "no significant difference rules out, corrected for the number of comparisons.",
                f"Means: intervals of {data.resamples:,} resamples of whole documents, the same for every system, so that "
                "systems that summarized the same documents are compared on these.",
                "Other documents may order the systems in another way, and a metric may prefer the style of a system.",
                *(draw.notes if draw else ()),
            ],
            problems=draw.problems if draw else (),
        )


def _draw(cases: Cases) -> LabelDraw | None:
    """The labels of the summaries by system; None without any."""
    pool = pool_of_cases(cases, "system")
    return draw_of_labels(pool) if len(pool.labelled) else None


def _rates(cases: Cases, masks: Mapping[str, Mask], draws: Resamples, draw: LabelDraw | None) -> list[SystemRate]:
    """The systems with a label, the least often inconsistent first.

    Where all summaries have one, what is not known is other documents: resamples of these say it. Where few have one, it is
    the other summaries: labels and scores say it.
    """
    if draw is None:
        return []
    if draw.sample.n == draw.size:
        ranked = ranked_means(1 - cases.labels, masks, cases, draws, -1.0)
        rates = [
            SystemRate(name, rank, rate, None, rate.n, int(masks[name].sum())) for name, (rate, rank) in ranked.items()
        ]
    else:
        parts = [part for part in part_rates(draw) if part.name in masks]
        powered = {part.name: part.powered for part in parts}
        ranks = rank_intervals(powered, rate_differences(powered) if len(parts) > 1 else [])
        rates = [
            SystemRate(
                part.name,
                ranks[part.name],
                part.powered.estimate(),
                part.alone.estimate(),
                part.powered.n,
                part.summaries,
            )
            for part in parts
        ]
    return sorted(rates, key=lambda row: (row.rate.value is None, row.rate.value or 0.0))


def _rate_table(rates: Sequence[SystemRate], masks: Mapping[str, Mask]) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (row.system, row.rank, row.rate, row.alone, row.labels, row.summaries) for row in rates
    ]
    rated = {row.system for row in rates}
    rows += [(name, None, None, None, 0, int(mask.sum())) for name, mask in masks.items() if name not in rated]
    return Table(
        "leaderboard",
        "Leaderboard by labels",
        (
            Column("system"),
            Column("rank", format="rank", help="1 is the least often inconsistent."),
            Column("rate", "inconsistent", "percent", "By labels and scores, or by the labels where all have one."),
            Column("alone", "labels alone", "percent"),
            Column("labels", format="count"),
            Column("summaries", format="count"),
        ),
        tuple(rows),
    )


def _mean_table(means: Sequence[SystemMean]) -> Table:
    return Table(
        "means",
        "Means by metric",
        (
            Column("system"),
            Column("metric", format="metric"),
            Column("mean", format="number"),
            Column("rank", format="rank", help="1 is the most consistent by this metric."),
            Column("n", format="count"),
        ),
        tuple((row.system, row.of, row.mean, row.rank, row.mean.n) for row in means),
        pivot=Pivot("system", "metric", ("mean", "rank")),
    )


def _sentences(rates: Sequence[SystemRate], means: Sequence[SystemMean], systems: int) -> list[str]:
    """The order by labels, and that by each metric; nobody is first alone where others are level or documents too few."""
    rated = [row for row in rates if row.rate.value is not None]
    sentences = [
        _rate_sentence(rated)
        if rated
        else f"No summary of the {systems} systems has a label: metrics alone say which is more consistent."
    ]
    for name in dict.fromkeys(row.of for row in means):
        ranks = {row.system: row.rank for row in means if row.of == name}
        first = _first(ranks)
        shown = name if name.startswith(PEOPLE) else metric_title(name)
        order = f"puts {first[0]} first: rank {format_rank(ranks[first[0]])} of {len(ranks)}"
        if len(first) > 1:
            order = f"puts {', '.join(first)} level at the top of {len(ranks)}"
        sentences.append(f"{shown} {order}{_uncertainty(ranks)}.")
    return sentences


def _rate_sentence(rates: Sequence[SystemRate]) -> str:
    if len(rates) == 1:
        return f"Only {rates[0].system} has labels that say a rate: {percent_words(rates[0].rate)} of its summaries are inconsistent."
    ranks = {row.system: row.rank for row in rates}
    first, best = _first(ranks), min(rates, key=lambda row: row.rank.value or 0.0)
    level = [
        system for system, rank in ranks.items() if system not in first and (rank.ends or (rank.value or 2.0,))[0] <= 1
    ]
    also = f"; {', '.join(level)} may be first as well" if level else _uncertainty(ranks)
    if len(first) > 1:
        return f"By the labels {', '.join(first)} are inconsistent equally often, {percent_words(best.rate)} of their summaries{also}."
    return f"By the labels {first[0]} is inconsistent least often, {percent_words(best.rate)} of its summaries{also}."


def _first(ranks: Mapping[str, Estimate]) -> list[str]:
    """The systems that share the best rank."""
    best = min(rank.value or 0.0 for rank in ranks.values())
    return [system for system, rank in ranks.items() if rank.value == best]


def _uncertainty(ranks: Mapping[str, Estimate]) -> str:
    return "" if all(rank.ends for rank in ranks.values()) else "; too few documents to say more than of these"


def _chart(rates: Sequence[SystemRate]) -> Chart:
    estimates = {row.system: row.rate for row in reversed(rates)}
    texts = tuple(f"{name}: {format_percent(estimate)} %" for name, estimate in estimates.items())
    return Chart(
        "systems",
        "points",
        "Inconsistent summaries of each system, with 95 % intervals",
        Axis("", tuple(estimates)),
        Axis("inconsistent", format="percent"),
        (Series("inconsistent", tuple(estimates), tuple(estimates.values()), texts),),
        sideways=True,
    )
