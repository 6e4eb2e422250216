"""The question of a project and the things in it, each with its picture, in order to be opened, added and taken out."""

from __future__ import annotations

import streamlit as st

from annotations.people.people import Member
from annotations.store.reports import ReportRow, Work
from pages.ui.home.places import Place, own_work, places_of_work
from pages.ui.home.work_list import work_list
from pages.ui.report.report_choice import save_change
from pages.ui.results.reports_of_person import reports_of
from pages.ui.shared.markup import escape_markdown
from pages.ui.shared.session_state import WidgetValue
from pages.ui.shared.session_user import current_member


class WorkState:
    """The thing that is chosen to be added, by project and revision."""

    added = WidgetValue[Work | None]("project-added", None)


def project_work(member: Member, row: ReportRow) -> None:
    """Draw the question and the things that this person may open; an own project with the ways to change them."""
    st.header(escape_markdown(row.question or row.title), anchor=False)
    own, places = row.owner_id == member.id, places_of_work(member, row.work)
    shown = [places[work] for work in row.work if work in places]
    hidden = len(row.work) - len(shown)

    def take_out(work: Work) -> None:
        save_change(lambda: reports_of(current_member()).take_out(row.id, work))

    work_list(member, shown, f"work-{row.id}", remove=take_out if own else None)
    if hidden:
        st.caption(f"{hidden} more that you may not open, or that {'is' if hidden == 1 else 'are'} not here any more.")
    if not row.work:
        st.caption(
            "No pair, run, campaign, audit or dataset is in this project yet. Each has the button “Add to …” on its page."
        )
    if not own:
        return
    offered: dict[Work, Place] = {
        place.work: place for place in own_work(member) if place.work and place.work not in row.work
    }
    if not offered:
        return
    widget = WorkState.added.of(f"{row.id}-{row.revision}")

    def put() -> None:
        if work := widget.get():
            save_change(lambda: reports_of(current_member()).put(row.id, work))

    st.selectbox(
        "Add something that is here",
        list(offered),
        index=None,
        key=widget.key,
        format_func=lambda work: f"{offered[work].title} ({offered[work].kind})",
        placeholder="Pair, run, campaign, audit or dataset",
        on_change=put,
        width=420,
    )
