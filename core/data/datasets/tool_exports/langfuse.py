"""Traces and observations of Langfuse, as its pages, its API and its exports to a storage write them: `input`, `output`, `scores`.

`scores` is a list of `name` and `value`, or an object of lists. CSV has objects as JSON. langfuse.com/docs/api-and-data-platform
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count
from math import fsum
from pathlib import Path

from core.data.datasets.formats.cells import cell_value
from core.data.datasets.formats.json_files import whole_object
from core.data.datasets.formats.known_forms import FORMS, SCORE, Form
from core.data.datasets.formats.record_texts import asked_text, document_of, said_text
from core.data.datasets.formats.text_files import NumberedRow, Row
from core.errors import TouchstoneError

_OWN_FIELDS = frozenset(
    {
        *(
            "traceId",
            "sessionId",
            "userId",
            "bookmarked",
            "htmlPath",
            "totalCost",
            "observations",
            "environment",
            "public",
        ),
        *("trace_id", "session_id", "user_id", "total_cost", "parentObservationId", "completionStartTime", "release"),
    }
)
_FEWEST_FIELDS = 2
_NAME_SEPARATOR = "."


@FORMS.add
class Langfuse(Form):
    """The output is the summary; the document is a field of the input or of the metadata with such a name, else what was asked."""

    name = "langfuse"
    title = "an export of Langfuse"

    def records(self, source: Path) -> Iterator[NumberedRow] | None:
        whole = whole_object(source)
        data = whole.get("data")
        if not isinstance(data, list) or not isinstance(whole.get("meta"), dict):
            return None
        return zip(count(1), [entry for entry in data if isinstance(entry, dict)], strict=False)

    def matches(self, rows: Sequence[Row]) -> bool:
        return bool(rows) and all(
            {"id", "input", "output"} <= row.keys() and len(_OWN_FIELDS & row.keys()) >= _FEWEST_FIELDS for row in rows
        )

    def pairs(self, row: Row) -> list[Row]:
        asked, output, metadata = (cell_value(row.get(name)) for name in ("input", "output", "metadata"))
        summary = said_text(output)
        if not summary:
            raise TouchstoneError("This trace has no output as text.")
        named = [document_of(value) for value in (asked, metadata) if isinstance(value, dict)]
        document = next(filter(None, named), "")
        question = asked.get("question", asked.get("query")) if isinstance(asked, dict) else None
        return [
            {
                "id": row["id"],
                "document": document or asked_text(asked),
                "summary": summary,
                **({"question": question} if isinstance(question, str) else {}),
                "system": row.get("model"),
                **_scores(row),
            }
        ]


def _scores(row: Row) -> dict[str, object]:
    """The numbers by name, the mean of several; categories are left out."""
    listed = cell_value(row.get("scores"))
    values: dict[str, list[float]] = {}
    if isinstance(listed, dict):
        entries: list[tuple[object, object]] = [
            (name, part) for name, cell in listed.items() for part in (cell if isinstance(cell, list) else [cell])
        ]
    else:
        entries = [
            (entry.get("name"), entry.get("value"))
            for entry in (listed if isinstance(listed, list) else ())
            if isinstance(entry, dict)
        ]
    for name, value in entries:
        if isinstance(value, int | float):
            values.setdefault(str(name), []).append(float(value))
    return {f"{SCORE}{name}": fsum(numbers) / len(numbers) for name, numbers in values.items()}
