"""Plots of the tables: a heat-map of metrics and slices, ROC curves, and dots with intervals."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from core.meta.cases import Cases
from core.meta.figures import Row, labelled_of
from core.meta.report import percent
from core.meta.slices import Slice
from core.stats.resampling import Resamples
from core.stats.roc import Curve, curve
from pages.ui.evaluate.tables import TITLES

_ROW = 34  # pixels a metric takes
_SPACE = 130
_SMALL = 500  # resamples of the areas beside the curves
_SCALE = ((0.0, "#d9725f"), (0.5, "#f6f3ea"), (1.0, "#45a39b"))
_INK = "#1c2333"  # readable on all of the scale, in the dark theme too
_DASHES = ("solid", "dash", "dot")  # there are ten colours, and often more metrics
_COLOURS = 10


def heat_map(rows: Sequence[Row], name: str) -> go.Figure:
    """Metrics down, slices across, the figure in percent; without metrics that have none."""
    parts = list(dict.fromkeys(row.slice for row in rows))
    metrics = list(dict.fromkeys(row.metric for row in rows if row.figures[name].estimate.value is not None))
    values = {(row.metric, row.slice): row.figures[name].estimate.value for row in rows}
    cells = [[_percent(values[metric, part]) for part in parts] for metric in metrics]
    figure = go.Figure(
        go.Heatmap(
            z=cells,
            x=parts,
            y=metrics,
            texttemplate="%{z:.1f}",
            textfont_color=_INK,
            colorscale=_SCALE,
            zmin=0,
            zmax=100,
            colorbar_title="%",
        )
    )
    figure.update_yaxes(autorange="reversed")
    return _laid_out(figure, f"{TITLES[name]} in percent", len(metrics))


def curves(cases: Cases, part: Slice) -> list[tuple[str, Curve]]:
    """The ROC curve of each metric on a slice, the largest area first; without those that are undefined."""
    drawn = Resamples.draw(max(1, cases.clusters), _SMALL)
    found = [(column.name, curve(labelled_of(cases, part, column), drawn)) for column in cases.columns]
    defined = [(name, one) for name, one in found if one.area.value is not None]
    return sorted(defined, key=lambda one: -(one[1].area.value or 0.0))


def roc(found: Sequence[tuple[str, Curve]], part: str) -> go.Figure:
    """All curves with the diagonal of chance."""
    figure = go.Figure()
    for place, (name, one) in enumerate(found):
        dash = _DASHES[place // _COLOURS % len(_DASHES)]
        label = f"{name}: {percent(one.area)}"
        figure.add_scatter(x=one.false_alarms, y=one.hits, mode="lines", name=label, line_dash=dash)
    figure.add_scatter(
        x=[0, 1], y=[0, 1], mode="lines", line={"color": "gray", "dash": "dot"}, name="chance", showlegend=False
    )
    figure.update_layout(xaxis_title="inconsistent summaries accepted", yaxis_title="consistent summaries accepted")
    figure.update_xaxes(range=[0, 1], constrain="domain")
    figure.update_yaxes(range=[0, 1], scaleanchor="x", constrain="domain")
    return _laid_out(figure, f"ROC curves, {part} (area in percent)", 12)


def dots(rows: Sequence[Row], name: str, part: str) -> go.Figure:
    """Each metric's figure with its interval on one slice, the best on top."""
    found = [row for row in rows if row.slice == part and row.figures[name].estimate.value is not None]
    found.sort(key=lambda row: row.figures[name].estimate.value or 0.0)
    estimates = [row.figures[name].estimate for row in found]
    values = [_percent(estimate.value) for estimate in estimates]
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
                    _percent(e.high) - v if e.high is not None else 0 for e, v in zip(estimates, values, strict=True)
                ],
                "arrayminus": [
                    v - _percent(e.low) if e.low is not None else 0 for e, v in zip(estimates, values, strict=True)
                ],
            },
        )
    )
    return _laid_out(figure, f"{TITLES[name]} in percent with 95 % intervals, {part}", len(found))


def _laid_out(figure: go.Figure, title: str, lines: int) -> go.Figure:
    return figure.update_layout(
        title=title, title_font_size=14, height=_SPACE + _ROW * lines, margin={"l": 10, "r": 10, "t": 50, "b": 40}
    )


def _percent(value: float | None) -> float:
    return float("nan") if value is None else 100 * value
