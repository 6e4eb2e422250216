"""The two panes of Probe and their text components: the document with highlights, and the editor of the summary."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal, get_args

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.text import Sourced, with_visible_controls
from core.types import Span
from pages.server.component_scripts import read_asset
from pages.ui.shared.markup import register_component
from pages.ui.shared.session_state import component_message, page_state

HighlightKind = Literal["question", "context", "evidence", "piece", "unread"]

PANE_HEIGHT = 450
"""Pixels: that of the document, and with its heads that of the tabs beside it."""

_document_component = register_component("document")


def pinned_panes() -> list[DeltaGenerator]:
    """Two columns of one height that stay in view while what is below them scrolls, where the window is large enough."""
    with st.container(key="panes"):
        st.html(f"<style>{read_asset('panes.css')}</style>")
        return st.columns([1.1, 1], gap="medium")


@dataclass(frozen=True, slots=True)
class Highlight:
    """A stretch of the document: evidence of a score, a piece as the metric cut it, what it did not read, or a context.

    A question is put before the text that it spans.
    """

    span: Span
    kind: HighlightKind
    label: str


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch over which nothing changes: the kinds that cover it and the highlights that begin with it."""

    span: Span
    kinds: tuple[HighlightKind, ...]
    begins: tuple[Highlight, ...]


def document_view(text: str, *, highlights: Sequence[Highlight], key: str, height: int) -> None:
    """Show `text` in a scrolling pane `height` pixels high; it scrolls to new evidence unless some of it can be seen."""
    cut = cut_at_highlights(len(text), highlights)
    starts = utf16_offsets(text, [segment.span.start for segment in cut])
    parts = [
        {"start": start, "kinds": segment.kinds, "labels": [(begun.kind, begun.label) for begun in segment.begins]}
        for start, segment in zip(starts, cut, strict=True)
    ]
    _document_component(key=key, data={"text": with_visible_controls(text), "parts": parts, "height": height})


def source_marks(about: Sourced) -> list[Highlight]:
    """The question before a document, and the names of its contexts as headings."""
    question_marks = (
        [Highlight(Span(0, len(about.document)), "question", f"Question: {about.question}")] if about.question else []
    )
    return [
        *question_marks,
        *(Highlight(context.span, "context", with_visible_controls(context.name)) for context in about.contexts),
    ]


def cut_at_highlights(length: int, highlights: Sequence[Highlight]) -> list[Segment]:
    """Cut a text of `length` characters at every border of a highlight; what lies outside the text is left out."""
    begins, ends = defaultdict(list), defaultdict(list)
    for mark in highlights:
        span = Span(max(mark.span.start, 0), min(mark.span.end, length))
        if span.start < span.end:
            begins[span.start].append(replace(mark, span=span))
            ends[span.end].append(mark.kind)
    open_kinds: Counter[HighlightKind] = Counter()
    cut = []
    for start, end in pairwise(sorted({0, length, *begins, *ends})):
        open_kinds.update(mark.kind for mark in begins[start])
        open_kinds.subtract(ends[start])
        kinds = tuple(kind for kind in get_args(HighlightKind) if open_kinds[kind])
        cut.append(Segment(Span(start, end), kinds, tuple(begins[start])))
    return cut


def utf16_offsets(text: str, offsets: Sequence[int]) -> list[int]:
    """Ascending code-point offsets as the browser counts them, where a character beyond U+FFFF counts two."""
    if not text or max(text) <= "\uffff":
        return list(offsets)
    units, last, converted = 0, 0, []
    for offset in offsets:
        units += sum(2 if character > "\uffff" else 1 for character in text[last:offset])
        last = offset
        converted.append(units)
    return converted


MAX_CHARACTERS = 200_000
"""The longest summary that is taken, in code points."""

DEBOUNCE_MS, SHORTEST_DEBOUNCE_MS = 300, 100
"""Pause in typing before a text is scored: at most, and at least."""

_editor_component = register_component("editor")


@dataclass(frozen=True, slots=True)
class Replacement:
    """Selected words and what took their place; `span` lies in the text before."""

    span: Span
    old: str
    new: str
    explanation: str


@dataclass(eq=False)
class EditorState:
    """The text of an editor, and how often it was put there from outside: a message about less is outdated."""

    text: str = ""
    doc_rev: int = 0


def summary_editor(*, key: str, on_change: Callable[[], None], height: int) -> None:
    """Mount the editor, as high as its text and at most `height` pixels; `on_change` runs after each text and each replacement.

    To rerun only parts of the page it must end in `st.rerun` with fragment keys.
    """
    state = editor_state(key)
    data = {
        "value": state.text,
        "doc_rev": state.doc_rev,
        "debounce_ms": DEBOUNCE_MS,
        "shortest_debounce_ms": SHORTEST_DEBOUNCE_MS,
        "limit": MAX_CHARACTERS,
        "height": height,
    }

    def take() -> None:
        sent = _sent_text(key)
        if sent is None:  # the rerun that follows brings the box up to date
            return
        editor_state(key).text = sent
        on_change()

    _editor_component(key=key, data=data, on_text_change=take, on_replace_change=take)


def editor_state(key: str) -> EditorState:
    return page_state(EditorState, key)


def editor_text(key: str) -> str:
    """The text in the editor of that key, as far as the browser has sent it.

    A message that comes together with the press of a button counts in the callback of the button already, although
    Streamlit runs that before the callbacks of a component.
    """
    sent = _sent_text(key)
    return editor_state(key).text if sent is None else sent


def editor_replacement(key: str) -> Replacement | None:
    """The replacement that led to the text in the editor, while the message that brought it is dealt with."""
    return read_replacement(component_message(key).get("replace"), editor_state(key).doc_rev, editor_text(key))


def set_editor_text(key: str, value: str) -> None:
    """Put `value` into the editor of that key, in place of the text there; line ends become newlines, as in the box."""
    state = editor_state(key)
    state.text = value.replace("\r\n", "\n").replace("\r", "\n")
    state.doc_rev += 1


def read_text(message: object, doc_rev: int) -> str | None:
    """The text in a message from the browser; None when it is malformed, too long or about an older revision."""
    match message:
        case {"value": str(value), "doc_rev": int(rev)} if rev == doc_rev and len(value) <= MAX_CHARACTERS:
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
            return Replacement(Span(start, end), old, new, why[:MAX_CHARACTERS]) if current and fits else None
    return None


def _sent_text(key: str) -> str | None:
    return read_text(component_message(key).get("text"), editor_state(key).doc_rev)
