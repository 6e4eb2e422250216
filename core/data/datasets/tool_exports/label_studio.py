"""Exports of Label Studio: JSON, JSON_MIN and CSV.

JSON: `data` and `annotations`, each with `completed_by` and a list `result` of `from_name` and `value`. JSON_MIN and CSV: a row for each
annotation, with the task's data, an answer under the name of its question, `annotator`, `annotation_id` and `lead_time`; several choices
are an object, in CSV as JSON. labelstud.io/guide/export
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from core.data.datasets.formats.cells import json_value
from core.data.datasets.formats.column_map import ColumnMap
from core.data.datasets.formats.known_forms import ANNOTATOR, FORMS, Form
from core.data.datasets.formats.text_files import Row

_ROW_FIELDS = frozenset({"annotator", "annotation_id", "lead_time"})
_OTHER_FIELDS = frozenset({*_ROW_FIELDS, "created_at", "updated_at", "agreement"})
_INPUT = "_data_"
"""Start of a column of the task's data that bears the name of a question."""
_VALUES = ("choices", "rating", "number", "labels", "hypertextlabels", "taxonomy", "pairwise")


@FORMS.add
class LabelStudio(Form):
    """A row for each person and task; skipped annotations and predictions of models say nothing."""

    name = "label-studio"
    title = "a Label Studio export"

    def matches(self, rows: Sequence[Row]) -> bool:
        return all(row.keys() >= _ROW_FIELDS or _annotations(row) is not None for row in rows)

    def pairs(self, row: Row) -> list[Row]:
        annotations = _annotations(row)
        if annotations is None:
            return [_row_pair(row)]
        data = row["data"]
        shared = {"id": row.get("id"), **(data if isinstance(data, dict) else {})}
        counted = [entry for entry in annotations if not entry.get("was_cancelled") and not entry.get("skipped")]
        return [{**shared, **_answers(entry), ANNOTATOR: _person(entry.get("completed_by"))} for entry in counted] or [
            {**shared, ANNOTATOR: None}
        ]

    def stated(self, columns: ColumnMap, rows: Sequence[Row]) -> ColumnMap:
        names = dict.fromkeys(name for row in rows for name in row)
        listed = [name for name in names if any(isinstance(row.get(name), list) for row in rows)]
        free = [name for name in listed if name not in {column for _, column in columns.used()}]
        return columns.model_copy(update={"error_type": free[0]}) if free and not columns.error_type else columns


def _annotations(row: Row) -> list[Row] | None:
    entries = row.get("annotations", row.get("completions"))
    if not isinstance(row.get("data"), dict) or not isinstance(entries, list):
        return None
    return entries if all(isinstance(entry, dict) for entry in entries) else None


def _answers(annotation: Row) -> dict[str, object]:
    answers: dict[str, object] = {}
    results = annotation.get("result")
    for result in results if isinstance(results, list) else ():
        name, value = str(result.get("from_name")), result.get("value")
        answer = _answer(value)
        # a text area has none, and an area of text is marked by several results
        if answer is not None:
            before = answers.get(name)
            answers[name] = [*before, *answer] if isinstance(before, list) and isinstance(answer, list) else answer
    return answers


def _answer(value: object) -> object:
    """The answer in a value: one choice as its word, several choices or the labels of an area as a list, a number; None for any other."""
    if isinstance(value, dict):
        option: object = next((value[name] for name in _VALUES if name in value), None)
        return option[0] if "choices" in value and isinstance(option, list) and len(option) == 1 else option
    return None


def _row_pair(row: Row) -> Row:
    pair: dict[str, object] = {ANNOTATOR: row[ANNOTATOR]}
    for name, cell in row.items():
        if name in _OTHER_FIELDS:
            continue
        if name.startswith(_INPUT):
            pair[name.removeprefix(_INPUT)] = cell
            continue
        value = json_value(cell)
        if isinstance(value, list) and value and all(isinstance(part, dict) for part in value):
            answers = [answer for part in value for answer in _listed(_answer(part))]
            value = answers[0] if len(value) == len(answers) == 1 and isinstance(answers[0], int | float) else answers
        elif isinstance(value, dict) and (answer := _answer(value)) is not None:
            value = answer if isinstance(answer, int | float) else _listed(answer)
        pair[f"{name} answer" if f"{_INPUT}{name}" in row else name] = value
    return pair


def _listed(answer: object) -> list[object]:
    return answer if isinstance(answer, list) else [] if answer is None else [answer]


def _person(completed_by: object) -> object:
    if isinstance(completed_by, Mapping):
        return completed_by.get("email") or completed_by.get("id")
    return completed_by
