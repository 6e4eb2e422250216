"""Samples that lm-evaluation-harness logs with `--log_samples`, one JSON object a line.

A record: `doc` (the task's own), `target` (the gold answer), `arguments` (what the model was asked), `resps` and `filtered_resps` (what
it answered, after the filter that `filter` names), `metrics` (names) and a value for each of them.
"""

from __future__ import annotations

from collections.abc import Sequence

from core.data.datasets.formats.known_forms import FORMS, SCORE, Form
from core.data.datasets.formats.record_texts import document_of
from core.data.datasets.formats.text_files import Row
from core.errors import TouchstoneError

_FIELDS = frozenset({"doc_id", "doc", "target", "resps", "filtered_resps"})
_OTHER_FIELDS = frozenset({*_FIELDS, "arguments", "filter", "metrics"})


@FORMS.add
class LmEvaluationHarness(Form):
    """The model's answer is the summary; the gold one, `target`, is nobody's and left out."""

    name = "lm-evaluation-harness"
    title = "a log of lm-evaluation-harness"

    def matches(self, rows: Sequence[Row]) -> bool:
        return all(row.keys() >= _FIELDS for row in rows)

    def pairs(self, row: Row) -> list[Row]:
        responses = row["filtered_resps"]
        answers = [text for text in _flat(responses) if isinstance(text, str)]
        if not answers or _is_log_likelihood(row):
            raise TouchstoneError(
                "This sample has log-likelihoods of choices and no text by the model. Log a task that generates (generate_until)."
            )
        doc = row["doc"] if isinstance(row["doc"], dict) else {}
        asked = next((text for text in _flat(row.get("arguments")) if isinstance(text, str)), "")
        metrics = row.get("metrics")
        names = metrics if isinstance(metrics, list) else [name for name in row if name not in _OTHER_FIELDS]
        scores = {f"{SCORE}{name}": row[name] for name in names if isinstance(row.get(name), int | float)}
        shared = {"document": document_of(doc) or asked, **scores}
        return [{**shared, "summary": answer} for answer in answers]


def _flat(value: object) -> list[object]:
    """The leaves of nested lists and objects, in order."""
    if isinstance(value, dict):
        value = [*value.values()]
    return [leaf for part in value for leaf in _flat(part)] if isinstance(value, list) else [value]


def _is_log_likelihood(row: Row) -> bool:
    """True if each answer is a log-likelihood and if it is the most likely: (-3.2, False), which are logged as texts."""
    leaves = [str(leaf) for leaf in _flat(row["resps"])]
    return len(leaves) > 1 and {*leaves[1::2]} <= {"True", "False"}
