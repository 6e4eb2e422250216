"""Charts of a report for print, as SVG and PDF; the same chart gives the same bytes."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from textwrap import fill
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from core.errors import TouchstoneError
from core.evaluation.report import Chart, Report, Series
from core.evaluation.reports.cells import PERCENT_FORMATS
from core.evaluation.reports.points import MOST_PANELS_ACROSS, bar_width, panels_of, point_value, positions, scaled
from core.stats import Estimate

_STYLE: dict[Any, Any] = {
    "svg.hashsalt": "touchstone",
    "svg.fonttype": "none",
    "pdf.fonttype": 42,
    "font.size": 8,
    "axes.titlesize": 9,
    "text.parse_math": False,  # a dollar in a name begins no formula
}
_LINE_IN = 0.28  # inches that a category takes
_NAME_LETTERS = 16  # of a line of the name of a category below its place
_DASHES = ("-", "--", ":")  # there are ten colours, and often more series


def report_figures(report: Report) -> dict[str, bytes]:
    """Every chart in both formats by its file name."""
    return {f"{chart.name}.{kind}": chart_figure(chart, kind) for chart in report.charts for kind in ("svg", "pdf")}


def chart_figure(chart: Chart, kind: str) -> bytes:
    """The chart as a file of that kind, svg or pdf. Raises TouchstoneError where a font of Matplotlib cannot be read."""
    target = io.BytesIO()
    # a date would make each file another
    undated: Mapping[str, None] = {"Date": None} if kind == "svg" else {"CreationDate": None}
    try:
        with mpl.rc_context(_STYLE):
            figure = _heat_map(chart) if chart.kind == "heat" else _xy_charts(chart)
            figure.savefig(target, format=kind, metadata=dict(undated), bbox_inches="tight")
    except (OSError, RuntimeError) as error:  # FreeType says it by the second
        raise TouchstoneError(
            f"The chart {chart.title!r} cannot be drawn: {error}. Try again; where it stays so, install Matplotlib again."
        ) from error
    return target.getvalue()


def _heat_map(chart: Chart) -> Figure:
    columns = list(chart.x.categories) or [str(place) for place in chart.series[0].x]
    values = np.array([[scaled(point_value(y), chart.y) for y in row.y] for row in chart.series])
    figure = Figure(figsize=(1.5 + 0.7 * len(columns), 1 + _LINE_IN * len(chart.series)))
    axes = figure.subplots()
    percent = chart.y.format in PERCENT_FORMATS
    image = axes.imshow(values, cmap="BrBG", aspect="auto", vmin=0 if percent else None, vmax=100 if percent else None)
    axes.set_xticks(range(len(columns)), [fill(name, _NAME_LETTERS) for name in columns])
    axes.set_yticks(range(len(chart.series)), [row.name for row in chart.series])
    for (row, column), value in np.ndenumerate(values):
        if not np.isnan(value):
            red, green, blue, _ = image.cmap(image.norm(value))
            dark = 0.3 * red + 0.6 * green + 0.1 * blue < 0.5
            text = f"{value:.1f}" if percent else f"{value:.3g}"
            axes.text(column, row, text, ha="center", va="center", color="white" if dark else "black")
    axes.set_title(chart.title)
    return figure


def _xy_charts(chart: Chart) -> Figure:
    """The chart, or each of its panels below its title, the names of categories at the first of a row."""
    panels, categories = panels_of(chart), chart.x.categories
    across = min(len(panels), MOST_PANELS_ACROSS)
    rows = -(-len(panels) // across)
    width = 1.5 + 1.2 * len(categories) if categories and not chart.sideways else 4.5 if len(panels) == 1 else 2.6
    height = 0.8 + _LINE_IN * len(categories) if chart.sideways else max(3.0, 1 + _LINE_IN * len(chart.series))
    figure = Figure(figsize=(width * across, height * rows), layout="constrained" if len(panels) > 1 else None)
    shares_scale = chart.sideways and bool(chart.y.title)
    places = list(figure.subplots(rows, across, squeeze=False, sharey=chart.sideways, sharex=shares_scale).flat)
    for panel, axes in zip(panels, places, strict=False):
        _draw_xy(axes, panel)
    for axes in places[len(panels) :]:
        axes.set_visible(False)
    if len(panels) > 1:
        figure.suptitle(chart.title, fontsize=9)
    if chart.x.reverse and chart.sideways:  # once, as the panels of a row share the axis
        places[0].invert_yaxis()
    if len(panels[-1].series) > 1:
        places[len(panels) - 1].legend(loc="upper left", bbox_to_anchor=(1.02, 1), fontsize=7, frameon=False)
    return figure


def _draw_xy(axes: Axes, chart: Chart) -> None:
    categories = chart.x.categories
    for place, series in enumerate(chart.series):
        kind = series.kind or chart.kind
        across = positions(chart, series, place)
        values = [scaled(point_value(y), chart.y) for y in series.y]
        if kind == "bars":
            axes.bar(across, values, width=bar_width(chart, across), alpha=0.6, label=series.name)
            _draw_intervals(axes, chart, series, across, "black")
        else:
            style = {"points": "o", "dots": ".", "lines": _DASHES[place // 10 % 3]}.get(kind, ".")
            if kind == "lines" and len(series.x) <= 12:
                style += "o"
            lines = axes.plot(
                *((values, across) if chart.sideways else (across, values)),
                style,
                markersize=4,
                linewidth=1,
                label=series.name,
                alpha=0.4 if kind == "dots" else 1.0,
            )
            _draw_intervals(axes, chart, series, across, lines[0].get_color())
    if categories:
        if chart.sideways:
            axes.set_yticks(range(len(categories)), list(categories))
        else:
            axes.set_xticks(range(len(categories)), [fill(name, _NAME_LETTERS) for name in categories])
    named_x, named_y = (chart.y, chart.x) if chart.sideways else (chart.x, chart.y)
    for axis, named in ((axes.xaxis, named_x), (axes.yaxis, named_y)):
        axis.set_label_text(f"{named.title}, %" if named.title and named.format in PERCENT_FORMATS else named.title)
        if named.whole and not named.categories:
            axis.set_major_locator(MaxNLocator(integer=True))
    if named_y.reverse and not chart.sideways:
        axes.invert_yaxis()
    if chart.square:
        axes.set_aspect("equal")
    axes.set_title(chart.title)


def _draw_intervals(axes: Axes, chart: Chart, series: Series, across: Sequence[float], colour: Any) -> None:
    for at, y in zip(across, series.y, strict=True):
        if isinstance(y, Estimate) and y.low is not None and y.high is not None:
            bounds = [scaled(y.low, chart.y), scaled(y.high, chart.y)]
            line = (bounds, [at, at]) if chart.sideways else ([at, at], bounds)
            axes.plot(*line, color=colour, linewidth=1)
