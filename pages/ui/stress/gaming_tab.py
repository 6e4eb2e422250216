"""The gaming tab: how far each metric can be gamed, by which phrase, and the way to try more phrases."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from annotations.store.records import RunRow
from core.errors import TouchstoneError, UnscorableError
from core.metric import METRICS
from core.perturbations.fillers import Filler, Phrase
from core.runs.run import Run
from core.runs.shifts import Shift
from core.stats.statistic import Estimate
from core.stats.text_tables import format_share, format_signed, format_unsigned
from core.studies.discovery import Bigram, BigramDiscovery, discover_in_run, discover_over_metrics
from core.studies.gaming import MetricGaming, PhraseEffect, extended_run, in_every_place, known_phrases, metric_gaming
from pages.ui.shared.markup import escape_markdown
from pages.ui.shared.plots import INTENT_COLOURS, error_bars
from pages.ui.shared.run_choice import begin_run, listed_runs, open_run, show_problem, stress_state
from pages.ui.stress.matrix_and_plots import metric_title

_MAX_PHRASE_CHARACTERS = 200  # characters of a phrase


def phrase_form(run: Run) -> None:
    """A field for a phrase of one's own, and the button that plays every phrase in every place."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        text = st.text_input(
            "A phrase of your own",
            key="gaming-own",
            persist_state="page",
            max_chars=_MAX_PHRASE_CHARACTERS,
            placeholder="It is widely agreed that",
            width=420,
        )
        try_phrase_button(run, text.strip(), "Try it")
        phrases = _phrases_not_in_run(run, in_every_place(known_phrases(run.plan.metrics)))
        scores = len(phrases) * len(run.sources) * len(run.plan.metrics)
        if phrases:
            st.button(
                f"Try every phrase in every position ({scores} more scores)",
                icon=":material/playlist_add:",
                key="gaming-all",
                on_click=_begin_longer_run,
                args=(run, f"{run.plan.name} + every phrase", phrases),
            )
    st.caption(
        "A phrase is put after each summary, before it, and in its place. It becomes a run of its own, which takes over what "
        "this one has found."
    )
    show_problem(stress_state().gaming_problem)
    stress_state().gaming_problem = ""


def try_phrase_button(run: Run, text: str, label: str) -> None:
    """A button that tries a phrase; it cannot be pressed where the run has it already."""
    phrases = _phrases_not_in_run(run, in_every_place([Phrase(phrase=text)]))
    # no callback: it would be called with the phrase of the run before, when somebody types and presses quickly
    pressed = st.button(
        escape_markdown(label),
        icon=":material/play_arrow:",
        key=f"gaming-try-{label}",
        disabled=not (text and phrases),
        help="This run has it already." if text and not phrases else None,
    )
    if pressed:
        _begin_longer_run(run, f"{run.plan.name} + “{text}”", phrases)
        st.rerun()


def _phrases_not_in_run(run: Run, phrases: Sequence[Filler]) -> list[Filler]:
    return [phrase for phrase in phrases if phrase.spec not in run.plan.kinds]


def _begin_longer_run(run: Run, name: str, phrases: Sequence[Filler]) -> None:
    before = [id for id, row in listed_runs().items() if row.name == name]
    if before:
        open_run(before[0])
        return
    try:
        open_run(begin_run(extended_run(run, name, phrases)))
    except TouchstoneError as error:
        stress_state().gaming_problem = str(error)


_MAX_BIGRAMS = 8
_COLUMN_WIDTHS = (2, 1, 1, 4)  # of the columns: phrase, two counts, button


_ALL_METRICS = "all metrics together"


def discovered_phrases(row: RunRow, run: Run, metric: str) -> None:
    """The bigrams that mark the best-scored fifth of the original summaries of a run, by one metric or by all."""
    st.subheader(escape_markdown(f"Phrases that {metric_title(metric)} may like"))
    if len(run.plan.metrics) > 1 and st.toggle(f"By {_ALL_METRICS}", key="gaming-all-metrics"):
        metric = _ALL_METRICS
    try:
        found = _cached_discovery(row.id, row.lines, metric, run)
    except UnscorableError as error:
        st.info(escape_markdown(str(error)))
        return
    st.caption(
        f"Two words in a row that mark the {found.best} best-scored of {found.scored} summaries, by TF-IDF against the others. "
        "In few summaries these are their topics: a dataset of hundreds shows habits of wording."
    )
    if not found.bigrams:
        st.info("No two of the best-scored summaries share two words in a row that the others have less of.")
        return
    for column, head in zip(
        st.columns(_COLUMN_WIDTHS), ("Phrase", "In the best fifth", "In the others", ""), strict=True
    ):
        column.caption(head)
    for bigram in found.bigrams:
        _bigram_row(run, found, bigram)


@st.cache_resource(max_entries=32, show_spinner="Looking for phrases…")
def _cached_discovery(id: str, lines: int, metric: str, _run: Run) -> BigramDiscovery:  # noqa: ARG001  # what tells runs apart is the key
    if metric == _ALL_METRICS:
        return discover_over_metrics(_run, _MAX_BIGRAMS)
    return discover_in_run(_run, metric, _MAX_BIGRAMS)


def _bigram_row(run: Run, found: BigramDiscovery, bigram: Bigram) -> None:
    phrase, best, others, button = st.columns(_COLUMN_WIDTHS, vertical_alignment="center")
    phrase.text(bigram.text)
    best.text(f"{bigram.best} of {found.best}")
    others.text(f"{bigram.others} of {found.scored - found.best}")
    with button:
        try_phrase_button(run, bigram.text, f"Try “{bigram.text}”")


_BAR_PX = 28  # pixels a bar takes
_FRAME_PX = 110


def gaming_leaderboard(run: Run, rows: Sequence[MetricGaming]) -> MetricGaming:
    """Draw the table and its chart; the metric that is selected, the most gamed one at first."""
    left, right = st.columns([11, 9], gap="medium")
    with left:
        event = st.dataframe(
            pd.DataFrame(map(_leaderboard_row, rows)),
            key="gaming-leaderboard",
            on_select="rerun",
            selection_mode="single-row-required",
            hide_index=True,
            height="auto",
            alt="How far each metric is gamed",
            placeholder="–",
        )
        _leaderboard_caption(run, rows)
    with right:
        st.plotly_chart(leaderboard_chart(rows), key="gaming-chart", alt="How far each metric is gamed")
    chosen = event["selection"]["rows"]
    return rows[chosen[0]] if chosen and chosen[0] < len(rows) else rows[0]


def leaderboard_chart(rows: Sequence[MetricGaming]) -> go.Figure:
    """A bar for each metric, the most gamed on top, with its 95 % interval by document."""
    shown = [gaming for gaming in reversed(rows) if gaming.gain.value is not None]
    figure = go.Figure()
    figure.add_bar(
        x=[gaming.gain.value for gaming in shown],
        y=[metric_title(gaming.metric) for gaming in shown],
        error_x={**error_bars([gaming.gain for gaming in shown]), "color": "gray"},
        orientation="h",
        marker_color=INTENT_COLOURS["gaming"],
    )
    figure.add_vline(0, line_width=1, line_color="gray")
    return figure.update_layout(
        title="Mean gain by an empty phrase",
        title_font_size=14,
        height=_FRAME_PX + _BAR_PX * len(shown),
        margin={"l": 10, "r": 10, "t": 50, "b": 40},
        xaxis_title="gain in spreads (standard deviations)",
    )


def phrase_title(phrase: Filler) -> str:
    """The kind of a phrase, or its words where it is one's own."""
    if isinstance(phrase, Phrase):
        return "Top phrase" if phrase.text == Phrase().text else f"“{phrase.text}”"
    return phrase.card.title


def format_without_interval(estimate: Estimate) -> str:
    """The figure alone: its interval is that of the gain beside it in other units."""
    return format_signed(estimate).partition(" ")[0]


def _leaderboard_row(gaming: MetricGaming) -> dict[str, object]:
    return {
        "metric": metric_title(gaming.metric),
        "gain in spreads": format_signed(gaming.gain),
        "raised": format_share(gaming.raised),
        "best phrase": f"{phrase_title(gaming.best.phrase)} {format_without_interval(gaming.best.appended)}",
        "n": gaming.gain.n,
    }


def _leaderboard_caption(run: Run, rows: Sequence[MetricGaming]) -> None:
    st.caption(
        "The mean over all phrases before and after a summary. A good metric stays at zero or falls: a phrase that says "
        "nothing makes no summary more consistent. Select a metric to see its phrases."
    )
    cards = {metric: METRICS.parse(metric).card for metric in run.plan.metrics}
    sideless = [metric_title(metric) for metric, card in cards.items() if card.direction == "neutral"]
    if sideless:
        st.caption(escape_markdown(f"Not in the table, as neither side of it is better: {', '.join(sideless)}."))
    for gaming in rows:
        if gaming.gain.value is None:
            st.caption(escape_markdown(f"{metric_title(gaming.metric)}: {gaming.gain.why}"))


_PLAY_COLUMNS: dict[str, tuple[int, str]] = {
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
    rows = metric_gaming(run, found)
    if not rows:
        st.info("No empty phrase was tried on these summaries yet.")
        phrase_form(run)
        discovered_phrases(row, run, run.plan.metrics[0])
        return
    chosen = gaming_leaderboard(run, rows)
    st.subheader(escape_markdown(f"Every phrase against {metric_title(chosen.metric)}"))
    _play_table(chosen.plays)
    if any(play.alone.value is None or play.prefixed.value is None for play in chosen.plays):
        st.caption(
            "–: not tried there yet. Try every phrase in every position to see what it scores alone and before a summary."
        )
    phrase_form(run)
    discovered_phrases(row, run, chosen.metric)


def _play_table(plays: Sequence[PhraseEffect]) -> None:
    st.dataframe(
        pd.DataFrame(map(_play_row, plays)),
        hide_index=True,
        height="auto",
        alt="Every phrase against one metric",
        placeholder="–",
        column_config={
            name: st.column_config.Column(width=width, help=says) for name, (width, says) in _PLAY_COLUMNS.items()
        },
    )


def _play_row(play: PhraseEffect) -> dict[str, object]:
    return {
        "phrase": phrase_title(play.phrase),
        "says": play.phrase.text,
        "words": play.words,
        "alone": format_unsigned(play.alone),
        "beats": format_share(play.outright),
        "after": format_signed(play.appended),
        "before": format_signed(play.prefixed),
        "per word": format_without_interval(play.per_word),
        "in spreads": format_without_interval(play.spreads),
        "raised": format_share(play.raised),
        "n": play.appended.n,
    }
