"""One case after the other: the form of a decision, and the decision that is kept."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import streamlit as st

from annotations.campaigns.adjudication import AdjudicationQueue, AdjudicationTask, DisagreementCause, SentDecision
from annotations.campaigns.campaign import CampaignSettings
from annotations.campaigns.questions import CampaignQuestion, QuestionSet, is_asked
from annotations.campaigns.results import Case
from annotations.records import StoreError
from pages.ui import services
from pages.ui.markup import escape_label, escape_markdown
from pages.ui.notices import leave_notice
from pages.ui.review.case_view import (
    adjudicator,
    case_document,
    case_labels,
    case_summaries,
    forget_press,
    format_agreement,
    format_option,
    label_taken_over,
    list_navigation,
    open_entry,
    press_id,
    quote_passage,
)

_CAUSE_KEYS = {
    DisagreementCause.SLIP: ("S", "Somebody misread or misclicked."),
    DisagreementCause.AMBIGUOUS: ("T", "The document or the summary can be read in two ways."),
    DisagreementCause.GUIDELINE_GAP: ("G", "The guidelines do not say what to answer here."),
    DisagreementCause.EDGE_CASE: ("E", "Careful readers may differ."),
}


def field_key(dispute: AdjudicationTask, name: str) -> str:
    """Where the session keeps one answer of the decision on a case."""
    return f"decide-{dispute.task}-{name}"


def fill_form(dispute: AdjudicationTask, questions: QuestionSet, answers: Mapping[str, Any]) -> None:
    """Put answers into the form, as they would have been given there."""
    for question in questions.questions:
        st.session_state[field_key(dispute, question.id)] = _widget_value(question, answers.get(question.id))


def decision_form(dispute: AdjudicationTask, questions: QuestionSet) -> None:
    """The questions that come up, and the cause."""
    given: dict[str, Any] = {}
    for question in questions.questions:
        if is_asked(question, given):
            _question_field(question, dispute)
            given[question.id] = _stored_value(question, st.session_state.get(field_key(dispute, question.id)))
    st.markdown("**Why did people differ?**")
    chosen = st.session_state.get(field_key(dispute, "/cause"))
    with st.container(horizontal=True, gap="xsmall", key="causes"):
        for cause, (key, means) in _CAUSE_KEYS.items():
            st.button(
                cause.value.capitalize(),
                key=field_key(dispute, f"/{cause.name}"),
                shortcut=key,
                help=means,
                type="primary" if cause == chosen else "secondary",
                icon=":material/check:" if cause == chosen else None,
                on_click=_store_cause,
                args=(dispute, cause),
            )
    st.text_input(
        "Note", key=field_key(dispute, "/note"), placeholder="Optional", max_chars=2000, persist_state="session"
    )


def form_answers(dispute: AdjudicationTask, questions: QuestionSet) -> dict[str, Any]:
    """What the form holds of the questions that came up."""
    given: dict[str, Any] = {}
    for question in questions.questions:
        answer = _stored_value(question, st.session_state.get(field_key(dispute, question.id)))
        if is_asked(question, given) and answer not in (None, "", []):
            given[question.id] = answer
    return given


def form_cause(dispute: AdjudicationTask) -> DisagreementCause | None:
    """The cause that is chosen, also by a key of this very message."""
    state = st.session_state
    pressed = [cause for cause in DisagreementCause if state.get(field_key(dispute, f"/{cause.name}"))]
    chosen: DisagreementCause | None = pressed[0] if pressed else state.get(field_key(dispute, "/cause"))
    return chosen


def form_note(dispute: AdjudicationTask) -> str:
    return str(st.session_state.get(field_key(dispute, "/note"), "")).strip()


def _store_cause(dispute: AdjudicationTask, cause: DisagreementCause) -> None:
    st.session_state[field_key(dispute, "/cause")] = cause


def _question_field(question: CampaignQuestion, dispute: AdjudicationTask) -> None:
    title = escape_label(question.ask if question.required else f"{question.ask} (optional)")
    key = field_key(dispute, question.id)
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
        case "text":
            st.text_area(title, key=key, height=68, persist_state="session")
        case "span":
            _passage_field(title, question, dispute)
        case "edit":
            edits = _named_passages(question, dispute)
            names = {edit: f"Edit {place}" for place, edit in enumerate(edits, start=1)}
            st.segmented_control(title, edits, key=key, format_func=names.__getitem__, persist_state="session")


def _passage_field(title: str, question: CampaignQuestion, dispute: AdjudicationTask) -> None:
    """Those that labels name, where there are any."""
    if pieces := _named_passages(question, dispute):
        st.pills(
            title,
            pieces,
            selection_mode="multi",
            key=field_key(dispute, question.id),
            format_func=lambda one: quote_passage(question, json.loads(one), dispute),
            persist_state="session",
        )


def _named_passages(question: CampaignQuestion, dispute: AdjudicationTask) -> list[str]:
    """The passages, or the edits, that labels or an earlier decision name, as JSON."""
    told = [*dispute.answers, *([dispute.decided.answers] if dispute.decided else [])]
    found = [answers[question.id] for answers in told if answers.get(question.id)]
    pieces = found if question.kind == "edit" else [piece for answer in found for piece in answer]
    return list(dict.fromkeys(json.dumps(piece, ensure_ascii=False) for piece in pieces))


def _widget_value(question: CampaignQuestion, answer: Any) -> Any:
    """An answer as its widget holds it."""
    if question.kind == "span":
        return [json.dumps(piece, ensure_ascii=False) for piece in answer or ()]
    if question.kind == "edit":
        return json.dumps(answer, ensure_ascii=False) if answer else None
    if question.kind == "several":
        return list(answer or ())
    return answer if answer is not None or question.kind != "text" else ""


def _stored_value(question: CampaignQuestion, shown: Any) -> Any:
    """An answer as it is kept."""
    if question.kind == "span":
        return [json.loads(piece) for piece in shown or ()]
    if question.kind == "edit":
        return json.loads(shown) if shown else None
    return shown.strip() if isinstance(shown, str) else shown


def adjudication_page(campaign: CampaignSettings, cases: Sequence[Case], docket: AdjudicationQueue) -> None:
    """The case that is open of a list, or why there is none."""
    if not cases:
        _nothing_left(docket)
        return
    tasks = [case.task for case in cases]
    place, task = open_entry(f"case-{campaign.id}", tasks)
    dispute = adjudicator().dispute(campaign.id, task)
    _prepare_form(dispute, campaign.questions)
    list_navigation(f"case-{campaign.id}", tasks, place, format_agreement(dispute))
    _earlier_decision(dispute, campaign.questions)
    reading, deciding = st.columns(2, gap="medium")
    with reading:
        case_summaries(dispute, campaign.questions)
        case_document(dispute, campaign.questions)
    with deciding:
        case_labels(dispute, campaign.questions, lambda answers: fill_form(dispute, campaign.questions, answers))
        _decision_box(campaign, dispute)


def _decision_box(campaign: CampaignSettings, dispute: AdjudicationTask) -> None:
    demo = services.settings().demo
    with st.container(border=True, key="decision"):
        decision_form(dispute, campaign.questions)
        with st.container(horizontal=True, vertical_alignment="center"):
            st.button(
                "Settle it anew" if dispute.decided else "Settle",
                key=f"settle-{dispute.task}",
                shortcut="D",  # a button that has the focus takes Enter, whatever is pressed with it
                type="primary",
                on_click=_save_decision,
                args=(campaign, dispute),
                disabled=demo,
                help="Nothing is kept in this demo." if demo else None,
            )
            if problem := st.session_state.pop(field_key(dispute, "/problem"), ""):
                st.error(escape_markdown(problem), icon=":material/error:")


def _save_decision(campaign: CampaignSettings, dispute: AdjudicationTask) -> None:
    """The durable write first; what fails stays in the form with its reason."""
    if taken := label_taken_over(
        dispute
    ):  # Streamlit may hear keys that were pressed one after the other in another order
        fill_form(dispute, campaign.questions, taken)
    state, cause, name = st.session_state, form_cause(dispute), f"case-{dispute.task}"
    if cause is None:
        state[field_key(dispute, "/problem")] = "Say why people differed: choose one of the four causes."
        return
    answers = form_answers(dispute, campaign.questions)
    decision = SentDecision(dispute.task, answers, cause, dispute.responses, press_id(name), form_note(dispute))
    try:
        adjudicator().settle(campaign.id, decision)
    except StoreError as error:
        state[field_key(dispute, "/problem")] = str(error)
        return
    forget_press(name)
    leave_notice("Settled.")


def _prepare_form(dispute: AdjudicationTask, questions: QuestionSet) -> None:
    """Begin with the newest decision where there is one; what was filled in since stays."""
    state, begun = st.session_state, field_key(dispute, "/begun")
    revision = dispute.decided.revision if dispute.decided else 0
    if state.get(begun) == (revision, dispute.reopened):
        return
    state[begun] = (revision, dispute.reopened)
    stands = dispute.decided if dispute.decided and not dispute.reopened else None
    fill_form(dispute, questions, stands.answers if stands else {})
    state[field_key(dispute, "/cause")] = DisagreementCause(stands.cause) if stands else None
    state[field_key(dispute, "/note")] = stands.note if stands else ""


def _earlier_decision(dispute: AdjudicationTask, questions: QuestionSet) -> None:
    """What was decided before, and what was flagged."""
    if dispute.decided:
        measured = questions.by_id[questions.measure]
        said = escape_markdown(format_option(measured, dispute.decided.answers.get(measured.id)))
        when = f"{dispute.decided.created_at:%Y-%m-%d}"
        told = f"Settled on {when} as **{said}** ({dispute.decided.cause})."
        if dispute.reopened:
            st.warning(f"{told} A label that came later says otherwise.", icon=":material/undo:")
        else:
            st.info(told, icon=":material/gavel:")
    for reason in dispute.flags:
        st.warning(f"Somebody flagged this one: {escape_markdown(reason)}", icon=":material/flag:")


def _nothing_left(docket: AdjudicationQueue) -> None:
    words = "Nothing is settled yet." if docket.left else "Nothing is left to settle: people agree, or it is decided."
    if not sum(docket.counts.values()):
        words = "Nobody has labelled anything here yet."
    st.info(words, icon=":material/task_alt:")
