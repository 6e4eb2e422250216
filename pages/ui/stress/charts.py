"""Plots of one metric: its shifts under every perturbation with the null band behind them, and original against variant."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go
import streamlit as st

from core.metric import METRICS
from core.stress.matrix import intent_of
from core.stress.noise import band
from core.stress.records import Run
from core.stress.shifts import Shift
from pages.ui.stress.matrix import kind_title, metric_title

COLOURS = {"preserving": "#3b7dd8", "breaking": "#d64541", "gaming": "#b8860b"}
_BAND = "rgba(128, 128, 128, 0.18)"
_ROW = 34  # pixels a box takes
_SPACE = 120


def charts(run: Run, found: Sequence[Shift]) -> None:
    """The two plots of a metric that is chosen."""
    metric = st.selectbox(
        "Metric", run.plan.metrics, format_func=metric_title, key="stress-plotted", persist_state="page", width=420
    )
    of_metric = [shift for shift in found if shift.metric == metric and shift.size is not None]
    if not of_metric:
        st.info("This metric has no score yet.")
        return
    shifts, scores = "Shifts of one metric by perturbation", "Score of the original against the variant"
    st.plotly_chart(boxes(run, metric, of_metric), key="stress-boxes", config=_camera("shifts"), alt=shifts)
    st.plotly_chart(dots(run, metric, of_metric), key="stress-dots", config=_camera("scores"), alt=scores)


def boxes(run: Run, metric: str, found: Sequence[Shift]) -> go.Figure:
    """A box for each perturbation, its mean as a dot; the band of harmless edits of the same size behind each."""
    harmless = [shift for shift in found if intent_of(shift.kind) == "preserving"]
    kinds = [kind for kind in run.plan.kinds if any(shift.kind == kind for shift in found)]
    figure = go.Figure()
    for place, kind in enumerate(reversed(kinds)):
        of_kind = [shift for shift in found if shift.kind == kind]
        sizes = [shift.size for shift in of_kind]
        colour = COLOURS[intent_of(kind)]
        figure.add_box(x=sizes, name=kind_title(kind), boxmean=False, marker_color=colour, boxpoints="outliers")
        mean = sum(size for size in sizes if size is not None) / len(sizes)
        figure.add_scatter(
            x=[mean], y=[kind_title(kind)], mode="markers", marker={"color": colour, "size": 9, "symbol": "circle"}
        )
        _add_band(figure, place, [shift for shift in harmless if shift.kind != kind], of_kind)
    figure.add_vline(0, line_width=1, line_color="gray")
    return figure.update_layout(
        title=f"{metric_title(metric)}: shift of the score (dot: mean; grey: middle 95 % of harmless edits of the same size)",
        title_font_size=14,
        showlegend=False,
        height=_SPACE + _ROW * len(kinds),
        margin={"l": 10, "r": 10, "t": 50, "b": 40},
        xaxis_title="after − before",
    )


def dots(run: Run, metric: str, found: Sequence[Shift]) -> go.Figure:
    """A dot for each variant; on the diagonal nothing moved."""
    figure = go.Figure()
    for intent, colour in COLOURS.items():
        chosen = [shift for shift in found if intent_of(shift.kind) == intent]
        figure.add_scatter(
            x=[shift.before for shift in chosen],
            y=[shift.after for shift in chosen],
            text=[f"{run.sources[shift.source].title or shift.source}, {kind_title(shift.kind)}" for shift in chosen],
            mode="markers",
            name=intent,
            marker={"color": colour, "size": 7, "opacity": 0.7},
        )
    scores = [score for shift in found for score in (shift.before, shift.after) if score is not None]
    ends = [min(scores), max(scores)]
    figure.add_scatter(x=ends, y=ends, mode="lines", line={"color": "gray", "dash": "dot"}, name="no shift")
    better = METRICS.parse(metric).card.direction
    return figure.update_layout(
        title=f"{metric_title(metric)}: original against variant ({better} is more consistent)"
        if better != "neutral"
        else f"{metric_title(metric)}: original against variant",
        title_font_size=14,
        height=420,
        margin={"l": 10, "r": 10, "t": 50, "b": 40},
        xaxis_title="original",
        yaxis_title="variant",
    )


def _camera(name: str) -> dict[str, object]:
    """What the button with the camera saves."""
    return {"toImageButtonOptions": {"format": "png", "filename": f"touchstone-{name}", "scale": 2}}


def _add_band(figure: go.Figure, place: int, harmless: Sequence[Shift], found: Sequence[Shift]) -> None:
    sizes = sorted(shift.words for shift in found)
    noise = band(harmless, sizes[len(sizes) // 2])
    if noise.low is not None and noise.high is not None:
        corners = {"x0": noise.low, "x1": noise.high, "y0": place - 0.5, "y1": place + 0.5}
        figure.add_shape(type="rect", layer="below", line_width=0, fillcolor=_BAND, **corners)
