"""Exports of Prodigy (`prodigy db-out`), one JSON object a line: a task with `_input_hash`, `_task_hash` and `answer`.

`answer` is accept, reject or ignore. Binary: of the task's `label`, if it has one. Choice: `accept` lists the ids of the `options` that were
picked. Spans: `spans` with `start`, `end` and `label`. `_session_id` or `_annotator_id` names who answered. prodi.gy/docs/api-interfaces
"""

from __future__ import annotations

from collections.abc import Sequence

from core.data.datasets.formats.column_map import (
    CONSISTENT_WORDS,
    INCONSISTENT_WORDS,
    NO_WORDS,
    YES_WORDS,
    ColumnMap,
)
from core.data.datasets.formats.known_forms import ANNOTATOR, FORMS, Form
from core.data.datasets.formats.text_files import Row

_OTHER_FIELDS = frozenset(
    {"answer", "label", "accept", "options", "spans", "tokens", "meta", "config", "html", "priority", "score"}
)
_WORDS = {
    word: pair
    for words, pair in (
        (CONSISTENT_WORDS, ("consistent", "inconsistent")),
        (INCONSISTENT_WORDS, ("inconsistent", "consistent")),
    )
    for word in words
    if word not in {*YES_WORDS, *NO_WORDS}
}
"""A label → what accept and reject of it say."""
_LABEL = "label"
_SPANS = "spans"


@FORMS.add
class Prodigy(Form):
    """A row for each answer. A choice that was rejected and a task that was ignored say nothing.

    Of a binary task, accept is its label and reject the opposite where the label is a word for consistent or inconsistent; else both are
    handed on as words for a person to decide.
    """

    name = "prodigy"
    title = "a Prodigy export"
    own_label = _LABEL

    def matches(self, rows: Sequence[Row]) -> bool:
        return all("_input_hash" in row and row.get("answer") in {"accept", "reject", "ignore"} for row in rows)

    def pairs(self, row: Row) -> list[Row]:
        meta = row.get("meta")
        texts = {name: cell for name, cell in row.items() if name not in _OTHER_FIELDS and not name.startswith("_")}
        who = row.get("_session_id") or row.get("_annotator_id")
        return [
            {
                **(meta if isinstance(meta, dict) else {}),
                **texts,
                **_answer(row),
                **({ANNOTATOR: who} if who else {}),
            }
        ]

    def stated(self, columns: ColumnMap, rows: Sequence[Row]) -> ColumnMap:
        return columns.model_copy(update={"error_type": _SPANS}) if any(_SPANS in row for row in rows) else columns


def _answer(row: Row) -> dict[str, object]:
    answer, options, spans = row["answer"], row.get("options"), row.get("spans")
    if answer == "ignore":
        return {_LABEL: None}
    if isinstance(options, list):
        texts = {
            str(option.get("id")): option.get("text", option.get("id"))
            for option in options
            if isinstance(option, dict)
        }
        accepted = row.get("accept")
        picked = [texts.get(str(id), id) for id in (accepted if isinstance(accepted, list) else [])]
        return {_LABEL: (picked[0] if len(picked) == 1 else picked or None) if answer == "accept" else None}
    if isinstance(row.get("accept"), list):  # options that the stream left out
        accepted = row["accept"]
        assert isinstance(accepted, list)
        return {_LABEL: (accepted[0] if len(accepted) == 1 else accepted or None) if answer == "accept" else None}
    if isinstance(spans, list) and "label" not in row:
        labels = [span.get("label") for span in spans if isinstance(span, dict)]
        return {_SPANS: [str(label) for label in labels if label] if answer == "accept" else None}
    label = row.get("label")
    words = _WORDS.get(str(label).strip().lower().replace("_", " "), _WORDS.get(str(label).strip().lower()))
    if words:
        return {_LABEL: words[answer == "reject"]}
    return {_LABEL: f"{answer} {label}" if label else answer}
