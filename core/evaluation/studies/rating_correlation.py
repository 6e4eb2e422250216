"""Correlation of each metric with human ratings: over summaries, over systems, and within systems."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import ClassVar

import numpy as np

from core.errors import TouchstoneError, UnknownNameError
from core.evaluation.report import Column, Report, Table
from core.evaluation.study import STUDIES, Group, Input, Outlet, Study, StudyData, setting
from core.results import (
    ON_SEVERAL_SCALES,
    Cases,
    MeasuresRow,
    Slice,
    has_one_scale,
    mean_ratings,
    shown_columns,
    slice_cases,
)
from core.scoring import is_surface, metric_title
from core.stats import (
    MetricStatistic,
    Numbers,
    RatedScores,
    Resamples,
    Statistic,
    correlation_of_systems,
    format_correlation,
    kendall,
    kendall_of_means,
    mark_best,
    on_shared_cases,
    pearson,
    pearson_of_means,
    spearman,
    spearman_of_means,
    williams_test,
    without_system_means,
)

SystemCorrelation = Callable[[RatedScores, Numbers], Statistic]
"""A correlation of rated summaries whose systems are numbered."""


def _rated_without_means(rated: RatedScores, systems: Numbers) -> RatedScores:
    """Cases that have both values, without the means of their systems; the means are those of these cases alone."""
    scores, human = on_shared_cases(rated.scores, rated.human)
    return replace(rated, scores=without_system_means(scores, systems), human=without_system_means(human, systems))


def _partial_correlation(coefficient: Callable[[RatedScores], Statistic]) -> SystemCorrelation:
    """FRANK's partial correlation: of what is left after the mean of each system."""
    return lambda rated, systems: coefficient(_rated_without_means(rated, systems))


COEFFICIENTS: MappingProxyType[str, SystemCorrelation] = MappingProxyType(
    {
        "Pearson": lambda rated, _: pearson(rated),
        "Spearman": lambda rated, _: spearman(rated),
        "Kendall": lambda rated, _: kendall(rated),
        "Pearson, within systems": _partial_correlation(pearson),
        "Spearman, within systems": _partial_correlation(spearman),
        "Kendall, within systems": _partial_correlation(kendall),
        "Pearson of systems": lambda rated, systems: correlation_of_systems(rated, systems, pearson_of_means),
        "Spearman of systems": lambda rated, systems: correlation_of_systems(rated, systems, spearman_of_means),
        "Kendall of systems": lambda rated, systems: correlation_of_systems(rated, systems, kendall_of_means),
    }
)
"""Every correlation that is computed; tau-b for Kendall."""

PAPER_COEFFICIENTS = tuple(name for name in COEFFICIENTS if name != "Kendall, within systems")
"""The correlations that papers have."""

_SYSTEM_COEFFICIENTS = tuple(name for name in COEFFICIENTS if "systems" in name)

_TESTED_VALUES: MappingProxyType[str, Callable[[RatedScores, Numbers], RatedScores]] = MappingProxyType(
    {"Pearson": lambda rated, _: rated, "Pearson, within systems": _rated_without_means}
)
"""Values that Williams's test compares: as they are or less the mean of their system, on cases that both scored."""

WILLIAMS_TEST = "Williams"


def metric_correlations(
    cases: Cases,
    aspect: str,
    draws: Resamples,
    parts: Sequence[Slice] = (),
    names: Sequence[str] = PAPER_COEFFICIENTS,
) -> Iterator[MeasuresRow]:
    """Every metric against one aspect that people rated, slice by slice; without slices over all cases.

    Metrics where lower is better are turned, neutral ones are not. Correlations over systems only where there are two of
    them. Pearson's are compared with the largest one by Williams's test. `n` of a row are rated summaries with a score.
    Raises UnknownNameError, which names those that were rated.
    """
    rated_aspects = mean_ratings(cases)
    if aspect not in rated_aspects:
        raise UnknownNameError("rated aspect", aspect, rated_aspects)
    human = rated_aspects[aspect]
    systems = np.unique([sample.item.system for sample in cases.samples], return_inverse=True)[1].astype(np.intp)
    offered = [name for name in names if name not in _SYSTEM_COEFFICIENTS or (systems.size and systems.max())]
    of_slices = parts or slice_cases(cases)
    shown = shown_columns(cases, of_slices)
    for part in of_slices:
        in_slice = np.where(part.samples, human, np.nan)
        if np.isnan(in_slice).all():
            continue
        rated = {
            column.name: RatedScores(
                -column.values if column.direction == "lower" else column.values, in_slice, cases.documents
            )
            for column in shown
            if has_one_scale(cases, part, column)
        }
        figures = {name: _measure_coefficient(name, rated, systems, draws) for name in offered}
        for column in shown:
            n = int(np.sum(~np.isnan(in_slice) & ~np.isnan(column.values)))
            of_metric = {name: by_metric.get(column.name, ON_SEVERAL_SCALES) for name, by_metric in figures.items()}
            yield MeasuresRow(column.name, part.name, n, int(np.sum(~np.isnan(in_slice))) - n, of_metric)


def _measure_coefficient(
    name: str, rated: Mapping[str, RatedScores], systems: Numbers, draws: Resamples
) -> dict[str, MetricStatistic]:
    estimates = {
        metric: draws.estimate(COEFFICIENTS[name](rated_scores, systems)) for metric, rated_scores in rated.items()
    }
    if name not in _TESTED_VALUES:
        return {metric: MetricStatistic(estimate) for metric, estimate in estimates.items()}

    def williams(best: str, other: str) -> float | None:
        *scores, human = on_shared_cases(rated[best].scores, rated[other].scores, rated[best].human)
        first, second = (
            _TESTED_VALUES[name](replace(rated[metric], scores=of_metric, human=human), systems)
            for metric, of_metric in zip((best, other), scores, strict=True)
        )
        return williams_test(first, second, draws).p

    ranked = {metric: estimate for metric, estimate in estimates.items() if not is_surface(metric)}
    marked = mark_best(ranked, {WILLIAMS_TEST: williams})
    return {metric: marked.get(metric, MetricStatistic(estimate)) for metric, estimate in estimates.items()}


@STUDIES.add
@dataclass(frozen=True)
class RatingCorrelation(Study):
    """Correlation of each metric with one aspect that people rated."""

    name: ClassVar[str] = "rating-correlation"
    title: ClassVar[str] = "Correlation with ratings"
    does: ClassVar[str] = (
        "Correlate each metric with what people rated: over summaries, over systems, and within systems."
    )
    group: ClassVar[Group] = "Which metric?"
    place: ClassVar[int] = 10
    takes: ClassVar[tuple[Input, ...]] = (Input.SCORES,)
    sliced: ClassVar[bool] = True
    without: ClassVar[Mapping[Outlet, str]] = MappingProxyType(
        {"audit": "The audit judges metrics by labels, as few data have ratings."}
    )
    rated: str = setting("", "The aspect that people rated; by default the first that was.")
    full: bool = setting(False, "Also the coefficients that papers leave out.")

    @classmethod
    def in_pack(cls, data: StudyData) -> Sequence[Study]:
        return [cls(rated=aspect) for aspect in mean_ratings(data.scored)]

    def choices(self, data: StudyData) -> Mapping[str, Sequence[str]]:
        return {"rated": rated_aspects(data.samples)}

    def run(self, data: StudyData) -> Report:
        aspect = self.rated or rated_aspects(data.samples)[0]
        names = tuple(COEFFICIENTS) if self.full else PAPER_COEFFICIENTS
        rows = list(metric_correlations(data.scored, aspect, data.draws, data.parts, names))
        offered = [name for name in names if rows and name in rows[0].figures]
        table = Table(
            "correlations",
            f"Correlation with {aspect}",
            (
                Column("slice"),
                Column("metric", format="metric"),
                Column("n", format="count"),
                *(Column(name, format="correlation") for name in offered),
                Column("failed", format="count", help="Rated summaries without a score."),
            ),
            tuple((row.slice, row.metric, row.n, *(row.figures[name] for name in offered), row.failed) for row in rows),
        )

        first = [row for row in rows if row.slice == rows[0].slice and "Pearson" in row.figures]
        best = next((row for row in first if row.figures["Pearson"].best), None)
        sentence = f"No correlation with {aspect} is defined: it takes several rated summaries with different scores."
        values = {row.metric for row in first if row.figures["Pearson"].estimate.value is not None}
        if values and not best:
            sentence = "No metric is compared: statistics of the surface are controls."
        if best:
            value = format_correlation(best.figures["Pearson"].estimate)
            level = [row.metric for row in first if row.figures["Pearson"].level and row is not best]
            untested = [row.metric for row in first if row.figures["Pearson"].untested]
            others = "".join(
                f"; {condition}: {', '.join(map(metric_title, metrics))}"
                for condition, metrics in (("not significantly worse", level), ("not tested", untested))
                if metrics
            )
            rank = f"correlates most with {aspect}" if others else f"follows {aspect} best"
            if (
                sum(row.figures["Pearson"].estimate.value is not None and not is_surface(row.metric) for row in first)
                == 1
            ):
                rank = f"correlates with {aspect}"
            sentence = f"{best.slice}: {metric_title(best.metric)} {rank}, Pearson {value}{others}."
        return self.report(
            data,
            [table],
            sentences=[sentence],
            notes=[
                "With 95 % intervals of a bootstrap over documents. Williams's test compares Pearson's correlations. Kendall is "
                "tau-b; within systems the mean of each system is subtracted (FRANK's partial correlation); over systems their "
                "means are correlated."
            ],
        )


def rated_aspects(cases: Cases) -> list[str]:
    """The aspects that people rated. Raises TouchstoneError where there is none."""
    aspects = list(mean_ratings(cases))
    if not aspects:
        raise TouchstoneError("No summary here has a numeric rating or the verdicts of several judges.")
    return aspects
