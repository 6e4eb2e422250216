"""The way to try more phrases on a run: phrases of one's own, every phrase that is known, and those that its metrics may like."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from annotations.store.records import RunRow
from core.errors import TouchstoneError, UnscorableError
from core.perturbations.fillers import Filler, Phrase
from core.runs.run import Run
from core.studies.discovery import Bigram, BigramDiscovery, discover_in_run, discover_over_metrics
from core.studies.gaming import extended_run, in_every_place, known_phrases
from pages.ui.shared.markup import escape_markdown
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


def phrase_title(phrase: Filler) -> str:
    """The kind of a phrase, or its words where it is one's own."""
    if isinstance(phrase, Phrase):
        return "Top phrase" if phrase.text == Phrase().text else f"“{phrase.text}”"
    return phrase.card.title
