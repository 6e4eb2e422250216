"""Labels on Probe without the scores in view, by choice; each label says whether they were."""

from __future__ import annotations

import streamlit as st

from pages.ui.probe.pair import current_pair
from pages.ui.probe.probe_state import ProbeState, probe_state

_STYLE = '<style>[data-testid="stLayoutWrapper"]:has(> .st-key-panes) ~ * { display: none !important; }</style>'


def hides_scores() -> bool:
    """True while the person labels without the scores in view."""
    return ProbeState.blind.get()


def note_scores_shown() -> None:
    """Note that scores of the current pair are in view; those of another edit of it tell as much."""
    if not hides_scores():
        probe_state().scores_shown.add(_pair_texts())


def is_blind() -> bool:
    """True if no score of the current pair, whatever its edit, was in view in this session."""
    return hides_scores() and _pair_texts() not in probe_state().scores_shown


def blind_toggle() -> None:
    """A switch that hides all scores, on this pair and the next ones."""
    st.toggle(
        "Hide the scores",
        key=ProbeState.blind.key,
        persist_state="session",
        help="Hides the verdict, the evidence and all that is below the texts, here and for the pairs that you open next. "
        "A label is blind where no score of the pair was in view before, and says so in the records.",
    )
    if hides_scores():
        st.html(_STYLE)


def blind_caption() -> None:
    """Say whether the label will be blind."""
    if is_blind():
        st.caption("Recorded as blind: no score of this pair was in view.")
    elif hides_scores():
        st.caption("Recorded as not blind: scores of this pair were in view. The next pair that you open is blind.")
    else:
        st.caption("Recorded as not blind: the scores are in view.")


def _pair_texts() -> int:
    pair = current_pair()
    return hash((pair.document, pair.original))
