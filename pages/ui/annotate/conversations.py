"""Conversations of an annotator with those who lead the campaign about items, over the page on a key."""

from __future__ import annotations

import streamlit as st

from annotations.campaigns.campaign import CampaignSettings
from annotations.campaigns.task_texts import ShownTask
from annotations.management.comments import AnnotatorComments, CommentThread
from pages.server import services
from pages.ui.annotate.current_task import annotate_state, read_or_keep
from pages.ui.shared.comment_view import comment_form, show_conversation
from pages.ui.shared.markup import escape_markdown
from pages.ui.shared.session_user import current_member

_MAX_QUOTE_CHARACTERS = 160


def comments_button(campaign: CampaignSettings) -> None:
    """Opens the conversations; says how many answers were not read yet."""
    state = annotate_state()
    answers = read_or_keep(f"comments {campaign.id}", lambda: _comments().answers(campaign.id))
    unread = sum(state.comments_read.get(task) != last for task, last in answers.items())
    st.button(
        f"Comments · {unread} new" if unread else "Comments",
        icon=":material/forum:",
        shortcut="k",
        key="comments",
        type="primary" if unread else "secondary",
        on_click=_set_comments_open,
        args=(True,),
    )
    if state.comments_open:
        state.comments_read = answers
        _comments_dialog(campaign)


def _comments() -> AnnotatorComments:
    return AnnotatorComments(services.store(), current_member())


def _set_comments_open(shown: bool) -> None:
    state = annotate_state()
    state.comments_open, state.guidelines_open, state.work_open = shown, False, False


# as the guidelines: a draft may be saved meanwhile, which runs the page again
@st.dialog("Comments", width="large", on_dismiss=lambda: _set_comments_open(False))
def _comments_dialog(campaign: CampaignSettings) -> None:
    st.caption(
        "The manager and the adjudicators of the campaign read this; others who label do not. Nobody's label is shown here."
    )
    conversations = read_or_keep(f"conversations {campaign.id}", lambda: _comments().conversations(campaign.id))
    current = annotate_state().current
    task = current.task if current else None
    sent = (
        isinstance(task, ShownTask)
        and not any(conversation.number == task.number for conversation in conversations)
        and comment_form(
            f"item-{task.reservation}",
            f"Comment on item {task.number}, which is open now",
            lambda text, event: _comments().send(task.reservation, text, event),
        )
    )
    if sent or any(_conversation_box(campaign, conversation) for conversation in conversations):
        st.rerun()  # all of the page: after a run of the dialog alone Streamlit does not hear that it is closed


def _conversation_box(campaign: CampaignSettings, conversation: CommentThread) -> bool:
    with st.container(border=True, key=f"conversation-{conversation.task}"):
        quoted = conversation.summary[:_MAX_QUOTE_CHARACTERS]
        dots = "…" if len(conversation.summary) > len(quoted) else ""
        st.markdown(f"**Item {conversation.number}** :small[:gray[{escape_markdown(quoted)}{dots}]]")
        show_conversation(conversation, "annotator")
        return comment_form(
            conversation.task,
            "Your comment",
            lambda text, event: _comments().answer(campaign.id, conversation.task, text, event),
        )
