"""Campaigns: set one up, see how it goes and how far people agree; and the people who work in them."""

import streamlit as st

from pages.ui.campaigns.choice import PEOPLE, campaign_bar, chosen_campaign, desk, section
from pages.ui.campaigns.people import people_page
from pages.ui.campaigns.setup import setup
from pages.ui.campaigns.tabs import campaign_tabs
from pages.ui.notices import notices

notices()
if section() == PEOPLE:
    people_page()
    st.stop()

campaigns = {campaign.id: campaign for campaign in desk().campaigns()}
chosen = chosen_campaign(campaigns)
campaign_bar(campaigns, chosen)
if chosen is None:
    setup()
    st.stop()
campaign_tabs(chosen)
