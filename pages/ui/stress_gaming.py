"""The gaming tab: how far each metric can be gamed, by which phrase, and the way to play more of them."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from core.filler import Filler
from core.metric import METRICS
from core.perturbations.phrase import Phrase
from core.stats.estimate import Estimate
from core.stress.gaming import Play, Standing, gaming
from core.stress.records import Run
from core.stress.shifts import Shift
from core.stress.words import share, signed, unsigned
from pages.ui.error_bars import error_bars
from pages.ui.plain import plain
from pages.ui.stress_charts import COLOURS
from pages.ui.stress_discovery import discovery
from pages.ui.stress_matrix import metric_title
from pages.ui.stress_playing import playing

_ROW = 28  # pixels a bar takes
_SPACE = 110
_COLUMNS: dict[str, tuple[int, str]] = {
    "phrase": (150, "Where it comes from, or the phrase itself where it is yours."),
    "says": (250, "The phrase."),
    "words": (60, "How many words the phrase takes."),
    "alone": (
        155,
        "Mean score of the phrase as the whole summary, in the metric's own units, with its 95 % interval by document.",
    ),
    "beats": (60, "Share of the summaries that the bare phrase outscores."),
    "after": (
        165,
        "Mean gain of the score when the phrase is appended, with its 95 % interval. Positive: towards consistency.",
    ),
    "before": (165, "Mean gain when the phrase is put first."),
    "per word": (75, "Mean gain of the appended phrase by the words that it takes."),
    "in spreads": (80, "Gain of the appended phrase in standard deviations of the metric over the originals."),
    "raised": (65, "Share of the summaries that score higher with the phrase after them."),
    "n": (45, "Summaries that the phrase was appended to."),
}
"""Width in pixels, and what a column says."""


def gaming_tab(run: Run, found: Sequence[Shift]) -> None:
    """The leaderboard, the phrases against the metric that is chosen there, and what else can be tried on this run."""
    standings = gaming(run, found)
    if not standings:
        st.info("No empty phrase was played on these summaries yet.")
        playing(run)
        discovery(run, run.plan.metrics[0])
        return
    chosen = _leaderboard(run, standings)
    st.subheader(plain(f"Every phrase against {metric_title(chosen.metric)}"))
    _plays(chosen.plays)
    playing(run)
    discovery(run, chosen.metric)


def leaderboard_chart(standings: Sequence[Standing]) -> go.Figure:
    """A bar for each metric, the most gamed on top, with its 95 % interval by document."""
    shown = [standing for standing in reversed(standings) if standing.gain.value is not None]
    figure = go.Figure()
    figure.add_bar(
        x=[standing.gain.value for standing in shown],
        y=[metric_title(standing.metric) for standing in shown],
        error_x=error_bars([standing.gain for standing in shown]),
        orientation="h",
        marker_color=COLOURS["gaming"],
    )
    figure.add_vline(0, line_width=1, line_color="gray")
    return figure.update_layout(
        title="Mean gain by an empty phrase, in standard deviations of the metric over the originals",
        title_font_size=14,
        height=_SPACE + _ROW * len(shown),
        margin={"l": 10, "r": 10, "t": 50, "b": 40},
        xaxis_title="gain towards consistency",
    )


def _leaderboard(run: Run, standings: Sequence[Standing]) -> Standing:
    left, right = st.columns(2, gap="medium")
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
        _unranked(run)
    with right:
        st.plotly_chart(leaderboard_chart(standings), key="gaming-chart", alt="How far each metric is gamed")
    chosen = event["selection"]["rows"]
    return standings[chosen[0]] if chosen and chosen[0] < len(standings) else standings[0]


def _standing(standing: Standing) -> dict[str, object]:
    return {
        "metric": metric_title(standing.metric),
        "gain in spreads": signed(standing.gain),
        "raised": share(standing.raised),
        "best phrase": _title(standing.best.phrase),
        "n": standing.gain.n,
    }


def _unranked(run: Run) -> None:
    cards = {metric: METRICS.parse(metric).card for metric in run.plan.metrics}
    sideless = [metric_title(metric) for metric, card in cards.items() if card.direction == "neutral"]
    left_out = f" {', '.join(sideless)} cannot be gamed: neither side is better." if sideless else ""
    st.caption(
        plain(
            "The mean over all phrases before and after a summary. A good metric stays at zero or falls: a phrase that says "
            f"nothing makes no summary more consistent. Select a metric to see its phrases.{left_out}"
        )
    )


def _plays(plays: Sequence[Play]) -> None:
    st.dataframe(
        pd.DataFrame(map(_play, plays)),
        hide_index=True,
        height="auto",
        alt="Every phrase against one metric",
        placeholder="–",
        column_config={
            name: st.column_config.Column(width=width, help=says) for name, (width, says) in _COLUMNS.items()
        },
    )


def _play(play: Play) -> dict[str, object]:
    return {
        "phrase": _title(play.phrase),
        "says": play.phrase.text,
        "words": play.words,
        "alone": unsigned(play.alone),
        "beats": share(play.outright),
        "after": signed(play.appended),
        "before": signed(play.prefixed),
        "per word": _value(play.per_word),
        "in spreads": _value(play.spreads),
        "raised": share(play.raised),
        "n": play.appended.n,
    }


def _title(phrase: Filler) -> str:
    if isinstance(phrase, Phrase):
        return "Top phrase" if phrase.text == Phrase().text else f"“{phrase.text}”"
    return phrase.card.title


def _value(estimate: Estimate) -> str:
    """The figure alone: its interval is that of the gain beside it in other units."""
    return signed(estimate).partition(" ")[0]
