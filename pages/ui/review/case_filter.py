"""The cases of Review that are looked at: those without a majority, or those that one person labelled."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from annotations.campaigns.campaign import CampaignSettings
from annotations.management.adjudication import QueuedTask
from annotations.management.manage import ManagerActions
from annotations.people.people import Right
from pages.server import services
from pages.ui.review.case_view import adjudicator, review_state
from pages.ui.shared.session_user import current_member


def filtered_cases(campaign: CampaignSettings, cases: Sequence[QueuedTask]) -> Sequence[QueuedTask]:
    """The cases that pass the filters, which a popover changes; only managers, who see names elsewhere too, filter by person."""
    undecided, person = review_state().filters.get(campaign.id, (False, None))
    if not cases:
        return cases
    key = f"case-filter-{campaign.id}"
    with st.popover(
        "Filtered" if undecided or person else "Filter", icon=":material/filter_alt:", key=key, on_change="rerun"
    ) as box:
        if box.open:
            if campaign.rules.resolve == "majority":
                undecided = st.toggle(
                    "Without a majority only",
                    undecided,
                    key=f"{key}-undecided",
                    help="More than half of the people agree on the others, which is their final answer without a decision.",
                )
            if current_member().may(Right.MANAGE):
                # names are drawn where somebody asks for them: the labels of a case have none
                people = sorted({name for names in _people(campaign).values() for name in names})
                place = people.index(person) if person in people else None
                person = st.selectbox("Labelled by", people, place, key=f"{key}-person", placeholder="Anybody")
            review_state().filters[campaign.id] = undecided, person
    if person:
        people_of = _people(campaign)
        cases = [case for case in cases if person in people_of.get(case.task, ())]
    if undecided:
        resolved = adjudicator().by_majority(campaign.id, [case.task for case in cases])
        cases = [case for case in cases if case.task not in resolved]
    return cases


def _people(campaign: CampaignSettings) -> dict[str, set[str]]:
    manager = ManagerActions(services.store(), current_member())
    return {task.task: {label.person for label in task.labels} for task in manager.resolved_tasks(campaign.id)}
