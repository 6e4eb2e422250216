"""The measures of every metric on every slice, with the answer in short: which metric can be trusted with which errors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import ClassVar, Literal

from core.base import profile_names, read_profile
from core.errors import BadSettingError, TouchstoneError
from core.evaluation.report import Axis, Chart, Column, Pivot, Report, Series, Table
from core.evaluation.reports.cells import format_cell
from core.evaluation.studies.ranks import RANKED_MEASURES, rank_report
from core.evaluation.studies.score_distributions import percentile_report, roc_report
from core.evaluation.study import STUDIES, Group, Input, Study, StudyData, setting
from core.results import (
    FIGURE_TITLES,
    MEASURES,
    OVERALL_SLICE,
    PAPER_MEASURES,
    MeasuresRow,
    available_measures,
    compare_best_two,
    mark_as_paper,
    measure_format,
    metric_rows,
    select_paper_metrics,
)
from core.results import LEGEND as PAPER_LEGEND
from core.scoring import is_surface, metric_title, metric_titles
from core.stats import CORRECTION, SIGNIFICANCE_LEVEL, Estimate, format_percent

FIGURE_HELP: Mapping[str, str] = MappingProxyType(
    {
        "consistency": "Share of minimal pairs whose faithful side scores strictly higher.",
        "auc": "Chance that a consistent summary scores above an inconsistent one.",
        "ties": "Share of pairs whose sides score the same.",
        "average_precision": "Mean precision over the consistent summaries, taken from the best score down; without an interval.",
        "balanced_accuracy": "With a threshold that was chosen on the development split.",
        "sign_rate": "Consistency among the pairs that moved at all.",
        "mean_shift": "Broken minus faithful side, in the metric's own units.",
        "sensitivity": "Mean gain by a correction divided by the mean size of the shift by a harmless edit.",
    }
)
"""Each measure in a sentence."""

_LOWER_IS_BETTER = ("ties", "mean_shift")
_CHARTED = ("consistency", "auc")
_MOST_METRICS = 5  # in a sentence
_OVERVIEW_MEASURES = ("auc", "consistency")
_CHANCE = 0.5  # of AUC, and of consistency, for a metric that does not read
_MIN_CASES = 10  # cases of a slice, below which nothing is said about it
_MOST_SLICES = 6  # in a sentence

_VIEWS: Mapping[str, str] = MappingProxyType(
    {
        "overview": "Overview",
        "table": "Measures by slice",
        "ranks": "Ranks of metrics",
        "roc": "ROC curves",
        "percentiles": "Score percentiles",
    }
)


@STUDIES.add
@dataclass(frozen=True)
class Measures(Study):
    """Measures of every metric: in short, by slice, as ranks, and by the distributions of the scores."""

    name: ClassVar[str] = "measures"
    title: ClassVar[str] = "Measures"
    does: ClassVar[str] = (
        "Say which metric can be trusted with which errors: consistency, ties and AUC with intervals, from saved scores."
    )
    group: ClassVar[Group] = "Which metric?"
    place: ClassVar[int] = 1
    takes: ClassVar[tuple[Input, ...]] = (Input.SCORES,)
    sliced: ClassVar[bool] = True
    audit: ClassVar[str] = "sees-errors"
    view: str = setting(
        "table",
        "overview: the best metric overall and in each slice, and the errors on which none is better than chance; table: every "
        "measure by slice; ranks: of the metrics, with intervals; roc: the curves and their areas; percentiles: quantiles by label.",
        choices=_VIEWS,
        labels=_VIEWS,
    )
    full: bool = setting(False, "Also the measures that papers leave out, and the p of every test.", views=("table",))
    test: Literal["ours", "paper"] = setting(
        "ours",
        "ours: each metric against the best, paired bootstrap by document, Holm. paper: the stars of BUMP, the best against "
        "the second best, not corrected.",
        views=("table",),
    )
    paper: str = setting(
        "",
        f"The slices and the test of a paper, and its forms of metrics: {', '.join(profile_names())}.",
        choices=("", *profile_names()),
        labels={"": "none"},
        views=("table",),
    )
    measure: str = setting(
        "auc",
        "The measure to compare or rank by; an overview is by auc or consistency.",
        choices=RANKED_MEASURES,
        labels=FIGURE_TITLES,
        views=("overview", "ranks"),
    )
    slice: str = setting(
        OVERALL_SLICE, "The slice: Overall, or a value of the field that slices are by.", views=("roc",)
    )
    score: str = setting("", "A raw score to place among them, a number; empty for none.", views=("percentiles",))

    @classmethod
    def in_pack(cls, data: StudyData) -> Sequence[Study]:
        ranked = available_measures(data.scored, ("consistency", "auc")) if len(data.scored.all_columns) > 1 else []
        ranks = [cls(view="ranks", measure=measure) for measure in ranked]
        return [cls(full=True), cls(view="percentiles"), *ranks, cls(view="roc")]

    def choices(self, data: StudyData) -> Mapping[str, Sequence[str]]:
        match self.view:
            case "table":
                signatures = {column.signature for column in data.scored.all_columns}
                papers = (name for name in profile_names() if any(map(read_profile(name).marks, signatures)))
                return {"paper": ["", *papers]}
            case "overview":
                return {"measure": available_measures(data.scored, _OVERVIEW_MEASURES)}
            case "ranks":
                return {"measure": available_measures(data.scored, RANKED_MEASURES)}
            case "roc":
                return {"slice": [part.name for part in data.parts]}
        return {}

    def run(self, data: StudyData) -> Report:
        match self.view:
            case "overview":
                return _overview_report(self, data, self.measure)
            case "ranks":
                return rank_report(self, data, self.measure)
            case "roc":
                return roc_report(self, data, self.slice)
            case "percentiles":
                return percentile_report(self, data, self.score)
        return _table_report(self, data)


def _table_report(study: Measures, data: StudyData) -> Report:
    """Consistency on minimal pairs, ROC AUC and further measures, with the best of each slice."""
    profile = read_profile(study.paper) if study.paper else None
    notes: list[str] = []
    if profile:
        cases = data.scored if data.metric_names else select_paper_metrics(data.scored, profile)
        data = replace(data, cases=cases, by=data.by or profile.by or None)
        notes.append(f"{profile.paper} ({profile.mark}): {' '.join(profile.notes)}")
    names = available_measures(data.scored) if study.full else [*PAPER_MEASURES]
    rows = list(metric_rows(data.scored, data.parts, data.draws, [name for name in MEASURES if name in names]))
    as_paper = "paper" in (study.test, profile.test if profile else "")
    compared = list(compare_best_two(data.scored, data.parts, rows)) if as_paper else []
    rows = mark_as_paper(rows, compared) if as_paper else rows
    tables = [measures_table(rows)]
    if as_paper:
        best_two = Table(
            "best_two",
            "The best against the second best",
            (
                Column("slice"),
                Column("figure"),
                Column("best", format="metric"),
                Column("second", format="metric"),
                Column("p"),
                Column("star", ""),
            ),
            tuple(
                (
                    comparison.slice,
                    FIGURE_TITLES[comparison.figure],
                    comparison.best,
                    comparison.second,
                    _format_p(comparison.p),
                    "*" if comparison.star else "",
                )
                for comparison in compared
            ),
            (PAPER_LEGEND, f"p < {SIGNIFICANCE_LEVEL:g} has a star; correction: none."),
        )
        tables.append(best_two)
    elif study.full:
        tables.append(_tests_table(rows))
    return study.report(
        data,
        tables,
        charts=[chart for name in _CHARTED for chart in measure_charts(rows, name)],
        sentences=[sentence for name in _CHARTED if (sentence := best_sentence(rows, name))],
        notes=[
            *notes,
            f"With the 95 % interval of {data.resamples:,} resamples of whole documents.",
        ],
    )


@dataclass(frozen=True, slots=True)
class SliceAnswer:
    """A slice: the metric with the best figure, and the numbers of other metrics that are not known to be worse and of
    those that are above chance with their whole interval."""

    slice: str
    best: str
    figure: Estimate
    level: int
    above_chance: int
    among: int


def _overview_report(study: Study, data: StudyData, measure: str) -> Report:
    """The best metric overall and in each slice, and the slices in which no metric is above chance."""
    if measure not in _OVERVIEW_MEASURES:
        raise BadSettingError(f"An overview is by {' or '.join(_OVERVIEW_MEASURES)}; got {measure}.")
    rows = list(metric_rows(data.scored, data.parts, data.draws, [measure]))
    valued = [row for row in rows if row.figures[measure].estimate.value is not None]
    title = FIGURE_TITLES[measure]
    if not valued:
        raise TouchstoneError(f"{title} is undefined here: it takes consistent and inconsistent summaries with scores.")
    answers = list(slice_answers(valued, measure))
    few = [
        part for part in dict.fromkeys(row.slice for row in valued) if part not in {answer.slice for answer in answers}
    ]
    table = Table(
        "slices",
        f"Highest metric of each slice by {title}",
        (
            Column("slice"),
            Column("best", "highest metric", "metric"),
            Column("figure", title, "percent"),
            Column("n", format="count"),
            Column(
                "level",
                "not worse",
                "count",
                "Other metrics that are not significantly worse, or have too few documents to test.",
            ),
            Column(
                "above_chance",
                "above chance",
                "count",
                f"Metrics whose whole interval is above {100 * _CHANCE:.0f} %.",
            ),
            Column("among", "of", "count", "Metrics that have a figure in the slice."),
        ),
        tuple(
            (answer.slice, answer.best, answer.figure, answer.figure.n, answer.level, answer.above_chance, answer.among)
            for answer in answers
        ),
    )
    return study.report(
        data,
        [table] if answers else [],
        charts=measure_charts([row for row in rows if row.slice == rows[0].slice], measure),
        sentences=[
            _overall_sentence(valued, measure),
            *slice_sentences([answer for answer in answers if answer.slice != rows[0].slice]),
        ],
        notes=[
            f"With the 95 % interval of {data.resamples:,} resamples of whole documents.",
            *([f"Fewer than {_MIN_CASES} cases: {', '.join(few)}."] if few else []),
        ],
    )


def _overall_sentence(rows: Sequence[MeasuresRow], measure: str) -> str:
    """The best metric overall, where there are enough cases to say so."""
    n = max(row.figures[measure].estimate.n for row in rows)
    if n < _MIN_CASES:
        return f"Too few cases ({n}) to say which metric is best: it takes {_MIN_CASES}."
    return best_sentence(rows, measure) or "No metric is compared: statistics of the surface are controls."


def slice_answers(rows: Sequence[MeasuresRow], measure: str) -> Iterator[SliceAnswer]:
    """The answer of each slice in which the best metric has enough cases; `rows` have a value.

    Statistics of the surface are controls and have no part in an answer.
    """
    for part in dict.fromkeys(row.slice for row in rows):
        figures = {row.metric: row.figures[measure] for row in rows if row.slice == part and not is_surface(row.metric)}
        best = next((metric for metric, figure in figures.items() if figure.best), None)
        if best and figures[best].estimate.n >= _MIN_CASES:
            lows = [figure.estimate.low for figure in figures.values()]
            above = sum(low is not None and low > _CHANCE for low in lows)
            level = sum(figure.level or figure.untested for figure in figures.values()) - 1
            yield SliceAnswer(part, best, figures[best].estimate, level, above, len(figures))


def slice_sentences(answers: Sequence[SliceAnswer]) -> Iterator[str]:
    """The slice that is seen best with its metric, then those that no metric sees."""
    seen = [answer for answer in answers if answer.above_chance]
    if seen:
        best = max(seen, key=lambda answer: answer.figure.value or 0.0)
        yield f"Highest figure: {best.slice}, {metric_title(best.best)} {format_percent(best.figure)} % (n = {best.figure.n})."
    unseen = [answer.slice for answer in answers if not answer.above_chance and answer.figure.low is not None]
    if unseen:
        more = f" and {len(unseen) - _MOST_SLICES} more" if unseen[_MOST_SLICES:] else ""
        yield f"No metric is above chance in {', '.join(unseen[:_MOST_SLICES])}{more}."


def measures_table(rows: Sequence[MeasuresRow]) -> Table:
    """A row for each metric and slice, the metrics in the order of the first slice's first figure that has values."""
    names = [name for name in FIGURE_TITLES if rows and name in rows[0].figures]
    order = {metric: place for place, metric in enumerate(sorted_metrics(rows, names[0] if names else ""))}
    slices = {part: place for place, part in enumerate(dict.fromkeys(row.slice for row in rows))}
    ordered = sorted(rows, key=lambda row: (slices[row.slice], order[row.metric]))
    figures = (Column(name, FIGURE_TITLES[name], measure_format(name), FIGURE_HELP[name]) for name in names)
    shown = [name for name in names if any(row.figures[name].estimate.value is not None for row in rows)] or names[:1]
    return Table(
        "measures",
        "Measures by slice",
        (
            Column("slice"),
            Column("metric", format="metric"),
            Column("n", format="count"),
            *figures,
            Column("failed", format="count"),
        ),
        tuple((row.slice, row.metric, row.n, *(row.figures[name] for name in names), row.failed) for row in ordered),
        pivot=Pivot("metric", "slice", tuple(shown)) if shown else None,
    )


def sorted_metrics(rows: Sequence[MeasuresRow], name: str) -> list[str]:
    """The metrics, the best of the first slice first and those without a figure there last."""
    metrics = list(dict.fromkeys(row.metric for row in rows))
    if not name:
        return metrics
    first = {row.metric: row.figures[name].estimate.value for row in rows if row.slice == rows[0].slice}
    sign = 1 if name in _LOWER_IS_BETTER else -1
    return sorted(metrics, key=lambda metric: (first.get(metric) is None, sign * (first.get(metric) or 0.0)))


def measure_charts(rows: Sequence[MeasuresRow], name: str) -> list[Chart]:
    """The figures of the first slice with their intervals, and a heat-map where there are several slices; none without a value."""
    valued = [row for row in rows if name in row.figures and row.figures[name].estimate.value is not None]
    if not valued:
        return []
    title, form = FIGURE_TITLES[name], measure_format(name)
    first = [row for row in valued if row.slice == rows[0].slice]
    metrics = sorted_metrics(rows, name)
    titles = metric_titles(metrics)
    ordered = sorted(first, key=lambda row: -metrics.index(row.metric))
    labels = tuple(f"{titles[row.metric]} (n = {row.figures[name].estimate.n})" for row in ordered)
    charts = []
    if ordered:
        series = Series(title, labels, tuple(row.figures[name].estimate for row in ordered))
        heading = f"{title} with 95 % intervals, {rows[0].slice}"
        charts.append(
            Chart(
                f"intervals-{name}",
                "points",
                heading,
                Axis("", labels),
                Axis(title, format=form),
                (series,),
                sideways=True,
            )
        )
    parts = tuple(dict.fromkeys(row.slice for row in rows))
    if len(parts) > 1:
        values = {(row.metric, row.slice): row.figures[name].estimate.value for row in valued}
        lines = tuple(
            Series(titles[metric], parts, tuple(values.get((metric, part)) for part in parts))
            for metric in metrics
            if any((metric, part) in values for part in parts)
        )
        charts.append(
            Chart(f"heat-map-{name}", "heat", f"{title} by slice", Axis("", parts), Axis(title, format=form), lines)
        )
    return charts


def best_sentence(rows: Sequence[MeasuresRow], name: str) -> str:
    """The highest metrics of the first slice and those that are not significantly worse; empty where nothing is compared.

    One is called best only where there are others, and each was tested and is significantly worse.
    """
    column = Column(name, FIGURE_TITLES[name], measure_format(name))
    first = [(row.metric, row.figures[name]) for row in rows if row.slice == rows[0].slice and name in row.figures]
    winners = [metric for metric, figure in first if figure.best]
    if not winners:
        return ""
    value = format_cell(next(figure.estimate for _, figure in first if figure.best), column)
    title = FIGURE_TITLES[name]
    measure = f"{title[0].lower()}{title[1:]}" if title[1].islower() else title
    named = " and ".join(map(metric_title, winners))
    compared = [metric for metric, figure in first if figure.estimate.value is not None and not is_surface(metric)]
    if len(compared) == 1:
        return f"{rows[0].slice}: {named} has {measure} {value} %."
    level = [metric for metric, figure in first if figure.level and not figure.best]
    untested = [metric for metric, figure in first if figure.untested]
    others = "".join(
        f"; {condition}: {_listed_titles(metrics)}"
        for condition, metrics in (("not significantly worse", level), ("too few documents to test", untested))
        if metrics
    )
    place = "highest" if others or len(winners) > 1 else "best"
    return f"{rows[0].slice}: {named} {'are' if len(winners) > 1 else 'is'} {place} by {measure}, {value} %{others}."


def _listed_titles(metrics: Sequence[str]) -> str:
    more = f" and {len(metrics) - _MOST_METRICS} more" if metrics[_MOST_METRICS:] else ""
    return ", ".join(map(metric_title, metrics[:_MOST_METRICS])) + more


def _tests_table(rows: Sequence[MeasuresRow]) -> Table:
    """The p of every test; rows without a test are left out."""
    tested = [(row, name, figure) for row in rows for name, figure in row.figures.items() if figure.tests]
    names = list(dict.fromkeys(test for *_, figure in tested for test in figure.tests))
    return Table(
        "tests",
        "The p of every test",
        (
            Column("slice"),
            Column("metric", format="metric"),
            Column("measure"),
            *(Column(name, f"p, {name}") for name in names),
        ),
        tuple(
            (row.slice, row.metric, FIGURE_TITLES[name], *(_format_p(figure.tests.get(test)) for test in names))
            for row, name, figure in tested
            if any(p is not None for p in figure.tests.values())
        ),
        (
            "p of being equal to the best of the slice, of the sign test that pairs go either way equally often; corrected by "
            f"{CORRECTION}. DeLong, McNemar, Williams and the sign test take cases as independent.",
        ),
    )


def _format_p(p: float | None) -> str | None:
    return None if p is None else f"{p:.4f}"
