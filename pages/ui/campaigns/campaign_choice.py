"""Choice of the campaign to look at: named by the address, chosen from a list, opened and closed."""

from __future__ import annotations

from dataclasses import dataclass, replace

import streamlit as st

from annotations.campaigns.assignment import EVERYBODY, CampaignPeople
from annotations.campaigns.campaign import CampaignSettings
from annotations.management.manage import ManagerActions
from annotations.people.people import Member, Right, Role
from annotations.store.reports import Work
from pages.server import services
from pages.ui.evaluate.import_task import UploadedFiles
from pages.ui.results.project_button import project_button
from pages.ui.shared.markup import escape_markdown
from pages.ui.shared.notices import error_as_notice
from pages.ui.shared.session_state import WidgetValue, page_state
from pages.ui.shared.session_user import current_member

_NEW_CAMPAIGN = "new"
CAMPAIGNS_SECTION, PEOPLE_SECTION = "Campaigns", "People"


@dataclass(eq=False)
class CampaignsState:
    """State of the page: the names and codes of invites and the token and secret that are shown once, the file whose items a campaign gets, and the values of its forms."""

    fresh_invites: tuple[tuple[str, str], ...] = ()
    fresh_token: str = ""
    fresh_secret: str = ""
    upload: UploadedFiles | None = None
    upload_importer: str = ""
    campaign = WidgetValue[str | None]("campaign-chosen", None)
    person_name = WidgetValue[str]("person-name", "")
    person_role = WidgetValue[Role]("person-role", Role.ANNOTATOR)
    person_validity = WidgetValue[str]("person-days", "")
    invited = WidgetValue[Member | None]("invite-person", None)
    invite_validity = WidgetValue[str]("invite-days", "")


def campaigns_state() -> CampaignsState:
    return page_state(CampaignsState)


def campaign_manager() -> ManagerActions:
    """The actions of a manager; raises RightsError where the signed-in person is none."""
    return ManagerActions(services.store(), current_member())


def chosen_section() -> str:
    """Campaigns, or the people who work in them."""
    return st.segmented_control(
        "Section",
        [CAMPAIGNS_SECTION, PEOPLE_SECTION],
        default=CAMPAIGNS_SECTION,
        key="campaigns-section",
        required=True,
        persist_state="session",
        label_visibility="collapsed",
    )


def chosen_campaign(campaigns: dict[str, CampaignSettings]) -> CampaignSettings | None:
    """The campaign that the address names, else the newest that takes labels; None where a new one is to be made."""
    addressed = st.query_params.get("campaign", "")
    if addressed == _NEW_CAMPAIGN:
        return None
    return campaigns.get(addressed) or next((campaign for campaign in campaigns.values() if campaign.is_open), None)


def campaign_bar(campaigns: dict[str, CampaignSettings], campaign: CampaignSettings | None) -> None:
    """The campaigns, the way to a new one, and whether the chosen one takes labels."""
    campaigns_state().campaign = campaign.id if campaign else None
    if campaign is None:
        if campaigns:
            newest = next((row for row in campaigns.values() if row.is_open), next(iter(campaigns.values())))
            st.button("Back to the campaigns", icon=":material/arrow_back:", on_click=open_campaign, args=(newest.id,))
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox(
            "Campaign",
            list(campaigns),
            key=CampaignsState.campaign.key,
            format_func=lambda id: campaigns[id].name,
            on_change=lambda: open_campaign(campaigns_state().campaign or _NEW_CAMPAIGN),
            width=420,
        )
        st.button(
            "New campaign",
            icon=":material/add:",
            on_click=open_campaign,
            args=(_NEW_CAMPAIGN,),
            help="Begin another one; nothing of this one is changed.",
        )
        is_open = campaign.is_open

        def toggle_open() -> None:
            """Make the next version, in which nothing but this is new."""
            with error_as_notice():
                newest = campaign_manager().versions(campaign.id)[0].content
                campaign_manager().revise(campaign.id, replace(newest, is_open=not campaign.is_open))

        st.button(
            "Close" if is_open else "Open",
            icon=":material/lock:" if is_open else ":material/lock_open:",
            key="campaign-toggle",
            on_click=toggle_open,
            disabled=services.settings().demo,
            help="A closed campaign gives out no tasks; its labels stay." if is_open else "Give out tasks again.",
        )
        _people_of_campaign(campaign)
        st.set_page_config(page_title=f"Campaigns · {campaign.name} · Touchstone")
        project_button(Work("campaign", campaign.id), campaign.name)
        with st.container(width="content", key="beside-state"):
            st.badge("open" if is_open else "closed", color="green" if is_open else "gray")
        st.caption(escape_markdown(f"{campaign.questions.title} · version {campaign.version}"))


def open_campaign(id: str) -> None:
    """Let the address name a campaign, so that a reload finds it; “new” makes a new one."""
    st.query_params.from_dict({"campaign": id})


def people_choice(key: str, before: CampaignPeople = EVERYBODY) -> CampaignPeople:
    """The people and groups that label a campaign, to choose from all that there are; none means everybody."""
    people = {
        person.id: person.name for person in campaign_manager().people() if person.active or person.id in before.people
    }
    groups = sorted({group for own in campaign_manager().groups().values() for group in own} | {*before.groups})
    selected = st.multiselect(
        "For",
        [*((True, group) for group in groups), *((False, id) for id in people)],
        [*((True, group) for group in before.groups), *((False, id) for id in before.people if id in people)],
        key=f"{key}-people",
        format_func=lambda option: f"Group {option[1]}" if option[0] else people[option[1]],
        placeholder="Everybody",
        help="Nobody else sees the campaign under Annotate, managers excepted. Make groups under People.",
    )
    return CampaignPeople(
        tuple(id for is_group, id in selected if not is_group), tuple(name for is_group, name in selected if is_group)
    )


def labelling_people(chosen: CampaignPeople) -> int:
    """The number of people who may label a campaign for these people; all who may label where it is for everybody."""
    manager = campaign_manager()
    groups = manager.groups() if chosen.groups else {}
    return sum(
        person.active
        and person.may(Right.LABEL)
        and (
            chosen == EVERYBODY
            or person.id in chosen.people
            or not {*groups.get(person.id, ())}.isdisjoint(chosen.groups)
        )
        for person in manager.people()
    )


def _people_of_campaign(campaign: CampaignSettings) -> None:
    """Show who labels the campaign, and a way to change that."""
    before = campaign_manager().assignment(campaign.id)
    number = len(before.people) + len(before.groups)
    name = f"For {number} {'person or group' if number == 1 else 'people and groups'}" if number else "For everybody"
    with st.popover(name, icon=":material/group:", key=f"for-{campaign.id}", on_change="rerun") as box:
        if not box.open:
            return
        people = people_choice(f"for-{campaign.id}-{hash(before)}", before)
        # no callback: it would be called with what was chosen in the run before
        if st.button("Save", key=f"for-{campaign.id}-go", type="primary", disabled=services.settings().demo):
            with error_as_notice():
                campaign_manager().assign(campaign.id, people)
            st.rerun()
