"""Records of TruLens with their feedback, as `get_records_and_feedback` gives them: `record_id`, `input`, `output`, a column for each feedback.

Beside a feedback there are `NAME_calls` and `NAME feedback cost in USD`, which are no values of it. trulens.org
"""

from __future__ import annotations

from collections.abc import Sequence

from core.data.datasets.formats.cells import cell_value
from core.data.datasets.formats.fields import table_number
from core.data.datasets.formats.known_forms import FORMS, SCORE, Form
from core.data.datasets.formats.record_texts import asked_text, said_text
from core.data.datasets.formats.text_files import Row
from core.errors import TouchstoneError

_FIELDS = frozenset({"record_id", "input", "output"})
_APPS = ("app_id", "app_name", "app_version")
_COUNTS = frozenset({"latency", "total_tokens", "total_cost", "num_events"})
_CALLS = "_calls"


@FORMS.add
class TrulensRecords(Form):
    """The output is the summary; its document is what the calls of a feedback call source, else the input."""

    name = "trulens"
    title = "records of TruLens"

    def matches(self, rows: Sequence[Row]) -> bool:
        return all(row.keys() >= _FIELDS and any(name in row for name in _APPS) for row in rows)

    def pairs(self, row: Row) -> list[Row]:
        asked, summary = asked_text(cell_value(row["input"])), said_text(cell_value(row["output"]))
        if not summary:
            raise TouchstoneError("This record has no output.")
        feedbacks = [name for name in row if f"{name}{_CALLS}" in row] or [
            name
            for name, value in row.items()
            if name not in _COUNTS
            and "cost" not in name
            and isinstance(value, int | float)
            and table_number(value) is not None
        ]
        sources = [source for name in feedbacks for source in _sources(row.get(f"{name}{_CALLS}"))]
        document = next(iter(sources), "")
        return [
            {
                "id": row["record_id"],
                "document": document or asked,
                **({"question": asked} if document else {}),
                "summary": summary,
                "system": row.get("app_version") or row.get("app_name") or row.get("app_id"),
                **{f"{SCORE}{name}": "n/a" if row[name] in (None, "") else row[name] for name in feedbacks},
            }
        ]


def _sources(calls: object) -> list[str]:
    """The texts that a feedback compared with: its argument `source` or `context`."""
    listed = cell_value(calls)
    arguments = [call.get("args") for call in (listed if isinstance(listed, list) else ()) if isinstance(call, dict)]
    texts = [said_text(values.get("source", values.get("context"))) for values in arguments if isinstance(values, dict)]
    return [text for text in texts if text]
