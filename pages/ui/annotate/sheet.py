"""What the browser shows of a task: texts, questions, answers so far and what may be done; a pure function of a sheet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from annotations.campaigns.questions import Asked, QuestionSet
from annotations.campaigns.showing import Work
from core.edits import Segment, segments
from core.text import sentences
from pages.ui.annotate.edits import diff, preview, shown_answers
from pages.ui.error_words import MEANS

Mode = Literal["work", "again", "revealed", "feedback"]
"""A task to answer; one that was answered before; one whose scores are shown; one of which is said whether it was right."""

_DIFFERS = 2


@dataclass(frozen=True, slots=True)
class Told:
    """What is said of an answered training item; `expected` are pairs of question and answer."""

    right: bool
    words: str
    expected: Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Sheet:
    """One task on the desk.

    A new `stamp` tells the browser to look at it anew; `ack` is the event that was dealt with last, `problem` why it came
    to nothing, `said` what became of the task before. `draft` is what the browser sent half done. `answered` counts the
    tasks before. `scores` are rows of metric, original and edited.
    """

    work: Work
    questions: QuestionSet
    mode: Mode
    place: str
    stamp: str
    ack: str = ""
    problem: str = ""
    said: str = ""
    draft: Mapping[str, Any] = field(default_factory=dict)
    answered: int = 0
    told: Told | None = None
    scores: Sequence[tuple[str, str, str]] | None = None


def as_data(sheet: Sheet) -> dict[str, Any]:
    """The sheet as the component takes it."""
    return {
        "task": _task(sheet),
        "questions": [question.model_dump(mode="json") for question in sheet.questions.questions],
        "mode": sheet.mode,
        "stamp": sheet.stamp,
        "ack": sheet.ack,
        "problem": sheet.problem,
        "said": sheet.said,
        "drafted": sheet.draft.get("seq", 0),
        "preview": preview(sheet.questions, sheet.work, sheet.draft.get("answers", {})),
        "feedback": _feedback(sheet.told),
        "scores": sheet.scores,
        "can": _can(sheet),
    }


def answer_text(question: Asked, answer: object) -> str:
    """An answer as it reads on the screen."""
    return next((option.text for option in question.options if option.value == answer), str(answer))


def _task(sheet: Sheet) -> dict[str, Any]:
    work = sheet.work
    marks = any(question.kind == "span" for question in sheet.questions.questions)
    answers = sheet.draft.get("answers") or shown_answers(sheet.questions, work)
    return {
        "reservation": work.reservation,
        "place": sheet.place,
        "document": work.document,
        "sentences": _sentences(work.document) if marks else (),
        "summary": work.left,
        "parts": _parts(sheet, answers),
        "answers": answers,
        "changed": sheet.mode == "again" and "answers" in sheet.draft,
        "active_ms": sheet.draft.get("active_ms", 0),
        "wall_ms": sheet.draft.get("wall_ms", 0),
    }


def _parts(sheet: Sheet, answers: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The texts beside the document: a summary, two of them, or what was changed with its explanation."""
    work = sheet.work
    if work.right is None:
        asked = _part("The error to make", [(0, work.error_type)], "asked", note=MEANS.get(work.error_type, ""))
        summary = _part("Summary", diff(sheet.questions, work, answers), side="")
        return [asked, summary] if work.error_type else [summary]
    if sheet.questions.unit == "pair":
        laid = segments(work.left, work.right)
        return [
            _part("Left", _differing(laid, -1), "side", side="left"),
            _part("Right", _differing(laid, 1), "side", side="right"),
        ]
    return [
        _part("What was changed", segments(work.left, work.right)),
        _part("Explanation", [(0, work.explanation)]),
    ]


def _part(
    title: str, pieces: Sequence[Segment], style: str = "", *, side: str | None = None, note: str = ""
) -> dict[str, Any]:
    """One text; `side` is there where words of it may be marked."""
    text = "".join(words for _, words in pieces)
    spans = _sentences(text) if side is not None else ()
    return {"title": title, "pieces": pieces, "style": style, "side": side, "note": note, "sentences": spans}


def _differing(laid: Sequence[Segment], own: int) -> list[Segment]:
    """One side of a word diff, with the words that the other has not."""
    return [(_DIFFERS if op else 0, words) for op, words in laid if op in (0, own)]


def _sentences(text: str) -> tuple[tuple[int, int], ...]:
    return tuple((span.start, span.end) for span in sentences(text))


def _feedback(told: Told | None) -> dict[str, Any] | None:
    return {"right": told.right, "words": told.words, "expected": told.expected} if told else None


def _can(sheet: Sheet) -> dict[str, bool]:
    fresh = sheet.mode == "work"
    return {
        "save": sheet.mode != "feedback",
        "next": sheet.mode in {"again", "feedback"},
        "previous": sheet.answered > 0,
        "undo": sheet.answered > 0 and sheet.mode in {"work", "again"},
        "skip": fresh,
        "flag": fresh,
    }
