"""Responses of a form that people of Prolific filled in: a column with their id of Prolific, as forms take it from the address.

help: docs.prolific.com, "PROLIFIC_PID", "STUDY_ID" and "SESSION_ID".
"""

from __future__ import annotations

from collections.abc import Sequence

from core.data.datasets.formats.known_forms import ANNOTATOR, FORMS, Form
from core.data.datasets.formats.text_files import Row

_PEOPLE = frozenset(
    {"prolific pid", "prolific id", "prolificid", "prolificpid", "what is your prolific id", "your prolific id"}
)
_OTHER_FIELDS = frozenset({"timestamp", "study id", "session id", "email address", "username", "completion code"})
_SURVEY_ID = "ResponseId"
"""A column of Qualtrics, which is a form of its own."""


@FORMS.add
class Prolific(Form):
    """A row for each person and response."""

    name = "prolific"
    title = "a form filled in by people of Prolific"

    def matches(self, rows: Sequence[Row]) -> bool:
        return all(_person(row) and _SURVEY_ID not in row for row in rows)

    def pairs(self, row: Row) -> list[Row]:
        column = _person(row)
        cells = {name: cell for name, cell in row.items() if name != column and _spelt(name) not in _OTHER_FIELDS}
        return [{**cells, ANNOTATOR: row[column]}]


def _person(row: Row) -> str:
    return next((name for name in row if _spelt(name) in _PEOPLE), "")


def _spelt(name: str) -> str:
    return " ".join(name.lower().replace("_", " ").split()).rstrip("?:. ")
