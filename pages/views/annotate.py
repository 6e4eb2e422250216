"""Annotate: the next thing to label, blind, by keyboard; one press is one label in the database."""

import streamlit as st

from annotations.labelling.queue import NoTask
from annotations.people.people import Right
from pages.server import services
from pages.ui.annotate.conversations import comments_button
from pages.ui.annotate.current_task import (
    current_task,
    labelling,
    read_or_keep,
    task_view,
)
from pages.ui.annotate.frame import (
    choose_campaign,
    finish_link,
    guidelines_button,
    nothing_left,
    offer_training,
    progress_caption,
    require_code,
    require_guidelines_read,
    say_left_campaign,
    show_store_errors,
    show_warning,
)
from pages.ui.annotate.labeller import labeller
from pages.ui.annotate.own_work import own_work_button
from pages.ui.annotate.presses import handle_draft, handle_presses
from pages.ui.shared.script_run import end_run
from pages.ui.shared.session_user import member_let_in

if services.settings().demo:
    st.info("A demonstration keeps nothing, so there is nothing to label here.", icon=":material/rate_review:")
    end_run()

with show_store_errors():
    opened = read_or_keep("campaigns", lambda: labelling().campaigns())
    campaigns = {campaign.id: campaign for campaign in opened}
    say_left_campaign(campaigns)
if not campaigns:
    st.info("No campaign takes labels now. A manager opens one under Campaigns.", icon=":material/rate_review:")
    if member_let_in().may(Right.MANAGE):
        st.page_link("views/campaigns.py", label="Set up a campaign", icon=":material/assignment:")
    finish_link()
    end_run()

with show_store_errors(), st.container(horizontal=True, vertical_alignment="center"):
    campaign = choose_campaign(campaigns)
    progress = read_or_keep(campaign.id, lambda: labelling().progress(campaign.id))
    guidelines_button(campaign)
    comments_button(campaign)
    own_work_button(campaign)
    guidelines = read_or_keep(f"guidelines {campaign.id}", lambda: labelling().guidelines(campaign.id))
    progress_caption(campaign, progress, guidelines)
require_code(campaign, guidelines)
require_guidelines_read(campaign, progress, guidelines)
offer_training(campaign, progress)

with show_store_errors():
    current, task = current_task(campaign)
if isinstance(task, NoTask):
    nothing_left(task, current.receipt, progress)
    end_run()
show_warning(progress)
labeller(task_view(current, task, progress), handle_presses, handle_draft)
