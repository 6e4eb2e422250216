"""Records of the annotation tool Potato: of one person, of all, or of the export with the texts joined to it."""

from __future__ import annotations

from collections.abc import Sequence

from core.data.datasets.formats.known_forms import FORMS, Form
from core.data.datasets.formats.potato_records import potato_records
from core.data.datasets.formats.text_files import Row


@FORMS.add
class Potato(Form):
    """A row for each person and item; pages of a survey are no items."""

    name = "potato"
    title = "a Potato export"

    def matches(self, rows: Sequence[Row]) -> bool:
        return all(potato_records(row) is not None for row in rows)

    def pairs(self, row: Row) -> list[Row]:
        return potato_records(row) or []
