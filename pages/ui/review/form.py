"""The form of a decision: the questions of the campaign, why people differed, and a note."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import partial
from typing import Any

import streamlit as st

from annotations.campaigns.questions import Asked, QuestionSet, is_asked
from annotations.campaigns.settling import Cause, Dispute
from pages.ui.plain import plain_label
from pages.ui.review.words import option_words, quote

_CAUSES = {
    Cause.SLIP: ("S", "Somebody misread or misclicked."),
    Cause.AMBIGUOUS: ("T", "The document or the summary can be read in two ways."),
    Cause.GUIDELINE_GAP: ("G", "The guidelines do not say what to answer here."),
    Cause.EDGE_CASE: ("E", "Careful readers may differ."),
}


def field(dispute: Dispute, name: str) -> str:
    """Where the session keeps one answer of the decision on a case."""
    return f"decide-{dispute.task}-{name}"


def fill(dispute: Dispute, questions: QuestionSet, answers: Mapping[str, Any]) -> None:
    """Put answers into the form, as they would have been given there."""
    for question in questions.questions:
        st.session_state[field(dispute, question.id)] = _as_shown(question, answers.get(question.id))


def form(dispute: Dispute, questions: QuestionSet) -> None:
    """The questions that come up, and the cause."""
    given: dict[str, Any] = {}
    for question in questions.questions:
        if is_asked(question, given):
            _ask(question, dispute)
            given[question.id] = _given(question, st.session_state.get(field(dispute, question.id)))
    st.markdown("**Why did people differ?**")
    chosen = st.session_state.get(field(dispute, "/cause"))
    with st.container(horizontal=True, gap="xsmall", key="causes"):
        for cause, (key, means) in _CAUSES.items():
            st.button(
                cause.value.capitalize(),
                key=field(dispute, f"/{cause.name}"),
                shortcut=key,
                help=means,
                type="primary" if cause == chosen else "secondary",
                icon=":material/check:" if cause == chosen else None,
                on_click=_choose,
                args=(dispute, cause),
            )
    st.text_input("Note", key=field(dispute, "/note"), placeholder="Optional", max_chars=2000, persist_state="session")


def answers_of(dispute: Dispute, questions: QuestionSet) -> dict[str, Any]:
    """What the form holds of the questions that came up."""
    given: dict[str, Any] = {}
    for question in questions.questions:
        answer = _given(question, st.session_state.get(field(dispute, question.id)))
        if is_asked(question, given) and answer not in (None, "", []):
            given[question.id] = answer
    return given


def cause_of(dispute: Dispute) -> Cause | None:
    """The cause that is chosen, also by a key of this very message."""
    state = st.session_state
    pressed = [cause for cause in Cause if state.get(field(dispute, f"/{cause.name}"))]
    chosen: Cause | None = pressed[0] if pressed else state.get(field(dispute, "/cause"))
    return chosen


def note_of(dispute: Dispute) -> str:
    return str(st.session_state.get(field(dispute, "/note"), "")).strip()


def _choose(dispute: Dispute, cause: Cause) -> None:
    st.session_state[field(dispute, "/cause")] = cause


def _ask(question: Asked, dispute: Dispute) -> None:
    title = plain_label(question.ask if question.required else f"{question.ask} (optional)")
    key = field(dispute, question.id)
    match question.kind:
        case "choice":
            words = partial(option_words, question)
            st.segmented_control(title, question.values, key=key, format_func=words, persist_state="session")
        case "several":
            words = partial(option_words, question)
            st.pills(
                title, question.values, selection_mode="multi", key=key, format_func=words, persist_state="session"
            )
        case "scale":
            steps = range(question.low, question.high + 1)
            st.segmented_control(title, steps, key=key, help=question.hint or None, persist_state="session")
        case "text":
            st.text_area(title, key=key, height=68, persist_state="session")
        case "span":
            _choose_passages(title, question, dispute)
        case "edit":
            edits = _named(question, dispute)
            names = {edit: f"Edit {place}" for place, edit in enumerate(edits, start=1)}
            st.segmented_control(title, edits, key=key, format_func=names.__getitem__, persist_state="session")


def _choose_passages(title: str, question: Asked, dispute: Dispute) -> None:
    """Those that labels name, where there are any."""
    if pieces := _named(question, dispute):
        st.pills(
            title,
            pieces,
            selection_mode="multi",
            key=field(dispute, question.id),
            format_func=lambda one: quote(question, json.loads(one), dispute),
            persist_state="session",
        )


def _named(question: Asked, dispute: Dispute) -> list[str]:
    """The passages, or the edits, that labels or an earlier decision name, as JSON."""
    told = [*dispute.answers, *([dispute.decided.answers] if dispute.decided else [])]
    found = [answers[question.id] for answers in told if answers.get(question.id)]
    pieces = found if question.kind == "edit" else [piece for answer in found for piece in answer]
    return list(dict.fromkeys(json.dumps(piece, ensure_ascii=False) for piece in pieces))


def _as_shown(question: Asked, answer: Any) -> Any:
    """An answer as its widget holds it."""
    if question.kind == "span":
        return [json.dumps(piece, ensure_ascii=False) for piece in answer or ()]
    if question.kind == "edit":
        return json.dumps(answer, ensure_ascii=False) if answer else None
    if question.kind == "several":
        return list(answer or ())
    return answer if answer is not None or question.kind != "text" else ""


def _given(question: Asked, shown: Any) -> Any:
    """An answer as it is kept."""
    if question.kind == "span":
        return [json.loads(piece) for piece in shown or ()]
    if question.kind == "edit":
        return json.loads(shown) if shown else None
    return shown.strip() if isinstance(shown, str) else shown
