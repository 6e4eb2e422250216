"""The frame of the Annotate page: campaign, guidelines, and what is shown where there is nothing to label."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from difflib import ndiff
from functools import partial
from secrets import token_hex

import streamlit as st

from annotations.campaigns.campaign import CampaignSettings, ReadGuidelines
from annotations.campaigns.qualification import Stage
from annotations.labelling.labelling import AnnotatorProgress
from annotations.labelling.queue import NoTask
from annotations.store.records import StoreError
from core.stats import format_count
from pages.server.crowd_links import end_path
from pages.ui.annotate.current_task import (
    WARNINGS,
    AnnotateState,
    annotate_state,
    guidelines_markdown,
    labelling,
    read_or_keep,
    show_why_nothing,
)
from pages.ui.annotate.own_work import own_work_button
from pages.ui.annotate.presses import open_previous
from pages.ui.shared.markup import escape_markdown, escape_message
from pages.ui.shared.script_run import end_run

_OTHER_KEY = "annotate-other-campaign"


@contextmanager
def show_store_errors() -> Iterator[None]:
    """Show the error of the database where it fails, with a way to try again; the page ends there."""
    try:
        yield
    except StoreError as error:
        st.error(escape_message(str(error)), icon=":material/error:")
        st.button("Try again", key="annotate-retry", shortcut="Enter")
        end_run()


def say_left_campaign(campaigns: Mapping[str, CampaignSettings]) -> None:
    """Say that the campaign in hand was closed, or is given to others, and offer those that are open; the page ends there."""
    left = annotate_state().campaign or st.query_params.get("campaign", "")
    if not left or left in campaigns:
        return
    membership = read_or_keep(f"left {left}", lambda: labelling().left_campaign(left))
    if membership is None:
        return
    campaign, answered = membership
    with st.container(width=820):
        if answered:
            state = "is for others now" if campaign.is_open else "is closed"
            labels = f"your {format_count(answered, 'label')} {'is' if answered == 1 else 'are'} kept"
            st.info(f"{escape_markdown(campaign.name)} {state}; {labels}.", icon=":material/lock:")
            own_work_button(campaign)
        else:  # its name is for those whose work it is
            st.info("The campaign of this link is closed, or for others.", icon=":material/lock:")
        if campaigns:
            st.selectbox(
                "Go on with another campaign",
                list(campaigns),
                index=None,
                format_func=lambda id: campaigns[id].name,
                key=_OTHER_KEY,
                placeholder="Choose one",
                on_change=_go_to_other,
                width=360,
            )
        finish_link()
    end_run()


def _go_to_other() -> None:
    if other := st.session_state.get(_OTHER_KEY):
        annotate_state().campaign = st.query_params["campaign"] = other


def choose_campaign(campaigns: Mapping[str, CampaignSettings]) -> CampaignSettings:
    """The campaign of the address, else the one that the person was in last, else the newest."""
    ids = list(campaigns)
    if not annotate_state().campaign:
        addressed = st.query_params.get("campaign", labelling().last_campaign())
        annotate_state().campaign = addressed if addressed and addressed in campaigns else ids[0]
    selected = st.selectbox(
        "Campaign",
        ids,
        format_func=lambda id: campaigns[id].name,
        key=AnnotateState.campaign.key,
        persist_state="session",
        label_visibility="collapsed",
        width=360,
    )
    st.query_params["campaign"] = selected
    return campaigns[selected]


def guidelines_button(campaign: CampaignSettings) -> None:
    """The guidelines on a key, over the page."""
    st.button(
        "Guidelines",
        icon=":material/menu_book:",
        shortcut="g",
        key="guidelines",
        on_click=_set_guidelines_open,
        args=(True,),
    )
    if annotate_state().guidelines_open:
        _guidelines_dialog(campaign)


def progress_caption(
    campaign: CampaignSettings, progress: AnnotatorProgress, guidelines: Sequence[ReadGuidelines]
) -> None:
    """Show how much this person has done, by which guidelines, until when, and how many items are new since they were here."""
    new_items = annotate_state().new_items
    if campaign.id not in new_items:
        new_items[campaign.id] = read_or_keep(f"new {campaign.id}", lambda: labelling().count_new_items(campaign.id))
    new = f" · {format_count(new_items[campaign.id], 'new item')} since you were here" if new_items[campaign.id] else ""
    due = f" · until {campaign.rules.deadline:%Y-%m-%d}" if campaign.rules.deadline else ""
    st.caption(f"{progress.answered} answered by you · guidelines {guidelines[-1].number}{due}{new}")


def show_warning(progress: AnnotatorProgress) -> None:
    """Show a person which limit their last answers come close to."""
    if progress.warning:
        st.warning(WARNINGS[progress.warning], icon=":material/speed:", width=820)


def changed_lines(before: str, after: str) -> str:
    """The lines that are gone, with a minus, and those that are new, with a plus."""
    lines = ndiff(before.splitlines(), after.splitlines())
    return "\n".join(line for line in lines if line[0] in "+-" and line[2:].strip())


def require_guidelines_read(
    campaign: CampaignSettings, progress: AnnotatorProgress, guidelines: Sequence[ReadGuidelines]
) -> None:
    """Before the first label under a text of the guidelines it fills the page, with what is new; the page ends there."""
    newest, state = guidelines[-1], annotate_state()
    text, key = guidelines_markdown(campaign), (campaign.id, newest.number)
    before = next((read for read in guidelines if read.first <= progress.version <= read.last), None)
    if not text or (before and before.text == newest.text) or key in state.guidelines_read:
        return
    with st.container(border=True, width=820):
        st.subheader("The guidelines have changed" if before else "Guidelines")
        if before:
            st.code(changed_lines(before.text, newest.text), language="diff", wrap_lines=True)
        st.markdown(text)
        st.button(
            "Start",
            type="primary",
            shortcut="Enter",
            key="start",
            on_click=partial(setattr, state, "guidelines_read", state.guidelines_read | {key}),
        )
    end_run()


def require_code(campaign: CampaignSettings, guidelines: Sequence[ReadGuidelines]) -> None:
    """Once a session, under a rule for it, ask for a code that stands in the guidelines; the page ends there until it is right."""
    state = annotate_state()
    if not campaign.rules.check_code or campaign.id in state.code_given:
        return
    code = state.codes.setdefault(campaign.id, token_hex(3))
    with st.container(border=True, width=820):
        st.subheader("Guidelines")
        st.markdown(with_code(guidelines_markdown(campaign), code))
        with st.form("check-code", border=False):
            answer = st.text_input("The code that stands in the guidelines", key="check-code-answer", width=260)
            pressed = st.form_submit_button("Go on", type="primary", key="check-code-go")
    if pressed and answer.strip().lower() == code:
        state.code_given |= {campaign.id}
        state.guidelines_read |= {(campaign.id, guidelines[-1].number)}
        st.rerun()
    if pressed:
        st.error("That is not the code. It stands between two paragraphs of the guidelines.", icon=":material/error:")
    end_run()


def with_code(guidelines: str, code: str) -> str:
    """Guidelines in Markdown with the sentence that has the code after half of their paragraphs."""
    paragraphs = guidelines.split("\n\n") if guidelines else []
    half = (len(paragraphs) + 1) // 2
    return "\n\n".join([*paragraphs[:half], f"The code to copy is **{code}**.", *paragraphs[half:]])


def offer_training(campaign: CampaignSettings, progress: AnnotatorProgress) -> None:
    """After a round of training: how many answers were right, once more or on to the items; the page ends there."""
    state = annotate_state()
    current = state.current
    reads_feedback = current is not None and current.campaign.id == campaign.id and current.mode == "feedback"
    if not progress.training or reads_feedback or campaign.id in state.trained:
        return
    last = progress.training[-1]
    with st.container(border=True, width=820):
        st.subheader("Training is finished")
        st.markdown(f"**{last.right} of {last.answered}** answers agree with the known ones.")
        if len(progress.training) > 1:
            before = ", ".join(f"{attempt.right} of {attempt.answered}" for attempt in progress.training[:-1])
            st.caption(f"Before: {before}.")
        st.caption(
            "The manager of the campaign sees how many were right, in which round and when. Training is no label: it counts "
            "in no agreement and no result."
        )
        with st.container(horizontal=True):
            goes_on = "Go on to the qualification" if progress.stage is Stage.QUALIFICATION else "Begin with the items"
            st.button(
                goes_on,
                type="primary",
                key="trained",
                shortcut="Enter",
                on_click=partial(setattr, state, "trained", state.trained | {campaign.id}),
            )
            again = st.button("Train once more", key="train-again", icon=":material/replay:")
    if again:
        with show_store_errors():
            labelling().train_again(campaign.id)
        state.current = None
        st.rerun()
    end_run()


def nothing_left(nothing: NoTask, receipt: str, progress: AnnotatorProgress) -> None:
    """Show why there is no task, a way to look again, and a way back to the last answer."""
    with st.container(width=820):
        if receipt:
            st.caption(escape_markdown(receipt))
        show_why_nothing(nothing)
        with st.container(horizontal=True):
            if nothing.reason in {"reserved", "apart", "calibrated", "paused", "skill"}:
                st.button("Look again", key="look-again", shortcut="Enter")
            if progress.answered and nothing.reason != "closed":
                st.button("Previous", key="look-back", shortcut="p", on_click=open_previous)
            finish_link()


def finish_link() -> None:
    """Link by which a participant of a crowd platform ends the session and gets its code; nothing for everybody else."""
    campaign = labelling().session_campaign()
    if campaign:
        st.link_button("Finish and get the code", end_path(campaign), type="primary", icon=":material/task_alt:")


def _set_guidelines_open(shown: bool) -> None:
    state = annotate_state()
    state.guidelines_open, state.comments_open, state.work_open = shown, False, False


# a draft may be saved meanwhile, which runs the page again: the dialog is open until it is closed
@st.dialog("Guidelines", width="large", on_dismiss=lambda: _set_guidelines_open(False))
def _guidelines_dialog(campaign: CampaignSettings) -> None:
    st.markdown(guidelines_markdown(campaign) or "This campaign has no guidelines.")
