"""RAGTruth (Niu et al. 2024): responses of models to a source, with the spans that it does not support.

response.jsonl: `id`, `source_id`, `model`, `labels` [{`start`, `end`, `text`, `meta` (why), `label_type`}], `split`, `quality`,
`response`; no label is faithful. source_info.jsonl: `source_id`, `task_type`, `source_info`: the text of a summary's source,
`question` and `passages` of an answer's, or the data that a text was made of.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import ClassVar

from core.data.dataset import DATASETS, Importer, Refusal
from core.data.datasets.formats import fields, item_stream
from core.data.datasets.formats.item_stream import RecordPlace
from core.data.datasets.formats.table_files import file_rows
from core.data.datasets.formats.text_files import Row
from core.errors import TouchstoneError
from core.text import edits
from core.types import Context, Example, Item, Judgement, Span, Split, Verdict

_PASSAGE = re.compile(r"^passage \d+:", re.MULTILINE)
_SPLITS = {split.value: split for split in Split}


@DATASETS.add
class RagTruth(Importer):
    """response.jsonl, or the folder with it; without source_info.jsonl beside it the sources are to be joined later.

    The passages of an answer are its contexts. A truncated response and one that refuses to answer keep their marks but have no label: they are no summaries.
    """

    name: ClassVar[str] = "ragtruth"
    title: ClassVar[str] = "RAGTruth"
    record_fields: ClassVar[frozenset[str]] = frozenset({"source_id", "model", "labels", "response"})
    licence: ClassVar[str] = "MIT"
    release: ClassVar[str] = "summaries, answers and data-to-text"
    url: ClassVar[str] = "https://github.com/ParticleMedia/RAGTruth"

    def read(self, source: Path) -> Iterator[Item | Refusal]:
        for path in item_stream.matching_files(source, "response.jsonl"):
            companion = path.with_name("source_info.jsonl")
            sources: dict[str, Row] = {}
            for number, record in file_rows(companion) if companion.is_file() else ():
                if isinstance(record, str):
                    raise TouchstoneError(f"{companion.name}, line {number}: {record}")
                sources[fields.text(record, "source_id")] = record

            def convert(row: Row, _: RecordPlace, sources: dict[str, Row] = sources) -> list[Item]:
                name, group, response = (fields.text(row, field) for field in ("id", "source_id", "response"))
                quality = fields.optional(row, "quality") or "good"
                if sources and group not in sources:
                    raise TouchstoneError(f"The field 'source_id' is {group!r}, which source_info.jsonl does not have.")
                source = sources.get(group, {})
                judgements = tuple(span_judgement(label, name, response) for label in fields.records(row, "labels"))
                item = Item(
                    source_example(name, source, response),
                    intended=(Verdict.INCONSISTENT if judgements else Verdict.CONSISTENT)
                    if quality == "good"
                    else None,
                    domain=fields.optional(source, "task_type"),
                    group=group,
                    title=_question(source),
                    judgements=judgements,
                    categories=tuple(dict.fromkeys(judgement.category for judgement in judgements)),
                    system=fields.optional(row, "model"),
                    split=fields.choice(row, "split", _SPLITS),
                )
                return [item]

            yield from item_stream.items_of_files([path], convert)


def source_example(name: str, source: Row, response: str) -> Example:
    """A response with its source: an answer's passages are contexts; without a source the document is joined later."""
    info = fields.value(source, "source_info") if source else ""
    if isinstance(info, dict):
        passages = "passages" in info
        document = fields.text(info, "passages") if passages else json.dumps(info, ensure_ascii=False, indent=1)
    else:
        document = fields.text(source, "source_info") if source else ""
    starts = [match.start() for match in _PASSAGE.finditer(document)] if _question(source) else []
    contexts = tuple(
        Context(document[start:end].partition(":")[0], Span(start, start + len(document[start:end].rstrip())))
        for start, end in pairwise([*starts, len(document)])
    )
    return Example(name, document, response, contexts, _question(source))


def _question(source: Row) -> str:
    info = source.get("source_info")
    return fields.optional(info, "question") if isinstance(info, dict) else ""


def span_judgement(label: Row, name: str, response: str) -> Judgement:
    """The judgement of a marked span of a response. Raises TouchstoneError for words that the response does not have."""
    words, start = fields.text(label, "text"), int(fields.number(label, "start"))
    places = edits.occurrences(words, response)
    if not places:
        raise TouchstoneError(f"The field 'labels' marks {words!r}, which the response does not have.")
    # the words count; the offset says which of several places is meant
    span = min(places, key=lambda place: abs(place.start - start))
    category, note = fields.text(label, "label_type"), fields.optional(label, "meta")
    return Judgement(name, "annotators", Verdict.INCONSISTENT, span, category, note)
