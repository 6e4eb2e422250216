"""Annotate: the next thing to label, blind, by keyboard; one press is one label in the database."""

import streamlit as st

from annotations.campaigns.queue import Nothing
from pages.ui.annotating import desk, draft, hand, sent, sheet
from pages.ui.annotating_words import feedback, guidelines, scores, why_nothing
from pages.ui.labeller import labeller
from pages.ui.notices import notices

notices()
campaigns = {campaign.id: campaign for campaign in desk().campaigns()}
if not campaigns:
    st.info("No campaign takes labels now. A manager opens one under Campaigns.", icon=":material/rate_review:")
    st.stop()

with st.container(horizontal=True, vertical_alignment="bottom"):
    chosen = st.selectbox(
        "Campaign",
        list(campaigns),
        format_func=lambda id: campaigns[id].name,
        key="annotate-campaign",
        persist_state="session",
        width=360,
    )
    campaign = campaigns[chosen]
    answered = desk().standing(campaign.id).answered
    st.caption(f"{answered} answered by you · version {campaign.version} of the guidelines")
guidelines(campaign, opened=answered == 0)

held = hand(campaign)
feedback(held.marked)
if isinstance(held.found, Nothing):
    why_nothing(held.found, campaign)
    st.stop()

labeller(sheet(held, held.found, answered), sent, draft)
if held.revealed:
    scores(held.found)
