"""The first picture of a run: which metrics ignore what is harmless and notice what is broken."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go
import streamlit as st

from core.runs.matrix import MatrixCell, MetricBalance, metric_balances
from pages.ui.shared.markup import escape_markdown
from pages.ui.stress.matrix_and_plots import metric_title

_HEIGHT_PX = 270
_COLOUR = "#4d7be8"  # on white and on the dark ground at least 3:1
_GOOD_GROUND = "rgba(77, 123, 232, 0.10)"


def balance_plot(cells: Sequence[MatrixCell]) -> None:
    """Draw every metric as a point, or say what is missing."""
    found = metric_balances(cells)
    if not found:
        st.caption(
            "Robustness and sensitivity need harmless and breaking perturbations, and noise from 5 harmless edits."
        )
        return
    st.markdown(f"**Robustness and sensitivity** — {escape_markdown(balance_sentence(found[0]))}")
    st.plotly_chart(
        balance_figure(found),
        key="stress-balance",
        config={"displayModeBar": False},
        alt=" ".join(balance_sentence(one) for one in found),
    )
    st.caption(
        "Up: harmless kinds that leave the metric within its noise. Right: breaking kinds that it notices. The best stand top right; "
        "one that never moves stands top left. The matrix below has every kind in figures."
    )


def balance_sentence(one: MetricBalance) -> str:
    """Both shares of a metric in words."""
    return (
        f"{metric_title(one.metric)} stays within noise under {one.quiet} of {one.harmless} harmless kinds and notices {one.noticed} of "
        f"{one.breaking} breaking kinds."
    )


def balance_figure(found: Sequence[MetricBalance]) -> go.Figure:
    """Sensitivity to the right, robustness up, in percent; metrics at the same place share a point and its label."""
    places: dict[tuple[float, float], list[str]] = {}
    for one in found:
        places.setdefault((one.sensitivity, one.robustness), []).append(metric_title(one.metric))
    figure = go.Figure()
    figure.add_shape(type="rect", x0=50, x1=105, y0=50, y1=105, layer="below", line_width=0, fillcolor=_GOOD_GROUND)
    figure.add_scatter(
        x=[100 * sensitivity for sensitivity, _ in places],
        y=[100 * robustness for _, robustness in places],
        text=["<br>".join(titles) for titles in places.values()],
        textposition=["middle left" if sensitivity > 0.5 else "middle right" for sensitivity, _ in places],
        mode="markers+text",
        marker={"size": 11, "color": _COLOUR},
        hovertemplate="%{text}<br>notices %{x:.0f} %, robust to %{y:.0f} %<extra></extra>",
    )
    figure.update_xaxes(title="sensitivity: breaking kinds noticed (%)", range=[-5, 105], zeroline=False, dtick=25)
    figure.update_yaxes(title="harmless within noise (%)", range=[-5, 108], zeroline=False, dtick=25)
    return figure.update_layout(height=_HEIGHT_PX, showlegend=False, margin={"l": 10, "r": 10, "t": 10, "b": 10})
