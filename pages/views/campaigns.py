"""Campaigns: set one up, follow its progress and agreement; and the people who work in them."""

from pages.ui.campaigns.campaign_choice import (
    PEOPLE_SECTION,
    campaign_bar,
    campaign_manager,
    chosen_campaign,
    chosen_section,
)
from pages.ui.campaigns.campaign_editor import new_campaign_form
from pages.ui.campaigns.campaign_tabs import campaign_tabs
from pages.ui.campaigns.people_page import people_page
from pages.ui.shared.notices import notices
from pages.ui.shared.script_run import end_run

notices()
if chosen_section() == PEOPLE_SECTION:
    people_page()
    end_run()

campaigns = {campaign.id: campaign for campaign in campaign_manager().campaigns()}
opened = chosen_campaign(campaigns)
campaign_bar(campaigns, opened)
if opened is None:
    new_campaign_form()
    end_run()
campaign_tabs(opened)
