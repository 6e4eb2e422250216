"""Evaluations of MLflow: `eval_results_table.json` (`columns` and `data`), or traces as a table with `request`, `response`, `assessments`.

A metric is a column `NAME/v1/score` or `NAME/value`; an assessment has `assessment_name`, `source` and `feedback.value`. mlflow.org/docs
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path

from core.data.datasets.formats.cells import cell_value
from core.data.datasets.formats.json_files import whole_object
from core.data.datasets.formats.known_forms import ANNOTATOR, FORMS, SCORE, Form
from core.data.datasets.formats.record_texts import asked_text, document_of, said_text
from core.data.datasets.formats.text_files import NumberedRow, Row
from core.errors import TouchstoneError

_OUTPUTS = ("response", "outputs", "output", "predictions", "prediction")
_INPUTS = ("request", "inputs", "input", "question")
_SCORE_ENDS = ("/score", "/value")
_GRADES = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
_VERSIONS = ("/v1", "/v2")


@FORMS.add
class MLflow(Form):
    """The output is the summary; what a judge or code gave is a score, what people gave an answer of each."""

    name = "mlflow"
    title = "an evaluation of MLflow"

    def records(self, source: Path) -> Iterator[NumberedRow] | None:
        whole = whole_object(source)
        columns, data = whole.get("columns"), whole.get("data")
        if not isinstance(columns, list) or not isinstance(data, list):
            return None
        rows = [dict(zip(map(str, columns), cells, strict=False)) for cells in data if isinstance(cells, list)]
        return zip(count(1), rows, strict=False)

    def matches(self, rows: Sequence[Row]) -> bool:
        return bool(rows) and all(
            ({"trace_id", "request", "response"} <= row.keys())
            or (any(name in row for name in _OUTPUTS) and any(name.endswith(_SCORE_ENDS) for name in row))
            for row in rows
        )

    def pairs(self, row: Row) -> list[Row]:
        asked = cell_value(next((row[name] for name in _INPUTS if row.get(name)), None))
        summary = said_text(cell_value(next((row[name] for name in _OUTPUTS if row.get(name)), None)))
        if not summary:
            raise TouchstoneError("This row has no output as text.")
        document = document_of(asked) if isinstance(asked, dict) else ""
        scores: dict[str, object] = {}
        for name, value in row.items():
            if name.endswith(_SCORE_ENDS):
                metric = name.rpartition("/")[0]
                scores[f"{SCORE}{metric.removesuffix(_VERSIONS[0]).removesuffix(_VERSIONS[1])}"] = _number(value)
        people: dict[str, dict[str, object]] = {}
        assessments = cell_value(row.get("assessments"))
        for entry in assessments if isinstance(assessments, list) else ():
            feedback = entry.get("feedback") if isinstance(entry, dict) else None
            if not isinstance(feedback, dict):
                continue
            source = entry.get("source") if isinstance(entry.get("source"), dict) else {}
            name, value = str(entry.get("assessment_name", entry.get("name"))), feedback.get("value")
            if source.get("source_type") == "HUMAN":
                people.setdefault(str(source.get("source_id")), {})[name] = value
            else:
                scores[f"{SCORE}{name}"] = _number(value)
        texts = {"document": document or document_of(row) or asked_text(asked), "summary": summary}
        shared = {**({"id": row["trace_id"]} if row.get("trace_id") else {}), **texts, **scores}
        return [{**shared, **answers, ANNOTATOR: who} for who, answers in people.items()] or [shared]


def _number(value: object) -> object:
    return _GRADES.get(str(value).lower(), "n/a" if value is None else value)
