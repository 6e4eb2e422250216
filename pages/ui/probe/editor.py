"""The summary editor: a text box that reports pauses in typing, and replacements of selected words.

The truth is `text_of`; the box is overwritten only by `set_text`, which raises `st.session_state[f"{key}.doc_rev"]`,
and what the browser sends about an older revision is dropped.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
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


def summary_editor(*, key: str, on_change: Callable[[], None], height: int) -> None:
    """Mount the editor, `height` pixels high; `on_change` runs after each text and each replacement.

    To rerun only parts of the page it must end in `st.rerun` with fragment keys.
    """
    state = st.session_state
    data = {
        "value": state.setdefault(f"{key}.text", ""),
        "doc_rev": state.setdefault(f"{key}.doc_rev", 0),
        "debounce_ms": DEBOUNCE_MS,
        "limit": LIMIT,
        "height": height,
    }
    take = partial(_take, key, on_change)
    _mount(key=key, data=data, on_text_change=take, on_replace_change=take)


def text_of(key: str) -> str:
    """What stands in the editor of that key, as far as the browser has told.

    A message that comes together with the press of a button counts in the callback of the button already, although
    Streamlit runs that before the callbacks of a component.
    """
    told = _told(key)
    known: str = st.session_state[f"{key}.text"]
    return known if told is None else told


def replacement_of(key: str) -> Replacement | None:
    """The replacement that led to the text in the editor, while the message that told of it is heard."""
    return read_replacement(_message(key).get("replace"), st.session_state[f"{key}.doc_rev"], text_of(key))


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


def _take(key: str, on_change: Callable[[], None]) -> None:
    told = _told(key)
    if told is None:  # the rerun that follows brings the box up to date
        return
    st.session_state[f"{key}.text"] = told
    on_change()


def _told(key: str) -> str | None:
    return read_text(_message(key).get("text"), st.session_state[f"{key}.doc_rev"])


def _message(key: str) -> Mapping[str, object]:
    """What the browser said last; nothing before the editor was mounted, and on other pages."""
    said: Mapping[str, object] = st.session_state.get(key, {})
    return said
