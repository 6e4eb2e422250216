"""Flags and comments of a campaign: which wait for somebody, the texts that they are about, an answer, and how a flag was resolved."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import streamlit as st

from annotations.campaigns.campaign import CampaignSettings
from annotations.management.comments import CommentThread, ManagerComments, SentComment
from pages.server import services
from pages.ui.probe.text_panes import document_view, source_marks
from pages.ui.review.case_view import text_box
from pages.ui.shared.comment_view import comment_form, show_conversation
from pages.ui.shared.session_user import current_member

_HEIGHT = 320


def comments_tab(campaign: CampaignSettings) -> None:
    """The list, and the conversation that is selected in it, else the first."""
    conversations = _comments().conversations(campaign.id)
    if not conversations:
        st.info("Nobody has flagged an item or commented on one yet.", icon=":material/forum:")
        return
    conversation = _conversation_choice(campaign, conversations)
    reading, answering = st.columns(2, gap="medium")
    with reading:
        texts = _comments().texts(campaign.id, conversation.task)
        first, second = texts.left, texts.right
        text_box("Summary" if second is None else "Original", [(0, first)])
        if second is not None:
            text_box("Edited", [(0, second)])
        if texts.explanation:
            text_box("Explanation", [(0, texts.explanation)])
        document_view(texts.document, highlights=source_marks(texts), key="comment-document", height=_HEIGHT)
    with answering:
        with st.container(border=True, key="conversation"):
            show_conversation(conversation, "manager")
            sent = comment_form(
                f"{conversation.task}-{conversation.annotator_id}",
                f"Answer {conversation.annotator}" if conversation.annotator else "Answer the adjudicators",
                lambda text, event_id: _comments().send(
                    campaign.id, SentComment(conversation.task, conversation.annotator_id, text, event_id)
                ),
            )
            for flag in conversation.flags:
                if flag.resolution is None:
                    sent |= comment_form(
                        f"flag-{flag.response}",
                        "What was done about the flag (optional; the annotator reads it)",
                        partial(_comments().resolve, campaign.id, flag.response),
                        button="Resolve the flag",
                    )
        if sent:
            st.rerun()


def _comments() -> ManagerComments:
    return ManagerComments(services.store(), current_member())


def _conversation_choice(campaign: CampaignSettings, conversations: Sequence[CommentThread]) -> CommentThread:
    import pandas as pd

    st.caption(
        f"{sum(conversation.is_open for conversation in conversations)} of {len(conversations)} wait for an answer or have a flag to resolve."
    )
    lines = []
    for conversation in conversations:
        resolved = [flag.resolution for flag in conversation.flags if flag.resolution]
        lines.append(
            {
                "state": "open" if conversation.is_open else "done",
                "person": conversation.annotator or "–",
                "flags": f"{len(resolved)} of {len(conversation.flags)} resolved" if conversation.flags else "",
                "resolved by": ", ".join(dict.fromkeys(resolution.by for resolution in resolved)),
                "comments": len(conversation.comments),
                "last words": conversation.comments[-1].text
                if conversation.comments
                else conversation.flags[-1].reason,
                "summary": conversation.summary,
                "last": conversation.last_at,
            }
        )
    order = hash(tuple((conversation.task, conversation.annotator_id) for conversation in conversations))
    event = st.dataframe(
        pd.DataFrame(lines),
        key=f"conversations-{campaign.id}-{order}",
        hide_index=True,
        on_select="rerun",
        selection_mode="single-row",
        height="content" if len(conversations) < 8 else 320,
        alt="Flags and comments",
        column_config={
            "summary": st.column_config.Column(width="large"),
            "last": st.column_config.DatetimeColumn(format="YYYY-MM-DD HH:mm"),
        },
    )
    rows = event["selection"]["rows"]
    return conversations[rows[0]] if rows and rows[0] < len(conversations) else conversations[0]
