"""Buttons for the items that are ticked: use them as gold, withdraw or correct them, or hand them to somebody."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import streamlit as st

from annotations.campaigns.campaign import CampaignSettings
from annotations.campaigns.task_list import TaskRow
from annotations.management.comments import ManagerComments
from annotations.management.item_actions import HELD_DAYS, ItemActions
from annotations.people.people import Right
from annotations.results.resolution import ResolvedTask
from core.stats import format_count
from pages.server import services
from pages.ui.campaigns.campaign_choice import campaign_manager
from pages.ui.shared.notices import error_as_notice, leave_notice
from pages.ui.shared.session_user import current_member


def item_buttons(campaign: CampaignSettings, selected: Sequence[TaskRow], resolved: Mapping[str, ResolvedTask]) -> None:
    """The buttons that fit the items; one of a kind that fits none is not drawn."""
    in_use = [task for task in selected if not task.withdrawn and task.part in ("work", "gold")]
    withdrawn = [task for task in selected if task.withdrawn]
    with st.container(horizontal=True, key="item-buttons"):
        _gold_button(campaign, in_use, resolved)
        if in_use:
            _reason_form(campaign, in_use, "Withdraw", ":material/remove_circle:", _withdraw)
        if len(in_use) == len(selected) == 1 and campaign.questions.unit != "explanation":
            _correct_form(campaign, in_use[0])
        if work := [task for task in in_use if task.part == "work"]:
            _reassign_form(campaign, work)
        if withdrawn:
            _reason_form(campaign, withdrawn, "Bring back", ":material/undo:", _bring_back)


def _actions() -> ItemActions:
    return ItemActions(services.store(), current_member())


def _ids(tasks: Sequence[TaskRow]) -> list[str]:
    return [task.task for task in tasks]


def _gold_button(campaign: CampaignSettings, tasks: Sequence[TaskRow], resolved: Mapping[str, ResolvedTask]) -> None:
    """Mixes items in again as gold, with what was decided as the right answer."""
    measure = campaign.questions.measure
    gold = [
        task.task
        for task in tasks
        if task.part == "work" and task.task in resolved and measure in resolved[task.task].answers
    ]
    pressed = st.button(
        f"Use {format_count(len(gold), 'item')} as gold",
        icon=":material/verified:",
        key=f"gold-{campaign.id}",
        disabled=services.settings().demo or not gold,
        help="Mixed in unseen, with the decided answer as the right one. An item that nobody has decided has none.",
    )
    if pressed:
        with error_as_notice():
            added = _actions().use_as_gold(campaign.id, gold)
            leave_notice(f"{format_count(added, 'gold item')} in {campaign.name}.")
        st.rerun()


def _withdraw(campaign: CampaignSettings, tasks: Sequence[TaskRow], reason: str) -> str:
    number = _actions().withdraw(campaign.id, _ids(tasks), reason)
    return f"{format_count(number, 'item')} withdrawn from {campaign.name}; the labels are kept and count nowhere."


def _bring_back(campaign: CampaignSettings, tasks: Sequence[TaskRow], reason: str) -> str:
    number = _actions().bring_back(campaign.id, _ids(tasks), reason)
    return f"{format_count(number, 'item')} back in {campaign.name}, with all labels."


def _reason_form(
    campaign: CampaignSettings,
    tasks: Sequence[TaskRow],
    verb: str,
    icon: str,
    act: Callable[[CampaignSettings, Sequence[TaskRow], str], str],
) -> None:
    title = f"{verb} {format_count(len(tasks), 'item')}"
    key = f"{verb}-{campaign.id}".lower().replace(" ", "-")
    with st.popover(title, icon=icon, key=f"{key}-popover"), st.form(key, border=False):
        reason = st.text_input("Reason", key=f"{key}-reason", placeholder="For example: the document is cut off")
        # no callback, as for every form: it would be called with what was ticked in the run before
        if st.form_submit_button(title, icon=icon, disabled=services.settings().demo):
            with error_as_notice():
                leave_notice(act(campaign, tasks, reason))
            st.rerun()


def _correct_form(campaign: CampaignSettings, task: TaskRow) -> None:
    with st.popover("Correct the text", icon=":material/edit:", key=f"correct-popover-{campaign.id}"):
        texts = ManagerComments(services.store(), current_member()).texts(campaign.id, task.task)
        key = f"correct-{task.task}"
        with st.form(key, border=False):
            original = st.text_area("Original", texts.left, key=f"{key}-original") if texts.right is not None else ""
            summary = st.text_area("Summary", texts.left if texts.right is None else texts.right, key=f"{key}-summary")
            document = st.text_area("Document", texts.document, key=f"{key}-document", height=160)
            reason = st.text_input("Reason", key=f"{key}-reason", placeholder="For example: a typing error")
            st.caption("A new item takes the place of this one. The labels of this one stay with it and count nowhere.")
            if st.form_submit_button("Put it in its place", icon=":material/check:", disabled=services.settings().demo):
                with error_as_notice():
                    _actions().correct(campaign.id, task.task, (document, original, summary), reason)
                    leave_notice("The corrected item is handed out from now on.")
                st.rerun()


def _reassign_form(campaign: CampaignSettings, tasks: Sequence[TaskRow]) -> None:
    title = f"Hand {format_count(len(tasks), 'item')} to …"
    with (
        st.popover(title, icon=":material/person_add:", key=f"reassign-popover-{campaign.id}"),
        st.form(f"reassign-{campaign.id}", border=False),
    ):
        people = [person for person in campaign_manager().people() if person.active and person.may(Right.LABEL)]
        person = st.selectbox(
            "Person", people, None, key=f"reassign-{campaign.id}-person", format_func=lambda member: member.name
        )
        st.caption(
            f"Held for {HELD_DAYS} days, before all else that they get; what somebody else has open there is taken from "
            "them. Left out is what the person had, wrote or saw scores of, and what has all its labels."
        )
        pressed = st.form_submit_button("Hand over", icon=":material/check:", disabled=services.settings().demo)
        if pressed and person is not None:
            with error_as_notice():
                number = _actions().reassign(campaign.id, _ids(tasks), person)
                leave_notice(f"{number} of {format_count(len(tasks), 'item')} held for {person.name}.")
            st.rerun()
