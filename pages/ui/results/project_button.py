"""The button that puts a thing into a project of one's own, where the thing was kept or made."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from annotations.people.people import Right
from annotations.store.reports import Work
from core.errors import TouchstoneError
from pages.server import services
from pages.ui.results.reports_of_person import reports_of
from pages.ui.shared.markup import escape_label
from pages.ui.shared.notices import leave_notice
from pages.ui.shared.session_state import page_state
from pages.ui.shared.session_user import current_member, member_let_in

_MOST_LETTERS = 28  # of a title on the button
_MOST_OTHERS = 8


@dataclass(eq=False)
class ProjectState:
    """Number of times that a thing was put into a project in this session."""

    put: int = 0


def audit_work(metric: str, data: str) -> Work:
    """The kept audits of a metric on some data, as a project holds them."""
    return Work("audit", f"{metric}\n{data}")


def project_button(work: Work, title: str, key: str = "") -> None:
    """Put the thing into the project that was changed last by one press, or into another; `title` names a first project.

    A thing that is in a project already leads there. `key` tells buttons of one page apart, by default the kind of thing. Draws nothing where nothing is kept, and for those who may have no project.
    """
    member, key = member_let_in(), key or work.kind
    if services.settings().demo or not member.may(Right.EXPLORE):
        return
    own = reports_of(member).own()
    holding = next((row for row in own if work in row.work), None)
    if holding:
        label = f"In “{_short(holding.title)}”"
        with st.container(width="content", key=f"beside-project-{key}"):
            st.page_link(
                "views/projects.py", label=label, icon=":material/folder_open:", query_params={"project": holding.id}
            )
        return
    with st.container(horizontal=True, width="content", gap="small", key=f"project-{key}"):
        label = f"Add to “{_short(own[0].title)}”" if own else "Begin a project"
        st.button(
            label,
            icon=":material/create_new_folder:",
            key=f"project-add-{key}",
            on_click=_put,
            args=(work, own[0].id if own else "", title),
            help="Puts this into your project, where it is listed with its picture."
            if own
            else "A project has a question, and holds the pairs, runs, campaigns and audits that answer it.",
        )
        if own:
            with st.popover(
                "Other", icon=":material/more_horiz:", key=f"project-other-{key}-{page_state(ProjectState).put}"
            ):
                st.caption("Another project")
                for row in own[1 : 1 + _MOST_OTHERS]:
                    st.button(
                        _short(row.title), key=f"project-{key}-{row.id}", on_click=_put, args=(work, row.id, title)
                    )
                st.button(
                    "A new one", key=f"project-new-{key}", icon=":material/add:", on_click=_put, args=(work, "", title)
                )


def _put(work: Work, project: str, title: str) -> None:
    """Put the thing into the project of that id, or into a new one of that title."""
    try:
        reports = reports_of(current_member())
        if project:
            reports.put(project, work)
        else:
            project = reports.create(title, work=[work])
        name = reports.report(project).title
    except TouchstoneError as error:
        leave_notice(str(error))
        return
    page_state(ProjectState).put += 1
    leave_notice(f"Added to “{name}”, which is under Projects.")


def _short(title: str) -> str:
    return escape_label(title if len(title) <= _MOST_LETTERS else f"{title[: _MOST_LETTERS - 1]}…")
