"""The executable edits between original and edited summary: shown red and green, explained, taken back one by one."""

from __future__ import annotations

import json
from dataclasses import replace

import streamlit as st

from core import edits as executable
from core.errors import AmbiguousEditError, TouchstoneError
from core.types import Edit, ErrorType, Verdict
from pages.ui.diff import diff_html
from pages.ui.plain import plain
from pages.ui.probe import pair as bench

_EXAMPLE = '{"original_text": "…", "replace_text": "…", "explanation": "…"}'


def edits_tab() -> None:
    """A row per edit, what they are meant to do, then the diff of the whole summary."""
    pair, edits = bench.current(), bench.edits()
    if not edits:
        st.info(
            "No edits yet. Type in the summary, select words to replace them, paste edit JSON, or choose Try an edit.",
            icon=":material/edit:",
        )
        return
    for number, edit in enumerate(edits, start=1):
        _row(number, edit, pair.original)
    _intention()
    st.html(diff_html(executable.as_segments(pair.original, edits)))


def edits_in_context() -> None:
    """The edits in red and green with the words beside them, short enough to stand above a form."""
    laid = executable.as_segments(bench.current().original, bench.edits())
    st.html(diff_html(executable.around(laid, margin=60)))


def json_tab() -> None:
    """Executable-edit JSON in and out."""
    st.text_area(
        "Executable edits, one object or a list",
        key="edit-json",
        height=150,
        placeholder=_EXAMPLE,
        help="original_text must be a substring of the original summary. Edits made so far are replaced.",
    )
    st.button("Execute", key="execute", type="primary", on_click=_execute)
    if st.session_state.get("json-error"):
        st.error(plain(st.session_state["json-error"]), icon=":material/error:")
    for number, place in enumerate(st.session_state.get("json-places", []), start=1):
        st.button(f"Use {number}: {plain(place)}", key=f"occurrence-{number}", on_click=_choose, args=(number,))
    edits = bench.edits()
    if edits:
        st.text("The edits as they stand:")
        records = executable.to_records(bench.current().original, edits)
        st.code(json.dumps(records, ensure_ascii=False, indent=1), language="json", wrap_lines=True, height=150)


def _row(number: int, edit: Edit, original: str) -> None:
    name = f"{number}-{edit.span.start}-{edit.span.end}"
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key=f"edit-{number}"):
        with st.container(width=200):
            st.html(diff_html([(-1, edit.span.of(original)), (1, edit.new)]))
        key = f"why-{name}-{hash(edit)}"
        st.session_state.setdefault(key, edit.explanation)
        st.text_input(
            "Explanation",
            key=key,
            label_visibility="collapsed",
            placeholder="Why is the edited summary (in)consistent?",
            on_change=_explain,
            args=(edit, key),
            width="stretch",
        )
        st.button("Revert", key=f"revert-{name}", on_click=bench.revert, args=(edit,))


def _intention() -> None:
    """What a kept pair is meant to be; a label says what it is."""
    left, right = st.columns(2)
    left.selectbox(
        "Meant to be", [*Verdict], key="intended", index=None, placeholder="Not said", format_func=str.capitalize
    )
    right.selectbox("Intended error type", [*ErrorType], key="intended-type", index=None, placeholder="None")


def _explain(edit: Edit, key: str) -> None:
    bench.declare(replace(edit, explanation=st.session_state[key].strip()))


def _choose(occurrence: int) -> None:
    """Write the occurrence that was meant into the JSON and execute it."""
    state = st.session_state
    state["edit-json"] = executable.with_occurrence(state["edit-json"], state["json-record"], occurrence)
    _execute()


def _execute() -> None:
    state = st.session_state
    original = bench.current().original
    state["json-error"], state["json-places"] = "", []
    try:
        edits = executable.parse(state["edit-json"], original, by=state["annotator"])
    except TouchstoneError as error:
        state["json-error"] = str(error)
        if isinstance(error, AmbiguousEditError):
            state["json-places"], state["json-record"] = error.places, error.record
        return
    bench.rewrite(executable.apply(original, edits), edits)
