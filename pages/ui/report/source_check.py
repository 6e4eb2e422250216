"""Check of the pins of a report against their sources: every result is made again, and compared with what was pinned."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import streamlit as st

from annotations.people.people import Member
from annotations.store.reports import ReportRow
from core.assessment import basis_of, compare, read_pin
from core.errors import Problem, attempt
from pages.sources.pins_again import of_its_time
from pages.ui.report.report_choice import pin_builder
from pages.ui.results.reports_of_person import reports_of
from pages.ui.shared.background_results import background_results
from pages.ui.shared.session_state import page_state


class CheckState:
    """Report that was checked last, and the number of checks of this session."""

    def __init__(self) -> None:
        self.report = ""
        self.times = 0


def check_button(row: ReportRow) -> None:
    """A button that makes all results again."""

    def check() -> None:
        state = page_state(CheckState)
        state.report, state.times = row.id, state.times + 1

    st.button(
        "Check whether data changed",
        icon=":material/published_with_changes:",
        key="report-check",
        on_click=check,
        disabled=not row.pins,
        help="Makes every result again from the data and the metrics of today, and says what is different.",
    )


def source_changes(member: Member, row: ReportRow) -> dict[str, str]:
    """A sentence on each pin by its id, once it was checked; empty before somebody asked for it."""
    state = page_state(CheckState)
    if state.report != row.id:
        return {}
    pins = {id: read_pin(content) for id, content in reports_of(member).contents(row).items()}
    builder = pin_builder()

    def work() -> Iterator[str]:
        """A sentence for each pin, or the reason why it cannot be made again."""
        for pin in pins.values():
            again = attempt(partial(builder.build, of_its_time(builder.store, pin.source), pin.title))
            if isinstance(again, Problem):
                yield f"Not made again: {again.error}"
            else:
                yield compare(basis_of(pin), basis_of(again))[1]

    key = ("report-check", tuple(pins), state.times)
    changes = background_results("Making results again…", key, work, len(pins))
    return dict(zip(pins, changes, strict=True)) if changes else {}
