"""A case of the Review page: which one is open, its texts and labels side by side, and its figures in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import streamlit as st

from annotations.campaigns.campaign import CampaignSettings
from annotations.campaigns.questions import CampaignQuestion, QuestionSet, apply_answer_edit, read_passage
from annotations.campaigns.task_texts import TaskTexts
from annotations.management.adjudication import (
    AdjudicationQueue,
    AdjudicationTask,
    AdjudicatorActions,
    DisagreementCause,
)
from annotations.results.curation import CuratorActions
from annotations.results.results import LabelProvenance
from core.text import abridge_unchanged, segments
from core.types import Span, T
from pages.server import services
from pages.ui.probe.text_panes import Highlight, document_view, source_marks
from pages.ui.shared.markup import diff_html, escape_markdown, safe_guidelines
from pages.ui.shared.session_state import WidgetValue, page_state
from pages.ui.shared.session_user import current_member

_MAX_QUOTE_CHARACTERS = 90  # characters of a quoted passage

_PROVENANCE_WORDS = {
    LabelProvenance.UNANIMOUS: "unanimous",
    LabelProvenance.ADJUDICATED: "adjudicated",
    LabelProvenance.UNRESOLVED: "unresolved",
    LabelProvenance.SINGLE: "labelled by one person",
}


def format_progress(queue: AdjudicationQueue) -> str:
    """Summary of how the labelled items of a campaign got their labels."""
    parts = [f"{queue.counts[where]} {words}" for where, words in _PROVENANCE_WORDS.items() if queue.counts.get(where)]
    if queue.excluded:
        parts.append(f"{queue.excluded} for another adjudicator: you labelled or made them")
    return " · ".join(parts) or "Nothing is labelled yet"


def format_agreement(case: AdjudicationTask) -> str:
    """Agreement of the people, without a share where there are only two."""
    people = len(case.answers)
    return f"{people} people" if people < 3 else f"{people} people, {case.agreement:.0%} of pairs agree"


def format_label_answer(question: CampaignQuestion, answer: Any, case: TaskTexts) -> str:
    """An answer as the questions word it; quotes of marked passages; nothing for an edit, which is drawn."""
    match question.kind:
        case "choice":
            return format_option(question, answer)
        case "several" | "ranking" | "best-worst" | "soft":
            return _format_options(question, answer)
        case "scale" | "slider":
            return f"{answer} of {question.high}"
        case "span" | "link":
            return " … ".join(f"“{quote_passage(question, piece, case)}”" for piece in answer)
        case "edit":
            return ""
    return str(answer)


def _format_options(question: CampaignQuestion, answer: Sequence[Any]) -> str:
    """The options of an answer that holds several, in its order or with their shares."""
    if question.kind == "soft":
        shares = zip(question.options, answer, strict=True)
        return ", ".join(f"{option.text} {share} %" for option, share in shares if share)
    texts = [format_option(question, value) for value in answer]
    if question.kind == "best-worst":
        return f"best {texts[0]}, worst {texts[1]}"
    return (" › " if question.kind == "ranking" else ", ").join(texts)


def format_option(question: CampaignQuestion, value: object) -> str:
    return next((option.text for option in question.options if option.value == value), str(value))


def quote_passage(question: CampaignQuestion, piece: Any, case: TaskTexts) -> str:
    """The words of a marked passage; of a link those of the claim and of the passage that decides it."""
    if question.kind == "link":
        claim, evidence = case.left[slice(*piece["claim"])], case.document[slice(*piece["evidence"])]
        return f"{_abridge(claim)} ← {_abridge(evidence)}"
    passage = read_passage(question, piece)
    summary = case.right if case.right is not None and passage.side == "right" else case.left
    words = _abridge((case.document if question.of == "document" else summary)[passage.start : passage.end])
    return f"{format_option(question, passage.category)}: {words}" if passage.category else words


def _abridge(words: str) -> str:
    return words if len(words) <= _MAX_QUOTE_CHARACTERS else f"{words[:_MAX_QUOTE_CHARACTERS].rpartition(' ')[0]} …"


OPEN_CASES, DECIDED_CASES, WRITTEN_EDITS = "open", "decided", "written"


@dataclass(eq=False)
class ReviewState:
    """State of the Review page.

    `open_entries` are by list the place and the member that is open. `filters` are by campaign: cases without a majority only, and
    the person who labelled them. The others are by task; `begun` is the decision that
    the form began with: its revision, and whether a later label reopened it.
    """

    open_entries: dict[str, tuple[int, Any]] = field(default_factory=dict)
    press_ids: dict[str, str] = field(default_factory=dict)
    begun: dict[str, tuple[int, bool]] = field(default_factory=dict)
    causes: dict[str, DisagreementCause | None] = field(default_factory=dict)
    errors: dict[str, str] = field(default_factory=dict)
    filters: dict[str, tuple[bool, str | None]] = field(default_factory=dict)
    answer = WidgetValue[Any]("decide", None)
    note = WidgetValue[str]("decide", "")
    cause_button = WidgetValue[bool]("decide", False)
    take_button = WidgetValue[bool]("take", False)
    curation_note = WidgetValue[str]("found-note", "")


def review_state() -> ReviewState:
    return page_state(ReviewState)


def adjudicator() -> AdjudicatorActions:
    return AdjudicatorActions(services.store(), current_member())


def curator() -> CuratorActions:
    return CuratorActions(services.store(), current_member())


def open_entry(name: str, there: Sequence[T]) -> tuple[int, T]:
    """The place and the member of a list that is open; the next one where that has left the list."""
    place, last = review_state().open_entries.get(name, (0, None))
    if last in there:
        place = there.index(last)
    place = min(place, len(there) - 1)
    review_state().open_entries[name] = (place, there[place])
    return place, there[place]


def list_navigation(name: str, there: Sequence[object], place: int, note: str = "") -> None:
    """Show which of how many is open, the way to its neighbours, and a note on it."""

    def open_place(other: int) -> None:
        review_state().open_entries[name] = (other, there[other])

    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"**{place + 1}** of {len(there)}")
        for title, key, by in (("Previous", "P", -1), ("Next", "N", 1)):
            st.button(
                title,
                key=f"{name}-{key}",
                shortcut=key,
                type="tertiary",
                disabled=not 0 <= place + by < len(there),
                on_click=open_place,
                args=(place + by,),
            )
        st.caption(note)


def press_id(name: str) -> str:
    """The id of the next press on something; the same until `forget_press`, so that a press that is sent twice is known."""
    return review_state().press_ids.setdefault(name, uuid4().hex)


def forget_press(name: str) -> None:
    del review_state().press_ids[name]


def open_next(name: str) -> None:
    """Open what follows in a list in which the open one changes its place."""
    place, _ = review_state().open_entries[name]
    review_state().open_entries[name] = (place, None)


_HEIGHT = 400
_LABELS_PER_ROW = 3  # labels in a row
_SHORTCUT_COUNT = 9
_CONTEXT_CHARACTERS = 60  # characters around a change


def case_document(case: AdjudicationTask, questions: QuestionSet) -> None:
    """The document with the passages that the labels name."""
    span_questions = [
        question.id for question in questions.questions if question.kind == "span" and question.of == "document"
    ]
    marks = [
        Highlight(Span(*piece[:2]), "evidence", f"label {place}")
        for place, answers in enumerate(case.answers, start=1)
        for id in span_questions
        for piece in answers.get(id, ())
    ] + [
        Highlight(Span(*link["evidence"]), "evidence", f"label {place}")
        for place, answers in enumerate(case.answers, start=1)
        for question in questions.questions
        if question.kind == "link"
        for link in answers.get(question.id, ())
    ]
    document_view(case.document, highlights=[*source_marks(case), *marks], key="review-document", height=_HEIGHT)


def case_guidelines(campaign: CampaignSettings) -> None:
    """The guidelines, and what the answers to each question mean."""
    with st.expander("Guidelines and definitions", icon=":material/menu_book:", key="review-guidelines"):
        st.markdown(safe_guidelines(campaign.guidelines.strip() or campaign.questions.guidelines.strip()))
        for question in campaign.questions.questions:
            meanings = [
                f"- {escape_markdown(option.text)}: {escape_markdown(option.means)}"
                for option in question.options
                if option.means
            ]
            title = f"**{escape_markdown(question.ask)}** {escape_markdown(question.hint)}"
            st.markdown("\n".join([title, "", *meanings]))


def case_summaries(case: TaskTexts, questions: QuestionSet) -> None:
    """One summary, the two sides of a pair with what differs, or an edit with its explanation."""
    if case.error_type:
        st.markdown(f"The error to make was **{escape_markdown(case.error_type)}**")
    if case.right is None:
        text_box("Summary", [(0, case.left)])
        if case.explanation:
            text_box("Explanation", [(0, case.explanation)])
        return
    laid = segments(case.left, case.right)
    if questions.unit == "pair":
        for column, title, operation in zip(st.columns(2), ("Left", "Right"), (-1, 1), strict=True):
            with column:
                text_box(title, [piece for piece in laid if piece[0] in {0, operation}])
        return
    text_box("What was changed", laid)
    text_box("Explanation", [(0, case.explanation)])


def text_box(title: str, laid: Sequence[tuple[int, str]]) -> None:
    """A text under its title, changes marked."""
    with st.container(border=True, gap="xxsmall"):
        st.caption(title)
        st.html(diff_html(laid))


def case_labels(case: AdjudicationTask, questions: QuestionSet, take: Callable[[Mapping[str, Any]], None]) -> None:
    """The labels side by side, unnamed; a key takes one over into the decision."""
    places = range(len(case.answers))
    for row in range(0, len(places), _LABELS_PER_ROW):
        for place, column in zip(places[row:], st.columns(min(_LABELS_PER_ROW, len(places))), strict=False):
            answers = case.answers[place]
            with column.container(border=True, height="stretch", gap="xsmall", key=f"label-{place + 1}"):
                st.markdown(f"**Label {place + 1}**")
                for question in questions.questions:
                    if question.id not in answers:
                        continue
                    answer, ask = answers[question.id], escape_markdown(question.ask)
                    if question.kind == "edit":
                        laid = segments(case.left, apply_answer_edit(case.left, answer))
                        st.caption(ask)
                        st.html(diff_html(abridge_unchanged(laid, _CONTEXT_CHARACTERS)))
                    else:
                        words = escape_markdown(format_label_answer(question, answer, case))
                        differs = any(other.get(question.id) != answer for other in case.answers)
                        st.markdown(f":small[:gray[{ask}]]  \n{f'**{words}**' if differs else words}")
                st.button(
                    "Take this one",
                    key=_take_button(case, place).key,
                    shortcut=str(place + 1) if place < _SHORTCUT_COUNT else None,
                    on_click=take,
                    args=(answers,),
                )


def label_taken_over(case: AdjudicationTask) -> Mapping[str, Any] | None:
    """The label that is taken over by a key of this very message."""
    for place, answers in enumerate(case.answers):
        if _take_button(case, place).get():
            return answers
    return None


def _take_button(case: AdjudicationTask, place: int) -> WidgetValue[bool]:
    return ReviewState.take_button.of(f"{case.task}-{place + 1}")
