"""A conversation about an item as its readers see it, and the form that goes on with it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from uuid import uuid4

import streamlit as st

from annotations.management.comments import MAX_COMMENT, CommentThread, Speaker
from annotations.store.records import StoreError
from core.text import with_visible_controls
from pages.server import services
from pages.ui.shared.markup import escape_markdown, escape_message
from pages.ui.shared.session_state import page_state

_WORDS: Mapping[Speaker, str] = {"annotator": "Annotator", "adjudicator": "Adjudicator", "manager": "Manager"}


@dataclass(eq=False)
class CommentForms:
    """The id of the next press on each form, by the name of the form; another one once what was written is kept."""

    press_ids: dict[str, str] = field(default_factory=dict)


def show_conversation(conversation: CommentThread, reader: Speaker) -> None:
    """Flags, what was done about them, and comments, oldest first."""
    annotator = "You" if reader == "annotator" else conversation.annotator or _WORDS["annotator"]
    entries: list[tuple[datetime, str, str]] = []
    for flag in conversation.flags:
        entries.append((flag.created_at, f"{annotator}, flag", flag.reason))
        if done := flag.resolution:
            entries.append((done.created_at, f"{done.by or _WORDS['manager']}, flag resolved", done.note or "No note."))
    for comment in conversation.comments:
        is_own = comment.speaker == "annotator"
        who = annotator if is_own else f"{comment.by}, {comment.speaker}" if comment.by else _WORDS[comment.speaker]
        entries.append((comment.created_at, who, comment.text))
    for when, who, text in sorted(entries):
        with st.container(gap="xxsmall"):
            st.markdown(f"**{escape_markdown(who)}** :small[:gray[{when:%Y-%m-%d %H:%M}]]")
            st.text(with_visible_controls(text))  # as it was written: in Markdown an address would become a link


def comment_form(name: str, label: str, send: Callable[[str, str], None], *, button: str = "Send") -> bool:
    """A form for one comment or note; whether it was kept just now. `send` takes the text and the id of the press.

    What fails stays in the form with its reason.
    """
    press_ids, demo = page_state(CommentForms).press_ids, services.settings().demo
    event = press_ids.setdefault(name, uuid4().hex)
    with st.form(f"comment-{name}", border=False):
        text = st.text_area(label, "", max_chars=MAX_COMMENT, height=68, key=f"comment-{name}-{event}")
        pressed = st.form_submit_button(
            button, icon=":material/send:", disabled=demo, help="Nothing is kept in this demo." if demo else None
        )
    if not pressed:
        return False
    try:
        send(text, event)
    except StoreError as error:
        st.error(escape_message(str(error)), icon=":material/error:")
        return False
    del press_ids[name]
    return True
