"""Choice of a project, its title, question and readers; and the first project of somebody who has none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import streamlit as st

from annotations.people.people import Member
from annotations.store.reports import ReportRow, Work
from core.assessment import Source, StudySource, pin_json
from core.errors import TouchstoneError
from core.types import PRECOMPUTED
from pages.server import services
from pages.sources.pins_again import PinBuilder
from pages.ui.results.reports_of_person import reports_of
from pages.ui.shared.background_results import background_results
from pages.ui.shared.markup import escape_markdown
from pages.ui.shared.notices import leave_notice
from pages.ui.shared.session_state import WidgetValue, page_state
from pages.ui.shared.session_user import current_member

PROJECT_PARAMETER = "project"
"""Parameter of the address that names the project."""

_EXAMPLE: tuple[tuple[str, Source], ...] = (
    ("The metrics on the examples that come with Touchstone:", StudySource("measures", (PRECOMPUTED,))),
    ("The same metrics under perturbations:", StudySource("shifts", run="bundled", table="matrix")),
    (
        "One cell of that matrix, with its pairs:",
        StudySource("shifts", run="bundled", table="matrix", cell={"metric": "rouge2", "kind": "entity-swapped"}),
    ),
)
"""The report of a visitor's first project: texts, and the results below them."""

_EXAMPLE_QUESTION = "Which metrics notice that one word of a summary was changed?"
_EXAMPLE_WORK = (Work("pair", "news-harbour/one-word"), Work("run", "bundled"))


@dataclass(eq=False)
class ReportState:
    """State of the page: if the example is being made, and the values of its forms."""

    making_example: bool = False
    selected = WidgetValue[str | None]("report-chosen", None)
    title = WidgetValue[str]("report-title", "")
    new_title = WidgetValue[str]("report-new-title", "")
    new_question = WidgetValue[str]("report-new-question", "")
    question = WidgetValue[str]("report-question", "")
    shared = WidgetValue[bool]("report-shared", False)


def report_state() -> ReportState:
    return page_state(ReportState)


def pin_builder() -> PinBuilder:
    """The services of this server, by which results are made again."""
    engine = services.engine()
    return PinBuilder(services.store(), services.settings(), lambda: engine)


def save_change(change: Callable[[], object]) -> None:
    """Make a change of a report; what goes wrong is shown once."""
    try:
        change()
    except TouchstoneError as error:
        leave_notice(str(error))


def choose_report(member: Member) -> ReportRow | None:
    """The project that the address names, or the person's last one; None where there is none to show."""
    reports = reports_of(member)
    rows = {row.id: row for row in [*reports.own(), *reports.of_others()]}
    addressed = st.query_params.get(PROJECT_PARAMETER, "")
    if addressed and addressed not in rows:
        st.info(
            "The project of this address was removed, or is not shared with you. Ask its author to share it.",
            icon=":material/info:",
        )
    if not rows:
        return None
    report_id = addressed if addressed in rows else next(iter(rows))
    ReportState.selected.follow(report_id)
    labels = {}
    for row in rows.values():
        by = "" if row.owner_id == member.id else f" by {row.owner}"
        labels[row.id] = f"{row.title}{by} ({row.pins} pin{'' if row.pins == 1 else 's'})"
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox(
            "Project",
            list(rows),
            index=list(rows).index(report_id),
            key=ReportState.selected.key,
            format_func=lambda id: labels[id],
            on_change=lambda: st.query_params.update({PROJECT_PARAMETER: report_state().selected or ""}),
            width=420,
        )
        if not services.settings().demo:
            with st.popover("New project", icon=":material/add:"):
                st.text_input("Title", key=ReportState.new_title.key, placeholder="Entity errors")
                st.text_input(
                    "Question", key=ReportState.new_question.key, placeholder="Which metrics notice a swapped name?"
                )
                st.button("Begin", type="primary", key="report-begin", on_click=_begin)
    st.query_params[PROJECT_PARAMETER] = report_id
    return rows[report_id]


def empty_page(member: Member) -> None:
    """Say how a project is filled, with the button that fills a first one."""
    st.write(
        "A project has a question, the pairs, runs, campaigns and audits that answer it, and a report of results that you pin: a "
        "study, a table, a chart, a pair, a cell of a matrix or an audit, with your text between them. Every tab of Evaluate and "
        "Stress test, Probe and Audit have the button **Pin**."
    )
    state = report_state()
    if services.settings().demo:
        st.info("Nothing is kept in this demo, so that nothing can be pinned.", icon=":material/visibility_lock:")
        return
    st.button(
        "Make a project of the bundled examples",
        type="primary",
        icon=":material/keep:",
        key="report-example",
        on_click=partial(setattr, state, "making_example", True),
        disabled=state.making_example,
    )
    if not state.making_example:
        return
    builder = pin_builder()
    sources = [source for _, source in _EXAMPLE]
    pins = background_results("Making results…", ("example-report",), lambda: map(builder.build, sources), len(sources))
    if pins is None:
        return
    state.making_example = False
    reports = reports_of(member)
    id = reports.create("A first project", _EXAMPLE_QUESTION, _EXAMPLE_WORK)
    for (text, _), pin in zip(_EXAMPLE, pins, strict=True):
        reports.pin(id, pin_json(pin), text)
    st.query_params[PROJECT_PARAMETER] = id
    st.rerun()


def report_settings(member: Member, row: ReportRow) -> None:
    """Title, question, sharing and removal of an own project; the author's name of another's."""
    if row.owner_id != member.id:
        st.caption(escape_markdown(f"By {row.owner}, who shared it with everybody here. Only they change it."))
        return
    with st.popover("Title and sharing", icon=":material/settings:"):
        title = ReportState.title.of(f"{row.id}-{row.revision}")
        st.text_input("Title", row.title, key=title.key)
        question = ReportState.question.of(f"{row.id}-{row.revision}")
        st.text_input("Question", row.question, key=question.key)
        shared = ReportState.shared.of(f"{row.id}-{row.revision}")
        st.toggle(
            "Others here may read it",
            row.shared,
            key=shared.key,
            help="Everybody who may see scores on this server finds it in the list, and by its link.",
        )

        def save() -> None:
            changed = replace(row, title=title.get(), question=question.get(), shared=shared.get())
            save_change(lambda: reports_of(current_member()).revise(changed))

        def remove() -> None:
            save_change(lambda: reports_of(current_member()).remove(row.id))
            st.query_params[PROJECT_PARAMETER] = []

        st.button("Save", key="report-save", type="primary", on_click=save)
        st.code(f"{st.context.url or ''}?{PROJECT_PARAMETER}={row.id}", language=None, wrap_lines=True)
        st.button("Delete the project", key="report-remove", icon=":material/delete:", on_click=remove)


def _begin() -> None:
    title, question = report_state().new_title, report_state().new_question

    def begin() -> None:
        st.query_params[PROJECT_PARAMETER] = reports_of(current_member()).create(title, question)

    save_change(begin)
