"""Items with known answers from a file: training, qualification, and gold that is mixed in unseen."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, cast, get_args

from annotations.campaigns.questions import Asked, QuestionSet, check_answers
from annotations.campaigns.setup import NewTask, Part, optional
from annotations.errors import RecordError
from annotations.records import KeptPair
from core.edits import recover

FIELDS = ("part", "item", "document", "summary", "original", "explanation", "error_type", "answers", "feedback")
"""The fields of a record; a table has a column `answers.ID` for each question instead of `answers`."""

_PARTS = get_args(Part)
_ANSWERS = "answers."


def known_task(row: Mapping[str, object], questions: QuestionSet, by: str) -> NewTask:
    """The task of one record: an `item` of the store by its id, or the texts of `document`, `summary` and `original`.

    Raises RecordError, which names the field, for a record that is none.
    """
    unknown = sorted(name for name in row if name not in FIELDS and not name.startswith(_ANSWERS))
    if unknown:
        raise RecordError(f"There is no field {unknown[0]!r}. The fields are {', '.join(FIELDS)}.")
    part = _text(row, "part") or "gold"
    if part not in _PARTS:
        raise RecordError(f"The part is {part!r}. It is one of {', '.join(_PARTS)}.")
    item = _text(row, "item")
    asked = {name: text for name in ("error_type", "explanation") if (text := _text(row, name))}
    key, pair = _key(row, questions), None if item else _pair(row, by)
    return NewTask(item, cast("Part", part), "", asked, key, _text(row, "feedback"), pair)


def _pair(row: Mapping[str, object], by: str) -> KeptPair:
    document, summary = _text(row, "document"), _text(row, "summary")
    if not document or not summary:
        raise RecordError("There is neither an item nor a document with its summary. Give one of them.")
    original = _text(row, "original") or summary
    return KeptPair(document, original, summary, tuple(recover(original, summary)), by=by, source="known answers")


def _key(row: Mapping[str, object], questions: QuestionSet) -> dict[str, Any]:
    cells = {name.removeprefix(_ANSWERS): cell for name, cell in row.items() if name.startswith(_ANSWERS)}
    told = {
        name: answer for name, answer in {**_object(row.get("answers")), **cells}.items() if answer not in (None, "")
    }
    by_id = questions.by_id
    return check_answers(optional(questions), {name: _read(by_id.get(name), answer) for name, answer in told.items()})


def _object(told: object) -> dict[str, Any]:
    """The answers of a record; in a table they may stand as JSON."""
    if told is None or told == "":
        return {}
    found = _parsed(told) if isinstance(told, str) else told
    if not isinstance(found, dict):
        raise RecordError("The answers are no object of question ids and answers.")
    return found


def _parsed(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError:
        raise RecordError(f"The answers {text[:60]!r} are no JSON. Use a column answers.ID for each.") from None


def _read(question: Asked | None, answer: Any) -> Any:
    """A cell of a table holds a step of a scale as text."""
    digits = isinstance(answer, str) and answer.strip().isdecimal()
    return int(answer) if question and question.kind == "scale" and digits else answer


def _text(row: Mapping[str, object], name: str) -> str:
    found = row.get(name)
    if found is None:
        return ""
    if not isinstance(found, str):
        raise RecordError(f"The field {name!r} is no text. Put it in quotes.")
    return found.strip() if name in {"part", "item", "error_type"} else found
