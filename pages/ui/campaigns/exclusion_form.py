"""Labels of a person left out with a reason, and let in again: the form, and what was done so far."""

from __future__ import annotations

import streamlit as st

from annotations.campaigns.campaign import CampaignSettings
from annotations.campaigns.exclusions import ExclusionRow, WhatIsExcluded, describe_exclusion
from core.stats import format_count
from pages.server import services
from pages.ui.campaigns.campaign_choice import campaign_manager
from pages.ui.shared.notices import error_as_notice, leave_notice

_ALL = ""


def exclusion_form(campaign: CampaignSettings) -> None:
    """The form in an expander, and the exclusions so far below it."""
    key = f"exclude-{campaign.id}"
    with st.expander("Leave labels out", icon=":material/person_remove:", key=key, on_change="rerun") as box:
        if box.open:
            _form(campaign, key)
    for row in campaign_manager().exclusions(campaign.id):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.text(format_exclusion(row))
            if row.valid:
                with st.popover("Let in again", icon=":material/undo:", key=f"reinstate-{row.id}"):
                    reason = st.text_input("Reason", key=f"reinstate-reason-{row.id}", max_chars=300)
                    pressed = st.button("Let in again", key=f"reinstate-go-{row.id}", disabled=services.settings().demo)
                if pressed:
                    with error_as_notice():
                        campaign_manager().reinstate(campaign.id, row.id, reason.strip())
                    st.rerun()


def _form(campaign: CampaignSettings, key: str) -> None:
    people = {person.name: person.id for person in campaign_manager().people()}
    labelled = [person.name for person in campaign_manager().progress(campaign.id).people if person.answered]
    if not labelled:
        st.caption("Nobody has labelled anything yet.")
        return
    st.caption(
        "Agreement, final labels, exports and estimates go on without them, and their places are free for others. What is left "
        "out stays in the database, is exported with the reason, and can be let in again."
    )
    with st.form(f"{key}-form", border=False):
        with st.container(horizontal=True):
            name = st.selectbox("Labels of", labelled, key=f"{key}-person", width=240)
            question = st.selectbox(
                "To",
                [_ALL, *campaign.questions.by_id],
                key=f"{key}-question",
                format_func=lambda id: id or "all questions",
                width=220,
                help="Without the answer that the campaign measures a label is left out whole.",
            )
            day = st.date_input("Of the day", None, key=f"{key}-day", width=160, help="UTC. Empty: of all days.")
        reason = st.text_input("Reason", key=f"{key}-reason", max_chars=300)
        stop = st.checkbox("Hand out nothing more to this person", key=f"{key}-pause")
        # no callback: the form is in its expander, which is drawn again
        pressed = st.form_submit_button("Leave out", disabled=services.settings().demo)
    if not pressed:
        return
    with error_as_notice():
        number = campaign_manager().exclude(campaign.id, WhatIsExcluded(people[name], day, question), reason.strip())
        state = campaign_manager().states(campaign.id).get(people[name])
        if stop and not (state and state.paused):
            campaign_manager().pause(campaign.id, people[name], reason.strip())
        leave_notice(f"Left out: {format_count(number, 'label')} of {name}.")
    st.rerun()


def format_exclusion(row: ExclusionRow) -> str:
    """One line on an exclusion: whose labels, which, why, by whom and when; and why they count again."""
    line = f"{row.person}: {describe_exclusion(row)} left out by {row.by}, {row.at:%Y-%m-%d %H:%M}: {row.reason}"
    if row.reinstated_at is None:
        return line
    return f"{line}. Let in again by {row.reinstated_by}, {row.reinstated_at:%Y-%m-%d %H:%M}: {row.reinstated}"
