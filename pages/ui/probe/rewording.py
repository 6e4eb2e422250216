"""A variant of the summary put into the editor: at once where a rule makes it, beside the page where a language model writes it."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import streamlit as st

from core import edits as executable
from core.explaining.background import Told
from core.job import Talk
from core.perturbation import Perturbation
from core.types import Edit, Example, Failure, Verdict
from pages.ui import services
from pages.ui.plain import plain
from pages.ui.probe import pair as bench

_LOOK_S = 0.3


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What is being written of which text."""

    perturbation: Perturbation
    text: str
    told: Told[list[Edit]]


def reword(perturbation: Perturbation) -> None:
    """Rewrite the summary as it stands; each press draws anew, and drops what is being written."""
    drop_rewording()
    text = bench.edited()
    example = Example("", bench.current().document, text)
    draw = partial(perturbation.rounds, example, random.getrandbits(32))
    talk = Talk(perturbation.spec, example, draw, perturbation.checkpoints())
    if perturbation.card.form == "prompt":
        st.session_state["rewording"] = _Wanted(perturbation, text, Told(services.engine(), [talk]))
        return
    [(_, found)] = services.engine().converse([talk])
    _put(perturbation, text, found)


def take_rewording() -> None:
    """Put what was written into the editor, which is not drawn yet; an answer about another text is not used."""
    if not reworded():
        return
    wanted: _Wanted = st.session_state.pop("rewording")
    if wanted.text != bench.edited():
        st.session_state["notice"] = "The summary was changed while the model wrote: its variant is not used."
        return
    for found in wanted.told.outcomes:
        _put(wanted.perturbation, wanted.text, found)


def reworded() -> bool:
    """Whether something was written that is not in the editor yet."""
    wanted = _wanted()
    return wanted is not None and not wanted.told.running


def rewording() -> None:
    """A line while something is being written, with the way to stop it."""
    if wanted := _wanted():
        with st.container(horizontal=True, vertical_alignment="center"):
            _wait(wanted.perturbation.card.title)
            # not in the fragment: what is pressed there is heard only when the page's own loop has ended
            st.button("Cancel", key="rewording-cancel", on_click=drop_rewording)


def drop_rewording() -> None:
    if wanted := _wanted():
        wanted.told.drop()
        del st.session_state["rewording"]


def _wanted() -> _Wanted | None:
    wanted: _Wanted | None = st.session_state.get("rewording")
    return wanted


@st.fragment(run_every=_LOOK_S)
def _wait(title: str) -> None:
    """Look for the answer beside the page; where scores still arrive the page's own loop looks."""
    if reworded() or _wanted() is None:
        st.rerun()
    st.caption(plain(f"“{title}”: the model is writing …"))


def _put(perturbation: Perturbation, text: str, found: Sequence[Edit] | Failure) -> None:
    if isinstance(found, Failure):
        st.session_state["notice"] = found.message
        return
    if text != bench.current().original:
        bench.rewrite(executable.apply(text, found))
        return
    bench.rewrite(executable.apply(text, found), found)
    st.session_state["intended"] = Verdict.CONSISTENT if perturbation.card.intent == "preserving" else None
    st.session_state["intended-type"] = perturbation.card.error_type
