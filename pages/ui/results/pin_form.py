"""The button that pins a result into the report of a project of one's own, with a text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import streamlit as st

from core.assessment import Pin, cell_title, pin_json
from core.errors import TouchstoneError
from core.evaluation import Cell, Report
from pages.server import services
from pages.ui.results.reports_of_person import reports_of
from pages.ui.shared.notices import leave_notice
from pages.ui.shared.session_state import WidgetValue, page_state
from pages.ui.shared.session_user import current_member, member_let_in

Offers = Mapping[str, Callable[[], Pin]]
"""Results that can be pinned, by their titles; one is made when it is chosen and the button pressed."""

_NEW = ""


@dataclass(eq=False)
class PinState:
    """Number of pins of this session, and the values of the form, each by the key of its button."""

    made: int = 0
    what = WidgetValue[str | None]("pin-what", None)
    report = WidgetValue[str | None]("pin-report", None)
    title = WidgetValue[str]("pin-title", "")
    text = WidgetValue[str]("pin-text", "")


def pin_button(key: str, offers: Offers) -> None:
    """A button that opens a form: what to pin, into which project, and a text."""
    if services.settings().demo:
        st.button("Pin", icon=":material/keep:", key=f"{key}-pin", disabled=True, help="Nothing is kept in this demo.")
        return
    # another key is another popover, which is closed: one that was used does not stay open over the page
    with st.popover("Pin", icon=":material/keep:", key=f"{key}-pin-{page_state(PinState).made}"):
        own = {row.id: row.title for row in reports_of(member_let_in()).own()}
        if len(offers) > 1:
            st.selectbox("What", list(offers), key=PinState.what.of(key).key)
        if own:
            st.selectbox(
                "Project",
                [*own, _NEW],
                key=PinState.report.of(f"{key}-{len(own)}").key,
                format_func=lambda id: own.get(id, "A new project"),
            )
        if not own or PinState.report.of(f"{key}-{len(own)}").get() == _NEW:
            st.text_input("Title of the new project", "Project", key=PinState.title.of(key).key)
        st.text_area(
            "Text above it",
            key=PinState.text.of(key).key,
            placeholder="What does it show? Markdown.",
            height=100,
        )
        st.button(
            "Add to the report",
            key=f"{key}-pin-now",
            type="primary",
            icon=":material/keep:",
            on_click=_pin,
            args=(key, dict(offers), [*own]),
        )


def study_offers(report: Report, selected: Mapping[str, Mapping[str, Cell]], make: Callable[..., Pin]) -> Offers:
    """The whole report, each table and chart where there are several, and the selected row of each table.

    `make` is given `table`, `chart` and `cell` of a `StudySource`.
    """
    offers: dict[str, Callable[[], Pin]] = {}
    for table in report.tables:
        if row := selected.get(table.name):
            # the cells that tell a row from the others: those of the grid, or the first two texts
            texts = [column.name for column in table.columns if isinstance(row[column.name], str) and row[column.name]]
            names: Iterable[str] = (table.pivot.down, table.pivot.across) if table.pivot else texts[:2]
            cell = {name: str(row[name]) for name in names}
            offers[f"Selected: {cell_title(cell)}"] = _offer(make, table=table.name, cell=cell)
    offers["Everything here"] = make
    if len(report.tables) + len(report.charts) > 1:
        offers |= {f"Table: {table.title}": _offer(make, table=table.name) for table in report.tables}
        offers |= {f"Chart: {chart.title}": _offer(make, chart=chart.name) for chart in report.charts}
    return offers


def _offer(make: Callable[..., Pin], **part: object) -> Callable[[], Pin]:
    return lambda: make(**part)


def _pin(key: str, offers: Offers, own: list[str]) -> None:
    report_id = PinState.report.of(f"{key}-{len(own)}").get() if own else _NEW
    # a field that is not drawn yet when the button is pressed has its first value
    report_id = own[0] if report_id is None else report_id
    what = PinState.what.of(key).get()
    make = offers.get(what or "") or next(iter(offers.values()))
    try:
        pin = make()
        reports = reports_of(current_member())
        report = report_id or reports.create(PinState.title.of(key).get() or "Project")
        reports.pin(report, pin_json(pin), PinState.text.of(key).get())
        title = reports.report(report).title
    except TouchstoneError as error:
        leave_notice(str(error))
        return
    PinState.text.of(key).set("")
    page_state(PinState).made += 1
    leave_notice(f"Pinned to “{title}”, which is under Projects.")
