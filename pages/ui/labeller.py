"""The labelling desk in the browser: texts, questions and keys; a press is one event, and what is half done is kept."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from annotations.campaigns.qualifying import Stage
from annotations.campaigns.questions import QuestionSet, is_asked
from annotations.campaigns.responding import Act, Sent
from annotations.campaigns.showing import Work
from core.edits import apply, parse, recover, segments, to_records
from core.errors import EditError
from pages.ui.component import component

KEY = "labeller"
_STAGES = {Stage.TRAINING: "Training", Stage.QUALIFICATION: "Qualification"}
_ACTS: Mapping[str, Act] = {"answer": "answer", "skip": "skip", "flag": "flag", "undo": "undo"}

_mount = component("labeller")


@dataclass(frozen=True, slots=True)
class Sheet:
    """What the browser shows of a task; a new `stamp` tells it that this is another one, or that a press came to nothing.

    `draft` are half-done answers. `can` says which of the buttons do something.
    """

    work: Work
    questions: QuestionSet
    draft: Mapping[str, Any]
    stamp: int
    place: str
    problem: str
    can: Mapping[str, bool]


def labeller(sheet: Sheet, on_sent: Callable[[], None], on_draft: Callable[[], None]) -> None:
    """Mount the desk."""
    work = sheet.work
    stage = f"{_STAGES[work.stage]} · " if work.stage in _STAGES else ""
    data = {
        "task": {
            "reservation": work.reservation,
            "place": f"{stage}{sheet.place}",
            "document": work.document,
            "summary": work.left,
            "parts": _parts(work, sheet.questions),
            "answers": dict(sheet.draft or shown_answers(sheet.questions, work)),
        },
        "questions": [question.model_dump(mode="json") for question in sheet.questions.questions],
        "stamp": sheet.stamp,
        "problem": sheet.problem,
        "can": dict(sheet.can),
    }
    _mount(key=KEY, data=data, on_sent_change=on_sent, on_draft_change=on_draft)


def read_sent(message: object, questions: QuestionSet, work: Work) -> Sent | None:
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
            stored = stored_answers(questions, work, answers)
            return Sent(reservation, _ACTS[act], event, stored, reason, active, wall)
    return None


def read_draft(message: object, work: Work) -> dict[str, Any] | None:
    """What is half done of a task."""
    match message:
        case {"reservation": int(reservation), "answers": dict(answers)} if reservation == work.reservation:
            return answers
    return None


def asks_for(message: object, act: str) -> bool:
    """Whether the browser asks for something that is no response to the task."""
    return isinstance(message, dict) and message.get("act") == act


def stored_answers(questions: QuestionSet, work: Work, answers: Mapping[str, Any]) -> dict[str, Any]:
    """The browser's answers as they are stored: a rewritten summary becomes executable edits."""
    stored = dict(answers)
    for question in questions.questions:
        text = answers.get(question.id)
        if question.kind == "edit" and isinstance(text, str) and is_asked(question, answers):
            stored[question.id] = to_records(work.left, recover(work.left, text))
    return stored


def shown_answers(questions: QuestionSet, work: Work) -> dict[str, Any]:
    """Stored answers as the browser shows them: executed edits."""
    shown = dict(work.answers)
    for question in questions.questions:
        records = work.answers.get(question.id)
        if question.kind == "edit" and isinstance(records, list):
            shown[question.id] = _executed(work.left, records)
    return shown


def _executed(summary: str, records: list[Any]) -> str:
    try:
        return apply(summary, parse(json.dumps([{**record, "explanation": "-"} for record in records]), summary))
    except EditError:
        return summary


def _parts(work: Work, questions: QuestionSet) -> list[dict[str, object]]:
    """The texts beside the document: a summary, two of them, or what was changed with its explanation."""
    if work.right is None:
        asked = [_part("The error to make", work.error_type, "asked")] if work.error_type else []
        return [*asked, _part("Summary", work.left)]
    if questions.unit == "pair":
        return [_part("Left", work.left), _part("Right", work.right)]
    changed: dict[str, object] = {
        "title": "What was changed",
        "pieces": segments(work.left, work.right),
        "style": "whole",
    }
    return [changed, _part("Explanation", work.explanation, "whole")]


def _part(title: str, text: str, style: str = "") -> dict[str, object]:
    return {"title": title, "pieces": [(0, text)], "style": style}
