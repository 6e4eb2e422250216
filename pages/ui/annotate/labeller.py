"""The labeller in the browser: what it shows of a task, the edits written in it, and what it sends back."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Literal

from annotations.campaigns.error_types import error_type_meanings
from annotations.campaigns.questions import CampaignQuestion, QuestionSet, apply_answer_edit, parse_answer_edits
from annotations.campaigns.task_texts import ShownTask
from annotations.labelling.responses import ResponseAct, SentResponse
from annotations.store.records import RecordError
from core.text import (
    NO_BLANK,
    Segment,
    abridge_unchanged,
    context_sentences,
    recover,
    segments,
    sentences,
    to_records,
    with_even_blanks,
    with_visible_controls,
)
from pages.ui.shared.markup import register_fetched_component

DocumentPiece = tuple[int, str, list[tuple[str, str]]]
"""A mark or 0, the words, and the headings before them: the kind of each and what it says."""

_CONTEXT_CHARACTERS = 40  # characters shown on both sides of a change


def stored_answers(questions: QuestionSet, task: ShownTask, answers: Mapping[str, Any]) -> dict[str, Any]:
    """The browser's answers as they are stored: a rewritten summary becomes executable edits."""
    return {**answers, **{id: _edit_records(task, text) for id, text in _rewritten_texts(questions, answers).items()}}


def shown_answers(questions: QuestionSet, task: ShownTask) -> dict[str, Any]:
    """Stored answers as the browser shows them: executed edits."""
    records = {question.id: task.answers.get(question.id) for question in _edit_questions(questions)}
    edited = {id: apply_answer_edit(task.left, edits) for id, edits in records.items() if isinstance(edits, list)}
    return {**task.answers, **edited}


def edited_segments(questions: QuestionSet, task: ShownTask, answers: Mapping[str, Any]) -> list[Segment]:
    """The summary with what was changed of it so far."""
    written = list(_rewritten_texts(questions, answers).values())
    return segments(task.left, _with_original_line_ends(task, written[0])) if written else [(0, task.left)]


def edit_preview(questions: QuestionSet, task: ShownTask, answers: Mapping[str, Any]) -> dict[str, Any] | None:
    """The change by itself, and what would be refused of it; None where nothing was changed."""
    laid = edited_segments(questions, task, answers)
    if not any(op for op, _ in laid):
        return None
    refusal = ""
    try:
        for text in _rewritten_texts(questions, answers).values():
            parse_answer_edits(_edit_records(task, text), task.left, "-")
    except RecordError as error:
        refusal = str(error)
    return {"pieces": abridge_unchanged(laid, _CONTEXT_CHARACTERS), "refusal": refusal}


def _edit_questions(questions: QuestionSet) -> list[CampaignQuestion]:
    return [question for question in questions.questions if question.kind == "edit"]


def _rewritten_texts(questions: QuestionSet, answers: Mapping[str, Any]) -> dict[str, str]:
    texts = {question.id: answers.get(question.id) for question in _edit_questions(questions)}
    return {id: text for id, text in texts.items() if isinstance(text, str)}


def _with_original_line_ends(task: ShownTask, text: str) -> str:
    """A text box knows only one kind of line end."""
    return text.replace("\n", "\r\n") if "\r\n" in task.left else text


def _edit_records(task: ShownTask, text: str) -> list[dict[str, str | int]]:
    return to_records(task.left, recover(task.left, _with_original_line_ends(task, text)))


TaskMode = Literal["work", "again", "revealed", "feedback", "waiting"]
"""A task to answer; one that was answered before; one whose scores are shown; one with feedback on its answer; one that stays
until the database gives the next."""

_DIFFERENT, _CLOSE = 2, 3  # kinds of segments beside those of a difference


@dataclass(frozen=True, slots=True)
class Feedback:
    """The feedback on an answered training item; `expected` are pairs of question and answer."""

    right: bool
    words: str
    expected: Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class TaskView:
    """One task as the labeller shows it."""

    task: ShownTask
    """Texts of the task and the answers so far."""
    questions: QuestionSet
    """Questions of the campaign."""
    mode: TaskMode
    """Use of the task on the page: label, review an answer, show feedback."""
    title: str
    """Heading, such as the number of the item."""
    stamp: str
    """Random id; a new value makes the browser render the task again."""
    handled: Sequence[str] = ()
    """Ids of the events handled last; the browser stops sending them."""
    error: str = ""
    """Reason why the last event failed; empty where it did not."""
    receipt: str = ""
    """Outcome of the previous task; empty at first."""
    draft: Mapping[str, Any] = field(default_factory=dict)
    """Unfinished answers that the browser sent last; empty without any."""
    answered: int = 0
    """Number of tasks that the person has answered before."""
    feedback: Feedback | None = None
    """Comparison with the correct answer; None outside of training."""
    scores: Sequence[tuple[str, str, str]] | None = None
    """Rows of metric, original and edited score; None unless they are revealed."""
    away: str = ""
    """Reason why the database cannot be used; empty while it can."""
    ahead: TaskView | None = None
    """Next task, rendered early; None without one."""
    owner: str = ""
    """Campaign and person, by which the browser stores drafts."""


def task_view_data(view: TaskView) -> dict[str, Any]:
    """The view as the component takes it."""
    feedback = view.feedback
    if feedback is None:
        feedback_data = None
    else:
        feedback_data = {"right": feedback.right, "words": feedback.words, "expected": feedback.expected}

    fresh = view.mode == "work"
    allowed_actions = {
        "save": view.mode not in {"feedback", "waiting"},
        "next": view.mode in {"again", "feedback"},
        "previous": view.answered > 0 and view.mode != "waiting",
        "undo": view.answered > 0 and view.mode in {"work", "again"},
        "skip": fresh,
        "flag": fresh,
    }
    return {
        "task": _task_data(view),
        "ahead": _task_data(view.ahead) if view.ahead else None,
        "away": view.away,
        "questions": [question.model_dump(mode="json") for question in view.questions.questions],
        "mode": view.mode,
        "stamp": view.stamp,
        "handled": view.handled,
        "problem": view.error,
        "receipt": view.receipt,
        "drafted": view.draft.get("seq", 0),
        "preview": edit_preview(view.questions, view.task, view.draft.get("answers", {})),
        "feedback": feedback_data,
        "scores": view.scores,
        "can": allowed_actions,
        "owner": view.owner,
    }


def format_answer(question: CampaignQuestion, answer: object) -> str:
    """An answer as it reads on the screen."""
    if question.kind in {"ranking", "best-worst"} and isinstance(answer, list):
        texts = {option.value: option.text for option in question.options}
        return " › ".join(texts.get(value, str(value)) for value in answer)
    return next((option.text for option in question.options if option.value == answer), str(answer))


def _task_data(view: TaskView) -> dict[str, Any]:
    task = view.task
    marks = any(question.kind in {"span", "link"} for question in view.questions.questions)
    answers = view.draft.get("answers") or shown_answers(view.questions, task) or dict(task.suggested)
    if task.suggested:
        help_note = "Answers are filled in, and may be wrong. Check each one, then save or change it."
    elif task.close:
        help_note = "The marked sentences of the document have most words in common with the summary. What decides may stand elsewhere."
    else:
        help_note = ""

    headings: dict[int, list[tuple[str, str]]] = defaultdict(list)
    if task.shown:
        cells = " · ".join(f"{name}: {cell}" for name, cell in task.shown.items())
        headings[0].append(("columns", with_visible_controls(cells)))
    if task.question:
        headings[0].append(("question", with_visible_controls(f"Question: {task.question}")))
    for context in task.contexts:
        headings[context.span.start].append(("context", with_visible_controls(context.name)))
    closes = {place for span in task.close for place in (span.start, span.end)}
    borders = sorted({0, len(task.document), *closes, *headings})
    document_pieces = [
        (
            _CLOSE if any(span.start <= start and end <= span.end for span in task.close) else 0,
            with_visible_controls(task.document[start:end]),
            headings.get(start, []),
        )
        for start, end in pairwise(borders)
    ]
    return {
        "reservation": task.reservation,
        "revision": task.revision,
        "title": view.title,
        "document": document_pieces,
        "help": help_note,
        "sentences": tuple((span.start, span.end) for span in context_sentences(task)) if marks else (),
        "summary": task.left,
        "parts": _text_parts(view, answers),
        "answers": answers,
        "changed": view.mode == "again" and "answers" in view.draft,
        "active_ms": view.draft.get("active_ms", 0),
        "wall_ms": view.draft.get("wall_ms", 0),
    }


def _text_parts(view: TaskView, answers: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The texts next to the document: a summary, two of them, or what was changed with its explanation."""
    task = view.task
    explanation = _text_part("Explanation", [(0, task.explanation)])
    if task.right is None and view.questions.unit == "explanation":
        return [_text_part("Summary", [(0, task.left)]), explanation]
    if task.right is None:
        types, version = error_type_meanings(), view.questions.error_types
        note = " ".join(
            filter(None, [types.meaning(task.error_type, version), types.example(task.error_type, version)])
        )
        error = _text_part("The error to make", [(0, task.error_type)], "asked", note=note)
        summary = _text_part("Summary", edited_segments(view.questions, task, answers), side="")
        return [error, summary] if task.error_type else [summary]
    if view.questions.unit == "pair":
        left_text, right_text = _typed_alike(task.left, task.right)
        laid = segments(left_text.replace(NO_BLANK, ""), right_text.replace(NO_BLANK, ""))
        return [
            _text_part("Left", _one_side(laid, -1, left_text), "side", side="left"),
            _text_part("Right", _one_side(laid, 1, right_text), "side", side="right"),
        ]
    return [_text_part("What was changed", segments(task.left, task.right)), explanation]


def _text_part(
    title: str, pieces: Sequence[Segment], style: str = "", *, side: str | None = None, note: str = ""
) -> dict[str, Any]:
    """One text; `side` is there where words of it may be marked."""
    pieces = [(op, with_visible_controls(words)) for op, words in pieces]
    text = "".join(words for _, words in pieces)
    spans = tuple((span.start, span.end) for span in sentences(text)) if side is not None else ()
    return {"title": title, "pieces": pieces, "style": style, "side": side, "note": note, "sentences": spans}


def _typed_alike(left_text: str, right_text: str) -> tuple[str, str]:
    """Both sides as one writer would type them, each character in its place, so that only words tell which was edited.

    Blanks are even, lines stay where both have as many, both begin with a capital where one does, and neither ends with a
    full stop where one has none.
    """
    if left_text.count("\n") != right_text.count("\n"):
        left_text, right_text = left_text.replace("\n", " "), right_text.replace("\n", " ")
    left_text, right_text = with_even_blanks(left_text), with_even_blanks(right_text)
    if _begins_small(left_text) != _begins_small(right_text):
        left_text, right_text = _with_capital(left_text), _with_capital(right_text)
    stops = [side.rstrip(NO_BLANK).endswith(".") for side in (left_text, right_text)]
    return (
        (_without_full_stop(left_text), _without_full_stop(right_text))
        if stops[0] != stops[1]
        else (left_text, right_text)
    )


def _begins_small(text: str) -> bool:
    return text.lstrip(NO_BLANK)[:1].islower()


def _with_capital(text: str) -> str:
    """One letter stays one: the capital of ß is two."""
    at = len(text) - len(text.lstrip(NO_BLANK))
    first = text[at : at + 1].upper()
    return f"{text[:at]}{first}{text[at + 1 :]}" if len(first) == 1 else text


def _without_full_stop(text: str) -> str:
    whole = text.rstrip(NO_BLANK)
    return f"{whole[:-1]}{NO_BLANK * (len(text) - len(whole) + 1)}" if whole.endswith(".") else text


def _one_side(laid: Sequence[Segment], own: int, shown: str) -> list[Segment]:
    """One side of a word diff, with the words that the other has not; every character of `shown` is there."""
    pieces: list[Segment] = []
    at = 0
    for op, words in laid:
        if op not in {0, own}:
            continue
        start = at
        for letter in words:
            at = shown.index(letter, at) + 1
        pieces.append((_DIFFERENT if op and words.strip() else 0, shown[start:at]))
    return [*pieces, (0, shown[at:])] if at < len(shown) else pieces


LABELLER_KEY = "labeller"
_ACTS: Mapping[str, ResponseAct] = {"answer": "answer", "skip": "skip", "flag": "flag", "undo": "undo"}

_labeller_component = register_fetched_component("labeller")


def labeller(view: TaskView, on_sent: Callable[[], None], on_draft: Callable[[], None]) -> None:
    """Mount the labeller."""
    _labeller_component(key=LABELLER_KEY, data=task_view_data(view), on_sent_change=on_sent, on_draft_change=on_draft)


def show_questions(view: TaskView) -> None:
    """Mount the labeller to try its questions: nothing can be sent."""
    data = task_view_data(view)
    data["can"] = dict.fromkeys(data["can"], False)
    _labeller_component(key="labeller-preview", data=data)


def read_sent(message: object, questions: QuestionSet, task: ShownTask) -> SentResponse | None:
    """Response that the browser sent about a task; None for anything malformed or about another one."""
    match message:
        case {
            "reservation": int(reservation),
            "revision": int(revision),
            "act": str(act),
            "reason": str(reason),
            "event_id": str(event),
            "answers": dict(answers),
            "active_ms": int(active),
            "wall_ms": int(wall),
        } if act in _ACTS and reservation == task.reservation and 16 <= len(event) <= 64:
            return SentResponse(
                reservation,
                _ACTS[act],
                event,
                stored_answers(questions, task, answers),
                reason,
                active,
                wall,
                revision,
                task.mode,
            )
    return None


def read_draft(message: object, task: ShownTask) -> dict[str, Any] | None:
    """Draft of a task: answers, times, and the number of the draft."""
    match message:
        case {
            "reservation": int(reservation),
            "answers": dict(answers),
            "active_ms": int(active),
            "wall_ms": int(wall),
            "seq": int(seq),
        } if reservation == task.reservation:
            return {"answers": answers, "active_ms": active, "wall_ms": wall, "seq": seq}
    return None
