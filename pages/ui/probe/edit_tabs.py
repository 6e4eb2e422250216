"""The tabs about the edited summary: its executable edits, their JSON, and a person's judgement of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from uuid import uuid4

import streamlit as st

from annotations.records import EditAnswers, ExplanationFlaw, Grade, LabelRecord
from core import edits as executable
from core.errors import AmbiguousEditError, TouchstoneError
from core.types import Edit, ErrorType, Verdict
from pages.ui import services
from pages.ui.markup import diff_html, escape_markdown
from pages.ui.notices import leave_receipt
from pages.ui.probe import pair as bench

_JSON_EXAMPLE = '{"original_text": "…", "replace_text": "…", "explanation": "…"}'


def edits_tab() -> None:
    """A row per edit, what they are meant to do, then the diff of the whole summary."""
    pair, edits = bench.current_pair(), bench.current_edits()
    if not edits:
        st.info(
            "No edits yet. Type in the summary, select words to replace them, paste edit JSON, or choose Try an edit.",
            icon=":material/edit:",
        )
        return
    for number, edit in enumerate(edits, start=1):
        _edit_row(number, edit, pair.original)
    _intention_fields()
    st.html(diff_html(executable.as_segments(pair.original, edits)))


def edits_in_context() -> None:
    """The edits in red and green with the words beside them, short enough to stand above a form."""
    laid = executable.as_segments(bench.current_pair().original, bench.current_edits())
    st.html(diff_html(executable.abridge_unchanged(laid, margin=60)))


def edit_json_tab() -> None:
    """Executable-edit JSON in and out."""
    st.text_area(
        "Executable edits, one object or a list",
        key="edit-json",
        height=150,
        placeholder=_JSON_EXAMPLE,
        help="original_text must be a substring of the original summary. Edits made so far are replaced.",
    )
    st.button("Execute", key="execute", type="primary", on_click=_execute_json)
    if st.session_state.get("json-error"):
        st.error(escape_markdown(st.session_state["json-error"]), icon=":material/error:")
    for number, place in enumerate(st.session_state.get("json-places", []), start=1):
        st.button(
            f"Use {number}: {escape_markdown(place)}",
            key=f"occurrence-{number}",
            on_click=_choose_occurrence,
            args=(number,),
        )
    edits = bench.current_edits()
    if edits:
        st.text("The edits as they stand:")
        records = executable.to_records(bench.current_pair().original, edits)
        st.code(json.dumps(records, ensure_ascii=False, indent=1), language="json", wrap_lines=True, height=150)


def _edit_row(number: int, edit: Edit, original: str) -> None:
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
            on_change=_store_explanation,
            args=(edit, key),
            width="stretch",
        )
        st.button("Revert", key=f"revert-{name}", on_click=bench.revert_edit, args=(edit,))


def _intention_fields() -> None:
    """What a kept pair is meant to be; a label says what it is."""
    left, right = st.columns(2)
    left.selectbox(
        "Meant to be", [*Verdict], key="intended", index=None, placeholder="Not said", format_func=str.capitalize
    )
    right.selectbox("Intended error type", [*ErrorType], key="intended-type", index=None, placeholder="None")


def _store_explanation(edit: Edit, key: str) -> None:
    bench.declare_edit(replace(edit, explanation=st.session_state[key].strip()))


def _choose_occurrence(occurrence: int) -> None:
    """Write the occurrence that was meant into the JSON and execute it."""
    state = st.session_state
    state["edit-json"] = executable.with_occurrence(state["edit-json"], state["json-record"], occurrence)
    _execute_json()


def _execute_json() -> None:
    state = st.session_state
    original = bench.current_pair().original
    state["json-error"], state["json-places"] = "", []
    try:
        edits = executable.parse(state["edit-json"], original, by=state["annotator"])
    except TouchstoneError as error:
        state["json-error"] = str(error)
        if isinstance(error, AmbiguousEditError):
            state["json-places"], state["json-record"] = error.places, error.record
        return
    bench.rewrite_summary(executable.apply(original, edits), edits)


EDIT_QUESTIONS = {
    "inconsistent": "Does the edit make the summary inconsistent with the document?",
    "interesting": "Is the error interesting: more than a changed number, date, name or negation?",
    "controlled": "Is the edit controlled: one small error, and nothing else changed?",
    "explanation_good": "Does the explanation say completely and only what is wrong?",
}
_RECORD_FIELDS = ("verdict", "confidence", "error-type", "note", "explanation", "grade", "cause", *EDIT_QUESTIONS)


def record_tab() -> None:
    """Asks in order, shows a later question only when the one before was answered with yes, and saves once."""
    _reset_record_form()
    with st.container():  # there without edits too: what lies below keeps its place when the first one comes
        if bench.current_edits():
            edits_in_context()
    whose = "edited summary" if bench.current_edits() else "summary"
    st.segmented_control(f"The {whose} is", [*Verdict], key="verdict", format_func=str.capitalize)
    left, right = st.columns([1.2, 1])
    left.segmented_control("How sure are you?", [1, 2, 3, 4, 5], key="confidence", help="1 is a guess, 5 is certain.")
    right.selectbox("Error type", [*ErrorType], key="error-type", index=None, placeholder="None")
    if bench.current_edits():
        _edit_questions()
    _explanation_fields()
    st.text_input("Note", key="note", placeholder="Optional")
    demo = services.settings().demo
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if services.settings().shared:
            st.caption(f"Recorded as {escape_markdown(st.session_state['annotator'])}")
        else:
            st.text_input("Recorded as", key="annotator", width=180, persist_state="session")
        st.button(
            "Save label",
            key="save",
            type="primary",
            on_click=save_record,
            args=(record_from_form,),
            disabled=demo or not st.session_state["verdict"],
        )
    if demo:
        st.write("Nothing is kept in this demo.")


def _reset_record_form() -> None:
    """Empty the form when another summary comes to the bench; typing in the one that is there leaves it."""
    state, pair = st.session_state, bench.current_pair()
    judging = (pair.document, pair.original, state[f"{bench.EDITOR_KEY}.doc_rev"])
    fresh = state.get("judging") != judging
    state["judging"] = judging
    for field in _RECORD_FIELDS:
        # a widget that was not drawn for a while, as on another page, has lost its place in the state
        if fresh or field not in state:
            state[field] = "" if field in ("note", "explanation") else None


def _edit_questions() -> None:
    for field, question in EDIT_QUESTIONS.items():
        st.segmented_control(question, ["Yes", "No"], key=field)
        if st.session_state[field] != "Yes":
            return


def _explanation_fields() -> None:
    state = st.session_state
    given = " ".join(edit.explanation for edit in bench.current_edits() if edit.explanation)
    if state["explanation"] in ("", state.get("given-explanation")) and state["explanation"] != given:
        # nobody wrote another one: it follows the edits, and what was said of the one before does not hold
        state["explanation"], state["grade"], state["cause"] = given, None, None
    state["given-explanation"] = given
    st.text_area("Explanation to judge", key="explanation", height=80, placeholder="Why is the summary (in)consistent?")
    if not state["explanation"].strip():
        return
    st.segmented_control("The explanation is", [*Grade], key="grade", format_func=format_grade)
    if state["grade"] in (Grade.PARTIALLY, Grade.NOT):
        st.segmented_control("because of", [*ExplanationFlaw], key="cause", format_func=str.capitalize)


def format_grade(grade: Grade) -> str:
    return {Grade.ENTIRELY: "Entirely correct", Grade.PARTIALLY: "Partially correct", Grade.NOT: "Not correct"}[grade]


def save_record(said: Callable[[], LabelRecord]) -> None:
    """The durable write first, only then the receipt; saving again what was saved last changes nothing."""
    state = st.session_state
    try:
        record = said()
        if record != state.get("recorded"):
            state["press"], state["recorded"] = uuid4().hex, record
        receipt = services.store().record(replace(record, event_id=state["press"]))
    except TouchstoneError as error:
        leave_receipt("error", str(error))
        return
    leave_receipt("label", f"{receipt.id} · revision {receipt.revision}")


def record_from_form() -> LabelRecord:
    """What the form says of the pair as it stands. Raises RecordError for what cannot be kept."""
    bench.note_change()
    state, pair = st.session_state, bench.current_pair()
    answers = _edit_answers() if bench.current_edits() else None
    explanation = state["explanation"].strip()
    grade = state.get("grade") if explanation else None
    return LabelRecord(
        document=pair.document,
        original=pair.original,
        edited=bench.edited_summary(),
        edits=tuple(bench.current_edits()),
        annotator=state["annotator"].strip(),
        event_id="unsaved",
        verdict=state["verdict"],
        confidence=state["confidence"],
        error_type=state["error-type"],
        note=state["note"].strip(),
        blind=False,
        answers=answers if answers != EditAnswers() else None,
        explanation=explanation if grade else "",
        explanation_by=next((edit.by for edit in bench.current_edits() if edit.explanation), ""),
        grade=grade,
        cause=state.get("cause") if grade in (Grade.PARTIALLY, Grade.NOT) else None,
    )


def _edit_answers() -> EditAnswers:
    """The answers up to the first one that is not yes; what was answered below it before does not count."""
    given: dict[str, bool] = {}
    for field in EDIT_QUESTIONS:
        if st.session_state.get(field) is None:
            break
        given[field] = st.session_state[field] == "Yes"
        if not given[field]:
            break
    return EditAnswers(**given)
