"""Read-only links to an own project: made for some days, shown once, listed and revoked."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urljoin

import streamlit as st

from annotations.people.people import Member, Right
from annotations.people.project_links import MOST_DAYS, ProjectLinks
from annotations.store.reports import ReportRow
from pages.server import services
from pages.server.project_links import project_path
from pages.ui.report.report_choice import save_change
from pages.ui.shared.session_state import WidgetValue, page_state
from pages.ui.shared.session_user import current_member

_DAYS = 30


@dataclass(eq=False)
class LinkState:
    """State of the form: the link that was just made, until another press."""

    fresh: str = ""
    days = WidgetValue[int]("project-link-days", _DAYS)


def links_of(member: Member) -> ProjectLinks:
    """The links of a person. Raises RightsError for one who may not see scores."""
    member.require(Right.EXPLORE)
    return ProjectLinks(services.store(), member.id)


def link_form(member: Member, row: ReportRow) -> None:
    """The links to an own project that are valid, and the way to make one; nothing for the project of somebody else."""
    if row.owner_id != member.id:
        return
    state = page_state(LinkState)
    fresh, state.fresh = state.fresh, ""

    def make() -> None:
        def create() -> None:
            token = links_of(current_member()).create(row.id, state.days)
            state.fresh = urljoin(st.context.url or "", project_path(token))

        save_change(create)

    with st.popover("Read-only link", icon=":material/link:", key="project-link"):
        st.caption(
            "Whoever has the link reads the report and the kept pairs of this project, and nothing else of this server, until the day "
            "on which it ends. Pairs open on Probe for people who may sign in here."
        )
        with st.container(horizontal=True, vertical_alignment="bottom"):
            st.number_input("Days", 1, MOST_DAYS, _DAYS, key=LinkState.days.key, width=140)
            st.button(
                "Make a link", key="project-link-make", type="primary", on_click=make, disabled=services.settings().demo
            )
        if fresh:
            st.markdown("**The link**, shown this once:")
            st.code(fresh, language=None, wrap_lines=True)
        for id, end in links_of(member).ends(row.id).items():
            with st.container(horizontal=True, vertical_alignment="center"):
                st.text(f"A link until {end:%Y-%m-%d}")
                st.button(
                    "Revoke",
                    key=f"project-link-{id}",
                    icon=":material/link_off:",
                    type="tertiary",
                    on_click=lambda id=id: save_change(lambda: links_of(current_member()).revoke(id)),
                )
