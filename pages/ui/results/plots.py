"""Pieces that the charts of several pages share."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

import plotly.graph_objects as go

from core.stats import Estimate

COLOURS = (
    "#3b7dd8",
    "#c2570c",
    "#0b8a84",
    "#8b5fc7",
    "#a8860b",
    "#c24f86",
    "#6b7a99",
    "#3f9142",
    "#d64541",
    "#1d9fc0",
)
"""Colours of series in their order, seen in both themes."""

INTENT_COLOURS = {"preserving": "#3b7dd8", "breaking": "#d64541", "gaming": "#b8860b"}
BAND_COLOUR = "rgba(128, 128, 128, 0.18)"
LINE_COLOUR = "#808080"  # of what is neither metric nor intent; seen in both themes

TEMPLATE = go.layout.Template(
    layout={
        "colorway": list(COLOURS),
        "title": {"font": {"size": 14}},
        "margin": {"l": 10, "r": 10, "t": 50, "b": 40},
        "xaxis": {"automargin": True},  # Streamlit does this too, a saved file does not
        "yaxis": {"automargin": True},
    },
)
"""Layout of every chart: the colours of its series, the size of its title, margins with room for it, and more where the names of an axis are long."""


_TITLE_LINE = 50  # characters in the width of a phone


def lay_out(figure: go.Figure, title: str | None, height: int, **layout: object) -> go.Figure:
    """Give a figure the layout of our template; `layout` is what differs, as `margin={"t": 80}`.

    It is written into the figure itself, as Streamlit puts its own title and margins over those of a figure's template.
    A title that a phone would cut has more lines.
    """
    lines = "<br>".join(textwrap.wrap(title, _TITLE_LINE)) if title else title
    return figure.update_layout(TEMPLATE.layout.to_plotly_json()).update_layout(
        title_text=lines, height=height, **layout
    )


def error_bars(estimates: Sequence[Estimate]) -> dict[str, object]:
    """Argument `error_y` for the values of these estimates; bars of no length where there is no interval."""
    return {
        "type": "data",
        "symmetric": False,
        "array": [_bar_length(estimate.value, estimate.high) for estimate in estimates],
        "arrayminus": [_bar_length(estimate.low, estimate.value) for estimate in estimates],
        "thickness": 1,
    }


def _bar_length(low: float | None, high: float | None) -> float:
    return 0.0 if low is None or high is None else high - low
