"""A chart of a report, drawn by Plotly."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from textwrap import wrap

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from core.evaluation import (
    MOST_PANELS_ACROSS,
    PERCENT_FORMATS,
    Axis,
    Chart,
    Series,
    bar_width,
    panels_of,
    point_value,
    positions,
    scaled,
    spread,
)
from core.stats import Estimate
from pages.ui.results.plots import COLOURS, LINE_COLOUR, lay_out

_DASHES = ("solid", "dash", "dot")  # there are ten colours, and often more series
_LINE_PX = 30  # of a category drawn sideways, or of a line of the legend
_FRAME_PX = 130
_PANEL_LINE_PX, _PANEL_GAP_PX, _PANEL_LINES = 24, 86, 8  # a gap holds the axis of a panel and the title of the next
_ENDS, _MOST_MARKED = 2, 12  # points of a straight line, and of one whose points are marked
_NAME_LETTERS = 16  # of a line of the name of a category below its place
_NAMED_PX, _NAME_PX = 190, 17  # height over which named points are spread at least, and of a name
_MOST_LETTERS = 30  # of a line of a name that stands beside its line
_SQUARE_PX = 800  # the width of a square with the legend beside it
_LEAST_PX, _MOST_PX = 320, 720  # of a chart, so that it fits a laptop's window
_COLOUR_SCALE = ((0.0, "#d9725f"), (0.5, "#f6f3ea"), (1.0, "#45a39b"))
_TEXT_COLOUR = "#1c2333"  # readable on all of the scale, in the dark theme too


def report_chart(chart: Chart) -> go.Figure:
    """The chart with intervals as error bars, categories in their order, and shares in percent; panels side by side."""
    panels = panels_of(chart)
    if len(panels) > 1:
        return _panel_charts(chart, panels)
    [chart] = panels
    figure, lines = go.Figure(), len(chart.series)
    if chart.kind == "heat":
        percent = chart.y.format in PERCENT_FORMATS
        figure.add_heatmap(
            z=[[scaled(point_value(y), chart.y) for y in row.y] for row in chart.series],
            x=list(chart.series[0].x),
            y=[row.name for row in chart.series],
            texttemplate="%{z:.1f}" if percent else "%{z:.3g}",
            textfont_color=_TEXT_COLOUR,
            colorscale=_COLOUR_SCALE,
            zmin=0 if percent else None,
            zmax=100 if percent else None,
            colorbar_title="%" if percent else "",
        )
        figure.update_yaxes(autorange="reversed")
    else:
        for place, series in enumerate(chart.series):
            _add_series(figure, chart, series, place)
        across, along = ("y", "x") if chart.sideways else ("x", "y")
        figure.update_layout(
            {f"{across}axis": _axis(chart.x, upright=not chart.sideways), f"{along}axis": _axis(chart.y)}
        )
        figure.update_layout(showlegend=len(chart.series) > 1, barmode="overlay")
        # each of several series is one point of a plane, whose name stands beside it
        single = all(len(series.y) == 1 and point_value(series.y[0]) is not None for series in chart.series)
        has_named_points = chart.kind == "points" and not chart.x.categories and len(chart.series) > 1 and single
        if has_named_points:
            _name_points(figure, chart)
        if chart.square:
            figure.update_xaxes(constrain="domain", constraintoward="left")
            figure.update_yaxes(scaleanchor="x", constrain="domain")
            figure.update_layout(legend={"yanchor": "top", "y": 1, "font_size": 11}, width=_SQUARE_PX)
        lines = max(lines, len(chart.x.categories)) if chart.sideways else lines
    return lay_out(figure, chart.title, max(_LEAST_PX, min(_MOST_PX, _FRAME_PX + _LINE_PX * lines)))


def _panel_charts(chart: Chart, panels: Sequence[Chart]) -> go.Figure:
    """A small chart for each panel; series of one name have one colour, and stand in the legend once."""
    across = min(len(panels), MOST_PANELS_ACROSS)
    rows = -(-len(panels) // across)
    titles = [escape(panel.title) for panel in panels]
    lines = len(chart.x.categories) if chart.sideways else _PANEL_LINES
    drawn_px = rows * _PANEL_LINE_PX * lines + (rows - 1) * _PANEL_GAP_PX
    figure = make_subplots(
        rows,
        across,
        subplot_titles=titles,
        shared_yaxes=chart.sideways,
        horizontal_spacing=0.04,
        vertical_spacing=_PANEL_GAP_PX / drawn_px if rows > 1 else 0.0,
    )
    figure.update_annotations(font_size=13)
    names = list(dict.fromkeys(series.name for series in chart.series))
    named = max(len(panel.series) for panel in panels) > 1
    for number, panel in enumerate(panels):
        panel_figure = go.Figure()
        for place, series in enumerate(panel.series):
            _add_series(panel_figure, panel, series, place)
        for trace in panel_figure.data:
            colour = COLOURS[names.index(trace.name) % len(COLOURS) if named else 0]
            trace.update(marker_color=colour, legendgroup=trace.name, showlegend=named and number == 0)
            figure.add_trace(trace, number // across + 1, number % across + 1)
    first, second = (_axis(chart.x), _axis(chart.y))
    figure.update_yaxes(**(first if chart.sideways else second))
    figure.update_xaxes(**(second if chart.sideways else _axis(chart.x, upright=True)))
    if chart.y.title:
        (figure.update_xaxes if chart.sideways else figure.update_yaxes)(matches="x" if chart.sideways else "y")
    return lay_out(figure, chart.title, _FRAME_PX + drawn_px, margin={"t": 80}, barmode="overlay")


def _name_points(figure: go.Figure, chart: Chart) -> None:
    """Put the names beside their points, those of one point together, those of near ones above each other."""
    names: dict[tuple[float, float], list[str]] = {}
    for place, series in enumerate(chart.series):
        [x], y = positions(chart, series, place), scaled(point_value(series.y[0]), chart.y)
        names.setdefault((x, y), []).append(series.name)
    across, up = [x for x, _ in names], [y for _, y in names]
    middle, pixels = (min(across) + max(across)) / 2, _NAMED_PX / ((max(up) - min(up)) or 1.0)
    for on_right in (False, True):
        points = [point for point in names if (point[0] > middle) == on_right]
        labels = spread([y * pixels for _, y in points], _NAME_PX)
        for (x, y), label in zip(points, labels, strict=True):
            figure.add_annotation(
                x=x,
                y=y,
                ax=-14 if on_right else 14,
                ay=y * pixels - label,
                text=escape(", ".join(names[x, y])),  # else what looks like HTML in a name is read as such
                xanchor="right" if on_right else "left",
                font_size=12,
                arrowhead=0,
                arrowwidth=0.5,
                arrowcolor=LINE_COLOUR,
                standoff=5,
            )
    figure.update_layout(showlegend=False)


def _add_series(figure: go.Figure, chart: Chart, series: Series, place: int) -> None:
    kind = series.kind or chart.kind
    values = [scaled(point_value(y), chart.y) for y in series.y]
    if kind == "boxes":
        names = [str(x) for x in series.x]
        figure.add_box(name=series.name, **({"y": names, "x": values} if chart.sideways else {"x": names, "y": values}))
        return
    across = positions(chart, series, place)
    points = {"y": across, "x": values} if chart.sideways else {"x": across, "y": values}
    texts = {"text": list(series.texts), "hoverinfo": "text"} if series.texts else {}
    if kind == "bars":
        figure.add_bar(
            name=series.name,
            opacity=0.6,
            orientation="h" if chart.sideways else "v",
            width=bar_width(chart, across),
            **{"error_x" if chart.sideways else "error_y": _error_bars(chart, series, values)},
            **points,
            **texts,
        )
        return
    lines = kind == "lines"
    straight = lines and len(series.x) == _ENDS < max(
        len(other.x) for other in chart.series
    )  # what the others are held against
    marker = {"color": "gray", "size": 5, "opacity": 0.35} if kind == "dots" else {"size": 8}
    dash = "dot" if straight else _DASHES[place // len(COLOURS) % len(_DASHES)]
    colour = {"color": LINE_COLOUR} if straight else {}
    line: dict[str, object] = {"width": 1 if straight else 1.5, "dash": dash, **colour}
    figure.add_scatter(
        name=series.name,
        mode=("lines" if straight or len(series.x) > _MOST_MARKED else "lines+markers") if lines else "markers",
        marker=marker,
        line=line if lines else None,
        **{"error_x" if chart.sideways else "error_y": _error_bars(chart, series, values)},
        **points,
        **texts,
    )


def _error_bars(chart: Chart, series: Series, values: list[float]) -> dict[str, object] | None:
    """The intervals of the points that have one; None where no point has."""
    bounds = [
        (scaled(y.low, chart.y), scaled(y.high, chart.y))
        if isinstance(y, Estimate) and y.low is not None and y.high is not None
        else None
        for y in series.y
    ]
    if not any(bounds):
        return None
    return {
        "type": "data",
        "symmetric": False,
        "array": [bound[1] - value if bound else 0.0 for bound, value in zip(bounds, values, strict=True)],
        "arrayminus": [value - bound[0] if bound else 0.0 for bound, value in zip(bounds, values, strict=True)],
        "thickness": 1,
        "width": 2,
    }


def _axis(axis: Axis, *, upright: bool = False) -> dict[str, object]:
    """The settings of an axis; the names of categories that stand below it are broken into lines, never slanted."""
    percent = f"{axis.title}, %" if axis.title and axis.format in PERCENT_FORMATS else axis.title
    layout: dict[str, object] = {"title": percent, "zeroline": False}
    if axis.categories:
        letters = _NAME_LETTERS if upright else _MOST_LETTERS
        names = ["<br>".join(escape(line) for line in wrap(name, letters)) for name in axis.categories]
        layout |= {"tickvals": list(range(len(axis.categories))), "ticktext": names, "tickangle": 0}
    if axis.reverse:
        layout["autorange"] = "reversed"
    if axis.whole:
        layout["dtick"] = 1
    return layout
