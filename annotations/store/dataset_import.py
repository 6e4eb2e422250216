"""The import of a dataset: its items become rows in a temporary file, and then all of them are written in one transaction.

While a large file is read the database stays free for others, and a broken file never reaches it. A summary whose
document comes in a later file gets it then."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property
from itertools import islice
from tempfile import TemporaryFile
from typing import IO, Any

from sqlmodel import Session, col, func, select

from annotations.store.records import (
    CAMPAIGN_PREFIX,
    LOCAL_LABELS,
    MAX_TEXT,
    RecordError,
    require_storable,
    require_text,
)
from annotations.store.tables import Dataset, DatasetFile, Document, EditRow, ItemRow, SampleRow, StoreTable
from annotations.store.writes import (
    ITEM_FACTS,
    content_id,
    document_id,
    document_values,
    edit_rows,
    insert_new,
    item_row,
    item_values,
)
from core.text import contexts_from_json
from core.types import PRECOMPUTED, Example, Item


def attach_documents(session: Session, dataset_id: str) -> tuple[int, int]:
    """Give every summary without a document that of its group, where there is one; how many were joined, how many lack it."""
    of_dataset = select(func.max(SampleRow.number)).where(SampleRow.dataset_id == dataset_id, SampleRow.summary != "")
    have = select(SampleRow.key).where(SampleRow.dataset_id == dataset_id, col(SampleRow.item_id).is_not(None))
    newest = of_dataset.where(col(SampleRow.key).not_in(have)).group_by(SampleRow.key)
    lacking = list(session.exec(select(SampleRow).where(col(SampleRow.number).in_(newest))))
    if not lacking:
        return 0, 0

    rows = session.exec(
        select(SampleRow.group, SampleRow.document_id)
        .where(SampleRow.dataset_id == dataset_id, col(SampleRow.document_id).is_not(None), SampleRow.group != "")
        .order_by(col(SampleRow.number))
    )
    documents = {group: document for group, document in rows if document}

    joined = [row for row in lacking if row.group in documents]
    now = datetime.now(UTC)

    keys = {(documents[row.group], _question_of(row)) for row in joined}
    new_documents = {}
    for id, question in keys:
        if question:
            document = session.get_one(Document, id)
            about = Example("", document.text, "", contexts_from_json(document.contexts), question)
            new_documents[id, question] = document_values(about, now)

    insert_new(session, Document, list(new_documents.values()))
    ids = [
        new_documents[key]["id"] if (key := (documents[row.group], _question_of(row))) in new_documents else key[0]
        for row in joined
    ]
    items = [item_row(id, row.summary, None, (), now) for id, row in zip(ids, joined, strict=True)]
    insert_new(session, ItemRow, [item.model_dump() for item in items])
    insert_new(session, SampleRow, [_row_with_document(row, item) for row, item in zip(joined, items, strict=True)])
    return len(joined), len(lacking) - len(joined)


def _question_of(row: SampleRow) -> str:
    """Question that the summary of a row without document answers."""
    return ITEM_FACTS.validate_json(row.facts).example.question


def _row_with_document(row: SampleRow, item: ItemRow) -> dict[str, Any]:
    values = row.model_dump(exclude={"number", "id"}) | {
        "document_id": item.document_id,
        "item_id": item.id,
        "summary": "",
    }
    return {**values, "id": content_id(row.dataset_id, item.document_id, item.id, "", row.facts)}


_CHUNK = 1000  # items prepared and written at a time
_TABLE_ORDER: tuple[type[StoreTable], ...] = (Document, ItemRow, EditRow, SampleRow)

RowBatch = dict[type[StoreTable], list[dict[str, Any]]]
"""Rows to be written, by table."""

CountsCallback = Callable[[], Mapping[str, object]]
"""Content of a file, JSON-able, asked after its last item."""


@dataclass(frozen=True)
class DatasetSource:
    """Under which name what file is imported: its name, SHA-256, importer, licence, release, and who imports it."""

    dataset: str
    importer: str
    file: str
    sha256: str
    licence: str = ""
    release: str = ""
    by: str = ""

    def __post_init__(self) -> None:
        require_text("name of the dataset", self.dataset)
        if self.dataset == LOCAL_LABELS or self.dataset.startswith(CAMPAIGN_PREFIX):
            raise RecordError(f"{self.dataset!r} are labels given here. Choose another name for the dataset.")
        if self.dataset == PRECOMPUTED:
            raise RecordError(f"{self.dataset!r} come with Touchstone. Choose another name for the dataset.")
        require_storable("where the dataset comes from", *asdict(self).values())

    @cached_property
    def dataset_id(self) -> str:
        return content_id("dataset", self.dataset)

    @cached_property
    def file_id(self) -> str:
        return content_id(self.dataset_id, self.importer, self.sha256)


@dataclass(frozen=True, slots=True)
class ImportResult:
    """Result of an import: `added` samples (or new facts of known ones), and the number of those without a document."""

    dataset: str
    added: int
    joined: int
    missing: int


@dataclass(frozen=True, slots=True)
class RowBuilder:
    """Turns items into rows; remembers the documents, and the summaries, since an edited one names its parent."""

    provenance: DatasetSource
    now: datetime
    parents: dict[str, tuple[str, str, str]] = field(default_factory=dict)
    documents: set[str] = field(default_factory=set)

    def batches(self, items: Iterable[Item]) -> Iterator[RowBatch]:
        stream = iter(items)
        while chunk := list(islice(stream, _CHUNK)):
            batch: RowBatch = {table: [] for table in _TABLE_ORDER}
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
        dataset_id = self.provenance.dataset_id
        return {
            "id": content_id(dataset_id, document_id, item_id, summary, facts),
            "dataset_id": dataset_id,
            "file_id": self.provenance.file_id,
            "key": item.example.id,
            "group": item.group,
            "document_id": document_id,
            "item_id": item_id,
            "summary": summary,
            "facts": facts,
        }


@contextmanager
def spool_rows(provenance: DatasetSource, items: Iterable[Item]) -> Iterator[IO[bytes]]:
    """A file with the rows of the items. Raises what reading the items raises, and RecordError for unstorable texts."""
    with TemporaryFile() as file:
        for batch in RowBuilder(provenance, datetime.now(UTC)).batches(items):
            pickle.dump(batch, file)
        file.seek(0)
        yield file


def write_spooled_rows(
    session: Session, provenance: DatasetSource, counts: Mapping[str, object], file: IO[bytes]
) -> ImportResult:
    """Add the rows that are not there yet, then join what lacked its document."""
    now = datetime.now(UTC)
    insert_new(session, Dataset, [{"id": provenance.dataset_id, "name": provenance.dataset, "created_at": now}])
    values = {name: value for name, value in asdict(provenance).items() if name != "dataset"}
    row = {"id": provenance.file_id, "dataset_id": provenance.dataset_id, "created_at": now, **values}
    insert_new(session, DatasetFile, [{**row, "counts": json.dumps(counts, ensure_ascii=False)}])

    before = count_samples(session, provenance.dataset_id)
    for batch in _spooled_batches(file):
        for table in _TABLE_ORDER:
            insert_new(session, table, batch[table])
    added = count_samples(session, provenance.dataset_id) - before
    joined, missing = attach_documents(session, provenance.dataset_id)
    return ImportResult(provenance.dataset, added, joined, missing)


def count_samples(session: Session, dataset_id: str) -> int:
    return session.exec(select(func.count(col(SampleRow.number))).where(SampleRow.dataset_id == dataset_id)).one()


def _spooled_batches(file: IO[bytes]) -> Iterator[RowBatch]:
    while True:
        try:
            yield pickle.load(file)
        except EOFError:
            return
