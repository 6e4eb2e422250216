"""The share of inconsistent summaries of a pool, from labels of few and scores of all, three ways side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar, get_args

import numpy as np

from core.evaluation.report import Axis, Cell, Chart, Column, Report, Series, Table
from core.evaluation.study import STUDIES, Group, Input, Outlet, Study, StudyData, setting
from core.results import (
    POOL_FIELDS,
    Drawing,
    LabelDraw,
    PartRate,
    draw_of_labels,
    error_type_rates,
    grade_means,
    part_rates,
    separations,
    threshold_rate,
)
from core.scoring import metric_title
from core.stats import (
    MIN_ERRORS,
    Estimate,
    Rate,
    RateDifference,
    format_p,
    format_percent,
    label_worth,
    percent_words,
    rank_intervals,
    rate_differences,
)

ALONE, POWERED, COUNTED = "labels alone", "labels and scores", "threshold, corrected"
STRATIFIED = "labels and scores, by stratum"

_ASSUMES: Mapping[str, str] = MappingProxyType(
    {
        ALONE: "the labels were drawn at random",
        POWERED: "the labels were drawn at random; nothing of the scores",
        STRATIFIED: "the labels were drawn at random; nothing of the scores",
        COUNTED: "a threshold errs as often on all summaries as on the labelled",
    }
)
_MOST_COMPARED = 12  # parts of which every two are compared; of more, each is compared with the largest
_MOST_DIFFERENCES = 40  # shown
_MOST_DRAWN = 30  # parts in the chart


@STUDIES.add
@dataclass(frozen=True)
class Prevalence(Study):
    """The rate of inconsistent summaries with 95 % intervals: by labels alone, by labels and scores, and by a corrected threshold."""

    name: ClassVar[str] = "prevalence"
    title: ClassVar[str] = "Rate of inconsistent summaries"
    does: ClassVar[str] = (
        "Estimate what share of summaries is inconsistent, with its interval, from few labels and the scores of all."
    )
    group: ClassVar[Group] = "How many are wrong?"
    place: ClassVar[int] = 1
    takes: ClassVar[tuple[Input, ...]] = (Input.POOL,)
    sliced: ClassVar[bool] = True
    without: ClassVar[Mapping[Outlet, str]] = MappingProxyType(
        {
            "audit": "An audit judges a metric on labelled data, and this estimates a rate of data that have few labels.",
        }
    )
    drawing: str = setting(
        "test",
        "How the labels were drawn: tested by the scores and corrected where they evidently were not at random, at random as "
        "you know, or by their scores.",
        choices=get_args(Drawing),
        labels={"test": "test it", "random": "at random", "scores": "by the scores"},
    )

    @classmethod
    def in_pack(cls, data: StudyData) -> Sequence[Study]:
        """Itself where some summaries have a label and others have none: of labelled data there is nothing to estimate."""
        labels = data.summaries.labels
        return [cls()] if 0 < np.isnan(labels).mean() < 1 else []

    def run(self, data: StudyData) -> Report:
        draw = draw_of_labels(data.summaries, _DRAWINGS[self.drawing])
        if draw.sample.n == draw.size:
            rate = f"All {draw.size:,} summaries have a label: {100 * draw.alone.value:.1f} % are inconsistent."
            return self.report(data, [_count_table(draw)], sentences=[rate], problems=draw.problems)
        metric, counted = threshold_rate(draw)
        methods = {
            POWERED: draw.powered.estimate(),
            STRATIFIED: draw.stratified.estimate(),
            ALONE: draw.alone.estimate(),
            COUNTED: counted.estimate,
        }
        parts = list(part_rates(draw))
        largest = max(parts, key=lambda part: part.summaries).name if len(parts) > _MOST_COMPARED else ""
        powered = {part.name: part.powered for part in parts}
        differences = rate_differences(powered, largest) if len(parts) > 1 else []
        kinds, grades = error_type_rates(draw), grade_means(draw)
        tables = [
            _method_table(draw, methods),
            *([_metric_table(draw)] if draw.pool.columns else []),
            *([_part_table(parts, differences), _difference_table(differences)] if len(parts) > 1 else []),
            *([_error_table(kinds)] if kinds else []),
            *([_grade_table(grades)] if grades else []),
        ]
        return self.report(
            data,
            tables,
            charts=[_intervals_chart(draw.size, methods, parts, data.by)],
            sentences=_sentences(draw, differences),
            notes=[
                *draw.notes,
                *_threshold_note(metric, counted.sensitivity, counted.specificity),
                *_parts_note(data.by),
                "The rate is that of these summaries, not of others that the same systems may write. Labels are taken as right.",
                "Labels and scores: prediction-powered inference (Angelopoulos et al. 2023; PPI++) by ridge logistic regression on "
                "all metrics, cross-fitted. By stratum: the same in up to five strata of score (Fisch et al. 2024). Labels alone: Wilson's interval. Threshold: Rogan and Gladen 1978, interval of Lang "
                f"and Reiczigel 2014. With fewer than {MIN_ERRORS} labels of one kind: Clopper and Pearson's interval.",
            ],
            problems=draw.problems,
        )


_DRAWINGS: Mapping[str, Drawing] = MappingProxyType({name: name for name in get_args(Drawing)})


def _sentences(draw: LabelDraw, differences: Sequence[RateDifference]) -> list[str]:
    """The rate, what the labels are worth, and which parts differ."""
    n, size, worth = draw.sample.n, draw.size, draw.worth
    both, alone = draw.powered.estimate(), draw.alone.estimate()
    if draw.powered.exact:
        wrong = int(draw.sample.outcomes.sum())
        few = (
            f"{wrong} of {n:,} labels are inconsistent"
            if wrong == draw.sample.errors
            else f"{n - wrong} of {n:,} labels are consistent"
        )
        shared = (
            f", worth {draw.sample.errors * draw.alone.size / n:.1f} as they share documents"
            if draw.sample.errors >= MIN_ERRORS
            else ""
        )
        return [
            f"{percent_words(both)} of {size:,} summaries are inconsistent.",
            f"Only {few}{shared}: with fewer than {MIN_ERRORS} the interval is the exact one of the labels alone, and scores have "
            "no part in it.",
            *_difference_sentences(differences),
        ]
    names = "these metrics are" if len(draw.pool.columns) > 1 else "this metric are"
    gain = (
        f"Your {n:,} labels and {names} worth {_format_worth(worth)} labels."
        if worth and (worth.value or 0) > n
        else "The scores say nothing of the rate that the labels do not say."
    )
    return [
        f"{percent_words(both)} of {size:,} summaries are inconsistent; labels alone: {percent_words(alone)}.",
        gain
        if draw.pool.columns
        else "No metric has a score here: scores of all summaries would make the interval narrower.",
        *_difference_sentences(differences),
    ]


def _count_table(draw: LabelDraw) -> Table:
    """Summaries whose labels are all there, in all and by part: nothing is estimated."""
    every = {"": np.ones(draw.size, dtype=np.bool_)}
    wrong = np.zeros(draw.size)
    wrong[draw.rows] = draw.sample.outcomes
    return Table(
        "counts",
        "Inconsistent summaries",
        (
            Column("part"),
            Column("summaries", format="count"),
            Column("inconsistent", format="count"),
            Column("share", format="percent"),
        ),
        tuple(
            (name, int(mask.sum()), int(wrong[mask].sum()), float(wrong[mask].mean()))
            for name, mask in (every | dict(draw.pool.parts)).items()
            if mask.any()
        ),
    )


def _format_worth(worth: Estimate) -> str:
    """As 410 [290, 560], in whole labels."""
    interval = "" if worth.low is None or worth.high is None else f" [{worth.low:,.0f}, {worth.high:,.0f}]"
    return f"{worth.value or 0:,.0f}{interval}"


def _difference_sentences(differences: Sequence[RateDifference]) -> list[str]:
    tested = [difference for difference in differences if difference.p is not None]
    clear = [difference for difference in tested if (difference.p or 0.0) < 0.05]
    if not tested:  # of parts that are labelled whole nothing is to be tested
        return []
    if not clear:
        return ["No two parts differ significantly."]
    clearest = clear[0]
    worse, better = (
        (clearest.first, clearest.second) if (clearest.difference.value or 0) > 0 else (clearest.second, clearest.first)
    )
    more = f" {len(clear) - 1} further differences are significant." if clear[1:] else ""
    return [
        f"{worse} is more often inconsistent than {better} (p {format_p(clearest.p)}, corrected for {len(tested)} comparisons).{more}"
    ]


def _threshold_note(metric: str, sensitivity: float, specificity: float) -> list[str]:
    if not metric or np.isnan(sensitivity):
        return []
    return [
        f"Threshold: on {metric_title(metric)}, which separates the labels best; it refuses {100 * sensitivity:.0f} % of the "
        f"inconsistent labels that it was not chosen on, and accepts {100 * specificity:.0f} % of the others."
    ]


def _parts_note(by: str | None) -> list[str]:
    if by is None or by in POOL_FIELDS:
        return []
    return [
        f"There are no parts by {by.replace('_', ' ')}, which unlabelled summaries do not have. Choose {', '.join(POOL_FIELDS)}."
    ]


def _method_table(draw: LabelDraw, methods: Mapping[str, Estimate]) -> Table:
    worth: dict[str, Cell] = {
        ALONE: draw.sample.n,
        POWERED: round(label_worth(draw.powered, draw.alone, draw.size)),
        STRATIFIED: round(label_worth(draw.stratified, draw.alone, draw.size)),
        COUNTED: None,
    }
    rates = {ALONE: draw.alone, POWERED: draw.powered, STRATIFIED: draw.stratified}
    return Table(
        "rates",
        "Rate of inconsistent summaries",
        (
            Column("method"),
            Column("rate", "inconsistent", "percent"),
            Column("labels", format="count"),
            Column("worth", "equals labels", "count", "Labels that would alone give as narrow an interval."),
            Column("summaries", format="count"),
            Column("interval"),
            Column("assumes"),
        ),
        tuple(
            (
                *(method, estimate, draw.sample.n, worth[method], draw.size),
                "Lang and Reiczigel" if method == COUNTED else _interval_name(rates[method]),
                _ASSUMES[method],
            )
            for method, estimate in methods.items()
        ),
    )


def _interval_name(rate: Rate) -> str:
    if not rate.variance and not rate.exact:
        return "all have a label"
    return "exact" if rate.exact else "Wilson"


def _metric_table(draw: LabelDraw) -> Table:
    """Each metric by itself, and how the labelled summaries lie among all by its scores."""
    auc = separations(draw)
    rows: list[tuple[Cell, ...]] = []
    for number, column in enumerate(draw.pool.columns):
        rate = draw.powered_by(number)
        test = draw.tests[number] if draw.tests else None
        rows.append(
            (
                *(column.name, int(np.isfinite(column.values).sum()), auc.get(column.name), rate.estimate()),
                round(label_worth(rate, draw.alone, draw.size)),
                None if test is None else test.place,
                None if test is None else test.p,
            )
        )
    return Table(
        "metrics",
        "Each metric by itself",
        (
            Column("metric", format="metric"),
            Column("scores", format="count"),
            Column("auc", "ROC AUC", "percent", "On the labels."),
            Column("rate", "inconsistent", "percent", "By the labels and this metric."),
            Column("worth", "equals labels", "count"),
            Column(
                "place", "percentile of the labelled", "percent", "Their mean among all summaries: 50 of a random draw."
            ),
            Column("p", format="number", help="Of the hypothesis that labels were drawn at random, corrected by Holm."),
        ),
        tuple(rows),
    )


def _part_table(parts: Sequence[PartRate], differences: Sequence[RateDifference]) -> Table:
    ranks = rank_intervals({part.name: part.powered for part in parts}, differences)
    return Table(
        "parts",
        "Rate by part",
        (
            Column("part"),
            Column("rate", "inconsistent", "percent"),
            Column("alone", "labels alone", "percent"),
            Column(
                "rank",
                format="rank",
                help="1 is the least often inconsistent; ranks that no significant difference rules out.",
            ),
            Column("labels", format="count"),
            Column("summaries", format="count"),
            Column("interval"),
        ),
        tuple(
            (
                *(part.name, part.powered.estimate(), part.alone.estimate(), ranks[part.name]),
                *(part.powered.n, part.summaries, _interval_name(part.powered)),
            )
            for part in sorted(parts, key=lambda part: part.powered.value)
        ),
    )


def _difference_table(differences: Sequence[RateDifference]) -> Table:
    hidden = len(differences) - _MOST_DIFFERENCES
    return Table(
        "differences",
        "Differences between parts",
        (
            Column("first"),
            Column("second"),
            Column("difference", "first − second", "percent"),
            Column("p", format="number", help="Corrected for the number of comparisons by Holm."),
        ),
        tuple(
            (difference.first, difference.second, difference.difference, difference.p)
            for difference in differences[:_MOST_DIFFERENCES]
        ),
        (f"{hidden} more, whose p is larger, are left out.",) if hidden > 0 else (),
    )


def _error_table(kinds: Mapping[str, Rate]) -> Table:
    return Table(
        "error_types",
        "Share of summaries with each type of error",
        (
            Column("error_type", "type of error"),
            Column("rate", "of all summaries", "percent"),
            Column("labels", format="count"),
            Column("interval"),
        ),
        tuple((kind, rate.estimate(), rate.n, _interval_name(rate)) for kind, rate in kinds.items()),
    )


def _grade_table(grades: Mapping[str, tuple[Estimate, Estimate]]) -> Table:
    return Table(
        "grades",
        "Mean of each grade among all summaries",
        (
            Column("grade"),
            Column(
                "mean",
                "labels and scores",
                "number",
                "Prediction-powered inference by ridge regression on all metrics.",
            ),
            Column("alone", "labels alone", "number"),
            Column("labels", format="count"),
        ),
        tuple((aspect, powered, alone, powered.n) for aspect, (powered, alone) in grades.items()),
    )


def _intervals_chart(size: int, methods: Mapping[str, Estimate], parts: Sequence[PartRate], by: str | None) -> Chart:
    """The rate by each method on top, and by part below, those that are most often inconsistent first."""
    ordered = sorted(parts, key=lambda part: -part.powered.value)[:_MOST_DRAWN] if len(parts) > 1 else []
    estimates = {**methods, **{f"{by}: {part.name}": part.powered.estimate() for part in ordered}}
    shown = {name: estimate for name, estimate in reversed(estimates.items()) if estimate.value is not None}
    texts = tuple(f"{name}: {format_percent(estimate)} %" for name, estimate in shown.items())
    return Chart(
        "intervals",
        "points",
        f"Inconsistent of {size:,} summaries, with 95 % intervals",
        Axis("", tuple(shown)),
        Axis("inconsistent", format="percent"),
        (Series("inconsistent", tuple(shown), tuple(shown.values()), texts),),
        sideways=True,
    )
