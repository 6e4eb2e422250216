"""Rows of an import in a temporary file: while a large file is read the database stays free, and a broken one never reaches it."""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import islice
from tempfile import TemporaryFile
from typing import IO, Any
from uuid import uuid4

from annotations.store.imported_datasets import merge_samples, sample_from_row
from annotations.store.records import MAX_TEXT, require_storable
from annotations.store.tables import Document, EditRow, ItemRow, SampleRow, StoreTable
from annotations.store.writes import ITEM_FACTS, content_id, document_id, document_values, edit_rows, item_values
from core.types import Example, Item, Sample

_CHUNK = 1000  # items prepared and written at a time
TABLE_ORDER: tuple[type[StoreTable], ...] = (Document, ItemRow, EditRow, SampleRow)
"""Tables of an import, each after those that it refers to."""

RowBatch = dict[type[StoreTable], list[dict[str, Any]]]
"""Rows to be written, by table."""


@dataclass(frozen=True, slots=True)
class RowBuilder:
    """Turns items into rows; remembers the documents, and the summaries, since an edited one names its parent."""

    dataset_id: str
    file_id: str
    now: datetime
    parents: dict[str, tuple[str, str, str]] = field(default_factory=dict)
    documents: set[str] = field(default_factory=set)

    def batches(self, items: Iterable[Item]) -> Iterator[RowBatch]:
        stream = iter(items)
        while chunk := list(islice(stream, _CHUNK)):
            batch: RowBatch = {table: [] for table in TABLE_ORDER}
            for item in chunk:
                self._add(batch, item)
            yield batch

    def _add(self, batch: RowBatch, item: Item) -> None:
        example = item.example
        question = "" if example.document else example.question  # a document has its own
        without_texts = replace(item, example=Example(example.id, "", "", question=question))
        facts = ITEM_FACTS.dump_json(without_texts, exclude_defaults=True).decode()
        names = (context.name for context in example.contexts)
        texts = (example.id, item.group, example.document, example.summary, example.question, *names)
        require_storable(f"the record {example.id[:60]!r}", *texts, most=MAX_TEXT)
        document = document_id(example) if example.document else None
        if document and document not in self.documents:
            self.documents.add(document)
            batch[Document].append(document_values(example, self.now))
        item_id = self._add_item(batch, item, document) if document and example.summary else None
        batch[SampleRow].append(self._sample(item, document, item_id, facts))

    def _add_item(self, batch: RowBatch, item: Item, document_id: str) -> str:
        example = item.example
        parent_id, document, summary = self.parents.get(item.parent or "", ("", "", ""))
        edited = bool(parent_id and document == document_id and item.edits)
        row = item_values(
            document_id, example.summary, parent_id if edited else None, item.edits if edited else (), self.now
        )
        item_id: str = row["id"]
        batch[ItemRow].append(row)
        if edited:
            batch[EditRow].extend(edit.model_dump() for edit in edit_rows(item_id, summary, item.edits))
        self.parents[example.id] = (item_id, document_id, example.summary)
        return item_id

    def _sample(self, item: Item, document_id: str | None, item_id: str | None, facts: str) -> dict[str, Any]:
        summary = "" if item_id else item.example.summary
        return {
            "id": content_id(self.file_id, document_id, item_id, summary, facts),
            "dataset_id": self.dataset_id,
            "file_id": self.file_id,
            "key": item.example.id,
            "group": item.group,
            "document_id": document_id,
            "item_id": item_id,
            "summary": summary,
            "facts": facts,
        }


@dataclass(frozen=True, slots=True)
class SpooledRows:
    """Rows of an import in a temporary file, under the id that the imported file will have."""

    file_id: str
    file: IO[bytes]

    def batches(self) -> Iterator[RowBatch]:
        self.file.seek(0)
        while True:
            try:
                yield pickle.load(self.file)
            except EOFError:
                return

    def keys(self) -> set[str]:
        return {row["key"] for batch in self.batches() for row in batch[SampleRow]}

    def samples(self) -> dict[str, Sample]:
        """By key, without scores."""
        merged: dict[str, Sample] = {}
        texts: dict[str, str] = {}
        for batch in self.batches():
            texts |= {row["id"]: row["text"] for row in batch[ItemRow]}
            for row in batch[SampleRow]:
                text = texts[row["item_id"]] if row["item_id"] else row["summary"]
                sample = sample_from_row(
                    "", row["key"], row["facts"], text, row["item_id"] or "", row["document_id"] or ""
                )
                merged[sample.item.example.id] = merge_samples(merged.get(row["key"], sample), sample)
        return merged


@contextmanager
def spool_rows(dataset_id: str, items: Iterable[Item]) -> Iterator[SpooledRows]:
    """The rows of the items of a dataset. Raises what reading the items raises, and RecordError for unstorable texts."""
    file_id = uuid4().hex[:16]
    with TemporaryFile() as file:
        for batch in RowBuilder(dataset_id, file_id, datetime.now(UTC)).batches(items):
            pickle.dump(batch, file)
        yield SpooledRows(file_id, file)
