"""The summary editor: a text box that reports pauses in typing, and replacements of selected words.

The truth is `st.session_state[f"{key}.text"]`; the box is overwritten only by `set_text`, which raises
`st.session_state[f"{key}.doc_rev"]`, and what the browser sends about an older revision is dropped.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import streamlit as st

from core.types import Span
from pages.ui.component import component

LIMIT = 200_000
"""The longest summary that is taken, in code points."""

DEBOUNCE_MS = 300

_mount = component("editor")


@dataclass(frozen=True, slots=True)
class Replacement:
    """Selected words and what took their place; `span` lies in the text before."""

    span: Span
    old: str
    new: str
    explanation: str


def summary_editor(
    *, key: str, on_text: Callable[[], None], on_replace: Callable[[Replacement], None], height: int
) -> None:
    """Mount the editor, `height` pixels high; both callbacks run after the text in the session state is new.

    A replacement calls both. To rerun only parts of the page both must end in `st.rerun` with fragment keys.
    """
    state = st.session_state
    data = {
        "value": state.setdefault(f"{key}.text", ""),
        "doc_rev": state.setdefault(f"{key}.doc_rev", 0),
        "debounce_ms": DEBOUNCE_MS,
        "limit": LIMIT,
        "height": height,
    }
    _mount(
        key=key,
        data=data,
        on_text_change=partial(_take_text, key, on_text),
        on_replace_change=partial(_take_replacement, key, on_replace),
    )


def set_text(key: str, value: str) -> None:
    """Put `value` into the editor of that key, whatever stands there; line ends become newlines, as in the box."""
    state = st.session_state
    state[f"{key}.text"] = value.replace("\r\n", "\n").replace("\r", "\n")
    state[f"{key}.doc_rev"] = state.get(f"{key}.doc_rev", 0) + 1


def read_text(message: object, doc_rev: int) -> str | None:
    """The text in a message from the browser; None when it is malformed, too long or about an older revision."""
    match message:
        case {"value": str(value), "doc_rev": int(rev)} if rev == doc_rev and len(value) <= LIMIT:
            return value
    return None


def read_replacement(message: object, doc_rev: int, text: str) -> Replacement | None:
    """The replacement in a message from the browser, None unless it can have led to `text`."""
    match message:
        case {
            "start": int(start),
            "end": int(end),
            "old": str(old),
            "new": str(new),
            "explanation": str(why),
            "doc_rev": int(rev),
        }:
            current = rev == doc_rev
            fits = 0 <= start < end == start + len(old) and text[start : start + len(new)] == new != old
            return Replacement(Span(start, end), old, new, why[:LIMIT]) if current and fits else None
    return None


def _take_text(key: str, on_text: Callable[[], None]) -> None:
    if _store_text(key):
        on_text()


def _take_replacement(key: str, on_replace: Callable[[Replacement], None]) -> None:
    state = st.session_state
    # Streamlit promises no order between the two callbacks of one message.
    if not _store_text(key):
        return
    replacement = read_replacement(state[key].get("replace"), state[f"{key}.doc_rev"], state[f"{key}.text"])
    if replacement is not None:
        on_replace(replacement)


def _store_text(key: str) -> bool:
    state = st.session_state
    text = read_text(state[key].get("text"), state[f"{key}.doc_rev"])
    if text is None:
        return False
    state[f"{key}.text"] = text
    return True
