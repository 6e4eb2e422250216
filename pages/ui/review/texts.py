"""What a case of the Review page shows: the document, the summaries with their difference, and the labels side by side."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import streamlit as st

from annotations.campaigns.questions import Asked, QuestionSet
from annotations.campaigns.settling import Dispute
from annotations.campaigns.writing import executed
from core.edits import around, segments
from core.types import Span
from pages.ui.diff import diff_html
from pages.ui.plain import plain
from pages.ui.probe.document import Highlight, document_view
from pages.ui.review.words import answer_words

_HEIGHT = 400
_BESIDE = 3  # labels in a row
_KEYS = 9
_AROUND = 60  # characters beside a change


def document(dispute: Dispute, questions: QuestionSet) -> None:
    """The document with the passages that the labels name."""
    asked = [question.id for question in questions.questions if question.kind == "span" and question.of == "document"]
    marks = [
        Highlight(Span(*piece[:2]), "evidence", f"label {place}")
        for place, answers in enumerate(dispute.answers, start=1)
        for id in asked
        for piece in answers.get(id, ())
    ]
    document_view(dispute.document, highlights=marks, key="review-document", height=_HEIGHT)


def summaries(dispute: Dispute, questions: QuestionSet) -> None:
    """One summary, the two sides of a pair with what differs, or an edit with its explanation."""
    if dispute.error_type:
        st.markdown(f"The error to make was **{plain(dispute.error_type)}**")
    if dispute.right is None:
        text("Summary", [(0, dispute.left)])
        return
    laid = segments(dispute.left, dispute.right)
    if questions.unit == "pair":
        for column, title, kept in zip(st.columns(2), ("Left", "Right"), (-1, 1), strict=True):
            with column:
                text(title, [piece for piece in laid if piece[0] in {0, kept}])
        return
    text("What was changed", laid)
    text("Explanation", [(0, dispute.explanation)])


def text(title: str, laid: Sequence[tuple[int, str]]) -> None:
    """A text under its title, changes marked."""
    with st.container(border=True, gap="xxsmall"):
        st.caption(title)
        st.html(diff_html(laid))


def labels(dispute: Dispute, questions: QuestionSet, take: Callable[[Mapping[str, Any]], None]) -> None:
    """The labels side by side, unnamed; a key takes one over into the decision."""
    places = range(len(dispute.answers))
    for row in range(0, len(places), _BESIDE):
        for place, column in zip(places[row:], st.columns(min(_BESIDE, len(places))), strict=False):
            with column.container(border=True, height="stretch", gap="xsmall", key=f"label-{place + 1}"):
                _label(dispute, questions, place, take)


def taken_now(dispute: Dispute) -> Mapping[str, Any] | None:
    """The label that is taken over by a key of this very message."""
    for place, answers in enumerate(dispute.answers):
        if st.session_state.get(_take_key(dispute, place)):
            return answers
    return None


def _take_key(dispute: Dispute, place: int) -> str:
    return f"take-{dispute.task}-{place + 1}"


def _label(dispute: Dispute, questions: QuestionSet, place: int, take: Callable[[Mapping[str, Any]], None]) -> None:
    st.markdown(f"**Label {place + 1}**")
    for question in questions.questions:
        if question.id in dispute.answers[place]:
            _answer(question, dispute, place)
    st.button(
        "Take this one",
        key=_take_key(dispute, place),
        shortcut=str(place + 1) if place < _KEYS else None,
        on_click=take,
        args=(dispute.answers[place],),
    )


def _answer(question: Asked, dispute: Dispute, place: int) -> None:
    """What a label says; bold where another says otherwise."""
    answer = dispute.answers[place][question.id]
    if question.kind == "edit":
        st.caption(plain(question.ask))
        st.html(diff_html(around(segments(dispute.left, executed(dispute.left, answer)), _AROUND)))
        return
    words = plain(answer_words(question, answer, dispute))
    differs = any(other.get(question.id) != answer for other in dispute.answers)
    st.markdown(f":small[:gray[{plain(question.ask)}]]  \n{f'**{words}**' if differs else words}")
