"""Campaigns: labelling that is set up, followed and reviewed, its labels, and the people who give them."""

from __future__ import annotations

import streamlit as st

from pages.ui.campaigns.campaign_choice import (
    PEOPLE_SECTION,
    campaign_bar,
    chosen_campaign,
    chosen_section,
)
from pages.ui.campaigns.campaign_editor import new_campaign_form
from pages.ui.campaigns.campaign_tabs import campaign_tabs
from pages.ui.campaigns.people_page import people_page
from pages.ui.review.case_view import adjudicator
from pages.ui.review.review_tab import only_reviews, review_tab, reviewed_campaign
from pages.ui.shared.notices import notices
from pages.ui.shared.script_run import end_run

notices()
campaigns = {campaign.id: campaign for campaign in adjudicator().campaigns()}
if only_reviews():
    if campaigns:
        review_tab(reviewed_campaign(campaigns))
    else:
        st.info("There is no campaign to review. A manager opens one here.", icon=":material/gavel:")
    end_run()

if chosen_section() == PEOPLE_SECTION:
    people_page()
    end_run()

opened = chosen_campaign(campaigns)
campaign_bar(campaigns, opened)
if opened is None:
    new_campaign_form()
    end_run()
campaign_tabs(opened)
