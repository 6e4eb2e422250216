"""The work of an annotator in a campaign as they may see it: labels, hours, pace, and decisions once the campaign is closed."""

from __future__ import annotations

import streamlit as st

from annotations.campaigns.campaign import CampaignSettings
from annotations.campaigns.questions import unswap_answers
from annotations.results.person_work import SeenSummary, as_decided, work_by_day
from pages.ui.annotate.current_task import annotate_state, labelling, read_or_keep
from pages.ui.annotate.labeller import format_answer

_HOUR_MS = 3_600_000


def own_work_button(campaign: CampaignSettings) -> None:
    """Opens the work of the person."""
    st.button("My work", icon=":material/person:", key="own-work", on_click=_set_open, args=(True,))
    if annotate_state().work_open:
        _work_dialog(campaign)


def _set_open(shown: bool) -> None:
    state = annotate_state()
    state.work_open, state.comments_open, state.guidelines_open = shown, False, False


@st.dialog("My work", width="large", on_dismiss=lambda: _set_open(False))
def _work_dialog(campaign: CampaignSettings) -> None:
    import pandas as pd

    work, seen = read_or_keep(f"own work {campaign.id}", lambda: labelling().own_work(campaign.id))
    if not work.labels:
        st.caption("You have labelled nothing here yet.")
        return
    hours, matches = work.active_ms / _HOUR_MS, as_decided(work, campaign, work.labels)
    with st.container(horizontal=True):
        st.metric("Labels", len(work.labels), width=160)
        st.metric("Hours of reading and typing", f"{hours:.2f}", width=240)
        st.metric("Labels an hour", f"{len(work.labels) / hours:.0f}" if hours else "–", width=160)
        if matches:
            st.metric("As decided", f"{sum(matches)} of {len(matches)}", width=160)
    days = pd.DataFrame(work_by_day(work, campaign)).rename(columns={"period": "day"}).dropna(axis="columns", how="all")
    st.dataframe(days, hide_index=True, alt="Your work by day", placeholder="")
    text_column = "summary on the left" if campaign.questions.unit == "pair" else "summary"
    frame = pd.DataFrame(
        [
            {
                "your answer": _as_seen(campaign, seen[label.response], campaign.questions.measured(label.answers)),
                "decided": _as_seen(campaign, seen[label.response], work.decided.get(label.task)),
                "seconds": label.active_ms / 1000,
                "when": label.created_at,
                text_column: seen[label.response].text,
            }
            for label in reversed(work.labels)
        ]
    ).dropna(axis="columns", how="all")
    st.dataframe(
        frame,
        hide_index=True,
        height=320 if len(frame) > 8 else "content",
        alt="Your labels",
        placeholder="",
        column_config={
            text_column: st.column_config.Column(width="large"),
            "when": st.column_config.DatetimeColumn(format="YYYY-MM-DD HH:mm"),
        },
    )
    if campaign.is_open:
        st.caption("What was decided is shown when the campaign is closed.")


def _as_seen(campaign: CampaignSettings, seen: SeenSummary, answer: object) -> str | None:
    """An answer to the measured question with the sides as they stood for this person."""
    questions = campaign.questions
    if answer is None:
        return None
    answers = unswap_answers(questions, {questions.measure: answer}, seen.is_swapped)
    return format_answer(questions.by_id[questions.measure], answers[questions.measure])
