"""The leaderboard of the gaming tab: how far each metric can be gamed by empty phrases, the most gamed first."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from core.filler import Filler
from core.metric import METRICS
from core.perturbations.phrase import Phrase
from core.stats.estimate import Estimate
from core.stress.gaming import Standing
from core.stress.records import Run
from core.stress.words import share, signed
from pages.ui.error_bars import error_bars
from pages.ui.plain import plain
from pages.ui.stress.charts import COLOURS
from pages.ui.stress.matrix import metric_title

_ROW = 28  # pixels a bar takes
_SPACE = 110


def leaderboard(run: Run, standings: Sequence[Standing]) -> Standing:
    """Draw the table and its chart; the metric that is selected, the most gamed one at first."""
    left, right = st.columns([11, 9], gap="medium")
    with left:
        event = st.dataframe(
            pd.DataFrame(map(_standing, standings)),
            key="gaming-leaderboard",
            on_select="rerun",
            selection_mode="single-row-required",
            hide_index=True,
            height="auto",
            alt="How far each metric is gamed",
            placeholder="–",
        )
        _explained(run, standings)
    with right:
        st.plotly_chart(leaderboard_chart(standings), key="gaming-chart", alt="How far each metric is gamed")
    chosen = event["selection"]["rows"]
    return standings[chosen[0]] if chosen and chosen[0] < len(standings) else standings[0]


def leaderboard_chart(standings: Sequence[Standing]) -> go.Figure:
    """A bar for each metric, the most gamed on top, with its 95 % interval by document."""
    shown = [standing for standing in reversed(standings) if standing.gain.value is not None]
    figure = go.Figure()
    figure.add_bar(
        x=[standing.gain.value for standing in shown],
        y=[metric_title(standing.metric) for standing in shown],
        error_x={**error_bars([standing.gain for standing in shown]), "color": "gray"},
        orientation="h",
        marker_color=COLOURS["gaming"],
    )
    figure.add_vline(0, line_width=1, line_color="gray")
    return figure.update_layout(
        title="Mean gain by an empty phrase",
        title_font_size=14,
        height=_SPACE + _ROW * len(shown),
        margin={"l": 10, "r": 10, "t": 50, "b": 40},
        xaxis_title="gain in spreads (standard deviations)",
    )


def phrase_title(phrase: Filler) -> str:
    """The kind of a phrase, or its words where it is one's own."""
    if isinstance(phrase, Phrase):
        return "Top phrase" if phrase.text == Phrase().text else f"“{phrase.text}”"
    return phrase.card.title


def bare(estimate: Estimate) -> str:
    """The figure alone: its interval is that of the gain beside it in other units."""
    return signed(estimate).partition(" ")[0]


def _standing(standing: Standing) -> dict[str, object]:
    return {
        "metric": metric_title(standing.metric),
        "gain in spreads": signed(standing.gain),
        "raised": share(standing.raised),
        "best phrase": f"{phrase_title(standing.best.phrase)} {bare(standing.best.appended)}",
        "n": standing.gain.n,
    }


def _explained(run: Run, standings: Sequence[Standing]) -> None:
    st.caption(
        "The mean over all phrases before and after a summary. A good metric stays at zero or falls: a phrase that says "
        "nothing makes no summary more consistent. Select a metric to see its phrases."
    )
    cards = {metric: METRICS.parse(metric).card for metric in run.plan.metrics}
    sideless = [metric_title(metric) for metric, card in cards.items() if card.direction == "neutral"]
    if sideless:
        st.caption(plain(f"Not in the table, as neither side of it is better: {', '.join(sideless)}."))
    for standing in standings:
        if standing.gain.value is None:
            st.caption(plain(f"{metric_title(standing.metric)}: {standing.gain.why}"))
