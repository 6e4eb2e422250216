"""GenAudit (Krishna et al. 2024): summaries with the spans that people deleted, and what the tool saves.

The table: `id` (`<document>:<model>`), `source`, `summary`, `annotated_spans` (joined by `<sep>`, none is faithful),
`model`, `origin`; the corrected texts are not in it. A file of the tool is one object: `input_lines`, `output_lines`, and by
line in `cached_responses` what its model would delete (`todelete_spans`) and put there (`replacement_strings`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from core import edits
from core.dataset import DATASETS, Importer, Refusal
from core.datasets.formats import fields, item_stream
from core.datasets.formats.item_stream import RecordPlace, SeenItems
from core.datasets.formats.json_files import json_object
from core.datasets.formats.table_files import file_rows
from core.datasets.formats.text_files import Row
from core.errors import TouchstoneError
from core.types import Edit, Example, Item, Judgement, Span, Verdict


@DATASETS.add
@dataclass(frozen=True)
class GenAudit(Importer):
    """The table, a file of the tool, or a folder with the one or the others.

    Of a table the judge is who stands in the id before "#"; marked words that the summary does not have are a note
    without a span. Of the tool's file the corrected summary is `<id>/corrected`: neither has a label, since no person gave one.
    """

    name: ClassVar[str] = "genaudit"
    title: ClassVar[str] = "GenAudit"
    licence: ClassVar[str] = "Apache-2.0 (tool), none stated for the annotations"
    release: ClassVar[str] = "702 annotated summaries"
    url: ClassVar[str] = "https://github.com/kukrishna/genaudit"

    def read(self, source: Path) -> Iterator[Item | Refusal]:
        seen: SeenItems = {}
        paths = item_stream.matching_files(source, "*enaudit_annotations.csv", "*.json")
        for path in [path for path in paths if path.suffix.lower() == ".csv"] or paths:
            if path.suffix.lower() == ".json":
                yield from item_stream.items_of_rows(iter([(1, json_object(path))]), path, _tool_items, seen)
            else:
                yield from item_stream.items_of_rows(file_rows(path), path, _annotated_items, seen)


def _annotated_items(row: Row, _: RecordPlace) -> list[Item]:
    name, summary = fields.text(row, "id"), fields.text(row, "summary")
    marked = [words for words in fields.optional(row, "annotated_spans").split("<sep>") if words.strip()]
    group = name.rpartition(":")[0]
    judge = group.rpartition("#")[0] or "annotators"
    return [
        Item(
            Example(name, fields.text(row, "source"), summary),
            intended=Verdict.INCONSISTENT if marked else Verdict.CONSISTENT,
            domain=fields.optional(row, "origin"),
            group=group.rpartition("#")[2] or name,
            judgements=tuple(_marked_span(words, name, judge, summary) for words in marked),
            system=fields.optional(row, "model"),
        )
    ]


def _marked_span(words: str, name: str, judge: str, summary: str) -> Judgement:
    places = edits.occurrences(words, summary)
    if not places:
        return Judgement(name, judge, Verdict.INCONSISTENT, note=words)
    return Judgement(name, judge, Verdict.INCONSISTENT, places[0])


def _tool_items(row: Row, place: RecordPlace) -> list[Item]:
    name = fields.optional(row, "id") or place.path.stem
    lines = fields.texts(row, "output_lines")
    original = Example(name, "\n".join(fields.texts(row, "input_lines")), " ".join(lines))
    proposed = _proposed_edits(row, lines)
    corrected = edits.apply(original.summary, proposed)
    plain = Item(original, group=name, title=fields.optional(row, "question"))
    if not proposed:
        return [plain]
    return [
        plain,
        Item(
            Example(f"{name}/corrected", original.document, corrected), parent=name, edits=tuple(proposed), group=name
        ),
    ]


def _proposed_edits(row: Row, lines: list[str]) -> list[Edit]:
    """The edits of all lines, at their places in the summary that the lines make with a blank between them."""
    codes, responses = fields.texts(row, "line_codes"), fields.record(row, "cached_responses")
    if len(codes) != len(lines):
        raise TouchstoneError(f"The field 'line_codes' has {len(codes)} entries for {len(lines)} 'output_lines'.")
    found, start = [], 0
    for code, line in zip(codes, lines, strict=True):
        if code in responses:
            found += _line_edits(fields.record(responses, code), start)
        start += len(line) + 1
    return found


def _line_edits(response: Row, start: int) -> list[Edit]:
    spans, new = fields.value(response, "todelete_spans"), fields.value(response, "replacement_strings")
    if not (isinstance(spans, list) and isinstance(new, list) and len(spans) == len(new)):
        raise TouchstoneError("The fields 'todelete_spans' and 'replacement_strings' must be lists of the same length.")
    return [
        Edit(_span(place, start), fields.clean_text("replacement_strings", text), by="GenAudit")
        for place, text in zip(spans, new, strict=True)
    ]


def _span(place: object, start: int) -> Span:
    match place:
        case [int(first), int(last)]:
            return Span(start + first, start + last)
    raise TouchstoneError(f"The field 'todelete_spans' must hold pairs of numbers; got {str(place)[:60]}.")
