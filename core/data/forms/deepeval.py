"""Test runs of DeepEval as JSON: `testCases` with `input`, `actualOutput`, `context` or `retrievalContext` and `metricsData`.

A metric has `name`, `score`, `threshold` and `success`. Until version 4 the scores of hallucination, bias and toxicity were better when
lower, so the direction is that of success on both sides of the threshold, and is left open where no score settles it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path

from core.data.datasets.formats.json_files import whole_object
from core.data.datasets.formats.text_files import NumberedRow, Row
from core.data.forms_texts import said_text
from core.data.known_forms import FORMS, LOWER, SCORE, Form
from core.errors import TouchstoneError

_OUTPUTS = ("actualOutput", "actual_output")
_CONTEXTS = ("retrievalContext", "retrieval_context", "context")
_METRICS = ("metricsData", "metrics_data")
_LOWER_METRICS = "lower"


@FORMS.add
class DeepEval(Form):
    """The actual output is the summary of what was retrieved, or of the ideal context where nothing was; the expected output is left out."""

    name = "deepeval"
    title = "a test run of DeepEval"

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
        lower = row[_LOWER_METRICS]
        scores = {
            f"{SCORE}{metric['name']}{LOWER if isinstance(lower, list) and metric['name'] in lower else ''}": metric.get(
                "score", "n/a"
            )
            for metric in _metrics(row)
        }
        asked = said_text(row.get("input"))
        return [
            {
                **({"contexts": contexts, "question": asked} if contexts else {"document": asked}),
                "summary": summary,
                **scores,
            }
        ]


def _first(row: Row, names: Sequence[str]) -> object:
    return next((row[name] for name in names if row.get(name)), None)


def _metrics(case: Row) -> list[Row]:
    listed = _first(case, _METRICS)
    return [
        entry for entry in (listed if isinstance(listed, list) else ()) if isinstance(entry, dict) and "name" in entry
    ]


def _lower_metrics(cases: Sequence[Row]) -> list[str]:
    """The metrics with a success below their threshold, or a failure above it."""
    lower: dict[str, None] = {}
    for metric in (metric for case in cases for metric in _metrics(case)):
        score, threshold = metric.get("score"), metric.get("threshold")
        if isinstance(score, int | float) and isinstance(threshold, int | float) and score != threshold:
            if (score > threshold) is not bool(metric.get("success")):
                lower[str(metric["name"])] = None
    return [*lower]
