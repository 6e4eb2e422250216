"""UniSumEval (Lee et al. 2024): summaries of nine models in nine domains, each sentence verified by people.

unisumeval_faithfulness.jsonl: `uid`, `doc_id`, `source` (the corpus), `domain`, `model`, `input_context` (the document), `summary`,
`sentences`, `fact_verification_label` (1 is an error) and `fact_verification_error_type` of each sentence, `faithfulness_score` (the
share of sentences without an error), and `summary_success_state`. Lists may be written as JSON in a text.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

from core.data.dataset import DATASETS, Importer, Refusal
from core.data.datasets.formats import fields, item_stream
from core.data.datasets.formats.item_stream import RecordPlace
from core.data.datasets.formats.text_files import Row
from core.errors import TouchstoneError
from core.types import Example, Item, Judgement, Rating, Span, Verdict

_HAS_ERROR = {"1": True, "0": False}
_STATE, _SUCCESS = "summary_success_state", "success"
_LABELS, _TYPES = "fact_verification_label", "fact_verification_error_type"


@DATASETS.add
class UniSumEval(Importer):
    """unisumeval_faithfulness.jsonl, or a folder with it; ids are `<uid>/<model>`.

    A summary with an error in any sentence is inconsistent; the share of sentences without one is its rating. A record whose model
    gave no summary is refused. Without `input_context` the documents are joined later by `doc_id`.
    """

    name: ClassVar[str] = "unisumeval"
    title: ClassVar[str] = "UniSumEval"
    record_fields: ClassVar[frozenset[str]] = frozenset({"uid", "model", "summary", _LABELS})
    licence: ClassVar[str] = "not stated; each document has the licence of its corpus"
    release: ClassVar[str] = "2,025 summaries of 225 documents"
    url: ClassVar[str] = "https://github.com/DISL-Lab/UniSumEval-v1.0"

    def read(self, source: Path) -> Iterator[Item | Refusal]:
        return item_stream.items_of_files(item_stream.matching_files(source, "*faithfulness*.jsonl"), _item)


def _item(row: Row, _: RecordPlace) -> list[Item]:
    state = fields.optional(row, _STATE) or _SUCCESS
    if state != _SUCCESS:
        raise TouchstoneError(f"The field {_STATE!r} is {state[:60]!r}: the model gave no summary. Remove the record.")
    name = f"{fields.text(row, 'uid')}/{fields.text(row, 'model')}"
    summary, document = fields.text(row, "summary"), fields.optional(row, "input_context")
    judgements = _judgements(row, name, summary)
    score = fields.optional_number(row, "faithfulness_score")
    return [
        Item(
            Example(name, document, summary),
            intended=Verdict.INCONSISTENT if judgements else Verdict.CONSISTENT,
            domain=fields.optional(row, "domain"),
            group=fields.optional(row, "doc_id") or fields.text(row, "uid"),
            judgements=judgements,
            categories=tuple(dict.fromkeys(judgement.category for judgement in judgements if judgement.category)),
            system=fields.text(row, "model"),
            ratings=() if score is None else (Rating("annotators", "faithfulness", score),),
            source=fields.optional(row, "source"),
        )
    ]


def _judgements(row: Row, name: str, summary: str) -> tuple[Judgement, ...]:
    """The sentences with an error, where they stand in the summary; one that does not stand there word for word has no place."""
    sentences, labels = _listed(row, "sentences"), _listed(row, _LABELS)
    types = _listed(row, _TYPES) if row.get(_TYPES) else [""] * len(labels)
    if not labels or not len(sentences) == len(labels) == len(types):
        raise TouchstoneError(
            f"There are {len(sentences)} 'sentences', {len(labels)} entries of {_LABELS!r} and {len(types)} of {_TYPES!r}. "
            "There must be as many of each, and one at least."
        )
    judgements, end = list[Judgement](), 0
    for sentence, label, kind in zip(sentences, labels, types, strict=True):
        words = fields.clean_text("sentences", sentence).strip()
        start = summary.find(words, end) if words else -1
        span = Span(start, start + len(words)) if start >= 0 else None
        end = span.end if span else end
        if fields.meaning(_LABELS, fields.as_word(label), _HAS_ERROR):
            kinds = fields.texts({_TYPES: kind if isinstance(kind, list) else [kind]}, _TYPES)
            judgements += [
                Judgement(name, "annotators", Verdict.INCONSISTENT, span, kind) for kind in dict.fromkeys(kinds or [""])
            ]
    return tuple(judgements)


def _listed(row: Row, name: str) -> list[object]:
    content = fields.value(row, name)
    if isinstance(content, str):
        try:
            content = json.loads(content)
        except (ValueError, RecursionError):
            content = None
    if not isinstance(content, list):
        raise TouchstoneError(f"The field {name!r} must be a list, or one in JSON; got {str(row[name])[:60]!r}.")
    return content
