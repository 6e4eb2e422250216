"""The parts of a report one below the other: text, and results as they were pinned, each with what can be done with it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import streamlit as st

from annotations.exchange.samples import newer_references
from annotations.people.people import Member
from annotations.store.reports import ReportPart, ReportRow
from core.assessment import Address, AuditSource, PairSource, Pin, PinnedPair, address_of, read_pin
from core.errors import TouchstoneError
from core.evaluation import SHADES, legend_in, missing_reasons
from core.text import as_segments, recover
from pages.server import services
from pages.ui.audit.audit_form import begin_newer_audit
from pages.ui.report.report_choice import save_change
from pages.ui.results.copy_popover import copy_popover
from pages.ui.results.report_view import chart_view, table_view
from pages.ui.results.reports_of_person import reports_of
from pages.ui.shared.grouped_views import enter_view
from pages.ui.shared.markup import diff_html, escape_label, escape_markdown, escape_message, safe_guidelines
from pages.ui.shared.newer_version import newer_version_line
from pages.ui.shared.session_state import WidgetValue
from pages.ui.shared.session_user import current_member

_GROUPED_PAGES = ("evaluate", "stress")


class PartState:
    """Text of a part while it is written, by the revision of the report and the place of the part."""

    text = WidgetValue[str]("part-text", "")
    editing = WidgetValue[bool]("part-editing", False)


def report_parts(member: Member, row: ReportRow, changes: Mapping[str, str]) -> None:
    """Draw every part; an own report with the ways to change it. `changes` are sentences on pins by their ids."""
    own = row.owner_id == member.id
    contents = reports_of(member).contents(row)
    if not row.parts:
        st.info(
            "Nothing is pinned here yet. Press Pin on Evaluate, Stress test, Probe or Audit.", icon=":material/keep:"
        )
    for place, part in enumerate(row.parts):
        with st.container(border=True, key=f"part-{place}"):
            if part.text:
                st.markdown(safe_guidelines(part.text))
            if part.pin:
                _pin(contents[part.pin], part.pin, changes.get(part.pin, ""))
            if own:
                _part_controls(row, place)
    if own:
        text = PartState.text.of(f"{row.id}-{row.revision}-new")

        def add() -> None:
            if text.get().strip():
                _revise(row, lambda parts: [*parts, ReportPart(text.get())])

        with st.expander("Add a text", icon=":material/edit_note:"):
            st.text_area("Text, in Markdown", key=text.key, height=160, placeholder="## What the metrics miss\n\n…")
            st.button("Add the text", key="report-add-text", on_click=add)


def _pin(content: str, id: str, change: str) -> None:
    """One result as it was pinned."""
    try:
        pin = read_pin(content)
    except TouchstoneError as error:
        st.error(escape_message(str(error)), icon=":material/error:")
        return
    report = pin.content
    st.subheader(escape_markdown(pin.title), anchor=False)
    for sentence in report.sentences:
        st.markdown(escape_markdown(sentence))
    for chart in report.charts:
        chart_view(chart, f"pin-{id}")
    for table in report.tables:
        if len(report.tables) > 1:
            st.markdown(f"**{escape_markdown(table.title)}**")
        table_view(table, f"pin-{id}-{table.name}")
        for note in table.notes:
            st.caption(escape_message(note))
    for note in filter(None, [legend_in(SHADES, report.tables), *report.notes, *missing_reasons(report.tables)]):
        st.caption(escape_message(note))
    for place, pair in enumerate(pin.pairs):
        _pair(pair, f"pin-{id}-{place}")
    _origin(pin, id, change)


def _pair(pair: PinnedPair, key: str) -> None:
    label = " · ".join(filter(None, [pair.remark, pair.scores])) or "Pair"
    box = st.expander(escape_label(label), key=key, on_change="rerun", icon=":material/difference:")
    if box.open:
        with box:
            st.html(diff_html(as_segments(pair.before, recover(pair.before, pair.after))))
            if pair.document:
                st.caption("Document")
                st.text(pair.document)


def _origin(pin: Pin, id: str, change: str) -> None:
    """The day and the signatures of a pin, the way to where it came from, and what changed since."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(f"Pinned {pin.made:%Y-%m-%d} as {pin.kind}.", width="content")
        open_it = st.button("Open where it came from", icon=":material/open_in_new:", key=f"open-{id}", type="tertiary")
        if open_it:
            _open(address_of(pin.source))
        copy_popover(lambda: pin.content, f"pin-{id}")
        if pin.signatures:
            with st.popover(f"Signatures ({len(pin.signatures)})", type="tertiary", key=f"signatures-{id}"):
                st.code("\n".join(pin.signatures.values()), language=None, wrap_lines=True)
    if not isinstance(pin.source, PairSource):
        names = pin.source.datasets
        newer = newer_references(services.store(), names)
        if newer and newer_version_line(newer, f"pin-{id}"):
            newest = replace(pin.source, datasets=tuple(newer.get(name, name) for name in names))
            if isinstance(newest, AuditSource):
                newest = replace(newest, opened=begin_newer_audit(newer, newest))
            _open(address_of(newest))
    if change:
        colour, icon = ("green", "check") if change.startswith("Unchanged") else ("orange", "change_circle")
        st.markdown(f":{colour}[:material/{icon}:] {escape_markdown(change)}")


def _open(address: Address) -> None:
    if address.page in _GROUPED_PAGES:
        enter_view(address.page, address.tab)
    st.switch_page(f"views/{address.page}.py", query_params=address.query)


def _part_controls(row: ReportRow, place: int) -> None:
    """Move a part, write above it, or take it out."""
    part, key = row.parts[place], f"{row.id}-{row.revision}-{place}"
    writing = PartState.editing.of(key)
    with st.container(horizontal=True):
        st.button(
            "Up",
            icon=":material/arrow_upward:",
            key=f"up-{place}",
            on_click=_move,
            args=(row, place, -1),
            disabled=place == 0,
        )
        last = place == len(row.parts) - 1
        st.button(
            "Down",
            icon=":material/arrow_downward:",
            key=f"down-{place}",
            on_click=_move,
            args=(row, place, 1),
            disabled=last,
        )
        st.toggle("Write", key=writing.key)
        st.button(
            "Delete",
            icon=":material/delete:",
            key=f"delete-{place}",
            on_click=_revise,
            args=(row, lambda parts: [*parts[:place], *parts[place + 1 :]]),
        )
    if writing.get():
        text = PartState.text.of(key)
        st.text_area("Text, in Markdown", part.text, key=text.key, height=160)
        st.button(
            "Save the text",
            key=f"save-{place}",
            type="primary",
            on_click=_revise,
            args=(row, lambda parts: [*parts[:place], replace(part, text=text.get()), *parts[place + 1 :]]),
        )


def _revise(row: ReportRow, change: Callable[[list[ReportPart]], Sequence[ReportPart]]) -> None:
    changed = replace(row, parts=tuple(change([*row.parts])))
    save_change(lambda: reports_of(current_member()).revise(changed))


def _move(row: ReportRow, place: int, by: int) -> None:
    def move(parts: list[ReportPart]) -> list[ReportPart]:
        parts.insert(place + by, parts.pop(place))
        return parts

    _revise(row, move)
