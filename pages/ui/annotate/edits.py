"""Edits that an annotator writes: a text in the browser, executable edits in the database, a diff in between."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from annotations.campaigns.questions import Asked, QuestionSet
from annotations.campaigns.showing import Work
from annotations.campaigns.writing import edits_of, executed
from annotations.errors import RecordError
from core.edits import Segment, around, recover, segments, to_records

_BESIDE = 40  # characters shown on both sides of a change


def stored_answers(questions: QuestionSet, work: Work, answers: Mapping[str, Any]) -> dict[str, Any]:
    """The browser's answers as they are stored: a rewritten summary becomes executable edits."""
    return {**answers, **{id: _records(work, text) for id, text in _written(questions, answers).items()}}


def shown_answers(questions: QuestionSet, work: Work) -> dict[str, Any]:
    """Stored answers as the browser shows them: executed edits."""
    records = {question.id: work.answers.get(question.id) for question in _edits(questions)}
    edited = {id: executed(work.left, found) for id, found in records.items() if isinstance(found, list)}
    return {**work.answers, **edited}


def diff(questions: QuestionSet, work: Work, answers: Mapping[str, Any]) -> list[Segment]:
    """The summary with what was changed of it so far."""
    written = list(_written(questions, answers).values())
    return segments(work.left, _lines(work, written[0])) if written else [(0, work.left)]


def preview(questions: QuestionSet, work: Work, answers: Mapping[str, Any]) -> dict[str, Any] | None:
    """The change by itself, and what would be refused of it; None where nothing was changed."""
    laid = diff(questions, work, answers)
    if not any(op for op, _ in laid):
        return None
    return {"pieces": around(laid, _BESIDE), "refusal": _refusal(questions, work, answers)}


def _edits(questions: QuestionSet) -> list[Asked]:
    return [question for question in questions.questions if question.kind == "edit"]


def _written(questions: QuestionSet, answers: Mapping[str, Any]) -> dict[str, str]:
    texts = {question.id: answers.get(question.id) for question in _edits(questions)}
    return {id: text for id, text in texts.items() if isinstance(text, str)}


def _lines(work: Work, text: str) -> str:
    """A text box knows only one kind of line end."""
    return text.replace("\n", "\r\n") if "\r\n" in work.left else text


def _records(work: Work, text: str) -> list[dict[str, str | int]]:
    return to_records(work.left, recover(work.left, _lines(work, text)))


def _refusal(questions: QuestionSet, work: Work, answers: Mapping[str, Any]) -> str:
    try:
        for text in _written(questions, answers).values():
            edits_of(_records(work, text), work.left, "-")
    except RecordError as error:
        return str(error)
    return ""
