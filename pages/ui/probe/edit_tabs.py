"""The tabs about the edits: each of them, and their JSON."""

from __future__ import annotations

import json
from dataclasses import replace

import streamlit as st

from core.errors import AmbiguousEditError, TouchstoneError
from core.text import edits as executable
from core.types import UNSTATED
from pages.ui.probe.pair import (
    MAX_PINNED,
    current_edits,
    current_pair,
    declare_edit,
    edited_summary,
    intend,
    is_pinned,
    pin_edit,
    revert_edit,
    rewrite_summary,
)
from pages.ui.probe.probe_state import ProbeState, probe_state
from pages.ui.results.copy_popover import code_block
from pages.ui.shared.markup import diff_html, escape_markdown, escape_message
from pages.ui.shared.notices import leave_notice
from pages.ui.shared.session_user import user_name

_JSON_EXAMPLE = '{"original_text": "…", "replace_text": "…", "explanation": "…"}'


def edits_tab() -> None:
    """The edits with the words around them, a row per edit, and what they are said to be."""
    pair, edits = current_pair(), current_edits()
    if not edits:
        intend(UNSTATED)
        st.info(
            "No edits yet. Type in the summary, select words to replace them, paste edit JSON, or choose Try an edit.",
            icon=":material/edit:",
        )
        return
    edits_in_context()
    for number, edit in enumerate(edits, start=1):
        name = f"{number}-{edit.span.start}-{edit.span.end}"
        with st.container(horizontal=True, vertical_alignment="center", gap="small", key=f"edit-{number}"):
            with st.container(width=200):
                st.html(diff_html([(-1, edit.span.of(pair.original)), (1, edit.new)]))
            explanation = ProbeState.edit_explanation.of(f"{name}-{hash(edit)}")
            st.text_input(
                "Explanation",
                value=edit.explanation,
                key=explanation.key,
                label_visibility="collapsed",
                placeholder="Why is the edited summary (in)consistent?",
                on_change=lambda edit, explanation: declare_edit(replace(edit, explanation=explanation.get().strip())),
                args=(edit, explanation),
                width="stretch",
            )
            st.button("Revert", key=f"revert-{name}", on_click=revert_edit, args=(edit,))
    _edit_meaning()


def edits_in_context() -> None:
    """The edits in red and green with the words around them, short enough to fit above a form."""
    laid = executable.as_segments(current_pair().original, current_edits())
    st.html(diff_html(executable.abridge_unchanged(laid, margin=60)))


def edit_json_tab() -> None:
    """Executable-edit JSON in and out."""
    st.text_area(
        "Executable edits, one object or a list",
        key=ProbeState.edit_json.key,
        height=150,
        placeholder=_JSON_EXAMPLE,
        help="original_text must be a substring of the original summary. An edit that is there goes into the comparison below. With `intended` or "
        "`error_type` the JSON says what the edits are meant to be.",
    )
    st.button("Execute", key="execute", type="primary", on_click=_execute_json)
    if problem := probe_state().json_error:
        st.error(escape_message(problem), icon=":material/error:")
    for number, place in enumerate(probe_state().json_places, start=1):
        st.button(
            f"Use {number}: {escape_markdown(place)}",
            key=f"occurrence-{number}",
            on_click=_choose_occurrence,
            args=(number,),
        )
    edits = current_edits()
    if edits:
        st.text("The edits now:")
        records = executable.to_records(current_pair().original, edits)
        code_block(json.dumps(records, ensure_ascii=False, indent=1), "edits-json")


def _edit_meaning() -> None:
    """Draw the stated meaning of the edit, and a button that compares it with others."""
    meant = probe_state().meant
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        if meant == UNSTATED:
            st.caption("Is the edited summary consistent? Say it under Record: the verdict above goes by it.")
        else:
            meaning = " · ".join(filter(None, [meant.verdict and meant.verdict.capitalize(), meant.error_type]))
            st.caption(f"Meant as: {meaning}. Your label under Record takes its place.")
        full = len(probe_state().pinned) >= MAX_PINNED
        st.button(
            "Compare edits",
            icon=":material/difference:",
            key="pin",
            on_click=pin_edit,
            disabled=full or is_pinned(),
            help=f"{MAX_PINNED} edits are compared, and no more fit. Remove one."
            if full
            else "Keeps this edit below the scores, beside the next ones that you try on the same summary.",
        )


def _choose_occurrence(occurrence: int) -> None:
    """Write the occurrence that was meant into the JSON and execute it."""
    state = probe_state()
    state.edit_json = executable.with_occurrence(state.edit_json, state.json_record, occurrence)
    _execute_json()


def _execute_json() -> None:
    state = probe_state()
    original = current_pair().original
    state.json_error, state.json_places = "", ()
    try:
        edits = executable.parse(state.edit_json, original, by=user_name())
        meant = executable.intention_of(state.edit_json)
    except TouchstoneError as error:
        state.json_error = str(error)
        if isinstance(error, AmbiguousEditError):
            state.json_places, state.json_record = error.places, error.record
        return
    if executable.apply(original, edits) != edited_summary():
        pin_edit()
        if current_edits():
            leave_notice("These edits replace yours, which stay in the comparison below. Undo brings them back.")
    if meant != UNSTATED:
        intend(meant)
    rewrite_summary(executable.apply(original, edits), edits)
