"""Links that restore a pair with its edits, and the receipts and notices that a page shows once."""

from __future__ import annotations

import base64
import binascii
import json
import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal
from urllib.parse import urlencode

import streamlit as st

from core import edits as executable
from core.claim_edits import EditableClaims
from core.errors import TouchstoneError
from core.types import UNSTATED, Edit, Intention, Span, T
from pages.ui.markup import escape_markdown
from pages.ui.probe.probe_state import PinnedEdit
from pages.ui.session_state import page_state

_MAX_EDIT_BYTES = 200_000  # bytes of edits after unpacking; a link is input from outside


def pair_link(
    example: str,
    summary: str,
    edits: Sequence[Edit],
    meant: Intention,
    pinned: Sequence[PinnedEdit] = (),
    claims: EditableClaims | None = None,
) -> str:
    """The query of a link to an example with these edits of its summary, what they are meant to be, and what was added to it.

    That are the pinned edits and the claims of the edited summary.
    """
    parts = {"example": example}
    if edits:
        stated = {"edits": pack_edits(summary, edits), "intended": meant.verdict, "error_type": meant.error_type}
        parts |= {name: str(value) for name, value in stated.items() if value}
    if pinned:
        parts["pinned"] = _pack([[_plain_edits(summary, one.edits), *_plain_intention(one.meant)] for one in pinned])
    if claims:
        parts["claims"] = _pack(claims.to_json())
    return "?" + urlencode(parts)


def pack_edits(summary: str, edits: Sequence[Edit]) -> str:
    """Edits as URL-safe text."""
    return _pack(_plain_edits(summary, edits))


def unpack_edits(text: str, summary: str) -> list[Edit]:
    """The edits in a link. Raises TouchstoneError where it is damaged or belongs to another summary."""
    return _unpack(text, lambda records: _edits_of_records(records, summary))


def unpack_pinned(text: str, summary: str) -> tuple[PinnedEdit, ...]:
    """The pinned edits in a link, none in an empty text. Raises as `unpack_edits` does."""
    if not text:
        return ()
    return _unpack(text, lambda records: tuple(_pinned_of_record(record, summary) for record in records))


def unpack_claims(text: str, summary: str) -> EditableClaims | None:
    """The claims of this summary in a link, None in an empty text. Raises as `unpack_edits` does."""
    return _unpack(text, lambda record: EditableClaims.from_json(record, summary)) if text else None


def _pinned_of_record(record: object, summary: str) -> PinnedEdit:
    match record:
        case [list(edits), str(verdict), str(error_type)]:
            return PinnedEdit(
                tuple(_edits_of_records(edits, summary)), executable.stated_intention(verdict, error_type)
            )
    raise ValueError("a pinned edit cannot be read")


def _edits_of_records(records: Iterable[object], summary: str) -> list[Edit]:
    edits = [_edit_of_record(record, summary) for record in records]
    executable.apply(summary, edits)
    return edits


def _plain_edits(summary: str, edits: Sequence[Edit]) -> list[list[object]]:
    return [[edit.span.start, edit.span.end, edit.span.of(summary), edit.new, edit.explanation] for edit in edits]


def _plain_intention(meant: Intention) -> tuple[str, str]:
    return meant.verdict or "", meant.error_type or ""


def _pack(plain: object) -> str:
    return base64.urlsafe_b64encode(zlib.compress(json.dumps(plain, ensure_ascii=False).encode(), 9)).decode()


def _unpack(text: str, read: Callable[[Any], T]) -> T:
    try:
        packed = zlib.decompressobj().decompress(base64.urlsafe_b64decode(text), _MAX_EDIT_BYTES)
        return read(json.loads(packed))
    except (binascii.Error, zlib.error, ValueError, TypeError) as error:
        raise TouchstoneError(f"The edits in this link cannot be read ({error}). Ask for the link again.") from None


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
