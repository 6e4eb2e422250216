"""Links that restore a pair with its edits, and the receipts and notices that a page shows once."""

from __future__ import annotations

import base64
import binascii
import json
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal
from urllib.parse import urlencode

import streamlit as st

from core import edits as executable
from core.errors import TouchstoneError
from core.types import UNSTATED, Edit, Intention, Span
from pages.ui.markup import escape_markdown
from pages.ui.session_state import page_state

_MAX_EDIT_BYTES = 200_000  # bytes of edits after unpacking; a link is input from outside


def pair_link(example: str, summary: str, edits: Sequence[Edit], meant: Intention) -> str:
    """The query of a link to an example with these edits of its summary and what they are meant to be."""
    parts = {"example": example}
    if edits:
        stated = {"edits": pack_edits(summary, edits), "intended": meant.verdict, "error_type": meant.error_type}
        parts |= {name: str(value) for name, value in stated.items() if value}
    return "?" + urlencode(parts)


def pack_edits(summary: str, edits: Sequence[Edit]) -> str:
    """Edits as URL-safe text."""
    plain = [[edit.span.start, edit.span.end, edit.span.of(summary), edit.new, edit.explanation] for edit in edits]
    return base64.urlsafe_b64encode(zlib.compress(json.dumps(plain, ensure_ascii=False).encode(), 9)).decode()


def unpack_edits(text: str, summary: str) -> list[Edit]:
    """The edits in a link. Raises TouchstoneError where it is damaged or belongs to another summary."""
    try:
        packed = zlib.decompressobj().decompress(base64.urlsafe_b64decode(text), _MAX_EDIT_BYTES)
        edits = [_edit_of_record(record, summary) for record in json.loads(packed)]
    except (binascii.Error, zlib.error, ValueError, TypeError) as error:
        raise TouchstoneError(f"The edits in this link cannot be read ({error}). Ask for the link again.") from None
    executable.apply(summary, edits)
    return edits


def _edit_of_record(record: object, summary: str) -> Edit:
    match record:
        case [int(start), int(end), str(old), str(new), str(explanation)] if summary[start:end] == old:
            return Edit(Span(start, end), new, explanation)
    raise ValueError("an edit does not fit the summary")


ReceiptKind = Literal["error", "kept", "known", "label"]


@dataclass(frozen=True, slots=True)
class Toasts:
    """A receipt for something that was saved or failed, and a notice in words."""

    receipt: tuple[ReceiptKind, str] | None = None
    notice: str = ""


@dataclass(eq=False)
class NoticeState:
    """What the next run shows once, and what this run has shown."""

    waiting: Toasts = Toasts()
    shown: Toasts = Toasts()


def notice_state() -> NoticeState:
    return page_state(NoticeState)


def leave_notice(text: str) -> None:
    """Have the next run show this once."""
    state = notice_state()
    state.waiting = replace(state.waiting, notice=text)


def leave_receipt(kind: ReceiptKind, text: str) -> None:
    """Have the next run show once that something was saved under this id, or why it was not."""
    state = notice_state()
    state.waiting = replace(state.waiting, receipt=(kind, text))


def notices() -> None:
    """Show what callbacks left; it is forgotten only after it was shown."""
    state = notice_state()
    state.shown = state.waiting
    match state.shown.receipt:
        case ("error", problem):
            st.toast(escape_markdown(problem), icon=":material/error:", duration="infinite")
        case ("label", id):
            st.toast(f"Saved: label of `{id}`.", icon=":material/check:")
        case (kind, id):
            title = "Kept" if kind == "kept" else "This pair was kept before"
            address = f"{st.context.url or ''}{pair_link(id, '', (), UNSTATED)}"
            st.toast(f"{title} as `{id}`. Its link: `{address}`", icon=":material/bookmark:", duration="long")
    if state.shown.notice:
        st.toast(escape_markdown(state.shown.notice), icon=":material/info:")
    state.waiting = Toasts()


def repeat_notices() -> None:
    """Show the same in the next run: a run that follows at once would take the toasts of this one away."""
    state = notice_state()
    state.waiting = state.shown
