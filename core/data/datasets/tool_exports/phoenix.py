"""Spans of Phoenix as a table: `context.span_id`, `attributes.input.value`, `attributes.output.value`, `attributes.retrieval.documents`.

As its client lists spans they are objects, `attributes` with the keys `input.value` and `retrieval.documents.0.document.content`.
Or `input`, `output` and `context` or `reference` beside `context.span_id`, as its queries for evaluations name them. An evaluation is a
column `NAME.score`, or `score` beside `label`. arize.com/docs/phoenix
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.data.datasets.formats.cells import cell_value
from core.data.datasets.formats.known_forms import FORMS, SCORE, Form
from core.data.datasets.formats.record_texts import asked_text, said_text
from core.data.datasets.formats.text_files import Row
from core.errors import TouchstoneError

_INPUT = ("attributes.input.value", "input")
_OUTPUT = ("attributes.output.value", "output")
_DOCUMENTS = ("attributes.retrieval.documents", "context", "reference")
_IDS = ("context.span_id", "span_id", "context.trace_id")
_RETRIEVED = re.compile(r"retrieval\.documents\.(?P<place>\d+)\.document\.content")
_SCORE_END = (".score", "_score")


@FORMS.add
class Phoenix(Form):
    """The output is the summary of the documents that were retrieved, else of the input. Spans without an output are refused."""

    name = "phoenix"
    title = "spans of Phoenix"

    def matches(self, rows: Sequence[Row]) -> bool:
        spans = [_flat(row) for row in rows]
        answers = [
            span for span in spans if any(name in span for name in _INPUT) and any(name in span for name in _OUTPUT)
        ]
        # a list of spans has those without an output too
        are_spans = all("span_kind" in span and "context.span_id" in span for span in spans)
        return all(any(id in span for id in _IDS) for span in spans) and (
            len(answers) == len(spans) or (bool(answers) and are_spans)
        )

    def pairs(self, row: Row) -> list[Row]:
        row = _flat(row)
        question, output, documents = (cell_value(_first(row, names)) for names in (_INPUT, _OUTPUT, _DOCUMENTS))
        summary = said_text(output)
        if not summary:
            raise TouchstoneError(
                "This span has no output. Export those of the answers: span_kind == 'LLM', or the root spans."
            )
        contexts = (
            [text for part in documents if (text := _document_text(part))] if isinstance(documents, list) else documents
        )
        scores = {
            f"{SCORE}{name.removesuffix('.score').removesuffix('_score')}": value
            for name, value in row.items()
            if name.endswith(_SCORE_END) or name == "score"
        }
        return [
            {
                "id": _first(row, _IDS),
                **(
                    {
                        "contexts": contexts if isinstance(contexts, list) else [contexts],
                        "question": asked_text(question),
                    }
                    if contexts
                    else {"document": asked_text(question)}
                ),
                "summary": summary,
                "system": row.get("attributes.llm.model_name"),
                **scores,
            }
        ]


def _flat(row: Row) -> Row:
    """A span whose attributes are one object as a row with a column for each; documents that were retrieved are a list again."""
    attributes, context = row.get("attributes"), row.get("context")
    if not isinstance(attributes, dict) or not isinstance(context, dict):
        return row
    texts = {int(match["place"]): value for name, value in attributes.items() if (match := _RETRIEVED.fullmatch(name))}
    documents = {"attributes.retrieval.documents": [texts[place] for place in sorted(texts)]} if texts else {}
    named = {f"attributes.{name}": value for name, value in attributes.items() if not _RETRIEVED.fullmatch(name)}
    rest = {name: value for name, value in row.items() if name not in ("attributes", "context")}
    return {**rest, **{f"context.{name}": value for name, value in context.items()}, **named, **documents}


def _document_text(part: object) -> str:
    if isinstance(part, dict):
        inner = part.get("document.content", part.get("document"))
        return said_text(inner) or said_text(part)
    return said_text(part)


def _first(row: Row, names: Sequence[str]) -> object:
    return next((row[name] for name in names if row.get(name)), None)
