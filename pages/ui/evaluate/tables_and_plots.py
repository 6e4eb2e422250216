"""One figure of every metric on every slice, as a table and as plots."""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from core.cases.measures import FIGURE_TITLES, MetricRow, figure_unit
from core.stats.best_metric import Measurement
from core.stats.discrimination import RocCurve
from core.stats.text_tables import format_percent
from core.studies.tables import format_few_documents, format_measure
from pages.ui.evaluate.dataset_choice import EvaluationChoice

FIGURE_HELP = (
    "Consistency: share of minimal pairs whose faithful side scores strictly higher. ROC AUC: chance that a consistent "
    "summary scores above an inconsistent one. Ties: share of pairs whose sides score the same. Balanced accuracy: with "
    "a threshold that was chosen on the development split. Sign rate: consistency among the pairs that moved at all. Mean "
    "shift: broken minus faithful side, in the metric's own units. Sensitivity: mean gain by a correction ÷ mean size of the "
    "shift by a harmless edit."
)
_LOWER_IS_BETTER = ("ties", "mean_shift")
MARK_STYLES = MappingProxyType(
    {
        "*": "background-color: rgba(11, 122, 117, 0.30); font-weight: 700",
        "=": "background-color: rgba(11, 122, 117, 0.12)",
        "?": "font-style: italic",
        "": "",
    }
)
"""Style of the mark of a measurement in a cell."""


def figure_choice(key: str, offered: Sequence[str]) -> str:
    """The figure to show."""
    return st.segmented_control(
        "Figure",
        list(offered),
        default=offered[0],
        key=f"{key}-{len(offered)}",
        required=True,
        format_func=lambda name: FIGURE_TITLES[name],
        label_visibility="collapsed",
        help=FIGURE_HELP,
    )


def figure_table(chosen: EvaluationChoice, rows: Sequence[MetricRow], name: str) -> tuple[str, str] | None:
    """Draw the table in percent, metrics as rows; the slice and metric of the cell that is selected, if one is."""
    by_place = {(row.slice, row.metric): row for row in rows}
    parts = list(dict.fromkeys(row.slice for row in rows))
    metrics = sorted_metrics(rows, name)
    labels = {part: _slice_label(part, [by_place[part, metric].figures[name] for metric in metrics]) for part in parts}
    frame = pd.DataFrame(
        [[_format_cell(by_place[part, metric].figures[name], name) for part in parts] for metric in metrics],
        metrics,
        list(labels.values()),
    )
    styles = [[MARK_STYLES[by_place[part, metric].figures[name].mark] for part in parts] for metric in metrics]
    event = st.dataframe(
        frame.style.apply(lambda _: pd.DataFrame(styles, frame.index, frame.columns), axis=None),
        key=f"evaluate-table-{name}-{hash(chosen.key)}",
        on_select="rerun",
        selection_mode="single-cell",
        height="auto",
        alt=f"{FIGURE_TITLES[name]} of every metric on every slice",
        placeholder="–",
    )
    st.caption(_table_caption(chosen, rows, name))
    cells = event["selection"]["cells"]
    by_label = {label: part for part, label in labels.items()}
    return (by_label[str(cells[0][1])], metrics[cells[0][0]]) if cells else None


def sorted_metrics(rows: Sequence[MetricRow], name: str) -> list[str]:
    """The metrics, the best of the first slice first and those without a figure there last."""
    first = {row.metric: row.figures[name].estimate.value for row in rows if row.slice == rows[0].slice}
    sign = 1 if name in _LOWER_IS_BETTER else -1
    metrics = list(dict.fromkeys(row.metric for row in rows))
    return sorted(metrics, key=lambda metric: (first.get(metric) is None, sign * (first.get(metric) or 0.0)))


def missing_reasons(rows: Sequence[MetricRow], name: str) -> list[str]:
    """The reasons why figures are missing, each once with the metrics that it concerns, or with none if it is all of them."""
    metrics = {row.metric for row in rows}
    reasons: dict[str, list[str]] = {}
    for row in rows:
        if row.figures[name].estimate.value is None:
            reasons.setdefault(row.figures[name].estimate.why, []).append(row.metric)
    concerned = {why: list(dict.fromkeys(names)) for why, names in reasons.items()}
    return [why if len(names) == len(metrics) else f"{', '.join(names)}: {why}" for why, names in concerned.items()]


def _table_caption(chosen: EvaluationChoice, rows: Sequence[MetricRow], name: str) -> str:
    failed = sum(row.failed for row in rows if row.slice == rows[0].slice)
    missing = f" Left out without a score: {failed}." if failed else ""
    has_best = any(row.figures[name].best for row in rows)
    marks = (
        " Dark: the best of the column; light: not significantly worse (paired bootstrap, Holm over the metrics, p ≥ .05); "
        "italic: not tested."
        if has_best
        else ""
    )
    return (
        f"{FIGURE_TITLES[name]} {figure_unit(name)}, with the 95 % interval of {chosen.resamples:,} resamples of whole documents.{marks}{missing} Select a "
        "cell to see its pairs."
    )


def _slice_label(part: str, figures: Sequence[Measurement]) -> str:
    """Its name, on how many cases its figures rest, and that these are of few documents."""
    numbers = {figure.estimate.n for figure in figures}
    n = str(max(numbers)) if len(numbers) == 1 else f"{min(numbers)}–{max(numbers)}"
    few = format_few_documents(figures)
    return f"{part} (n = {n}{f', {few}' if few else ''})"


def _format_cell(figure: Measurement, name: str) -> str:
    return format_measure(figure.estimate, name)


_ROW_PX = 34  # pixels a metric takes
_FRAME_PX = 130
_MOST_PX = 720  # of a plot, so that it fits a laptop's window
_ROC_LINES = 9  # as many as leave the axes in the window, beneath what is chosen
_ROC_WIDTH_PX = 800  # a square and, beside it, the legend
_COLOUR_SCALE = ((0.0, "#d9725f"), (0.5, "#f6f3ea"), (1.0, "#45a39b"))
_TEXT_COLOUR = "#1c2333"  # readable on all of the scale, in the dark theme too
_DASHES = ("solid", "dash", "dot")  # there are ten colours, and often more metrics
_COLOUR_COUNT = 10


def heat_map(rows: Sequence[MetricRow], name: str) -> go.Figure:
    """Metrics down, slices across, the figure in percent; without metrics that have none."""
    parts = list(dict.fromkeys(row.slice for row in rows))
    scored = {row.metric for row in rows if row.figures[name].estimate.value is not None}
    metrics = [metric for metric in sorted_metrics(rows, name) if metric in scored]
    values = {(row.metric, row.slice): row.figures[name].estimate.value for row in rows}
    cells = [[_as_percent(values[metric, part]) for part in parts] for metric in metrics]
    figure = go.Figure(
        go.Heatmap(
            z=cells,
            x=parts,
            y=metrics,
            texttemplate="%{z:.1f}",
            textfont_color=_TEXT_COLOUR,
            colorscale=_COLOUR_SCALE,
            zmin=0,
            zmax=100,
            colorbar_title="%",
        )
    )
    figure.update_yaxes(autorange="reversed")
    return _with_layout(figure, f"{FIGURE_TITLES[name]} in percent", len(metrics))


def roc_chart(found: Sequence[tuple[str, RocCurve]], part: str) -> go.Figure:
    """All curves with the diagonal of chance."""
    figure = go.Figure()
    for place, (name, one) in enumerate(found):
        dash = _DASHES[place // _COLOUR_COUNT % len(_DASHES)]
        label = f"{name}: {format_percent(one.area)}"
        figure.add_scatter(x=one.false_alarms, y=one.hits, mode="lines", name=label, line_dash=dash)
    figure.add_scatter(
        x=[0, 1], y=[0, 1], mode="lines", line={"color": "gray", "dash": "dot"}, name="chance", showlegend=False
    )
    figure.update_layout(xaxis_title="inconsistent summaries accepted", yaxis_title="consistent summaries accepted")
    figure.update_xaxes(range=[0, 1], constrain="domain", constraintoward="left")
    figure.update_yaxes(range=[0, 1], scaleanchor="x", constrain="domain")
    figure.update_layout(legend={"yanchor": "top", "y": 1, "font_size": 11}, width=_ROC_WIDTH_PX)
    return _with_layout(figure, f"ROC curves, {part} (area in percent)", _ROC_LINES)


def interval_chart(rows: Sequence[MetricRow], name: str, part: str) -> go.Figure:
    """Each metric's figure with its interval on one slice, the best on top."""
    found = [row for row in rows if row.slice == part and row.figures[name].estimate.value is not None]
    found.sort(key=lambda row: row.figures[name].estimate.value or 0.0)
    estimates = [row.figures[name].estimate for row in found]
    values = [_as_percent(estimate.value) for estimate in estimates]
    figure = go.Figure(
        go.Scatter(
            x=values,
            y=[f"{row.metric} (n = {row.n})" for row in found],
            mode="markers",
            marker={"size": 9},
            error_x={
                "type": "data",
                "symmetric": False,
                "array": [
                    _as_percent(e.high) - v if e.high is not None else 0 for e, v in zip(estimates, values, strict=True)
                ],
                "arrayminus": [
                    v - _as_percent(e.low) if e.low is not None else 0 for e, v in zip(estimates, values, strict=True)
                ],
            },
        )
    )
    return _with_layout(figure, f"{FIGURE_TITLES[name]} in percent with 95 % intervals, {part}", len(found))


def _with_layout(figure: go.Figure, title: str, lines: int) -> go.Figure:
    return figure.update_layout(
        title=title,
        title_font_size=14,
        height=min(_MOST_PX, _FRAME_PX + _ROW_PX * lines),
        margin={"l": 10, "r": 10, "t": 50, "b": 40},
    )


def _as_percent(value: float | None) -> float:
    return float("nan") if value is None else 100 * value
