"""Flags and comments of a campaign: which wait for somebody, the texts that they are about, an answer, and how a flag was resolved."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import streamlit as st

from annotations.campaigns.campaign import CampaignSettings
from annotations.management.comments import Conversation, ManagerComments, SentComment
from pages.server import services
from pages.ui.probe.text_panes import document_view, source_marks
from pages.ui.review.case_view import text_box
from pages.ui.shared.comment_view import comment_form, show_conversation
from pages.ui.shared.session_user import current_member

_HEIGHT = 320


def comments_tab(campaign: CampaignSettings) -> None:
    """The list, and the conversation that is selected in it, else the first."""
    found = _comments().conversations(campaign.id)
    if not found:
        st.info("Nobody has flagged an item or commented on one yet.", icon=":material/forum:")
        return
    chosen = _conversation_choice(campaign, found)
    reading, answering = st.columns(2, gap="medium")
    with reading:
        texts = _comments().texts(campaign.id, chosen.task)
        left, right = texts.sides(swapped=False)
        text_box("Summary" if right is None else "Original", [(0, left)])
        if right is not None:
            text_box("Edited", [(0, right)])
        if texts.explanation:
            text_box("Explanation", [(0, texts.explanation)])
        document_view(texts.document, highlights=source_marks(texts), key="comment-document", height=_HEIGHT)
    with answering:
        with st.container(border=True, key="conversation"):
            show_conversation(chosen, "manager")
            sent = comment_form(
                f"{chosen.task}-{chosen.annotator_id}",
                f"Answer {chosen.annotator}" if chosen.annotator else "Answer the adjudicators",
                lambda text, event_id: _comments().send(
                    campaign.id, SentComment(chosen.task, chosen.annotator_id, text, event_id)
                ),
            )
            for flag in chosen.flags:
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


def _conversation_choice(campaign: CampaignSettings, found: Sequence[Conversation]) -> Conversation:
    import pandas as pd

    st.caption(f"{sum(one.is_open for one in found)} of {len(found)} wait for an answer or have a flag to resolve.")
    lines = []
    for one in found:
        resolved = [flag.resolution for flag in one.flags if flag.resolution]
        lines.append(
            {
                "state": "open" if one.is_open else "done",
                "person": one.annotator or "–",
                "flags": f"{len(resolved)} of {len(one.flags)} resolved" if one.flags else "",
                "resolved by": ", ".join(dict.fromkeys(resolution.by for resolution in resolved)),
                "comments": len(one.comments),
                "last words": one.comments[-1].text if one.comments else one.flags[-1].reason,
                "summary": one.summary,
                "last": one.last_at,
            }
        )
    order = hash(tuple((one.task, one.annotator_id) for one in found))
    event = st.dataframe(
        pd.DataFrame(lines),
        key=f"conversations-{campaign.id}-{order}",
        hide_index=True,
        on_select="rerun",
        selection_mode="single-row",
        height="content" if len(found) < 8 else 320,
        alt="Flags and comments",
        column_config={
            "summary": st.column_config.Column(width="large"),
            "last": st.column_config.DatetimeColumn(format="YYYY-MM-DD HH:mm"),
        },
    )
    rows = event["selection"]["rows"]
    return found[rows[0]] if rows and rows[0] < len(found) else found[0]
