"""A case of the Review page: which one is open, its texts and labels side by side, and its figures in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any
from uuid import uuid4

import streamlit as st

from annotations.campaigns.adjudication import AdjudicationQueue, AdjudicationTask, AdjudicatorActions
from annotations.campaigns.curation import CuratorActions
from annotations.campaigns.questions import CampaignQuestion, QuestionSet, apply_answer_edit
from annotations.campaigns.results import LabelProvenance
from core.edits import abridge_unchanged, segments
from core.types import Span, T
from pages.ui import services
from pages.ui.markup import diff_html, escape_markdown
from pages.ui.probe.text_panes import Highlight, document_view
from pages.ui.session_user import current_member

_MAX_QUOTE_CHARACTERS = 90  # characters of a quoted passage

_PROVENANCE_WORDS = {
    LabelProvenance.UNANIMOUS: "unanimous",
    LabelProvenance.ADJUDICATED: "settled",
    LabelProvenance.UNRESOLVED: "unresolved",
    LabelProvenance.SINGLE: "labelled by one person",
}


def format_progress(docket: AdjudicationQueue) -> str:
    """How the labelled items of a campaign came to their labels."""
    told = [f"{docket.counts[where]} {words}" for where, words in _PROVENANCE_WORDS.items() if docket.counts.get(where)]
    if docket.not_mine:
        told.append(f"{docket.not_mine} for somebody else: you labelled or made them")
    return " · ".join(told) or "Nothing is labelled yet"


def format_agreement(dispute: AdjudicationTask) -> str:
    """How far people agree, without a share where there are only two."""
    people = len(dispute.answers)
    return f"{people} people" if people < 3 else f"{people} people, {dispute.agreement:.0%} of pairs agree"


def format_label_answer(question: CampaignQuestion, answer: Any, dispute: AdjudicationTask) -> str:
    """An answer as the questions word it; quotes of marked passages; nothing for an edit, which is drawn."""
    match question.kind:
        case "choice":
            return format_option(question, answer)
        case "several":
            return ", ".join(format_option(question, one) for one in answer)
        case "scale":
            return f"{answer} of {question.high}"
        case "span":
            return " … ".join(f"“{quote_passage(question, piece, dispute)}”" for piece in answer)
        case "edit":
            return ""
    return str(answer)


def format_option(question: CampaignQuestion, value: object) -> str:
    return next((option.text for option in question.options if option.value == value), str(value))


def quote_passage(question: CampaignQuestion, piece: Sequence[Any], dispute: AdjudicationTask) -> str:
    """The words of a marked passage."""
    start, end, *side = piece
    summary = dispute.right if dispute.right is not None and side == ["right"] else dispute.left
    words = (dispute.document if question.of == "document" else summary)[start:end]
    return words if len(words) <= _MAX_QUOTE_CHARACTERS else f"{words[:_MAX_QUOTE_CHARACTERS].rpartition(' ')[0]} …"


OPEN_CASES, DECIDED_CASES, WRITTEN_EDITS = "to settle", "settled", "written"


def adjudicator() -> AdjudicatorActions:
    return AdjudicatorActions(services.store(), current_member())


def curator() -> CuratorActions:
    return CuratorActions(services.store(), current_member())


def open_entry(name: str, there: Sequence[T]) -> tuple[int, T]:
    """The place and the member of a list that is open; the next one where that has left the list."""
    place, last = st.session_state.get(name, (0, None))
    if last in there:
        place = there.index(last)
    place = min(place, len(there) - 1)
    st.session_state[name] = (place, there[place])
    return place, there[place]


def list_navigation(name: str, there: Sequence[object], place: int, told: str = "") -> None:
    """Which of how many is open, the way to its neighbours, and what is told of it."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"**{place + 1}** of {len(there)}")
        for title, key, by in (("Previous", "P", -1), ("Next", "N", 1)):
            st.button(
                title,
                key=f"{name}-{key}",
                shortcut=key,
                type="tertiary",
                disabled=not 0 <= place + by < len(there),
                on_click=_open_place,
                args=(name, there, place + by),
            )
        st.caption(told)


def press_id(name: str) -> str:
    """The id of the next press on something; the same until `pressed`, so that a press that is sent twice is known."""
    event: str = st.session_state.setdefault(f"press-{name}", uuid4().hex)
    return event


def forget_press(name: str) -> None:
    del st.session_state[f"press-{name}"]


def open_next(name: str) -> None:
    """Open what follows in a list in which the open one changes its place."""
    place, _ = st.session_state[name]
    st.session_state[name] = (place, None)


def _open_place(name: str, there: Sequence[object], place: int) -> None:
    st.session_state[name] = (place, there[place])


_HEIGHT = 400
_LABELS_PER_ROW = 3  # labels in a row
_SHORTCUT_COUNT = 9
_CONTEXT_CHARACTERS = 60  # characters beside a change


def case_document(dispute: AdjudicationTask, questions: QuestionSet) -> None:
    """The document with the passages that the labels name."""
    asked = [question.id for question in questions.questions if question.kind == "span" and question.of == "document"]
    marks = [
        Highlight(Span(*piece[:2]), "evidence", f"label {place}")
        for place, answers in enumerate(dispute.answers, start=1)
        for id in asked
        for piece in answers.get(id, ())
    ]
    document_view(dispute.document, highlights=marks, key="review-document", height=_HEIGHT)


def case_summaries(dispute: AdjudicationTask, questions: QuestionSet) -> None:
    """One summary, the two sides of a pair with what differs, or an edit with its explanation."""
    if dispute.error_type:
        st.markdown(f"The error to make was **{escape_markdown(dispute.error_type)}**")
    if dispute.right is None:
        text_box("Summary", [(0, dispute.left)])
        return
    laid = segments(dispute.left, dispute.right)
    if questions.unit == "pair":
        for column, title, kept in zip(st.columns(2), ("Left", "Right"), (-1, 1), strict=True):
            with column:
                text_box(title, [piece for piece in laid if piece[0] in {0, kept}])
        return
    text_box("What was changed", laid)
    text_box("Explanation", [(0, dispute.explanation)])


def text_box(title: str, laid: Sequence[tuple[int, str]]) -> None:
    """A text under its title, changes marked."""
    with st.container(border=True, gap="xxsmall"):
        st.caption(title)
        st.html(diff_html(laid))


def case_labels(dispute: AdjudicationTask, questions: QuestionSet, take: Callable[[Mapping[str, Any]], None]) -> None:
    """The labels side by side, unnamed; a key takes one over into the decision."""
    places = range(len(dispute.answers))
    for row in range(0, len(places), _LABELS_PER_ROW):
        for place, column in zip(places[row:], st.columns(min(_LABELS_PER_ROW, len(places))), strict=False):
            with column.container(border=True, height="stretch", gap="xsmall", key=f"label-{place + 1}"):
                _label_box(dispute, questions, place, take)


def label_taken_over(dispute: AdjudicationTask) -> Mapping[str, Any] | None:
    """The label that is taken over by a key of this very message."""
    for place, answers in enumerate(dispute.answers):
        if st.session_state.get(_take_key(dispute, place)):
            return answers
    return None


def _take_key(dispute: AdjudicationTask, place: int) -> str:
    return f"take-{dispute.task}-{place + 1}"


def _label_box(
    dispute: AdjudicationTask, questions: QuestionSet, place: int, take: Callable[[Mapping[str, Any]], None]
) -> None:
    st.markdown(f"**Label {place + 1}**")
    for question in questions.questions:
        if question.id in dispute.answers[place]:
            _label_answer(question, dispute, place)
    st.button(
        "Take this one",
        key=_take_key(dispute, place),
        shortcut=str(place + 1) if place < _SHORTCUT_COUNT else None,
        on_click=take,
        args=(dispute.answers[place],),
    )


def _label_answer(question: CampaignQuestion, dispute: AdjudicationTask, place: int) -> None:
    """What a label says; bold where another says otherwise."""
    answer = dispute.answers[place][question.id]
    if question.kind == "edit":
        st.caption(escape_markdown(question.ask))
        st.html(
            diff_html(
                abridge_unchanged(segments(dispute.left, apply_answer_edit(dispute.left, answer)), _CONTEXT_CHARACTERS)
            )
        )
        return
    words = escape_markdown(format_label_answer(question, answer, dispute))
    differs = any(other.get(question.id) != answer for other in dispute.answers)
    st.markdown(f":small[:gray[{escape_markdown(question.ask)}]]  \n{f'**{words}**' if differs else words}")
