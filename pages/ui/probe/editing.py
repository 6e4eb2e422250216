"""The summary editor of Probe: what was typed or replaced becomes a step of the pair's history."""

from __future__ import annotations

import streamlit as st

from core import edits as executable
from pages.ui.probe import pair as bench
from pages.ui.probe.editor import Replacement, summary_editor

_HEIGHT = 180


def editor() -> None:
    summary_editor(key=bench.EDITOR, on_text=bench.note_change, on_replace=_declare, height=_HEIGHT)


def _declare(replacement: Replacement) -> None:
    """A replacement with a reason is an edit of its own; both callbacks of the editor end here in either order."""
    bench.note_change()
    before = st.session_state["past"][-1] if st.session_state["past"] else bench.current().original
    known = executable.recover(bench.current().original, before, bench.current().declared)
    bench.declare_replacement(replacement.explanation, st.session_state["annotator"], known)
