"""The matrix metric × perturbation, the plots of one metric, and error bars as plotly draws them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import fsum

import plotly.graph_objects as go
import streamlit as st

from core.edits import PERTURBATIONS, Intent, kind_title
from core.results import MatrixCell, Shift, StressRun, format_edge, intent_of, mark_place, metric_verdicts, null_band
from core.scoring import METRICS, metric_title
from core.stats import format_share, format_signed
from core.types import Direction
from pages.ui.results.noise_strip import EDGE_HELP
from pages.ui.results.plots import INTENT_COLOURS
from pages.ui.results.run_choice import stress_state
from pages.ui.shared.markup import register_component
from pages.ui.shared.session_state import component_message
from pages.ui.shared.terms import component_term

_AGAINST_NOISE = "Against noise"
_MATRIX_FIGURES: dict[str, tuple[Callable[[MatrixCell], str], str]] = {
    "Mean shift": (
        lambda cell: format_signed(cell.shift).partition(" ")[0],
        "Score after minus score before, in the metric's own units.",
    ),
    "With interval": (
        lambda cell: format_signed(cell.shift),
        "The mean shift with its 95 % interval by document; none where there are too few documents.",
    ),
    "Mean size": (
        lambda cell: "–" if cell.size.value is None else f"{cell.size.value:.3f}",
        "The mean of the shifts without their signs: how much the score moves at all.",
    ),
    "Wrong way": (lambda cell: format_share(cell.wrong), "Share of pairs that moved the wrong way."),
    "Did not move": (lambda cell: format_share(cell.still), "Share of pairs whose score stayed exactly the same."),
    _AGAINST_NOISE: (lambda cell: format_edge(cell.edge), EDGE_HELP),
}
_INTENT_HEADINGS: dict[Intent, str] = {
    "preserving": "Meaning kept: should stay",
    "breaking": "Meaning broken: should turn inconsistent",
    "gaming": "Gaming: should not turn consistent",
}
_INTENT_TERMS: dict[Intent, str] = {"preserving": "Harmless edit", "breaking": "Perturbation", "gaming": "Gaming"}
_DIRECTION_SIGNS: dict[Direction, str] = {"higher": "", "lower": " ↓", "neutral": " ○"}
_matrix_component = register_component("matrix")
_MATRIX_KEY = "stress-matrix"


def matrix_table(cells: Sequence[MatrixCell]) -> MatrixCell | None:
    """Draw the matrix; the cell that is selected, if one is."""
    figure = st.segmented_control(
        "Figure",
        list(_MATRIX_FIGURES),
        default="Mean shift",
        key="stress-figure",
        required=True,
        label_visibility="collapsed",
    )
    # also before another view was open; it may be left out by now
    selected = stress_state().cell or {name: st.query_params.get(name, "") for name in _CELL_PARAMETERS}
    clicked = next((cell for cell in cells if selected == {"metric": cell.metric, "kind": cell.kind}), None)
    selected = {"metric": clicked.metric, "kind": clicked.kind} if clicked else None
    for name in _CELL_PARAMETERS:
        st.query_params[name] = [selected[name]] if selected else []

    def remember_cell() -> None:
        stress_state().cell = component_message(_MATRIX_KEY).get("selected")
        for name in _CELL_PARAMETERS:  # one that was let go is not selected again by the address
            st.query_params[name] = []

    _matrix_component(
        key=_MATRIX_KEY, data={**matrix_data(cells, figure), "selected": selected}, on_selected_change=remember_cell
    )
    st.caption(
        f"{_MATRIX_FIGURES[figure][1]} Coloured by the mean shift against harmless edits of about the same size. ↓ lower is more "
        "consistent, ○ neither side is. Select a cell to see its pairs, a heading to sort by it."
    )
    return clicked


_CELL_PARAMETERS = ("metric", "kind")
"""The parameters of the address that name the selected cell."""


def matrix_data(cells: Sequence[MatrixCell], figure: str) -> dict[str, object]:
    """The matrix as the browser draws it: a block for each intent, a row for each metric, None where it has no cell."""
    blocks = {
        intent: dict.fromkeys(cell.kind for cell in cells if cell.intent == intent) for intent in _INTENT_HEADINGS
    }
    kinds = [kind for of_intent in blocks.values() for kind in of_intent]
    by_place = {(cell.metric, cell.kind): cell for cell in cells}
    verdicts = metric_verdicts(cells)
    return {
        "blocks": [
            {
                "title": _INTENT_HEADINGS[intent],
                "term": component_term(_INTENT_TERMS[intent]),
                "kinds": [
                    {"spec": kind, "title": kind_title(kind), "does": PERTURBATIONS.parse(kind).card.does}
                    for kind in of_intent
                ],
            }
            for intent, of_intent in blocks.items()
            if of_intent
        ],
        "rows": [
            {
                "metric": metric,
                "title": f"{metric_title(metric)}{_DIRECTION_SIGNS[METRICS.parse(metric).card.direction]}",
                "verdict": verdict,
                "cells": [_cell_data(by_place.get((metric, kind)), figure) for kind in kinds],
            }
            for metric, verdict in verdicts.items()
        ],
    }


def _cell_data(cell: MatrixCell | None, figure: str) -> dict[str, object] | None:
    if cell is None:
        return None
    return {
        "kind": cell.kind,
        "intent": cell.intent,
        "title": kind_title(cell.kind),
        "text": _MATRIX_FIGURES[figure][0](cell),
        "value": cell.shift.value,
        "n": cell.shift.n,
        "few": cell.few,
        "move": cell.move.value,
        "about": describe_cell(cell),
        "place": mark_place(cell.edge, cell.shift.value)
        if figure == _AGAINST_NOISE and cell.shift.value is not None
        else None,
    }


def describe_cell(cell: MatrixCell) -> str:
    """A cell in a line, with its intervals and what it rests on."""
    noise = "" if cell.edge is None else f" ({format_edge(cell.edge)} of the way to the edge of the noise)"
    failed = f", {cell.failed} failed" if cell.failed else ""
    return (
        f"Mean shift {format_signed(cell.shift)}, {cell.move}{noise}; {format_share(cell.wrong)} moved the wrong way, {format_share(cell.still)} did "
        f"not move; n = {cell.shift.n}{failed}."
    )


_BAND_COLOUR = "rgba(128, 128, 128, 0.18)"
_BOX_PX = 34  # pixels a box takes
_FRAME_PX = 120


def metric_plots(run: StressRun, shifts: Sequence[Shift]) -> None:
    """The two plots of a metric that is chosen."""
    metric = st.selectbox(
        "Metric", run.plan.metrics, format_func=metric_title, key="stress-plotted", persist_state="page", width=420
    )
    of_metric = [shift for shift in shifts if shift.metric == metric and shift.size is not None]
    if not of_metric:
        st.info("This metric has no score yet.")
        return
    boxes_alt, dots_alt = "Shifts of one metric by perturbation", "Score of the original against the variant"
    st.plotly_chart(
        shift_boxes(run, metric, of_metric), key="stress-boxes", config=_png_config("shifts"), alt=boxes_alt
    )
    st.plotly_chart(score_dots(run, metric, of_metric), key="stress-dots", config=_png_config("scores"), alt=dots_alt)


def shift_boxes(run: StressRun, metric: str, shifts: Sequence[Shift]) -> go.Figure:
    """A box for each perturbation, its mean as a dot; the band of harmless edits of the same size behind each."""
    harmless = [shift for shift in shifts if intent_of(shift.kind) == "preserving"]
    kinds = [kind for kind in run.plan.kinds if any(shift.kind == kind for shift in shifts)]
    figure = go.Figure()
    for place, kind in enumerate(reversed(kinds)):
        of_kind = [shift for shift in shifts if shift.kind == kind]
        sizes = [shift.size for shift in of_kind]
        colour = INTENT_COLOURS[intent_of(kind)]
        figure.add_box(x=sizes, name=kind_title(kind), boxmean=False, marker_color=colour, boxpoints="outliers")
        mean = fsum(size for size in sizes if size is not None) / len(sizes)
        figure.add_scatter(
            x=[mean], y=[kind_title(kind)], mode="markers", marker={"color": colour, "size": 9, "symbol": "circle"}
        )
        others = [shift for shift in harmless if shift.kind != kind]
        noise = null_band(others, sorted(shift.words for shift in of_kind)[len(of_kind) // 2])
        if noise.low is not None and noise.high is not None:
            corners = {"x0": noise.low, "x1": noise.high, "y0": place - 0.5, "y1": place + 0.5}
            figure.add_shape(type="rect", layer="below", line_width=0, fillcolor=_BAND_COLOUR, **corners)
    figure.add_vline(0, line_width=1, line_color="gray")
    return figure.update_layout(
        title=f"{metric_title(metric)}: shift of the score (dot: mean; grey: harmless edits of the same size)",
        title_font_size=14,
        showlegend=False,
        height=_FRAME_PX + _BOX_PX * len(kinds),
        margin={"l": 10, "r": 10, "t": 50, "b": 40},
        xaxis_title="after − before",
    )


def score_dots(run: StressRun, metric: str, shifts: Sequence[Shift]) -> go.Figure:
    """A dot for each variant; on the diagonal nothing moved."""
    figure = go.Figure()
    for intent, colour in INTENT_COLOURS.items():
        of_intent = [shift for shift in shifts if intent_of(shift.kind) == intent]
        figure.add_scatter(
            x=[shift.before for shift in of_intent],
            y=[shift.after for shift in of_intent],
            text=[
                f"{run.sources[shift.source].title or shift.source}, {kind_title(shift.kind)}" for shift in of_intent
            ],
            mode="markers",
            name=intent,
            marker={"color": colour, "size": 7, "opacity": 0.7},
        )
    scores = [score for shift in shifts for score in (shift.before, shift.after) if score is not None]
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


def _png_config(name: str) -> dict[str, object]:
    """Settings of the image that the button with the camera saves."""
    return {"toImageButtonOptions": {"format": "png", "filename": f"touchstone-{name}", "scale": 2}}
