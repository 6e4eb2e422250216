"""The frame of the Annotate page: campaign, guidelines, and what is shown where there is nothing to label."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial

import streamlit as st

from annotations.campaigns.campaign import CampaignSettings
from annotations.campaigns.qualification import Stage
from annotations.labelling.labelling import AnnotatorProgress
from annotations.labelling.queue import NoTask
from annotations.store.records import StoreError
from pages.server.crowd_links import end_path
from pages.ui.annotate.current_task import (
    WARNINGS,
    AnnotateState,
    annotate_state,
    guidelines_markdown,
    labelling,
    show_why_nothing,
)
from pages.ui.annotate.presses import open_previous
from pages.ui.shared.markup import escape_markdown, escape_message
from pages.ui.shared.script_run import end_run


@contextmanager
def show_store_errors() -> Iterator[None]:
    """Show the error of the database where it fails, with a way to try again; the page ends there."""
    try:
        yield
    except StoreError as error:
        st.error(escape_message(str(error)), icon=":material/error:")
        st.button("Try again", key="annotate-retry", shortcut="Enter")
        end_run()


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


def progress_caption(campaign: CampaignSettings, progress: AnnotatorProgress) -> None:
    """Show how much this person has done, by which guidelines, and until when."""
    due = f" · until {campaign.rules.deadline:%Y-%m-%d}" if campaign.rules.deadline else ""
    st.caption(f"{progress.answered} answered by you · guidelines version {campaign.version}{due}")


def show_warning(progress: AnnotatorProgress) -> None:
    """Show a person which limit their last answers come close to."""
    if progress.warning:
        st.warning(WARNINGS[progress.warning], icon=":material/speed:", width=820)


def require_guidelines_read(campaign: CampaignSettings, progress: AnnotatorProgress) -> None:
    """Before the first label under a version of the guidelines they fill the page, which ends there."""
    text, key, state = guidelines_markdown(campaign), (campaign.id, campaign.version), annotate_state()
    if not text or progress.version >= campaign.version or key in state.guidelines_read:
        return
    with st.container(border=True, width=820):
        st.subheader("Guidelines" if not progress.version else "The guidelines have changed")
        st.markdown(text)
        st.button(
            "Start",
            type="primary",
            shortcut="Enter",
            key="start",
            on_click=partial(setattr, state, "guidelines_read", state.guidelines_read | {key}),
        )
    end_run()


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
    state.guidelines_open, state.comments_open = shown, False


# a draft may be saved meanwhile, which runs the page again: the dialog is open until it is closed
@st.dialog("Guidelines", width="large", on_dismiss=lambda: _set_guidelines_open(False))
def _guidelines_dialog(campaign: CampaignSettings) -> None:
    st.markdown(guidelines_markdown(campaign) or "This campaign has no guidelines.")
