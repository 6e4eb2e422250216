"""GenAudit (Krishna et al. 2024): people's corrections sentence by sentence, the table of the spans that they deleted, and
what the tool saves.

The annotations (`genaudit_data_final_….jsonl`): a record for each sentence with its `id` (`<judge>#<document>:<model>:<number>`),
`input_lines`, `prev_summ_lines`, `before_summary_sent` and `after_summary_sent`, the sentence as a person corrected it.
The table that was made of them: `id` (without the number), `source`, `summary`, `annotated_spans` (joined by `<sep>`, none is
faithful), `model`, `origin`; the corrected texts are not in it. A file of the tool is one object: `input_lines`, `output_lines`,
and by line in `cached_responses` what its model would delete (`todelete_spans`) and put there (`replacement_strings`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import ClassVar

from core.data.dataset import DATASETS, Importer, Refusal
from core.data.datasets.formats import fields, item_stream
from core.data.datasets.formats.item_stream import RecordConverter, RecordPlace, SeenItems
from core.data.datasets.formats.json_files import json_object
from core.data.datasets.formats.table_files import file_rows
from core.data.datasets.formats.text_files import NumberedRow, Row
from core.errors import TouchstoneError
from core.text import edits
from core.types import Edit, Example, Item, Judgement, Span, Verdict


@DATASETS.add
class GenAudit(Importer):
    """The annotations, the table, a file of the tool, or a folder with some of them: the first of the three that is there.

    Of the annotations a summary that a person changed is inconsistent and its correction, `<id>/corrected`, consistent. The
    judge is who stands in the id before "#"; marked words of a table that the summary does not have are a note without
    a span. Of the tool's file neither the summary nor `<id>/corrected` has a label, since no person gave one.
    """

    name: ClassVar[str] = "genaudit"
    title: ClassVar[str] = "GenAudit"
    record_fields: ClassVar[frozenset[str]] = frozenset({"source", "summary", "annotated_spans", "origin"})
    licence: ClassVar[str] = "Apache-2.0 (tool), none stated for the annotations"
    release: ClassVar[str] = "702 annotated summaries"
    url: ClassVar[str] = "https://github.com/kukrishna/genaudit"

    def read(self, source: Path) -> Iterator[Item | Refusal]:
        seen: SeenItems = {}
        paths = item_stream.matching_files(source, "genaudit_data*.jsonl", "*enaudit_annotations.csv", "*.json")
        suffixes = {path.suffix.lower() for path in paths}
        first = next((suffix for suffix in _FORMS if suffix in suffixes), "")
        for path in [path for path in paths if path.suffix.lower() == first] or paths:
            rows, convert = _FORMS.get(path.suffix.lower(), _FORMS[".csv"])
            yield from item_stream.items_of_rows(rows(path), path, convert, seen)


def _annotated_summaries(path: Path) -> Iterator[NumberedRow]:
    """A record for each summary with those of its sentences, at the line of the first; what cannot be read as it is."""
    first: dict[str, int] = {}
    sentences: dict[str, list[Row]] = {}
    for line, row in file_rows(path):
        if isinstance(row, str):
            yield line, row
            continue
        name = str(row.get("id", "")).rpartition(":")[0]
        first.setdefault(name, line)
        sentences.setdefault(name, []).append(row)
    for name, rows in sentences.items():
        yield first[name], {"id": name, "sentences": rows}


def _corrected_items(row: Row, _: RecordPlace) -> list[Item]:
    """The summary, and its correction where a person changed a sentence; a sentence that was deleted is left out."""
    if not row["id"]:
        raise TouchstoneError(
            "The id does not end in the number of the sentence after a colon: <judge>#<document>:<model>:0."
        )
    name, by_number = fields.text(row, "id"), dict[int, Row]()
    for sentence in fields.records(row, "sentences"):
        place = fields.text(sentence, "id").rpartition(":")[2]
        if not place.isdecimal():
            raise TouchstoneError(f"The id must end in the number of the sentence; got {str(sentence['id'])[:60]!r}.")
        by_number[int(place)] = sentence
    last = by_number[max(by_number)]
    before = dict(enumerate(fields.texts(last, "prev_summ_lines")))
    before |= {number: fields.text(sentence, "before_summary_sent").strip() for number, sentence in by_number.items()}
    after = before | {
        number: fields.optional(sentence, "after_summary_sent").strip() for number, sentence in by_number.items()
    }
    summary, corrected = (" ".join(filter(None, (of[number] for number in sorted(before)))) for of in (before, after))
    judge, document = _judge_and_document(name)
    example = Example(name, "\n".join(fields.texts(last, "input_lines")), summary)
    changed = summary != corrected
    original = Item(
        example,
        intended=Verdict.INCONSISTENT if changed else Verdict.CONSISTENT,
        domain=document.partition("-")[0],
        group=document,
        system=name.rpartition(":")[2].partition("-")[0],
    )
    if not (changed and corrected):
        return [original]
    made = [replace(edit, by=judge) for edit in edits.recover(summary, corrected)]
    fixed = replace(example, id=f"{name}/corrected", summary=corrected)
    return [
        original,
        replace(original, example=fixed, parent=name, edits=tuple(made), intended=Verdict.CONSISTENT),
    ]


def _judge_and_document(name: str) -> tuple[str, str]:
    """Judge before the first "#", and the document between it and the next "#" or the model."""
    judge, _, rest = name.rpartition(":")[0].partition("#")
    return (judge, rest.partition("#")[0]) if rest else ("annotators", judge or name)


def _annotated_items(row: Row, _: RecordPlace) -> list[Item]:
    name, summary = fields.text(row, "id"), fields.text(row, "summary")
    marked = [words for words in fields.optional(row, "annotated_spans").split("<sep>") if words.strip()]
    judge, document = _judge_and_document(name)
    judgements = []
    for words in marked:
        places = edits.occurrences(words, summary)
        span, note = (places[0], "") if places else (None, words)
        judgements.append(Judgement(name, judge, Verdict.INCONSISTENT, span, note=note))
    return [
        Item(
            Example(name, fields.text(row, "source"), summary),
            intended=Verdict.INCONSISTENT if marked else Verdict.CONSISTENT,
            domain=fields.optional(row, "origin"),
            group=document,
            judgements=tuple(judgements),
            system=fields.optional(row, "model"),
        )
    ]


def _tool_items(row: Row, place: RecordPlace) -> list[Item]:
    name = fields.optional(row, "id") or place.path.stem
    lines = fields.texts(row, "output_lines")
    question = fields.optional(row, "question")
    original = Example(name, "\n".join(fields.texts(row, "input_lines")), " ".join(lines), question=question)

    codes, responses = fields.texts(row, "line_codes"), fields.record(row, "cached_responses")
    if len(codes) != len(lines):
        raise TouchstoneError(f"The field 'line_codes' has {len(codes)} entries for {len(lines)} 'output_lines'.")
    proposed, start = [], 0
    for code, line in zip(codes, lines, strict=True):
        if code in responses:
            response = fields.record(responses, code)
            spans, new = fields.value(response, "todelete_spans"), fields.value(response, "replacement_strings")
            if not (isinstance(spans, list) and isinstance(new, list) and len(spans) == len(new)):
                raise TouchstoneError(
                    "The fields 'todelete_spans' and 'replacement_strings' must be lists of the same length."
                )
            proposed += [
                Edit(_span(place, start), fields.clean_text("replacement_strings", text), by="GenAudit")
                for place, text in zip(spans, new, strict=True)
            ]
        start += len(line) + 1

    corrected = edits.apply(original.summary, proposed)
    plain = Item(original, group=name, title=question)
    if not proposed:
        return [plain]
    return [
        plain,
        Item(
            replace(original, id=f"{name}/corrected", summary=corrected), parent=name, edits=tuple(proposed), group=name
        ),
    ]


def _span(place: object, start: int) -> Span:
    match place:
        case [int(first), int(last)]:
            return Span(start + first, start + last)
    raise TouchstoneError(f"The field 'todelete_spans' must hold pairs of numbers; got {str(place)[:60]}.")


def _tool_rows(path: Path) -> Iterator[NumberedRow]:
    yield 1, json_object(path)


_FORMS: Mapping[str, tuple[Callable[[Path], Iterator[NumberedRow]], RecordConverter]] = MappingProxyType(
    {
        ".jsonl": (_annotated_summaries, _corrected_items),
        ".csv": (file_rows, _annotated_items),
        ".json": (_tool_rows, _tool_items),
    }
)
"""Readers of the files of each form, the form that knows most first."""
