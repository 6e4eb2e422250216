"""DiaSumFact (Zhu et al. 2023): summaries of dialogues by six models, with the errors of each sentence.

annotations.json is one object: by dialogue, `utterances`, `query` ("" in SAMSum), `dataset_name`, and `annotations` by model:
`model_prediction` and `sentence_annotations` [{`index`, `sentence`, `annotation` [{`error_class` ("No Error" is none),
`error_span`, `intrinsic/extrinsic` (or n/a), `comment`}]}].
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

from core.data.dataset import DATASETS, Importer, Refusal
from core.data.datasets.formats import fields, item_stream
from core.data.datasets.formats.item_stream import RecordPlace
from core.data.datasets.formats.json_files import json_object
from core.data.datasets.formats.text_files import NumberedRow, Row
from core.text import NamedText, join_contexts
from core.types import ErrorType, Example, Item, Judgement, Span, Verdict

_NO_ERROR = "No Error"
_CLASSES = {kind.lower(): kind for kind in ("No Error", "EntE", "PredE", "CirE", "CorefE", "LinkE", "Others")}
_PLAIN_TYPES = {"CorefE": "Coreference", "LinkE": "Other", "Others": "Other"}
_SIDED_TYPES = {"EntE": "Entity", "PredE": "Predicate", "CirE": "Circumstance"}
_DIALOGUE = "dialogue"


@DATASETS.add
class DiaSumFact(Importer):
    """annotations.json, or the folder with it; ids are `<dialogue>/<model>`, the question of a meeting is the title too.

    A summary is consistent where none of its sentences has an error. A span that is not in its sentence marks the sentence.
    """

    name: ClassVar[str] = "diasumfact"
    title: ClassVar[str] = "DiaSumFact"
    record_fields: ClassVar[frozenset[str]] = frozenset({"utterances", "target_summary", "annotations"})
    licence: ClassVar[str] = "MIT (dialogues: SAMSum, QMSum)"
    release: ClassVar[str] = "1,340 sentences of 475 summaries"
    url: ClassVar[str] = "https://github.com/731935354/Dia-Sum-Fact"

    def read(self, source: Path) -> Iterator[Item | Refusal]:
        for path in item_stream.matching_files(source, "annotations.json"):
            rows: list[NumberedRow] = []
            for number, (name, dialogue) in enumerate(json_object(path).items(), start=1):
                if isinstance(dialogue, dict):
                    rows.append((number, {**dialogue, _DIALOGUE: name}))
                else:
                    rows.append((number, f"The dialogue {name[:60]!r} is no object with its fields."))
            yield from item_stream.items_of_rows(rows, path, _items, {})


def _items(row: Row, _: RecordPlace) -> list[Item]:
    turns = enumerate(fields.texts(row, "utterances"), start=1)
    document, contexts = join_contexts(NamedText(f"turn {number}", text, is_turn=True) for number, text in turns)
    dialogue = Example("", document, "", contexts, fields.optional(row, "query"))
    answers = fields.record(row, "annotations")
    return [_item(row, dialogue, model, fields.record(answers, model)) for model in answers]


def _item(row: Row, about: Example, model: str, answer: Row) -> Item:
    dialogue = fields.text(row, _DIALOGUE)
    name, summary = f"{dialogue}/{model}", fields.text(answer, "model_prediction")
    sentences = fields.records(answer, "sentence_annotations")
    judgements: list[Judgement] = []
    types: list[ErrorType] = []
    begin = 0
    for sentence in sentences:
        text = fields.text(sentence, "sentence")
        start = summary.find(text, begin)
        begin = max(begin, start + len(text)) if start >= 0 else begin
        for mark in fields.records(sentence, "annotation"):
            kind = fields.choice(mark, "error_class", _CLASSES)
            wrong = kind != _NO_ERROR
            types += [_error_type(kind, fields.optional(mark, "intrinsic/extrinsic"))] if wrong else []

            marked = fields.optional(mark, "error_span")
            if start < 0:
                span = None
            else:
                place = text.find(marked) if marked else -1
                span = (
                    Span(start + place, start + place + len(marked)) if place >= 0 else Span(start, start + len(text))
                )
            judgements.append(
                Judgement(
                    name,
                    "expert",
                    Verdict.INCONSISTENT if wrong else Verdict.CONSISTENT,
                    span,
                    kind if wrong else "",
                    fields.optional(mark, "comment"),
                )
            )
    return Item(
        replace(about, id=name, summary=summary),
        intended=Verdict.INCONSISTENT if types else Verdict.CONSISTENT,
        error_type=types[0] if len(set(types)) == 1 else None,
        domain=fields.optional(row, "dataset_name"),
        group=dialogue,
        title=fields.optional(row, "query"),
        judgements=tuple(judgements),
        categories=tuple(dict.fromkeys(judgement.category for judgement in judgements if judgement.category)),
        system=model,
    )


def _error_type(kind: str, side: str) -> ErrorType:
    """The type of BUMP; an error of unknown side, or of a class that BUMP has not, is Other."""
    if kind in _SIDED_TYPES and side.lower() in {"intrinsic", "extrinsic"}:
        return ErrorType(f"{side.title()} {_SIDED_TYPES[kind]}")
    return ErrorType(_PLAIN_TYPES.get(kind, "Other"))
