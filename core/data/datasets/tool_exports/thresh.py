"""Annotations of thresh: `source`, `target` and `edits`, each with a `category` and the places that it marks (thresh.tools)."""

from __future__ import annotations

from collections.abc import Sequence

from core.data.datasets.formats.column_map import ColumnMap
from core.data.datasets.formats.known_forms import FORMS, Form
from core.data.datasets.formats.text_files import Row

_PLACES = frozenset({"input_idx", "output_idx"})
_KINDS = "edit categories"


@FORMS.add
class Thresh(Form):
    """The target is the summary. Its edits mark places of it and of the source, and make no other summary."""

    name = "thresh"
    title = "an export of thresh"

    def matches(self, rows: Sequence[Row]) -> bool:
        lists = [row.get("edits") for row in rows]
        return (
            all({"source", "target", "edits"} <= row.keys() for row in rows)
            and any(lists)
            and all(isinstance(edits, list) and all(map(_is_edit, edits)) for edits in lists)
        )

    def pairs(self, row: Row) -> list[Row]:
        edits = row["edits"]
        kinds = [str(edit["category"]) for edit in edits] if isinstance(edits, list) else []
        rest = {
            name: cell for name, cell in row.items() if name not in {"source", "target", "edits", "spans", "_thresh_id"}
        }
        return [{**rest, "document": row["source"], "summary": row["target"], _KINDS: kinds}]

    def stated(self, columns: ColumnMap, rows: Sequence[Row]) -> ColumnMap:
        del rows
        return columns.model_copy(update={"error_type": _KINDS})


def _is_edit(edit: object) -> bool:
    return isinstance(edit, dict) and "category" in edit and bool(_PLACES & edit.keys())
