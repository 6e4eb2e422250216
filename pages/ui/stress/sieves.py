"""Which variants count in every figure of a run: a choice of what is left out."""

from __future__ import annotations

import streamlit as st

from core.stress.records import Run, VariantKey
from core.stress.sifting import left_out, sifted

_TITLES = {
    "contradicting": ("marked as contradicting", "The guard says that they contradict the original."),
    "unchecked": ("not checked", "The guard could not tell."),
    "unverified": (
        "not verified by a person",
        "Nobody said that they are what they were meant to be: the meaning kept where it should be kept, changed where it "
        "should be broken.",
    ),
    "trivial": ("trivial edits", "A date, a number, an antonym or negation, or a name: no reading of the document needed."),
    "misplaced": ("words from elsewhere than meant", "Meant intrinsic and extrinsic, or the other way round."),
}  # fmt: skip


def sieved(run: Run) -> frozenset[VariantKey] | None:
    """Let a person choose what is left out; the variants that count, None for all of them."""
    counts = {name: left_out(run, name) for name in _TITLES if name != "unverified" or run.opinions}
    offered = [name for name, count in counts.items() if count]
    if not offered:
        return None
    st.pills(
        "Leave out of every figure",
        offered,
        selection_mode="multi",
        key="stress-sieves",
        format_func=lambda name: f"{_TITLES[name][0]} ({counts[name]})",
        help="\n\n".join(f"{title}: {told}" for title, told in (_TITLES[name] for name in offered)),
        wrap=True,
    )
    return sifted(run, chosen_sieves())


def chosen_sieves() -> list[str]:
    """The sieves that are chosen."""
    chosen: list[str] = st.session_state.get("stress-sieves", [])
    return chosen
