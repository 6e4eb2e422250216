"""Test runs of DeepEval as JSON: `testCases` with `input`, `actualOutput`, `context` or `retrievalContext` and `metricsData`.

A metric has `name`, `score`, `threshold` and `success`. Until version 4 the scores of hallucination, bias and toxicity were better when
lower, so the direction is that of success on both sides of the threshold, and is left open where no score settles it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path

from core.data.datasets.formats.json_files import whole_object
from core.data.datasets.formats.known_forms import FORMS, LOWER, SCORE, Form
from core.data.datasets.formats.record_texts import said_text
from core.data.datasets.formats.text_files import NumberedRow, Row
from core.errors import TouchstoneError

_OUTPUTS = ("actualOutput", "actual_output")
_CONTEXTS = ("retrievalContext", "retrieval_context", "context")
_METRICS = ("metricsData", "metrics_data")
_LOWER_METRICS = "lower"
_ONCE_LOWER = ("hallucination", "bias", "toxicity", "misuse")


@FORMS.add
class DeepEval(Form):
    """The actual output is the summary of what was retrieved, or of the ideal context where nothing was; the expected output is left out."""

    name = "deepeval"
    title = "a test run of DeepEval"
    higher_is_better = True

    def records(self, source: Path) -> Iterator[NumberedRow] | None:
        whole = whole_object(source)
        run = whole.get("testRunData", whole)
        cases = run.get("testCases", run.get("test_results")) if isinstance(run, dict) else None
        if not isinstance(cases, list) or not cases or not all(isinstance(case, dict) for case in cases):
            return None
        lower = _lower_metrics(cases)
        return zip(count(1), [{**case, _LOWER_METRICS: lower} for case in cases], strict=False)

    def matches(self, rows: Sequence[Row]) -> bool:
        return bool(rows) and all(_first(row, _OUTPUTS) is not None and _LOWER_METRICS in row for row in rows)

    def pairs(self, row: Row) -> list[Row]:
        summary = said_text(_first(row, _OUTPUTS))
        contexts = _first(row, _CONTEXTS)
        if not summary:
            raise TouchstoneError("This test case has no actual output.")
        columns = {_column(metric, row[_LOWER_METRICS]): metric.get("score", "n/a") for metric in _metrics(row)}
        question = said_text(row.get("input"))
        return [
            {
                **({"contexts": contexts, "question": question} if contexts else {"document": question}),
                "summary": summary,
                **columns,
            }
        ]


def _first(row: Row, names: Sequence[str]) -> object:
    return next((row[name] for name in names if row.get(name)), None)


def _metrics(case: Row) -> list[Row]:
    listed = _first(case, _METRICS)
    return [
        entry for entry in (listed if isinstance(listed, list) else ()) if isinstance(entry, dict) and "name" in entry
    ]


def _column(metric: Row, lower: object) -> str:
    """The column of a metric, with its direction; under its own name where none is known."""
    name = str(metric["name"])
    is_lower = lower.get(name) if isinstance(lower, dict) else None
    if is_lower is None and name.lower().startswith(_ONCE_LOWER):
        return name
    return f"{SCORE}{name}{LOWER if is_lower else ''}"


def _lower_metrics(cases: Sequence[Row]) -> dict[str, bool]:
    """Metric → if lower is better: true of one with a success below its threshold, or a failure above it."""
    lower: dict[str, bool] = {}
    for metric in (metric for case in cases for metric in _metrics(case)):
        score, threshold = metric.get("score"), metric.get("threshold")
        if isinstance(score, int | float) and isinstance(threshold, int | float) and score != threshold:
            lower[str(metric["name"])] = (score > threshold) is not bool(metric.get("success"))
    return lower
