"""Further phrases for a run: one's own, one that was discovered, or all there are; each begins a longer run."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from core.errors import TouchstoneError
from core.filler import Filler
from core.perturbations.phrase import Phrase
from core.stress.records import Run
from core.stress.repertoire import everywhere, extended, repertoire
from pages.ui.plain import plain
from pages.ui.stress.runs import begin, listed, open_run

_LONGEST = 200  # characters of a phrase


def playing(run: Run) -> None:
    """A field for a phrase of one's own, and the button that plays every phrase in every place."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        text = st.text_input(
            "A phrase of your own",
            key="gaming-own",
            persist_state="page",
            max_chars=_LONGEST,
            placeholder="It is widely agreed that",
            width=420,
        )
        try_button(run, text.strip(), "Try it")
        phrases = _missing(run, everywhere(repertoire(run.plan.metrics)))
        scores = len(phrases) * len(run.sources) * len(run.plan.metrics)
        if phrases:
            st.button(
                f"Play every phrase in every place ({scores} more scores)",
                icon=":material/playlist_add:",
                key="gaming-all",
                on_click=_play,
                args=(run, f"{run.plan.name} + every phrase", phrases),
            )
    st.caption(
        "A phrase is put after each summary, before it, and in its place. It becomes a run of its own, which takes over what "
        "this one has found."
    )
    if problem := st.session_state.pop("gaming-problem", ""):
        st.error(plain(problem), icon=":material/error:")


def try_button(run: Run, text: str, label: str) -> None:
    """A button that tries a phrase; it cannot be pressed where the run has it already."""
    phrases = _missing(run, everywhere([Phrase(phrase=text)]))
    # no callback: it would be called with the phrase of the run before, when somebody types and presses quickly
    pressed = st.button(
        plain(label),
        icon=":material/play_arrow:",
        key=f"gaming-try-{label}",
        disabled=not (text and phrases),
        help="This run has it already." if text and not phrases else None,
    )
    if pressed:
        _play(run, f"{run.plan.name} + “{text}”", phrases)
        st.rerun()


def _missing(run: Run, phrases: Sequence[Filler]) -> list[Filler]:
    return [phrase for phrase in phrases if phrase.spec not in run.plan.kinds]


def _play(run: Run, name: str, phrases: Sequence[Filler]) -> None:
    before = [id for id, row in listed().items() if row.name == name]
    if before:
        open_run(before[0])
        return
    try:
        begin(extended(run, name, phrases))
    except TouchstoneError as error:
        st.session_state["gaming-problem"] = str(error)
