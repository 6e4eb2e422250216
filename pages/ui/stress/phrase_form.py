"""The way to try more phrases on a run: one of one's own, every phrase that is known, and those that its metrics may like."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import streamlit as st

from core.edits import Filler, PhraseFiller
from core.errors import TouchstoneError
from core.evaluation import extended_run, in_every_place, known_phrases
from core.results import StressRun
from pages.ui.results.run_choice import begin_run, listed_runs, open_run, show_error, stress_state
from pages.ui.shared.markup import escape_markdown

_MAX_PHRASE_CHARACTERS = 200  # characters of a phrase


def phrase_form(run: StressRun) -> None:
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
    _problem_view()


def _problem_view() -> None:
    show_error(stress_state().gaming_error)
    stress_state().gaming_error = ""


def try_phrase_button(run: StressRun, text: str, label: str) -> None:
    """A button that tries a phrase; it cannot be pressed where the run has it already."""
    phrases = _phrases_not_in_run(run, in_every_place([PhraseFiller(phrase=text)]))
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


def _phrases_not_in_run(run: StressRun, phrases: Sequence[Filler]) -> list[Filler]:
    return [phrase for phrase in phrases if phrase.spec not in run.plan.kinds]


def _begin_longer_run(run: StressRun, name: str, phrases: Sequence[Filler]) -> None:
    before = [id for id, row in listed_runs().items() if row.name == name]
    if before:
        open_run(before[0])
        return
    try:
        open_run(begin_run(extended_run(run, name, phrases)))
    except TouchstoneError as error:
        stress_state().gaming_error = str(error)


def try_phrases(run: StressRun, phrases: Iterable[str]) -> None:
    """A button for each of these phrases."""
    st.caption("Try a phrase on the summaries of this run:")
    with st.container(horizontal=True):
        for phrase in phrases:
            try_phrase_button(run, phrase, f"Try “{phrase}”")
    _problem_view()
