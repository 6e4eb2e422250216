"""Scores of a metric by label: their distribution, the percentile of a raw score in it, and the ROC curve."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from core.base import apart_from_code
from core.errors import BadSettingError, UnknownNameError
from core.evaluation.report import Axis, Cell, Chart, Column, Report, Series, Table
from core.evaluation.study import Study, StudyData
from core.results import Cases, MetricColumn, Slice, labelled_in_slice, shown_columns
from core.scoring import metric_title
from core.stats import Resamples, RocCurve, Values, format_percent, measure_roc_curve

_RESAMPLES = 500  # of the areas beside the curves
_QUANTILES = (0, 5, 25, 50, 75, 95, 100)
_BINS = 40


def score_percentiles(cases: Cases, column: MetricColumn, score: float) -> Mapping[str, tuple[float, int]]:
    """The percentile of a score, 0 to 100: the share of scores below it and half of those equal to it, and their number.

    Among all summaries that the metric scored, the consistent and the inconsistent ones; without parts that are empty.
    """
    parts = scores_by_label(cases, column)
    filled = {name: values for name, values in parts.items() if len(values)}
    below = {name: np.mean(values < score) + np.mean(values == score) / 2 for name, values in filled.items()}
    return {name: (100 * float(below[name]), len(values)) for name, values in filled.items()}


def scores_by_label(cases: Cases, column: MetricColumn) -> Mapping[str, Values]:
    """The scores of all summaries, of the consistent and of the inconsistent ones."""
    scored = ~np.isnan(column.values)
    return {
        "all": column.values[scored],
        "consistent": column.values[scored & (cases.labels == 1)],
        "inconsistent": column.values[scored & (cases.labels == 0)],
    }


def column_by_signature(cases: Cases, signature: str) -> MetricColumn | None:
    """The scores of this very signature, else of the same settings and weights in other code; others are no reference."""
    same_setup = [column for column in cases.columns if apart_from_code(column.signature) == apart_from_code(signature)]
    return max(same_setup, key=lambda column: column.signature == signature, default=None)


def format_percentiles(percentiles: Mapping[str, tuple[float, int]]) -> str:
    """As: above 73 % of all 1386 summaries, 68 % of the 693 consistent, 78 % of the 693 inconsistent."""
    parts = [
        f"{percentile:.0f} % of {'all' if name == 'all' else 'the'} {n} {'summaries' if name == 'all' else name}"
        for name, (percentile, n) in percentiles.items()
    ]
    return f"above {', '.join(parts)}"


def percentile_report(study: Study, data: StudyData, text: str) -> Report:
    """Quantiles of the scores of each metric by label, and where the raw score in `text` lies among them, if there is one."""
    columns, score = data.scored.columns, _number(text)
    placed = [] if score is None else [(column, score_percentiles(data.scored, column, score)) for column in columns]
    rows: list[tuple[Cell, ...]] = [
        (column.name, label, len(values), *(float(value) for value in np.percentile(values, _QUANTILES)))
        for column in columns
        for label, values in scores_by_label(data.scored, column).items()
        if len(values)
    ]
    quantiles = Table(
        "quantiles",
        "Quantiles of the scores",
        (
            Column("metric", format="metric"),
            Column("label"),
            Column("n", format="count"),
            *(Column(f"p{share}", f"{share} %", "number") for share in _QUANTILES),
        ),
        tuple(rows),
    )
    sentences = [
        f"{score:g} is {format_percentiles(parts)} by {metric_title(column.name)}." for column, parts in placed
    ]
    charts = [score_histogram(data.scored, column) for column in columns]
    return study.report(data, [quantiles], charts=charts, sentences=sentences, notes=["Ties count half."])


def _number(text: str) -> float | None:
    try:
        return float(text) if text.strip() else None
    except ValueError:
        raise BadSettingError(f"The score must be a number, as 0.73; got {text!r}.") from None


def score_histogram(cases: Cases, column: MetricColumn) -> Chart:
    """Shares of the scores in bins of the same width, of the consistent and the inconsistent summaries, or of all without labels."""
    parts = scores_by_label(cases, column)
    shown = {label: values for label, values in parts.items() if label != "all" and len(values)} or {
        "all": parts["all"]
    }
    edges = np.histogram_bin_edges(parts["all"], _BINS)
    centres = tuple(float(value) for value in (edges[:-1] + edges[1:]) / 2)
    series = [
        Series(
            f"{label} (n = {len(values)})",
            centres,
            tuple(float(n) / len(values) for n in np.histogram(values, edges)[0]),
        )
        for label, values in shown.items()
    ]
    return Chart(
        f"scores-{column.name}",
        "bars",
        f"Scores of {metric_title(column.name)}",
        Axis(metric_title(column.name)),
        Axis("of these summaries", format="percent"),
        tuple(series),
    )


def roc_report(study: Study, data: StudyData, slice_name: str) -> Report:
    """The share of consistent summaries that a threshold accepts, by the share of inconsistent ones, on the slice of that name."""
    parts = {part.name: part for part in data.parts}
    if slice_name not in parts:
        raise UnknownNameError("slice", slice_name, parts)
    curves = roc_curves(data.scored, parts[slice_name])
    areas = Table(
        "areas",
        f"Area under the ROC curve, {slice_name}",
        (
            Column("metric", format="metric"),
            Column("auc", "ROC AUC", "percent", "Chance that a consistent summary scores above an inconsistent one."),
            Column("n", format="count"),
        ),
        tuple((name, curve.area, curve.area.n) for name, curve in curves),
    )
    return study.report(
        data,
        [areas],
        charts=[roc_chart(curves, slice_name)] if curves else [],
        sentences=[]
        if curves
        else ["No metric has a curve here: it takes consistent and inconsistent summaries with scores."],
        notes=[f"Intervals of {_RESAMPLES} resamples of whole documents."],
    )


def roc_curves(cases: Cases, part: Slice) -> list[tuple[str, RocCurve]]:
    """The ROC curve of each metric on a slice, the largest area first; without those that are undefined."""
    resamples = Resamples.draw(max(1, cases.clusters), _RESAMPLES)
    curves = [
        (column.name, measure_roc_curve(labelled_in_slice(cases, part, column), resamples))
        for column in shown_columns(cases, [part])
    ]
    defined = [(name, curve) for name, curve in curves if curve.area.value is not None]
    return sorted(defined, key=lambda pair: -(pair[1].area.value or 0.0))


def roc_chart(curves: Sequence[tuple[str, RocCurve]], part: str) -> Chart:
    """All curves with the diagonal of chance."""
    lines = [
        Series(
            f"{metric_title(name)}: {format_percent(curve.area)}",
            tuple(map(float, curve.false_alarms)),
            tuple(map(float, curve.hits)),
        )
        for name, curve in curves
    ]
    return Chart(
        "roc",
        "lines",
        f"ROC curves, {part} (area in percent)",
        Axis("inconsistent summaries accepted"),
        Axis("consistent summaries accepted"),
        (*lines, Series("chance", (0.0, 1.0), (0.0, 1.0))),
        square=True,
    )
