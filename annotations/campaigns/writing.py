"""Answers that point into the texts: passages that are there, and edits that are one local, plain-to-read change."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from annotations.campaigns.questions import Answers, Asked, QuestionSet
from annotations.errors import RecordError
from annotations.records import KeptPair
from core.edits import apply, parse, recover
from core.errors import EditError
from core.types import Edit, ErrorType, Verdict

_WORD = re.compile(r"\w+")
_LOCAL = 15  # words of the summary between the first and the last that changed
_SHORTEST, _LONGEST = 0.6, 1.6  # words of the new summary by those of the old one
_KEPT = 0.5  # share of the old words that stay


@dataclass(frozen=True, slots=True)
class Written:
    """Who made an edit, for which campaign, and of which error type."""

    by: str
    source: str
    error_type: str


def check_places(questions: QuestionSet, answers: Answers, document: str, left: str, right: str | None) -> None:
    """Raise RecordError for a marked passage that lies outside its text and for an edit that is not as BUMP asks.

    `left` and `right` are the summaries as they were shown; there is one, or a pair.
    """
    for question in questions.questions:
        answer = answers.get(question.id)
        if question.kind == "span" and isinstance(answer, list):
            for start, end, *side in answer:
                _check_span((start, end), _place(question, side, document, left, right))
        if question.kind == "edit" and isinstance(answer, list):
            edits_of(answer, left, _explanation(answers))


def written_pair(questions: QuestionSet, answers: Answers, texts: tuple[str, str], written: Written) -> KeptPair | None:
    """The minimal pair that answers made of (document, summary); None where they hold no edit."""
    document, summary = texts
    for question in questions.questions:
        answer = answers.get(question.id)
        if question.kind == "edit" and isinstance(answer, list):
            edits = tuple(replace(edit, by=written.by) for edit in edits_of(answer, summary, _explanation(answers)))
            return KeptPair(
                document,
                summary,
                apply(summary, edits),
                edits,
                by=written.by,
                intended=Verdict.INCONSISTENT,
                error_type=ErrorType(written.error_type) if written.error_type else None,
                source=written.source,
            )
    return None


def executed(summary: str, records: Sequence[Any]) -> str:
    """The summary that a stored edit leads to; the same where it does not fit."""
    try:
        return apply(summary, parse(json.dumps([{**record, "explanation": "-"} for record in records]), summary))
    except EditError:
        return summary


def edits_of(records: Sequence[Any], summary: str, explanation: str) -> list[Edit]:
    """The edits of an answer, with the explanation given beside. Raises RecordError where they are not one local change that reads as well as before.

    Local: it begins and ends within 15 words. The new summary has six to sixteen tenths of the words, keeps half of the old
    ones, and differs in more than punctuation and case.
    """
    try:
        edits = parse(json.dumps([{**record, "explanation": explanation} for record in records]), summary)
        edited = apply(summary, edits)
    except EditError as error:
        raise RecordError(str(error)) from None
    before, after = _words(summary), _words(edited)
    if before == after:
        raise RecordError("Only punctuation, case or blanks changed. Change what the summary says.")
    if _stretch(summary, edited) > _LOCAL:
        raise RecordError(f"The changes are more than {_LOCAL} words apart. Make one change in one place.")
    if not _SHORTEST * len(before) <= len(after) <= _LONGEST * len(before):
        raise RecordError(
            f"The summary had {len(before)} words and has {len(after)} now. Keep it about as long as it was."
        )
    if sum((Counter(before) & Counter(after)).values()) < _KEPT * len(before):
        raise RecordError("Less than half of the summary is left. Change one detail and keep the rest.")
    return edits


def _explanation(answers: Answers) -> str:
    return str(answers.get("explanation") or "No explanation was asked for.")


def _place(question: Asked, side: Sequence[str], document: str, left: str, right: str | None) -> str:
    """The text in which a passage was marked."""
    expected = 1 if question.of == "summary" and right is not None else 0
    if len(side) != expected:
        raise RecordError(f"A passage of “{question.ask}” does not say where it stands. Mark it again.")
    if question.of == "document":
        return document
    return right if right is not None and "right" in side else left


def _check_span(span: tuple[int, int], text: str) -> None:
    if span[1] > len(text):
        raise RecordError(
            f"A marked passage ends at {span[1]}, and the text has {len(text)} characters. Mark it again."
        )


def _words(text: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(text)]


def _stretch(summary: str, edited: str) -> int:
    """How many words of the summary lie from the first change to the last."""
    changes = recover(summary, edited)
    return len(_WORD.findall(summary[changes[0].span.start : changes[-1].span.end]))
