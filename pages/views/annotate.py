"""Annotate: the next thing to label, blind, by keyboard; one press is one label in the database."""

import streamlit as st

from annotations.campaigns.queue import Nothing
from pages.ui import services
from pages.ui.annotate.labeller import labeller
from pages.ui.annotate.page import choose_campaign, guidelines_button, nothing_left, read_first, telling
from pages.ui.annotate.state import desk, draft, hand, sent, sheet

if services.settings().demo:
    st.info("A demonstration keeps nothing, so there is nothing to label here.", icon=":material/rate_review:")
    st.stop()

with telling():
    campaigns = {campaign.id: campaign for campaign in desk().campaigns()}
if not campaigns:
    st.info("No campaign takes labels now. A manager opens one under Campaigns.", icon=":material/rate_review:")
    st.stop()

with telling(), st.container(horizontal=True, vertical_alignment="center"):
    campaign = choose_campaign(campaigns)
    standing = desk().standing(campaign.id)
    guidelines_button(campaign, standing)
read_first(campaign, standing)

with telling():
    held, found = hand(campaign)
if isinstance(found, Nothing):
    nothing_left(found, held.said, standing)
    st.stop()
labeller(sheet(held, found, standing), sent, draft)
