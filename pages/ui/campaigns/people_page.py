"""The people who work here: who may do what, in which groups, the personal links that let them in, and tokens of programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from urllib.parse import quote

import streamlit as st

from annotations.people.people import RIGHTS, Member, Right, Role, read_people
from annotations.store.backup import backup_bytes
from annotations.store.records import StoreError
from annotations.store.usage import PersonUsage
from core.models import Spend, SpendTracker, format_money
from core.text import BYTE_ORDER_MARK, csv_lines
from pages.server import services
from pages.ui.campaigns.campaign_choice import CampaignsState, campaign_manager, campaigns_state
from pages.ui.campaigns.paused_people import paused_people
from pages.ui.campaigns.token_list import revocable_row, show_fresh_token, token_form, token_rows
from pages.ui.shared.markup import escape_markdown, escape_message
from pages.ui.shared.notices import error_as_notice, leave_notice
from pages.ui.shared.session_user import current_member, member_later

_VALIDITY_DAYS = {"7 days": 7, "30 days": 30, "90 days": 90, "until revoked": None}


def people_page() -> None:
    """Add people, change them, invite, revoke; the code of an invite is shown once."""
    import pandas as pd

    if not services.settings().shared:
        st.info(
            "This server is local: everyone who opens it is the manager, without signing in. For a team, make yourself a code "
            "with `python cli.py invite NAME --role manager`, start the server with `TOUCHSTONE_SHARED=1` and put it behind a "
            "proxy with HTTPS. Invites that you make here are valid there.",
            icon=":material/group:",
        )

    people, groups, invites = campaign_manager().people(), campaign_manager().groups(), campaign_manager().invites()
    forms_column, lists_column = st.columns([1, 1.6], gap="large")
    with forms_column:
        _add_form()
        active = [person for person in people if person.active]
        with st.expander("A new link for an existing person", icon=":material/link:"), st.form("invite", border=False):
            st.selectbox("Person", active, key=CampaignsState.invited.key, format_func=lambda person: person.name)
            st.selectbox("Valid", list(_VALIDITY_DAYS), index=1, key=CampaignsState.invite_validity.key)
            disabled = services.settings().demo or not active
            st.form_submit_button("Make a link", on_click=_invite_again, disabled=disabled)
        _change_form(people, groups)
        _import_form()
        token_form()
        _backup_button()
    with lists_column:
        _show_codes()
        show_fresh_token()

        st.subheader("People")
        valid = [row.person for row in invites if row.valid]
        st.dataframe(
            pd.DataFrame(
                {
                    "name": [person.name for person in people],
                    "role": [person.role.value for person in people],
                    "groups": [", ".join(groups.get(person.id, ())) for person in people],
                    "takes part": [person.active for person in people],
                    "valid links": [valid.count(person.name) if person.active else 0 for person in people],
                }
            ),
            hide_index=True,
            alt="People, their roles and groups",
        )

        _usage_table(people)
        for campaign in campaign_manager().campaigns():
            paused_people(campaign, f"Paused in {escape_markdown(campaign.name)}")

        open_ones = [row for row in invites if row.valid]
        if open_ones:
            st.subheader("Valid links")
            for row in open_ones:
                valid_until = f"valid until {row.expires_at:%Y-%m-%d}" if row.expires_at else "valid until revoked"
                made = f"{row.person}, made {row.created_at:%Y-%m-%d %H:%M} by {row.by}, {valid_until}"
                revocable_row(
                    made, ":material/link_off:", f"revoke-{row.id}", lambda id: campaign_manager().revoke(id), row.id
                )

        token_rows()


def _usage_table(people: Sequence[Member]) -> None:
    """A table of who used what, with the limits of this server; nothing before anybody has used anything."""
    import pandas as pd

    usage, jobs, settings = campaign_manager().usage(), services.person_jobs(), services.settings()
    spent = SpendTracker(settings.cache_dir).by_person()
    rows = [
        (
            person.name,
            own.runs,
            round(own.megabytes, 1),
            jobs.count(person.name),
            paid.questions,
            format_money(paid.money),
        )
        for person in people
        for own, paid in [(usage.get(person.name, PersonUsage()), spent.get(person.name, Spend()))]
        if own.runs or own.characters or jobs.count(person.name) or paid.questions
    ]
    if not rows:
        return
    st.subheader("Use of this server")
    columns = [
        "name",
        "stress runs",
        "MB of runs and pins",
        "jobs under way",
        "questions to endpoints",
        "money at endpoints",
    ]
    st.dataframe(pd.DataFrame(rows, columns=columns), hide_index=True, alt="Use of this server by person")
    limits = (settings.person_runs, settings.person_disk_mb, settings.person_jobs, None, settings.person_budget)
    listed = [f"{name}: {limit:g}" for name, limit in zip(columns[1:], limits, strict=True) if limit is not None]
    st.caption(
        f"Each may have {'; '.join(listed)}."
        if listed
        else "Nobody is limited: TOUCHSTONE_PERSON_RUNS, _DISK_MB, _JOBS and _BUDGET."
    )


def _add_form() -> None:
    def add_person() -> None:
        state = campaigns_state()
        with error_as_notice():
            person, code = campaign_manager().add_and_invite(
                state.person_name.strip(), state.person_role, _VALIDITY_DAYS[state.person_validity]
            )
            state.fresh_invites, state.person_name = ((person.name, code),), ""

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
            format_func=lambda role: f"{role.value} (may {', '.join(sorted(right.value for right in RIGHTS[role]))})",
        )
        st.selectbox("The link is valid", list(_VALIDITY_DAYS), index=1, key=CampaignsState.person_validity.key)
        st.form_submit_button(
            "Add and make a link", icon=":material/person_add:", on_click=add_person, disabled=services.settings().demo
        )


def _change_form(people: Sequence[Member], groups: Mapping[str, Sequence[str]]) -> None:
    """Form to change the name, role and groups of a person, and if they take part."""
    with st.expander(
        "Change a person", icon=":material/manage_accounts:", key="change-person", on_change="rerun"
    ) as box:
        if not box.open or not people:
            return
        person = st.selectbox("Person", list(people), key="changed-person", format_func=lambda member: member.name)
        with st.form(f"change-{person.id}", border=False):
            name = st.text_input("Name", person.name, key=f"name-of-{person.id}", max_chars=300)
            roles = [role.value for role in Role]
            role = st.selectbox("Role", roles, index=roles.index(person.role.value), key=f"role-of-{person.id}")
            offered = sorted({group for own in groups.values() for group in own})
            memberships = st.multiselect(
                "Groups",
                offered,
                list(groups.get(person.id, ())),
                key=f"groups-of-{person.id}",
                accept_new_options=True,
                placeholder="Choose, or type a new one",
                help="A campaign may be for a group.",
            )
            active = st.toggle(
                "Takes part",
                person.active,
                key=f"active-of-{person.id}",
                help="Who does not is signed out at their next click, by whatever way they came; their labels stay.",
            )
            # no callback: the form is in its expander, which is drawn again
            pressed = st.form_submit_button("Save", icon=":material/check:", disabled=services.settings().demo)
        if pressed:
            changed = replace(person, name=name.strip(), role=Role(role), active=active)
            with error_as_notice():
                campaign_manager().change_person(changed, memberships)
                leave_notice(f"{changed.name} is saved.")
            st.rerun()


def _import_form() -> None:
    """People from a list, with a link for each who is new."""
    with st.expander(
        "People from a list (CSV)", icon=":material/upload_file:", key="import-people", on_change="rerun"
    ) as box:
        if not box.open:
            return
        file = st.file_uploader("List of people", type=["csv", "tsv", "txt"], key="people-file")
        st.caption("Columns: `name` (or `email`), and where wanted `role` and `groups`, several with | between.")
        if file is None:
            return
        try:
            listed = read_people(file.getvalue())
        except StoreError as error:
            st.error(escape_message(str(error)), icon=":material/error:")
            return
        validity = st.selectbox("The links are valid", list(_VALIDITY_DAYS), index=1, key="people-days")
        pressed = st.button(
            f"Add {'1 person' if len(listed) == 1 else f'{len(listed)} people'}",
            icon=":material/group_add:",
            key="people-go",
            disabled=services.settings().demo,
        )
        if pressed:
            with error_as_notice():
                new = campaign_manager().import_people(listed, _VALIDITY_DAYS[validity])
                campaigns_state().fresh_invites = tuple((person.name, code) for person, code in new)
                leave_notice(f"{len(new)} people are new, {len(listed) - len(new)} were here.")
                st.rerun()


def _show_codes() -> None:
    """The links of invites that were just made; gone with the next thing that is done here."""
    state = campaigns_state()
    if not state.fresh_invites:
        return
    fresh, state.fresh_invites = state.fresh_invites, ()
    server = (st.context.url or "").rpartition("/")[0]
    links = [(name, f"{server}/?invite={quote(code)}") for name, code in fresh]
    with st.container(border=True, key="fresh-links"):
        if len(links) == 1:
            st.markdown(f"**The personal link of {escape_markdown(links[0][0])}**, shown this once:")
            st.code(links[0][1], language=None, wrap_lines=True)
        else:
            st.markdown(f"**{len(links)} personal links**, shown this once:")
            st.code("\n".join(f"{name}: {link}" for name, link in links), language=None, wrap_lines=True)

            st.download_button(
                "Links as CSV",
                BYTE_ORDER_MARK + "".join(csv_lines([("name", "link"), *links])),
                "links.csv",
                "text/csv",
                icon=":material/download:",
                on_click="ignore",
            )
        st.caption(
            "Anyone who has it can sign in as that person. Only its hash is stored; revoke it below when it is lost."
        )


def _backup_button() -> None:
    """Download of the whole database, for whoever may manage and not in a demo."""
    if services.settings().demo or not current_member().may(Right.MANAGE):
        return
    member = member_later()

    def made() -> bytes:
        member().require(Right.MANAGE)
        return backup_bytes(services.settings().database_url)

    st.download_button(
        "Download a backup",
        made,
        f"touchstone-{datetime.now(UTC):%Y-%m-%d}.db",
        "application/vnd.sqlite3",
        icon=":material/backup:",
        on_click="ignore",
        help="All of the database at this moment, while people work: also names, drafts and reports that nobody shared. "
        "Keep it safe. `python cli.py restore FILE` puts it back.",
    )


def _invite_again() -> None:
    state = campaigns_state()
    person = state.invited
    if person is None:
        return
    with error_as_notice():
        code = campaign_manager().invite(person.id, _VALIDITY_DAYS[state.invite_validity])
        state.fresh_invites = ((person.name, code),)
