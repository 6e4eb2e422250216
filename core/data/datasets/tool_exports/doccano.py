"""Exports of doccano as JSON or JSON lines: `id`, `text` (`data` until version 1.5) and `label` or `labels`, a list, beside what was imported.

Classes are a list of names, spans of `[start, end, name]` or, with relations, `entities` of objects. `Comments` lists remarks.
github.com/doccano/doccano
"""

from __future__ import annotations

from collections.abc import Sequence

from core.data.datasets.formats.column_map import ColumnMap
from core.data.datasets.formats.known_forms import FORMS, Form
from core.data.datasets.formats.text_files import Row

_LABELS = ("label", "labels", "entities", "categories")
_SPANS = "spans"


@FORMS.add
class Doccano(Form):
    """An export says what everybody or one person, after whom its file is named, gave each text; no record says who."""

    name = "doccano"
    title = "a doccano export"
    own_label = "label"

    def matches(self, rows: Sequence[Row]) -> bool:
        return all(
            "id" in row
            and isinstance(row.get("data", row.get("text")), str)
            and any(isinstance(row.get(name), list) for name in _LABELS)
            and ("data" in row or "Comments" in row or "entities" in row)
            for row in rows
        )

    def pairs(self, row: Row) -> list[Row]:
        shown = {name: cell for name, cell in row.items() if name not in {*_LABELS, "Comments", "relations"}}
        classes: list[object] = []
        spans: list[object] = []
        for name in _LABELS:
            entries = row.get(name)
            for entry in entries if isinstance(entries, list) else ():
                if isinstance(entry, list) and len(entry) == 3:
                    spans.append(entry[2])
                elif isinstance(entry, dict):
                    spans.append(entry.get("label"))
                else:
                    classes.append(entry)
        return [
            {
                **shown,
                **({"label": classes[0] if len(classes) == 1 else classes or None} if not spans else {}),
                **({_SPANS: spans} if spans else {}),
            }
        ]

    def stated(self, columns: ColumnMap, rows: Sequence[Row]) -> ColumnMap:
        marked = any(row.get(_SPANS) for row in rows)
        return columns.model_copy(update={"error_type": _SPANS}) if marked and not columns.error_type else columns
