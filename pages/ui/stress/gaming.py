"""The gaming tab: how far each metric can be gamed, by which phrase, and the way to play more of them."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from annotations.records import RunRow
from core.stress.gaming import Play, gaming
from core.stress.records import Run
from core.stress.shifts import Shift
from core.stress.words import share, signed, unsigned
from pages.ui.plain import plain
from pages.ui.stress.discovery import discovery
from pages.ui.stress.leaderboard import bare, leaderboard, phrase_title
from pages.ui.stress.matrix import metric_title
from pages.ui.stress.playing import playing

_COLUMNS: dict[str, tuple[int, str]] = {
    "phrase": (150, "Where it comes from, or the phrase itself where it is yours."),
    "says": (215, "The phrase."),
    "words": (60, "How many words the phrase takes."),
    "alone": (
        150,
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


def gaming_tab(row: RunRow, run: Run, found: Sequence[Shift]) -> None:
    """The leaderboard, the phrases against the metric that is chosen there, and what else can be tried on this run."""
    standings = gaming(run, found)
    if not standings:
        st.info("No empty phrase was played on these summaries yet.")
        playing(run)
        discovery(row, run, run.plan.metrics[0])
        return
    chosen = leaderboard(run, standings)
    st.subheader(plain(f"Every phrase against {metric_title(chosen.metric)}"))
    _plays(chosen.plays)
    if any(play.alone.value is None or play.prefixed.value is None for play in chosen.plays):
        st.caption(
            "–: not played there yet. Play every phrase in every place to know what it scores alone and put first."
        )
    playing(run)
    discovery(row, run, chosen.metric)


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
        "phrase": phrase_title(play.phrase),
        "says": play.phrase.text,
        "words": play.words,
        "alone": unsigned(play.alone),
        "beats": share(play.outright),
        "after": signed(play.appended),
        "before": signed(play.prefixed),
        "per word": bare(play.per_word),
        "in spreads": bare(play.spreads),
        "raised": share(play.raised),
        "n": play.appended.n,
    }
