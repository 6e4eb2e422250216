"""Receipts and notices that a page shows once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Literal

import streamlit as st

from annotations.store.records import StoreError
from core.types import UNSTATED
from pages.ui.shared.markup import escape_markdown, escape_message
from pages.ui.shared.pair_link import pair_link
from pages.ui.shared.session_state import page_state

ReceiptKind = Literal["error", "kept", "known", "label"]


@dataclass(frozen=True, slots=True)
class Toasts:
    """A receipt for something that was saved or failed, and a notice in words."""

    receipt: tuple[ReceiptKind, str] | None = None
    notice: str = ""


@dataclass(eq=False)
class NoticeState:
    """Notices that the next run shows once, and those that this run has shown."""

    waiting: Toasts = Toasts()
    shown: Toasts = Toasts()


def notice_state() -> NoticeState:
    return page_state(NoticeState)


def leave_notice(text: str) -> None:
    """Make the next run show this once."""
    state = notice_state()
    state.waiting = replace(state.waiting, notice=text)


@contextmanager
def error_as_notice() -> Iterator[None]:
    """Have the next run show once why the database refused what is done in the block, which then ends."""
    try:
        yield
    except StoreError as error:
        leave_notice(str(error))


def leave_receipt(kind: ReceiptKind, text: str) -> None:
    """Have the next run show once that something was saved under this id, or why it was not."""
    state = notice_state()
    state.waiting = replace(state.waiting, receipt=(kind, text))


def notices() -> None:
    """Show the notices of callbacks; each is dropped only after it was shown."""
    state = notice_state()
    state.shown = state.waiting
    match state.shown.receipt:
        case ("error", problem):
            st.toast(escape_message(problem), icon=":material/error:", duration="infinite")
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
    """Show the same notices in the next run: an immediate rerun would remove this run's toasts."""
    state = notice_state()
    state.waiting = state.shown
