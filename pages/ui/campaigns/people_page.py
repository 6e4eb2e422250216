"""The people who work here: who may do what, and the personal links that let them in."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import quote

import pandas as pd
import streamlit as st

from annotations.campaigns.people import RIGHTS, Member, Role
from annotations.campaigns.sign_in import InviteRow
from annotations.records import StoreError
from pages.ui import services
from pages.ui.campaigns.campaign_choice import CampaignsState, campaign_manager, campaigns_state, show_notice
from pages.ui.markup import escape_markdown

_VALIDITY_DAYS = {"7 days": 7, "30 days": 30, "90 days": 90, "until revoked": None}


def people_page() -> None:
    """Add a person, invite, revoke; the code of an invite is shown once."""
    _how_to_share()
    people, invites = campaign_manager().people(), campaign_manager().invites()
    left, right = st.columns([1, 1.6], gap="large")
    with left:
        _add_form()
        _invite_form(people)
    with right:
        _show_code()
        _people_table(people, invites)
        _invite_rows(invites)


def _how_to_share() -> None:
    if services.settings().shared:
        return
    st.info(
        "This server is local: everyone who opens it is the manager, without signing in. For a team, make yourself a code "
        "with `python cli.py invite NAME --role manager`, start the server with `TOUCHSTONE_SHARED=1` and put it behind a "
        "proxy with HTTPS. Invites that you make here are valid there.",
        icon=":material/group:",
    )


def _add_form() -> None:
    with st.form("add-person", border=False):
        st.subheader("Add a person")
        st.text_input(
            "Name",
            key=CampaignsState.person_name.key,
            help="A sign-in through your organisation looks for the e-mail address.",
        )
        st.selectbox(
            "Role",
            list(Role),
            index=list(Role).index(Role.ANNOTATOR),
            key=CampaignsState.person_role.key,
            format_func=_format_role,
        )
        st.selectbox("The link is valid", list(_VALIDITY_DAYS), index=1, key=CampaignsState.person_validity.key)
        st.form_submit_button(
            "Add and make a link", icon=":material/person_add:", on_click=_add_person, disabled=services.settings().demo
        )


def _format_role(role: Role) -> str:
    """A role with what it allows."""
    return f"{role.value} (may {', '.join(sorted(right.value for right in RIGHTS[role]))})"


def _invite_form(people: Sequence[Member]) -> None:
    with st.expander("A new link for an existing person", icon=":material/link:"), st.form("invite", border=False):
        st.selectbox("Person", list(people), key=CampaignsState.invited.key, format_func=lambda one: one.name)
        st.selectbox("Valid", list(_VALIDITY_DAYS), index=1, key=CampaignsState.invite_validity.key)
        st.form_submit_button("Make a link", on_click=_invite_again, disabled=services.settings().demo or not people)


def _show_code() -> None:
    """The link of an invite that was just made; gone with the next thing that is done here."""
    state = campaigns_state()
    if state.fresh_invite is None:
        return
    (name, code), state.fresh_invite = state.fresh_invite, None
    server = (st.context.url or "").rpartition("/")[0]
    with st.container(border=True):
        st.markdown(f"**The personal link of {escape_markdown(name)}**, shown this once:")
        st.code(f"{server}/?invite={quote(code)}", language=None, wrap_lines=True)
        st.caption(
            "Anyone who has it can sign in as that person. Only its hash is stored; revoke it below when it is lost."
        )


def _people_table(people: Sequence[Member], invites: Sequence[InviteRow]) -> None:
    st.subheader("People")
    valid = [row.person for row in invites if row.valid]
    st.dataframe(
        pd.DataFrame(
            {
                "name": [one.name for one in people],
                "role": [one.role.value for one in people],
                "valid links": [valid.count(one.name) for one in people],
            }
        ),
        hide_index=True,
        alt="People and their roles",
    )


def _invite_rows(invites: Sequence[InviteRow]) -> None:
    open_ones = [row for row in invites if row.valid]
    if not open_ones:
        return
    st.subheader("Valid links")
    for row in open_ones:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.text(f"{row.person}, made {row.created_at:%Y-%m-%d %H:%M} by {row.by}, {_format_expiry(row)}")
            st.button(
                "Revoke",
                icon=":material/link_off:",
                key=f"revoke-{row.id}",
                on_click=_revoke_invite,
                args=(row.id,),
                type="tertiary",
                disabled=services.settings().demo,
            )


def _format_expiry(row: InviteRow) -> str:
    return f"valid until {row.expires_at:%Y-%m-%d}" if row.expires_at else "valid until revoked"


def _add_person() -> None:
    state = campaigns_state()
    try:
        person, code = campaign_manager().add_and_invite(
            state.person_name.strip(), state.person_role, _VALIDITY_DAYS[state.person_validity]
        )
    except StoreError as error:
        show_notice(str(error))
        return
    state.fresh_invite, state.person_name = (person.name, code), ""


def _invite_again() -> None:
    state = campaigns_state()
    person = state.invited
    if person is None:
        return
    try:
        code = campaign_manager().invite(person.id, _VALIDITY_DAYS[state.invite_validity])
        state.fresh_invite = (person.name, code)
    except StoreError as error:
        show_notice(str(error))


def _revoke_invite(id: str) -> None:
    try:
        campaign_manager().revoke(id)
    except StoreError as error:
        show_notice(str(error))
