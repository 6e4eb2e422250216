"""Records of Argilla: of version 2 as `to_list` and `to_json` give them, nested or flattened; of version 1, of both kinds of dataset.

Version 2: `fields` and `responses` (question → list of `value` and `user_id`), flattened `QUESTION.responses` beside
`QUESTION.responses.users`. Version 1: in a FeedbackDataset each question is a list of `user_id`, `value` and `status`; in others a record
has `inputs` or `text`, `annotation`, `annotation_agent`, `prediction` and `status`.
"""

from __future__ import annotations

from collections.abc import Sequence

from core.data.datasets.formats.known_forms import ANNOTATOR, FORMS, Form
from core.data.datasets.formats.text_files import Row

_RESPONSES = ".responses"
_USERS = ".responses.users"
_STATUS = ".responses.status"
_FIRST_FIELDS = frozenset({"annotation", "annotation_agent", "prediction", "status"})
_COUNTED = (None, "submitted")
_Answers = dict[str, dict[str, object]]
"""Person → question → value."""


@FORMS.add
class Argilla(Form):
    """A row for each person; drafts, discarded answers and suggestions of models say nothing."""

    name = "argilla"
    title = "an Argilla export"
    own_label = "label"

    def matches(self, rows: Sequence[Row]) -> bool:
        return all(_read(row) is not None for row in rows)

    def pairs(self, row: Row) -> list[Row]:
        read = _read(row)
        if read is None:
            return [row]
        shown, answers = read
        return [{**shown, **values, ANNOTATOR: person} for person, values in answers.items()] or [
            {**shown, ANNOTATOR: None}
        ]


def _read(row: Row) -> tuple[Row, _Answers] | None:
    """The texts of a record, and what each person answered; None for a record of another tool."""
    return next((read for form in (_nested, _flattened, _feedback, _first) if (read := form(row)) is not None), None)


def _nested(row: Row) -> tuple[Row, _Answers] | None:
    shown, responses = row.get("fields"), row.get("responses")
    if not isinstance(shown, dict) or not isinstance(responses, dict):
        return None
    metadata = row.get("metadata")
    answers: _Answers = {}
    for question, entries in responses.items():
        for entry in _objects(entries) or ():
            _add(answers, question, entry)
    return {"id": row.get("id"), **(metadata if isinstance(metadata, dict) else {}), **shown}, answers


def _flattened(row: Row) -> tuple[Row, _Answers] | None:
    questions = [name.removesuffix(_RESPONSES) for name in row if name.endswith(_RESPONSES) and f"{name}.users" in row]
    if not questions:
        return None
    answers: _Answers = {}
    for question in questions:
        values, users, statuses = (_list(row.get(f"{question}{end}")) for end in (_RESPONSES, _USERS, _STATUS))
        for place, value in enumerate(values):
            status = statuses[place] if place < len(statuses) else None
            user = users[place] if place < len(users) else None
            _add(answers, question, {"value": value, "user_id": user, "status": status})
    dropped = (_RESPONSES, _USERS, _STATUS)
    shown = {
        name: value
        for name, value in row.items()
        if not name.endswith(dropped) and ".suggestion" not in name and name not in {"status", "_server_id"}
    }
    return shown, answers


def _feedback(row: Row) -> tuple[Row, _Answers] | None:
    questions = {
        name: entries
        for name, value in row.items()
        if (entries := _objects(value)) and all({"user_id", "value", "status"} <= entry.keys() for entry in entries)
    }
    if not questions:
        return None
    answers: _Answers = {}
    for question, entries in questions.items():
        for entry in entries:
            _add(answers, question, entry)
    shown = {
        name: value
        for name, value in row.items()
        if name not in questions and "-suggestion" not in name and name not in {"metadata", "external_id"}
    }
    external = row.get("external_id")
    return {**shown, **({"id": external} if external else {})}, answers


def _first(row: Row) -> tuple[Row, _Answers] | None:
    inputs = row.get("inputs")
    texts = inputs if isinstance(inputs, dict) else {"text": row["text"]} if isinstance(row.get("text"), str) else None
    if texts is None or not row.keys() >= _FIRST_FIELDS:
        return None
    metadata, annotation = row.get("metadata"), row["annotation"]
    validated = row["status"] == "Validated" and annotation is not None
    answers: _Answers = {str(row.get("annotation_agent")): {"label": annotation}} if validated else {}
    return {"id": row.get("id"), **(metadata if isinstance(metadata, dict) else {}), **texts}, answers


def _add(answers: _Answers, question: str, entry: Row) -> None:
    if entry.get("status") in _COUNTED and entry.get("value") is not None:
        value = entry["value"]
        # a ranking or marked spans are lists of objects, which label no pair
        if _objects(value) is None or not value:
            answers.setdefault(str(entry.get("user_id")), {})[question] = value


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _objects(value: object) -> list[Row] | None:
    return value if isinstance(value, list) and all(isinstance(entry, dict) for entry in value) else None
