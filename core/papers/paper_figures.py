"""Figures of a paper as SVG and PDF: the heat-map, the figures with their intervals, and the ROC curves."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

from core.cases.cases import Cases
from core.cases.measures import FIGURE_TITLES, MetricRow, Slice, labelled_in_slice, shown_columns
from core.stats.bootstrap import Resamples
from core.stats.discrimination import RocCurve, measure_roc_curve
from core.stats.text_tables import format_percent
from core.studies.ranks import MetricRank

_STYLE: dict[Any, Any] = {
    "svg.hashsalt": "touchstone",
    "svg.fonttype": "none",
    "pdf.fonttype": 42,
    "font.size": 8,
    "axes.titlesize": 9,
    "text.parse_math": False,  # a dollar in a name begins no formula
}
_LINE_IN = 0.28  # inches that a metric takes
_CURVE_RESAMPLES = 500  # resamples of the areas beside the curves


def figure_files(
    cases: Cases,
    rows: Sequence[MetricRow],
    part: Slice,
    names: Sequence[str],
    ranks: Mapping[str, Sequence[MetricRank]],
) -> dict[str, bytes]:
    """Every figure in both formats by its path in the pack; the same figures give the same bytes. `ranks` are by measure."""
    with mpl.rc_context(_STYLE):
        drawn: dict[str, Figure] = {}
        for name in names:
            if any(row.figures[name].estimate.value is not None for row in rows):
                drawn[f"heat-map-{name}"] = _heat_map(rows, name)
                drawn[f"intervals-{name}"] = _intervals(rows, name, part.name)
        drawn |= {f"ranks-{name}": _rank_chart(found, name) for name, found in ranks.items() if found}
        curves = roc_curves(cases, part)
        if curves:
            drawn["roc"] = _roc(curves, part.name)
        return {f"figures/{name}.{kind}": _saved(one, kind) for name, one in drawn.items() for kind in ("svg", "pdf")}


def roc_curves(cases: Cases, part: Slice) -> list[tuple[str, RocCurve]]:
    """The ROC curve of each metric on a slice, the largest area first; without those that are undefined."""
    resamples = Resamples.draw(max(1, cases.clusters), _CURVE_RESAMPLES)
    found = [
        (column.name, measure_roc_curve(labelled_in_slice(cases, part, column), resamples))
        for column in shown_columns(cases, [part])
    ]
    defined = [(name, one) for name, one in found if one.area.value is not None]
    return sorted(defined, key=lambda one: -(one[1].area.value or 0.0))


def _saved(figure: Figure, kind: str) -> bytes:
    target = io.BytesIO()
    # a date would make each file another
    undated: Mapping[str, None] = {"Date": None} if kind == "svg" else {"CreationDate": None}
    figure.savefig(target, format=kind, metadata=dict(undated), bbox_inches="tight")
    return target.getvalue()


def _heat_map(rows: Sequence[MetricRow], name: str) -> Figure:
    parts = list(dict.fromkeys(row.slice for row in rows))
    metrics = list(dict.fromkeys(row.metric for row in rows if row.figures[name].estimate.value is not None))
    values = {(row.metric, row.slice): row.figures[name].estimate.value for row in rows}
    cells = np.array([[_percent(values[metric, part]) for part in parts] for metric in metrics])
    figure = Figure(figsize=(1.5 + 0.7 * len(parts), 1 + _LINE_IN * len(metrics)))
    axes = figure.subplots()
    axes.imshow(cells, cmap="BrBG", vmin=0, vmax=100, aspect="auto")
    axes.set_xticks(range(len(parts)), parts, rotation=30, ha="right")
    axes.set_yticks(range(len(metrics)), metrics)
    for (row, column), value in np.ndenumerate(cells):
        if not np.isnan(value):
            colour = "white" if abs(value - 50) > 35 else "black"
            axes.text(column, row, f"{value:.1f}", ha="center", va="center", color=colour)
    axes.set_title(f"{FIGURE_TITLES[name]} in percent")
    return figure


def _intervals(rows: Sequence[MetricRow], name: str, part: str) -> Figure:
    found = [row for row in rows if row.slice == part and row.figures[name].estimate.value is not None]
    found.sort(key=lambda row: row.figures[name].estimate.value or 0.0)
    figure = Figure(figsize=(4.5, 0.8 + _LINE_IN * len(found)))
    axes = figure.subplots()
    for place, row in enumerate(found):
        estimate = row.figures[name].estimate
        if estimate.low is not None and estimate.high is not None:
            axes.plot([_percent(estimate.low), _percent(estimate.high)], [place, place], color="gray", linewidth=1)
        axes.plot([_percent(estimate.value)], [place], "o", color="black", markersize=4)
    axes.set_yticks(range(len(found)), [f"{row.metric} (n = {row.n})" for row in found])
    axes.set_title(f"{FIGURE_TITLES[name]} in percent with 95 % intervals, {part}")
    return figure


def _rank_chart(ranks: Sequence[MetricRank], name: str) -> Figure:
    """A column of ranks for each slice, the best on top, each with its interval."""
    parts = list(dict.fromkeys(one.slice for one in ranks))
    metrics = list(dict.fromkeys(one.metric for one in ranks))
    figure = Figure(figsize=(1.5 + 1.2 * len(parts), 1 + _LINE_IN * len(metrics)))
    axes = figure.subplots()
    for place, metric in enumerate(metrics):
        found = [one for one in ranks if one.metric == metric]
        aside = 0.6 * ((place + 0.5) / len(metrics) - 0.5)  # so that intervals do not cover one another
        across = [parts.index(one.slice) + aside for one in found]
        values = [one.rank.value or float("nan") for one in found]
        shown = axes.plot(across, values, "o-", markersize=4, linewidth=0.7, label=metric)
        bounds = [(at, one.rank.low, one.rank.high) for at, one in zip(across, found, strict=True)]
        for at, low, high in bounds:
            if low is not None and high is not None:
                axes.plot([at, at], [low, high], color=shown[0].get_color(), linewidth=1)
    axes.set_xticks(range(len(parts)), parts, rotation=30, ha="right")
    axes.invert_yaxis()
    axes.set_ylabel("rank")
    axes.set_title(f"Ranks by {FIGURE_TITLES[name]} with 95 % intervals")
    axes.legend(loc="upper left", bbox_to_anchor=(1.02, 1), fontsize=7, frameon=False)
    return figure


def _roc(curves: Sequence[tuple[str, RocCurve]], part: str) -> Figure:
    figure = Figure(figsize=(4.5, 4.5))
    axes = figure.subplots()
    for place, (name, one) in enumerate(curves):
        dash = ("-", "--", ":")[place // 10 % 3]
        axes.plot(one.false_alarms, one.hits, dash, linewidth=1, label=f"{name}: {format_percent(one.area)}")
    axes.plot([0, 1], [0, 1], ":", color="gray", linewidth=1)
    axes.set_aspect("equal")
    axes.set_xlabel("inconsistent summaries accepted")
    axes.set_ylabel("consistent summaries accepted")
    axes.set_title(f"ROC curves, {part} (area in percent)")
    axes.legend(loc="upper left", bbox_to_anchor=(1.02, 1), fontsize=7, frameon=False)
    return figure


def _percent(value: float | None) -> float:
    return float("nan") if value is None else 100 * value
