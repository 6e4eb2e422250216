"""One case after the other: the form of a decision, and the decision that is saved."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import streamlit as st

from annotations.campaigns.campaign import CampaignSettings
from annotations.campaigns.questions import CampaignQuestion, QuestionSet, is_asked
from annotations.management.adjudication import (
    AdjudicationQueue,
    AdjudicationTask,
    DisagreementCause,
    QueuedTask,
    SentDecision,
)
from annotations.management.comments import AdjudicatorComments, CommentThread, SentComment
from annotations.store.records import StoreError
from pages.server import services
from pages.ui.review.case_view import (
    ReviewState,
    adjudicator,
    case_document,
    case_guidelines,
    case_labels,
    case_summaries,
    forget_press,
    format_agreement,
    format_label_answer,
    format_option,
    label_taken_over,
    list_navigation,
    open_entry,
    press_id,
    quote_passage,
    review_state,
)
from pages.ui.shared.comment_view import comment_form, show_conversation
from pages.ui.shared.markup import escape_label, escape_markdown, escape_message
from pages.ui.shared.notices import leave_notice
from pages.ui.shared.session_state import WidgetValue
from pages.ui.shared.session_user import current_member

_CAUSE_KEYS = {
    DisagreementCause.SLIP: ("S", "An annotator misread or misclicked."),
    DisagreementCause.AMBIGUOUS: ("T", "The document or the summary can be read in two ways."),
    DisagreementCause.GUIDELINE_GAP: ("G", "The guidelines do not say what to answer here."),
    DisagreementCause.EDGE_CASE: ("E", "Careful readers may differ."),
}


def _answer_field(case: AdjudicationTask, question: CampaignQuestion) -> WidgetValue[Any]:
    """The field of one answer of the decision on a case."""
    return ReviewState.answer.of(f"{case.task}-{question.id}")


def _note_field(case: AdjudicationTask) -> WidgetValue[str]:
    return ReviewState.note.of(f"{case.task}-/note")


def _cause_button(case: AdjudicationTask, cause: DisagreementCause) -> WidgetValue[bool]:
    return ReviewState.cause_button.of(f"{case.task}-/{cause.name}")


def fill_form(case: AdjudicationTask, questions: QuestionSet, answers: Mapping[str, Any]) -> None:
    """Put answers into the form, as they would have been given there."""
    for question in questions.questions:
        answer = answers.get(question.id)
        if question.kind in {"span", "link"}:
            value: Any = [json.dumps(piece, ensure_ascii=False) for piece in answer or ()]
        elif question.kind in _WHOLE_ANSWERS:
            value = json.dumps(answer, ensure_ascii=False) if answer else None
        elif question.kind == "several":
            value = list(answer or ())
        else:
            value = answer if answer is not None or question.kind != "text" else ""
        _answer_field(case, question).set(value)


def decision_form(case: AdjudicationTask, questions: QuestionSet) -> None:
    """The questions that come up, and the cause."""
    answers: dict[str, Any] = {}
    for question in questions.questions:
        if is_asked(question, answers):
            _question_field(question, case)
            answers[question.id] = _stored_value(question, _answer_field(case, question).get())
    st.markdown("**Why did people differ?**")
    selected = review_state().causes.get(case.task)
    with st.container(horizontal=True, gap="xsmall", key="causes"):
        for cause, (key, means) in _CAUSE_KEYS.items():
            st.button(
                cause.value.capitalize(),
                key=_cause_button(case, cause).key,
                shortcut=key,
                help=means,
                type="primary" if cause == selected else "secondary",
                icon=":material/check:" if cause == selected else None,
                on_click=review_state().causes.__setitem__,
                args=(case.task, cause),
            )
    st.text_input("Note", key=_note_field(case).key, placeholder="Optional", max_chars=2000, persist_state="session")


def form_answers(case: AdjudicationTask, questions: QuestionSet) -> dict[str, Any]:
    """Answers of the form to the questions that came up."""
    answers: dict[str, Any] = {}
    for question in questions.questions:
        answer = _stored_value(question, _answer_field(case, question).get())
        if is_asked(question, answers) and answer not in (None, "", []):
            answers[question.id] = answer
    return answers


def form_cause(case: AdjudicationTask) -> DisagreementCause | None:
    """The cause that is chosen, also by a key of this very message."""
    pressed = [cause for cause in DisagreementCause if _cause_button(case, cause).get()]
    return pressed[0] if pressed else review_state().causes.get(case.task)


def form_note(case: AdjudicationTask) -> str:
    return _note_field(case).get().strip()


def _question_field(question: CampaignQuestion, case: AdjudicationTask) -> None:
    title = escape_label(question.ask if question.required else f"{question.ask} (optional)")
    key = _answer_field(case, question).key
    match question.kind:
        case "choice":
            words = partial(format_option, question)
            st.segmented_control(title, question.values, key=key, format_func=words, persist_state="session")
        case "several":
            words = partial(format_option, question)
            st.pills(
                title, question.values, selection_mode="multi", key=key, format_func=words, persist_state="session"
            )
        case "scale":
            steps = range(question.low, question.high + 1)
            st.segmented_control(title, steps, key=key, help=question.hint or None, persist_state="session")
        case "slider":
            limits = (question.low, question.high)
            st.number_input(title, *limits, None, 1, key=key, help=question.hint or None, persist_state="session")
        case "ranking" | "best-worst" | "soft":
            st.segmented_control(
                title,
                _named_passages(question, case),
                key=key,
                format_func=lambda answer: format_label_answer(question, json.loads(answer), case),
                persist_state="session",
            )
        case "text":
            st.text_area(title, key=key, height=68, persist_state="session")
        case "span" | "link":
            if pieces := _named_passages(question, case):
                st.pills(
                    title,
                    pieces,
                    selection_mode="multi",
                    key=key,
                    format_func=lambda piece: quote_passage(question, json.loads(piece), case),
                    persist_state="session",
                )
        case "edit":
            edits = _named_passages(question, case)
            names = {edit: f"Edit {place}" for place, edit in enumerate(edits, start=1)}
            st.segmented_control(title, edits, key=key, format_func=names.__getitem__, persist_state="session")


_WHOLE_ANSWERS = frozenset({"edit", "ranking", "best-worst", "soft"})
"""Kinds of questions of which an adjudicator takes the answer of somebody as it is."""


def _named_passages(question: CampaignQuestion, case: AdjudicationTask) -> list[str]:
    """The passages, or the edits, that labels or an earlier decision name, as JSON."""
    all_answers = [*case.answers, *([case.decision.answers] if case.decision else [])]
    passages = [answers[question.id] for answers in all_answers if answers.get(question.id)]
    pieces = passages if question.kind in _WHOLE_ANSWERS else [piece for answer in passages for piece in answer]
    return list(dict.fromkeys(json.dumps(piece, ensure_ascii=False) for piece in pieces))


def _stored_value(question: CampaignQuestion, shown: Any) -> Any:
    """An answer as it is stored."""
    if question.kind in {"span", "link"}:
        return [json.loads(piece) for piece in shown or ()]
    if question.kind in _WHOLE_ANSWERS:
        return json.loads(shown) if shown else None
    return shown.strip() if isinstance(shown, str) else shown


def adjudication_page(campaign: CampaignSettings, cases: Sequence[QueuedTask], queue: AdjudicationQueue) -> None:
    """The open case of the list, or why there is none."""
    if not cases:
        words = "Nothing is left to adjudicate: people agree, or it is decided."
        if not sum(queue.counts.values()):
            words = "Nothing is labelled here yet."
        elif queue.open:
            words = "Nothing is adjudicated yet."
        st.info(words, icon=":material/task_alt:")
        return
    tasks = [case.task for case in cases]
    place, task = open_entry(f"case-{campaign.id}", tasks)
    case = adjudicator().task(campaign.id, task)
    _prepare_form(case, campaign.questions)
    list_navigation(f"case-{campaign.id}", tasks, place, format_agreement(case))
    if case.decision:
        measured = campaign.questions.by_id[campaign.questions.measure]
        answer = escape_markdown(format_option(measured, case.decision.answers.get(measured.id)))
        text = f"Adjudicated on {case.decision.created_at:%Y-%m-%d} as **{answer}** ({case.decision.cause})."
        if case.reopened:
            st.warning(f"{text} A later label disagrees.", icon=":material/undo:")
        else:
            st.info(text, icon=":material/gavel:")
    for reason in case.flags:
        st.warning(f"Somebody flagged this one: {escape_markdown(reason)}", icon=":material/flag:")
    reading, deciding = st.columns(2, gap="medium")
    with reading:
        case_summaries(case, campaign.questions)
        case_document(case, campaign.questions)
        case_guidelines(campaign)
    with deciding:
        case_labels(case, campaign.questions, lambda answers: fill_form(case, campaign.questions, answers))
        _decision_box(campaign, case)
        conversations = _comments().conversations(campaign.id, case.task)
        number, own = (
            sum(len(conversation.comments) for conversation in conversations),
            CommentThread(case.task, None, "", 0, ""),
        )
        whole = (
            conversations
            if any(conversation.annotator_id is None for conversation in conversations)
            else [*conversations, own]
        )
        with st.expander(f"Comments · {number}" if number else "Comments", icon=":material/forum:"):
            for conversation in whole:
                show_conversation(conversation, "adjudicator")
                label = "Answer the annotator" if conversation.annotator_id else "Write to the manager"
                if comment_form(
                    f"{case.task}-{conversation.annotator_id}", label, partial(_send_comment, campaign, conversation)
                ):
                    st.rerun()


def _comments() -> AdjudicatorComments:
    return AdjudicatorComments(services.store(), current_member())


def _send_comment(campaign: CampaignSettings, to: CommentThread, text: str, event_id: str) -> None:
    _comments().send(campaign.id, SentComment(to.task, to.annotator_id, text, event_id))


def _decision_box(campaign: CampaignSettings, case: AdjudicationTask) -> None:
    demo = services.settings().demo
    with st.container(border=True, key="decision"):
        decision_form(case, campaign.questions)
        with st.container(horizontal=True, vertical_alignment="center"):
            st.button(
                "Adjudicate again" if case.decision else "Adjudicate",
                key=f"settle-{case.task}",
                shortcut="D",  # a focused button takes Enter, with any modifier
                type="primary",
                on_click=_save_decision,
                args=(campaign, case),
                disabled=demo,
                help="Nothing is kept in this demo." if demo else None,
            )
            if error := review_state().errors.pop(case.task, ""):
                st.error(escape_message(error), icon=":material/error:")


def _save_decision(campaign: CampaignSettings, case: AdjudicationTask) -> None:
    """The durable write first; what fails stays in the form with its reason."""
    if taken := label_taken_over(
        case
    ):  # Streamlit may deliver keys that were pressed one after the other in another order
        fill_form(case, campaign.questions, taken)
    cause, name = form_cause(case), f"case-{case.task}"
    if cause is None:
        review_state().errors[case.task] = "Say why people differed: choose one of the four causes."
        return
    answers = form_answers(case, campaign.questions)
    decision = SentDecision(case.task, answers, cause, case.responses, press_id(name), form_note(case))
    try:
        adjudicator().save_decision(campaign.id, decision)
    except StoreError as error:
        review_state().errors[case.task] = str(error)
        return
    forget_press(name)
    leave_notice("Adjudicated.")


def _prepare_form(case: AdjudicationTask, questions: QuestionSet) -> None:
    """Start from the newest decision, if there is one; keep what was filled in since."""
    state, decided = review_state(), case.decision
    begun = (decided.revision if decided else 0, case.reopened)
    if state.begun.get(case.task) == begun:
        return
    state.begun[case.task] = begun
    valid = decided if not case.reopened else None
    fill_form(case, questions, valid.answers if valid else {})
    state.causes[case.task] = DisagreementCause(valid.cause) if valid else None
    _note_field(case).set(valid.note if valid else "")
