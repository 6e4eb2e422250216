"""The labeller in the browser: what it shows of a task, the edits written in it, and what it sends back."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from annotations.campaigns.labelling import ResponseAct, SentResponse
from annotations.campaigns.questions import CampaignQuestion, QuestionSet, apply_answer_edit, parse_answer_edits
from annotations.campaigns.queue import ShownTask
from annotations.records import RecordError
from core.edits import Segment, abridge_unchanged, recover, segments, to_records
from core.text import sentences
from core.types import ErrorType
from pages.ui.markup import register_component

ERROR_TYPE_MEANINGS: Mapping[str, str] = {
    ErrorType.INTRINSIC_PREDICATE: "A wrong relation between things of the document.",
    ErrorType.EXTRINSIC_PREDICATE: "A relation that the document does not mention.",
    ErrorType.INTRINSIC_ENTITY: "A thing of the document in a place where another belongs.",
    ErrorType.EXTRINSIC_ENTITY: "A thing that the document does not mention.",
    ErrorType.INTRINSIC_CIRCUMSTANCE: "A time, place or manner of the document, used wrongly.",
    ErrorType.EXTRINSIC_CIRCUMSTANCE: "A time, place or manner that the document does not mention.",
    ErrorType.COREFERENCE: "A pronoun or name that points to the wrong thing or to none.",
}


_CONTEXT_CHARACTERS = 40  # characters shown on both sides of a change


def stored_answers(questions: QuestionSet, work: ShownTask, answers: Mapping[str, Any]) -> dict[str, Any]:
    """The browser's answers as they are stored: a rewritten summary becomes executable edits."""
    return {**answers, **{id: _edit_records(work, text) for id, text in _rewritten_texts(questions, answers).items()}}


def shown_answers(questions: QuestionSet, work: ShownTask) -> dict[str, Any]:
    """Stored answers as the browser shows them: executed edits."""
    records = {question.id: work.answers.get(question.id) for question in _edit_questions(questions)}
    edited = {id: apply_answer_edit(work.left, found) for id, found in records.items() if isinstance(found, list)}
    return {**work.answers, **edited}


def edited_segments(questions: QuestionSet, work: ShownTask, answers: Mapping[str, Any]) -> list[Segment]:
    """The summary with what was changed of it so far."""
    written = list(_rewritten_texts(questions, answers).values())
    return segments(work.left, _with_original_line_ends(work, written[0])) if written else [(0, work.left)]


def edit_preview(questions: QuestionSet, work: ShownTask, answers: Mapping[str, Any]) -> dict[str, Any] | None:
    """The change by itself, and what would be refused of it; None where nothing was changed."""
    laid = edited_segments(questions, work, answers)
    if not any(op for op, _ in laid):
        return None
    return {"pieces": abridge_unchanged(laid, _CONTEXT_CHARACTERS), "refusal": _edit_refusal(questions, work, answers)}


def _edit_questions(questions: QuestionSet) -> list[CampaignQuestion]:
    return [question for question in questions.questions if question.kind == "edit"]


def _rewritten_texts(questions: QuestionSet, answers: Mapping[str, Any]) -> dict[str, str]:
    texts = {question.id: answers.get(question.id) for question in _edit_questions(questions)}
    return {id: text for id, text in texts.items() if isinstance(text, str)}


def _with_original_line_ends(work: ShownTask, text: str) -> str:
    """A text box knows only one kind of line end."""
    return text.replace("\n", "\r\n") if "\r\n" in work.left else text


def _edit_records(work: ShownTask, text: str) -> list[dict[str, str | int]]:
    return to_records(work.left, recover(work.left, _with_original_line_ends(work, text)))


def _edit_refusal(questions: QuestionSet, work: ShownTask, answers: Mapping[str, Any]) -> str:
    try:
        for text in _rewritten_texts(questions, answers).values():
            parse_answer_edits(_edit_records(work, text), work.left, "-")
    except RecordError as error:
        return str(error)
    return ""


TaskMode = Literal["work", "again", "revealed", "feedback"]
"""A task to answer; one that was answered before; one whose scores are shown; one of which is said whether it was right."""

_DIFFERENT = 2


@dataclass(frozen=True, slots=True)
class Feedback:
    """What is said of an answered training item; `expected` are pairs of question and answer."""

    right: bool
    words: str
    expected: Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class TaskView:
    """One task on the desk.

    A new `stamp` tells the browser to look at it anew; `ack` is the event that was dealt with last, `problem` why it came
    to nothing, `said` what became of the task before. `draft` is what the browser sent half done. `answered` counts the
    tasks before. `scores` are rows of metric, original and edited.
    """

    work: ShownTask
    questions: QuestionSet
    mode: TaskMode
    place: str
    stamp: str
    ack: str = ""
    problem: str = ""
    said: str = ""
    draft: Mapping[str, Any] = field(default_factory=dict)
    answered: int = 0
    told: Feedback | None = None
    scores: Sequence[tuple[str, str, str]] | None = None


def task_view_data(sheet: TaskView) -> dict[str, Any]:
    """The sheet as the component takes it."""
    return {
        "task": _task_data(sheet),
        "questions": [question.model_dump(mode="json") for question in sheet.questions.questions],
        "mode": sheet.mode,
        "stamp": sheet.stamp,
        "ack": sheet.ack,
        "problem": sheet.problem,
        "said": sheet.said,
        "drafted": sheet.draft.get("seq", 0),
        "preview": edit_preview(sheet.questions, sheet.work, sheet.draft.get("answers", {})),
        "feedback": _feedback_data(sheet.told),
        "scores": sheet.scores,
        "can": _allowed_actions(sheet),
    }


def format_answer(question: CampaignQuestion, answer: object) -> str:
    """An answer as it reads on the screen."""
    return next((option.text for option in question.options if option.value == answer), str(answer))


def _task_data(sheet: TaskView) -> dict[str, Any]:
    work = sheet.work
    marks = any(question.kind == "span" for question in sheet.questions.questions)
    answers = sheet.draft.get("answers") or shown_answers(sheet.questions, work)
    return {
        "reservation": work.reservation,
        "place": sheet.place,
        "document": work.document,
        "sentences": _sentence_spans(work.document) if marks else (),
        "summary": work.left,
        "parts": _text_parts(sheet, answers),
        "answers": answers,
        "changed": sheet.mode == "again" and "answers" in sheet.draft,
        "active_ms": sheet.draft.get("active_ms", 0),
        "wall_ms": sheet.draft.get("wall_ms", 0),
    }


def _text_parts(sheet: TaskView, answers: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The texts beside the document: a summary, two of them, or what was changed with its explanation."""
    work = sheet.work
    if work.right is None:
        asked = _text_part(
            "The error to make", [(0, work.error_type)], "asked", note=ERROR_TYPE_MEANINGS.get(work.error_type, "")
        )
        summary = _text_part("Summary", edited_segments(sheet.questions, work, answers), side="")
        return [asked, summary] if work.error_type else [summary]
    if sheet.questions.unit == "pair":
        laid = segments(work.left, work.right)
        return [
            _text_part("Left", _one_side(laid, -1), "side", side="left"),
            _text_part("Right", _one_side(laid, 1), "side", side="right"),
        ]
    return [
        _text_part("What was changed", segments(work.left, work.right)),
        _text_part("Explanation", [(0, work.explanation)]),
    ]


def _text_part(
    title: str, pieces: Sequence[Segment], style: str = "", *, side: str | None = None, note: str = ""
) -> dict[str, Any]:
    """One text; `side` is there where words of it may be marked."""
    text = "".join(words for _, words in pieces)
    spans = _sentence_spans(text) if side is not None else ()
    return {"title": title, "pieces": pieces, "style": style, "side": side, "note": note, "sentences": spans}


def _one_side(laid: Sequence[Segment], own: int) -> list[Segment]:
    """One side of a word diff, with the words that the other has not."""
    return [(_DIFFERENT if op else 0, words) for op, words in laid if op in (0, own)]


def _sentence_spans(text: str) -> tuple[tuple[int, int], ...]:
    return tuple((span.start, span.end) for span in sentences(text))


def _feedback_data(told: Feedback | None) -> dict[str, Any] | None:
    return {"right": told.right, "words": told.words, "expected": told.expected} if told else None


def _allowed_actions(sheet: TaskView) -> dict[str, bool]:
    fresh = sheet.mode == "work"
    return {
        "save": sheet.mode != "feedback",
        "next": sheet.mode in {"again", "feedback"},
        "previous": sheet.answered > 0,
        "undo": sheet.answered > 0 and sheet.mode in {"work", "again"},
        "skip": fresh,
        "flag": fresh,
    }


LABELLER_KEY = "labeller"
_ACTS: Mapping[str, ResponseAct] = {"answer": "answer", "skip": "skip", "flag": "flag", "undo": "undo"}

_labeller_component = register_component("labeller", "labeller_texts", "labeller_questions", "labeller_keys")


def labeller(sheet: TaskView, on_sent: Callable[[], None], on_draft: Callable[[], None]) -> None:
    """Mount the desk."""
    _labeller_component(key=LABELLER_KEY, data=task_view_data(sheet), on_sent_change=on_sent, on_draft_change=on_draft)


def read_sent(message: object, questions: QuestionSet, work: ShownTask) -> SentResponse | None:
    """What the browser sent about a task; None for anything malformed or about another one."""
    match message:
        case {
            "reservation": int(reservation),
            "act": str(act),
            "reason": str(reason),
            "event_id": str(event),
            "answers": dict(answers),
            "active_ms": int(active),
            "wall_ms": int(wall),
        } if act in _ACTS and reservation == work.reservation and 16 <= len(event) <= 64:
            return SentResponse(
                reservation, _ACTS[act], event, stored_answers(questions, work, answers), reason, active, wall
            )
    return None


def read_draft(message: object, work: ShownTask) -> dict[str, Any] | None:
    """What is half done of a task: answers, times, and the number of the draft."""
    match message:
        case {
            "reservation": int(reservation),
            "answers": dict(answers),
            "active_ms": int(active),
            "wall_ms": int(wall),
            "seq": int(seq),
        } if reservation == work.reservation:
            return {"answers": answers, "active_ms": active, "wall_ms": wall, "seq": seq}
    return None
