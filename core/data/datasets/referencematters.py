"""ReferenceMatters (Gao et al. 2023): dialogue summaries of four systems, and their smallest corrections by people.

A record is a dialogue: `id`, `dialogue`, `model_summaries` {<system>: {`original_summary`, `consistency`, `modified`,
`error_categories` [{`start`, `text`, `type`}]}}. The original is the inconsistent side of a pair and its correction the
consistent one. `total.json` is the union of the splits.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

from core.data.dataset import DATASETS, Importer, Refusal
from core.data.datasets.formats import fields, item_stream
from core.data.datasets.formats.item_stream import LABEL_WORDS, RecordPlace
from core.data.datasets.formats.text_files import Row
from core.errors import TouchstoneError
from core.text import edits
from core.types import Example, Item, Judgement, Span, Split, Verdict

_CORPORA = ("SAMSum", "DialogSum")
_SPLITS = {"train": Split.TRAIN, "val": Split.DEV, "test": Split.TEST}


@DATASETS.add
class ReferenceMatters(Importer):
    """One file, or a folder with train, val and test; the domain is the corpus where the file's folder names it.

    Ids are `<id>/<system>`, those of corrections end in `/corrected`. An inconsistent summary that was left as it was has
    no correction.
    """

    name: ClassVar[str] = "referencematters"
    title: ClassVar[str] = "ReferenceMatters"
    record_fields: ClassVar[frozenset[str]] = frozenset({"dialogue", "model_summaries"})
    licence: ClassVar[str] = "none stated"
    release: ClassVar[str] = "500 dialogues each of SAMSum and DialogSum"
    url: ClassVar[str] = "https://github.com/sanjanaramprasad/probing_summarization_factuality"

    def read(self, source: Path) -> Iterator[Item | Refusal]:
        return item_stream.items_of_files(
            item_stream.matching_files(source, *(f"{split}.json" for split in _SPLITS)), _items
        )


def _items(row: Row, place: RecordPlace) -> list[Item]:
    corpus = place.path.resolve().parent.name
    group = fields.text(row, "id")
    plain = Item(
        Example(group, fields.text(row, "dialogue"), ""),
        domain=corpus if corpus in _CORPORA else "dialogue",
        group=group,
        split=_SPLITS.get(place.path.stem),
    )
    written = fields.record(row, "model_summaries")
    return [item for system in written for item in _pair(fields.record(written, system), system, plain)]


def _pair(summary: Row, system: str, plain: Item) -> list[Item]:
    """The summary of one system, and its correction where it has one; `plain` is what they share."""
    example = replace(plain.example, id=f"{plain.group}/{system}")
    text, modified = fields.text(summary, "original_summary"), fields.text(summary, "modified")
    judgements = []
    for mark in fields.records(summary, "error_categories"):
        start, words = int(fields.number(mark, "start")), fields.text(mark, "text")
        span = Span(start, start + len(words))
        if span.of(text) != words:
            raise TouchstoneError(f"The field 'error_categories' says that {words!r} stands at {start}; it does not.")
        kind = fields.text(mark, "type")
        judgements.append(Judgement(example.id, "annotators", Verdict.INCONSISTENT, span, kind))
    original = replace(
        plain,
        example=replace(example, summary=text),
        intended=fields.choice(summary, "consistency", LABEL_WORDS),
        judgements=tuple(judgements),
        categories=tuple(dict.fromkeys(judgement.category for judgement in judgements)),
        system=system,
    )
    if original.intended is Verdict.CONSISTENT or modified == text:
        return [original]
    corrected = replace(
        plain,
        example=replace(example, id=f"{example.id}/corrected", summary=modified),
        parent=example.id,
        edits=tuple(edits.recover(text, modified)),
        intended=Verdict.CONSISTENT,
        system=system,
    )
    return [original, corrected]
