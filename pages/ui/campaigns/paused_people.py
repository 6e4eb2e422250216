"""People whom the limits of a campaign or its manager have paused, each with the way to let them go on."""

from __future__ import annotations

import streamlit as st

from annotations.campaigns.campaign import CampaignSettings
from annotations.labelling.limits import PersonState
from pages.server import services
from pages.ui.campaigns.campaign_choice import campaign_manager
from pages.ui.shared.notices import error_as_notice, leave_notice


def paused_people(campaign: CampaignSettings, heading: str) -> None:
    """A line for each paused person of a campaign under a heading in Markdown; nothing where nobody is paused."""
    paused = [state for state in campaign_manager().states(campaign.id).values() if state.paused]
    if not paused:
        return

    def resume(state: PersonState) -> None:
        with error_as_notice():
            campaign_manager().resume(campaign.id, state.person_id)
            leave_notice(f"{state.person} gets items again.")

    st.subheader(heading)
    for state in paused:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.text(format_pause(state))
            st.button(
                "Resume",
                icon=":material/play_arrow:",
                key=f"resume-{campaign.id}-{state.person_id}",
                on_click=resume,
                args=(state,),
                type="tertiary",
                disabled=services.settings().demo,
                help="They get items again; the limits look at what they answer from now on.",
            )


def format_pause(state: PersonState) -> str:
    """One line on a pause: who, why, by whom and since when."""
    return f"{state.person}: {state.reason.rstrip('.')}. Paused by {state.by}, {state.at:%Y-%m-%d %H:%M}"
