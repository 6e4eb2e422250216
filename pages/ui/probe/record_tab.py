"""The tab of Probe in which a person judges the edited summary: one label, saved once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from uuid import uuid4

import streamlit as st

from annotations.campaigns.error_types import error_type_meanings
from annotations.store.records import FLAW_MEANINGS, EditAnswers, LabelRecord, RecordError
from core.errors import TouchstoneError
from core.types import UNSTATED, ErrorType, ExplanationFlaw, Grade, Intention, T, Verdict
from pages.server import services
from pages.ui.probe.blind_labels import blind_caption, blind_toggle, is_blind
from pages.ui.probe.edit_tabs import edits_in_context
from pages.ui.probe.pair import EDITOR_KEY, current_edits, current_pair, edited_summary, intend, keep_draft, note_change
from pages.ui.probe.probe_state import ProbeState, probe_state
from pages.ui.probe.text_panes import editor_state
from pages.ui.shared.markup import escape_markdown
from pages.ui.shared.notices import leave_receipt
from pages.ui.shared.session_state import WidgetValue
from pages.ui.shared.session_user import SessionUserState

EDIT_QUESTIONS = {  # asked where the label is that the edited summary is inconsistent
    ProbeState.interesting: "Is the error interesting: more than a changed number, date, name or negation?",
    ProbeState.controlled: "Is the edit controlled: one small error, and nothing else changed?",
    ProbeState.explanation_good: "Does the explanation say completely and only what is wrong?",
}


def record_field(widget: WidgetValue[T]) -> WidgetValue[T]:
    """The field about the summary that was opened last, or about its edit: a field that all share could save what was said of another text."""
    pair, is_edited = current_pair(), bool(current_edits())
    return widget.of(hash((pair.document, pair.original, editor_state(EDITOR_KEY).doc_rev, is_edited)))


def state_meaning() -> None:
    """Let the verdict of the page go by the label of the edited summary, in place of what the source of the edit stated."""
    if not current_edits():
        return
    meant = probe_state().meant
    verdict, error_type = record_field(ProbeState.verdict).get(), record_field(ProbeState.error_type).get()
    stated = meant if verdict in (None, meant.verdict) else UNSTATED
    intend(Intention(verdict or stated.verdict, error_type or stated.error_type))
    keep_draft()


def record_tab() -> None:
    """Asks in order, shows a later question only when the one before was answered with yes, and saves once."""
    with st.container():  # there without edits too: what lies below keeps its place when the first one comes
        if current_edits():
            edits_in_context()
    whose = "edited summary" if current_edits() else "summary"
    with st.container(horizontal=True, vertical_alignment="bottom"):
        verdict = st.segmented_control(
            f"The {whose} is",
            [*Verdict],
            key=record_field(ProbeState.verdict).key,
            format_func=str.capitalize,
            on_change=state_meaning,
        )
        st.button(  # beside the one answer that it takes, so that it is in sight with all others
            "Save label",
            key="save",
            type="primary",
            on_click=save_record,
            args=(record_from_form,),
            disabled=services.settings().demo or not verdict,
        )
        blind_toggle()
    blind_caption()
    confidence_column, type_column = st.columns([1.2, 1])
    confidence_column.segmented_control(
        "How sure are you?",
        [1, 2, 3, 4, 5],
        key=record_field(ProbeState.confidence).key,
        help="1 is a guess, 5 is certain.",
    )
    type_column.selectbox(
        "Error type",
        [*ErrorType],
        key=record_field(ProbeState.error_type).key,
        index=None,
        placeholder="None",
        help=error_type_meanings().listing(),
        on_change=state_meaning,
    )
    if current_edits() and verdict is Verdict.INCONSISTENT:
        for widget, question in EDIT_QUESTIONS.items():
            field = record_field(widget)
            st.segmented_control(question, ["Yes", "No"], key=field.key)
            if field.get() != "Yes":
                break
    _explanation_fields()
    st.text_input("Note", key=record_field(ProbeState.note).key, placeholder="Optional")
    demo = services.settings().demo
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if services.settings().shared:
            st.caption(f"Recorded as {escape_markdown(SessionUserState.name.get())}")
        else:
            user = services.settings().user
            st.text_input("Recorded as", value=user, key=SessionUserState.name.key, width=180, persist_state="session")
    if demo:
        st.write("Nothing is kept in this demo.")


def _explanation_fields() -> None:
    state, explanation, grade = probe_state(), record_field(ProbeState.explanation), record_field(ProbeState.grade)
    flaw = record_field(ProbeState.flaw)
    written = " ".join(edit.explanation for edit in current_edits() if edit.explanation)
    if explanation.get() in ("", state.explanation_of_edits) and explanation.get() != written:
        # nobody wrote another one: it follows the edits, and the grade of the one before does not hold
        explanation.set(written)
        grade.set(None)
        flaw.set(None)
    state.explanation_of_edits = written
    st.text_area(
        "Explanation to judge", key=explanation.key, height=80, placeholder="Why is the summary (in)consistent?"
    )
    if not explanation.get().strip():
        return
    st.segmented_control("The explanation is", [*Grade], key=grade.key, format_func=format_grade)
    if grade.get() in (Grade.PARTIALLY, Grade.NOT):
        flaw_control(flaw.key)


def flaw_control(key: str) -> None:
    """Ask for the flaw of an explanation that is not entirely correct."""
    meanings = "  \n".join(f"**{flaw.capitalize()}**: {means}" for flaw, means in FLAW_MEANINGS.items())
    st.segmented_control("because of", [*ExplanationFlaw], key=key, format_func=str.capitalize, help=meanings)


def format_grade(grade: Grade) -> str:
    return {Grade.ENTIRELY: "Entirely correct", Grade.PARTIALLY: "Partially correct", Grade.NOT: "Not correct"}[grade]


def save_record(record_of: Callable[[], LabelRecord]) -> None:
    """The durable write first, only then the receipt; saving again what was saved last changes nothing."""
    state = probe_state()
    try:
        record = record_of()
        if record != state.saved_record:
            state.save_id, state.saved_record = uuid4().hex, record
        receipt = services.store().save_label(replace(record, event_id=state.save_id))
    except TouchstoneError as error:
        leave_receipt("error", str(error))
        return
    leave_receipt("label", f"{receipt.id} · revision {receipt.revision}")


def record_from_form(verdict: Verdict | None = None) -> LabelRecord:
    """Record of the form about the pair with its edits now. Raises RecordError for what cannot be kept."""
    note_change()
    pair = current_pair()
    verdict = verdict or record_field(ProbeState.verdict).get()
    if verdict is None:
        raise RecordError("The label has no verdict. Choose one first.")
    answers = _edit_answers(verdict) if current_edits() else EditAnswers()
    explanation = record_field(ProbeState.explanation).get().strip()
    grade = record_field(ProbeState.grade).get() if explanation else None
    return LabelRecord(
        document=pair.document,
        original=pair.original,
        edited=edited_summary(),
        edits=tuple(current_edits()),
        annotator=SessionUserState.name.get().strip(),
        event_id="unsaved",
        verdict=verdict,
        confidence=record_field(ProbeState.confidence).get(),
        error_type=record_field(ProbeState.error_type).get(),
        note=record_field(ProbeState.note).get().strip(),
        blind=is_blind(),
        answers=answers if answers != EditAnswers() else None,
        explanation=explanation if grade else "",
        explanation_by=next((edit.by for edit in current_edits() if edit.explanation), ""),
        grade=grade,
        cause=record_field(ProbeState.flaw).get() if grade in (Grade.PARTIALLY, Grade.NOT) else None,
        contexts=pair.contexts,
        question=pair.question,
    )


def _edit_answers(verdict: Verdict) -> EditAnswers:
    """Answers about the edit: of a consistent summary, that it made nothing inconsistent; of an inconsistent one, those that were given.

    Where none is given, the original may have been inconsistent already.
    """
    if verdict is Verdict.CONSISTENT:
        return EditAnswers(inconsistent=False)
    answers: dict[str, bool] = {}
    for widget in EDIT_QUESTIONS if verdict is Verdict.INCONSISTENT else ():
        answer = record_field(widget).get()
        if answer is not None:
            answers[widget.key] = answer == "Yes"
        if answer != "Yes":
            break  # what was answered below it before does not count
    return EditAnswers(inconsistent=True, **answers) if answers else EditAnswers()
