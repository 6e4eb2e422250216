"""A person's judgement of the edited summary: label, error type, the four questions about the edit, the explanation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from uuid import uuid4

import streamlit as st

from annotations.records import Cause, EditAnswers, Grade, Record
from core.errors import TouchstoneError
from core.types import ErrorType, Verdict
from pages.ui import services
from pages.ui.plain import plain
from pages.ui.probe import pair as bench
from pages.ui.probe.edits_tab import edits_in_context

QUESTIONS = {
    "inconsistent": "Does the edit make the summary inconsistent with the document?",
    "interesting": "Is the error interesting: more than a changed number, date, name or negation?",
    "controlled": "Is the edit controlled: one small error, and nothing else changed?",
    "explanation_good": "Does the explanation say completely and only what is wrong?",
}
_FIELDS = ("verdict", "confidence", "error-type", "note", "explanation", "grade", "cause", *QUESTIONS)


def record_tab() -> None:
    """Asks in order, shows a later question only when the one before was answered with yes, and saves once."""
    _prepare()
    with st.container():  # there without edits too: what lies below keeps its place when the first one comes
        if bench.edits():
            edits_in_context()
    whose = "edited summary" if bench.edits() else "summary"
    st.segmented_control(f"The {whose} is", [*Verdict], key="verdict", format_func=str.capitalize)
    left, right = st.columns([1.2, 1])
    left.segmented_control("How sure are you?", [1, 2, 3, 4, 5], key="confidence", help="1 is a guess, 5 is certain.")
    right.selectbox("Error type", [*ErrorType], key="error-type", index=None, placeholder="None")
    if bench.edits():
        _edit_questions()
    _explanation()
    st.text_input("Note", key="note", placeholder="Optional")
    demo = services.settings().demo
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if services.settings().shared:
            st.caption(f"Recorded as {plain(st.session_state['annotator'])}")
        else:
            st.text_input("Recorded as", key="annotator", width=180, persist_state="session")
        st.button(
            "Save label",
            key="save",
            type="primary",
            on_click=save,
            args=(record_now,),
            disabled=demo or not st.session_state["verdict"],
        )
    if demo:
        st.write("Nothing is kept in this demo.")


def _prepare() -> None:
    """Empty the form when another summary comes to the bench; typing in the one that is there leaves it."""
    state, pair = st.session_state, bench.current()
    judging = (pair.document, pair.original, state[f"{bench.EDITOR}.doc_rev"])
    fresh = state.get("judging") != judging
    state["judging"] = judging
    for field in _FIELDS:
        # a widget that was not drawn for a while, as on another page, has lost its place in the state
        if fresh or field not in state:
            state[field] = "" if field in ("note", "explanation") else None


def _edit_questions() -> None:
    for field, question in QUESTIONS.items():
        st.segmented_control(question, ["Yes", "No"], key=field)
        if st.session_state[field] != "Yes":
            return


def _explanation() -> None:
    state = st.session_state
    given = " ".join(edit.explanation for edit in bench.edits() if edit.explanation)
    if state["explanation"] in ("", state.get("given-explanation")) and state["explanation"] != given:
        # nobody wrote another one: it follows the edits, and what was said of the one before does not hold
        state["explanation"], state["grade"], state["cause"] = given, None, None
    state["given-explanation"] = given
    st.text_area("Explanation to judge", key="explanation", height=80, placeholder="Why is the summary (in)consistent?")
    if not state["explanation"].strip():
        return
    st.segmented_control("The explanation is", [*Grade], key="grade", format_func=grade_words)
    if state["grade"] in (Grade.PARTIALLY, Grade.NOT):
        st.segmented_control("because of", [*Cause], key="cause", format_func=str.capitalize)


def grade_words(grade: Grade) -> str:
    return {Grade.ENTIRELY: "Entirely correct", Grade.PARTIALLY: "Partially correct", Grade.NOT: "Not correct"}[grade]


def save(said: Callable[[], Record]) -> None:
    """The durable write first, only then the receipt; saving again what was saved last changes nothing."""
    state = st.session_state
    try:
        record = said()
        if record != state.get("recorded"):
            state["press"], state["recorded"] = uuid4().hex, record
        receipt = services.store().record(replace(record, event_id=state["press"]))
    except TouchstoneError as error:
        state["receipt"] = ("error", str(error))
        return
    state["receipt"] = ("label", f"{receipt.id} · revision {receipt.revision}")


def record_now() -> Record:
    """What the form says of the pair as it stands. Raises RecordError for what cannot be kept."""
    bench.note_change()
    state, pair = st.session_state, bench.current()
    answers = _answers() if bench.edits() else None
    explanation = state["explanation"].strip()
    grade = state.get("grade") if explanation else None
    return Record(
        document=pair.document,
        original=pair.original,
        edited=bench.edited(),
        edits=tuple(bench.edits()),
        annotator=state["annotator"].strip(),
        event_id="unsaved",
        verdict=state["verdict"],
        confidence=state["confidence"],
        error_type=state["error-type"],
        note=state["note"].strip(),
        blind=False,
        answers=answers if answers != EditAnswers() else None,
        explanation=explanation if grade else "",
        explanation_by=next((edit.by for edit in bench.edits() if edit.explanation), ""),
        grade=grade,
        cause=state.get("cause") if grade in (Grade.PARTIALLY, Grade.NOT) else None,
    )


def _answers() -> EditAnswers:
    """The answers up to the first one that is not yes; what was answered below it before does not count."""
    given: dict[str, bool] = {}
    for field in QUESTIONS:
        if st.session_state.get(field) is None:
            break
        given[field] = st.session_state[field] == "Yes"
        if not given[field]:
            break
    return EditAnswers(**given)
