"""Corrections and harmless edits side by side, for Stress test and Evaluate: a panel for each metric, and the table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

import pandas as pd
import plotly.graph_objects as go
import streamlit as st
from plotly.subplots import make_subplots

from core.cases.measures import OVERALL_SLICE
from core.studies.sensitivity import Sensitivity, sensitivity_cells
from pages.ui.shared.downloads import json_download
from pages.ui.shared.plots import INTENT_COLOURS, error_bars, lay_out

_ACROSS = 3  # panels
_PANEL_PX = 190
_GAP_PX = 75  # between panels, for slanted names of domains
_FRAME_PX = 130


def sensitivity_view(found: Sequence[Sensitivity]) -> None:
    """The chart, the leaderboard by the quotient with its domains, and the same as JSON."""
    st.plotly_chart(
        sensitivity_chart(found), key="sensitivity-chart", alt="Gain by a correction and shift by a harmless edit"
    )
    parts = list(dict.fromkeys(one.slice for one in found))
    shown = st.pills(
        "Domains in the table", parts, selection_mode="multi", default=parts[:1], key="sensitivity-domains"
    )
    of_parts = [one for one in found if one.slice in (shown or parts)]
    rows = [{"metric": one.metric, **sensitivity_cells(one)} for one in of_parts]
    st.dataframe(pd.DataFrame(rows), hide_index=True, height="auto", alt="Sensitivity of every metric", placeholder="–")
    st.caption(
        "Correction: mean gain towards consistency from the inconsistent to the faithful side. Harmless edit: mean size of the "
        "shift when the meaning is kept. Both in units of the metric, with 95 % intervals by document. A metric that measures "
        "consistency has a quotient far above 1; below 0 corrections lower it."
    )
    json_download("sensitivity.json", lambda: [asdict(one) | {"remark": one.remark} for one in found])


def sensitivity_chart(found: Sequence[Sensitivity]) -> go.Figure:
    """A panel for each metric with its own scale: two bars for all edits and for each domain, with their intervals."""
    metrics = list(dict.fromkeys(one.metric for one in found if one.ratio.value is not None))
    rows = max(1, -(-len(metrics) // _ACROSS))
    figure = make_subplots(rows, _ACROSS, subplot_titles=metrics, vertical_spacing=_GAP_PX / (_PANEL_PX * rows))
    for place, metric in enumerate(metrics):
        of_metric = [one for one in found if one.metric == metric]
        names = ["all" if one.slice == OVERALL_SLICE else one.slice for one in of_metric]
        for title, colour, estimates in (
            ("correction", INTENT_COLOURS["breaking"], [one.correction for one in of_metric]),
            ("harmless edit", INTENT_COLOURS["preserving"], [one.benign for one in of_metric]),
        ):
            figure.add_bar(
                x=names,
                y=[one.value for one in estimates],
                error_y=error_bars(estimates),
                name=title,
                legendgroup=title,
                showlegend=place == 0,
                marker_color=colour,
                row=place // _ACROSS + 1,
                col=place % _ACROSS + 1,
            )
    figure.update_annotations(font_size=12)
    figure.update_xaxes(tickfont_size=9)
    return lay_out(
        figure,
        "Mean gain by a correction and mean shift by a harmless edit, in units of each metric",
        _FRAME_PX + _PANEL_PX * rows,
        margin={"t": 80},
        legend={"orientation": "h", "yref": "container", "yanchor": "top", "y": 1, "xanchor": "right", "x": 1},
    )
