"""The rank of every metric in every slice with its interval, as over datasets in BUMP's figure 3."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from core.cases.measures import FIGURE_TITLES, draw_resamples
from core.studies.ranks import RANKED_MEASURES, MetricRank, format_rank, metric_ranks
from pages.ui.evaluate.dataset_choice import EvaluationChoice
from pages.ui.evaluate.tables_and_plots import available_figures, figure_choice
from pages.ui.shared.background_results import background_result
from pages.ui.shared.downloads import json_download
from pages.ui.shared.plots import error_bars

_SPREAD = 0.6  # of the way from one slice to the next: the metrics stand side by side
_METRIC_PX = 26
_FRAME_PX = 170
_DASHES = ("solid", "dash", "dot")  # there are ten colours, and often more metrics
_COLOUR_COUNT = 10


def ranks_tab(chosen: EvaluationChoice) -> None:
    """The chart, the same ranks as a table, and what `cli.py ranks --json` prints."""
    name = figure_choice("evaluate-ranked", available_figures(chosen.cases, RANKED_MEASURES))
    found = background_result(
        "Ranking the metrics…",
        ("ranks", chosen.key, name),
        lambda: list(metric_ranks(chosen.cases, chosen.parts, draw_resamples(chosen.cases, chosen.resamples), name)),
    )
    if found is None:
        return
    if not found:
        st.info("No metric has this figure with an interval in any slice: it takes cases of several documents.")
        return
    st.plotly_chart(rank_chart(found, name), key="evaluate-ranks", alt="Ranks of the metrics in every slice")
    st.dataframe(_rank_table(found), height="auto", alt="The same ranks as a table", placeholder="–")
    st.caption(
        f"Rank by {FIGURE_TITLES[name]}, 1 is the best, with the 95 % interval of {chosen.resamples:,} resamples of whole "
        "documents; equal metrics share the mean of their ranks. Choose slices by dataset, and several datasets, for BUMP's figure."
    )
    json_download("ranks.json", lambda: [asdict(one) for one in found])


def rank_chart(found: Sequence[MetricRank], name: str) -> go.Figure:
    """A column for each slice, the best on top; the intervals of its metrics stand side by side."""
    parts, metrics = (
        list(dict.fromkeys(names)) for names in zip(*((one.slice, one.metric) for one in found), strict=True)
    )
    figure = go.Figure()
    for place, metric in enumerate(metrics):
        of_metric = [one for one in found if one.metric == metric]
        aside = _SPREAD * ((place + 0.5) / len(metrics) - 0.5)
        figure.add_scatter(
            x=[parts.index(one.slice) + aside for one in of_metric],
            y=[one.rank.value for one in of_metric],
            error_y=error_bars([one.rank for one in of_metric]) | {"width": 2},
            text=[f"{metric}, {one.slice}: {format_rank(one.rank)} of {one.among}" for one in of_metric],
            hoverinfo="text",
            mode="lines+markers",
            name=metric,
            line={"width": 1, "dash": _DASHES[place // _COLOUR_COUNT % len(_DASHES)]},
            marker_size=8,
        )
    figure.update_xaxes(tickvals=list(range(len(parts))), ticktext=parts, zeroline=False)
    figure.update_yaxes(autorange="reversed", title="rank", dtick=1, zeroline=False)
    return figure.update_layout(
        title=f"Rank by {FIGURE_TITLES[name]} with 95 % intervals",
        title_font_size=14,
        height=_FRAME_PX + _METRIC_PX * len(metrics),
        margin={"l": 10, "r": 10, "t": 50, "b": 40},
    )


def _rank_table(found: Sequence[MetricRank]) -> pd.DataFrame:
    parts, metrics = (
        list(dict.fromkeys(names)) for names in zip(*((one.slice, one.metric) for one in found), strict=True)
    )
    cells = {(one.metric, one.slice): format_rank(one.rank) for one in found}
    return pd.DataFrame([[cells.get((metric, part)) for part in parts] for metric in metrics], metrics, parts)
