"""Importing a dataset: its items become rows in a file of their own, and then all of them are written in one transaction.

While a large file is read the database stays free for others, and a file that turns out to be broken never reaches it.
"""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from itertools import islice
from tempfile import TemporaryFile
from typing import IO, Any

from pydantic import TypeAdapter
from sqlmodel import Session, col, func, select

from annotations.errors import RecordError
from annotations.inserting import insert_new
from annotations.joining import join_missing
from annotations.records import CAMPAIGN, OWN, require_storable, require_text
from annotations.rows import content_id, edit_rows, item_row, text_id
from annotations.tables import Dataset, DatasetFile, Document, EditRow, Item, SampleRow, Table
from core.types import Example
from core.types import Item as CoreItem

FACTS: TypeAdapter[CoreItem] = TypeAdapter(CoreItem)
_CHUNK = 1000  # items prepared and written at a time
_ORDER: tuple[type[Table], ...] = (Document, Item, EditRow, SampleRow)

Batch = dict[type[Table], list[dict[str, Any]]]
"""Rows to be written, by table."""

Counts = Callable[[], Mapping[str, object]]
"""What a file was found to hold, JSON-able, asked after its last item."""


@dataclass(frozen=True, slots=True)
class Provenance:
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
        if self.dataset == OWN or self.dataset.startswith(CAMPAIGN):
            raise RecordError(f"{self.dataset!r} are labels given here. Choose another name for the dataset.")
        require_storable("where the dataset comes from", *asdict(self).values())

    @property
    def dataset_id(self) -> str:
        return content_id("dataset", self.dataset)

    @property
    def file_id(self) -> str:
        return content_id(self.dataset_id, self.importer, self.sha256)


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import did: `added` samples (or new facts of known ones), and how many lack their document still."""

    dataset: str
    added: int
    joined: int
    missing: int


@dataclass(frozen=True, slots=True)
class Preparation:
    """Turns items into rows; remembers the summaries that came, since an edited one names its parent."""

    provenance: Provenance
    now: datetime
    parents: dict[str, tuple[str, str, str]] = field(default_factory=dict)

    def batches(self, items: Iterable[CoreItem]) -> Iterator[Batch]:
        stream = iter(items)
        while chunk := list(islice(stream, _CHUNK)):
            batch: Batch = {table: [] for table in _ORDER}
            for item in chunk:
                self._add(batch, item)
            yield batch

    def _add(self, batch: Batch, item: CoreItem) -> None:
        example = item.example
        facts = FACTS.dump_json(replace(item, example=Example(example.id, "", "")), exclude_defaults=True).decode()
        require_storable(f"the record {example.id[:60]!r}", example.id, item.group, example.document, example.summary)
        document_id = text_id(example.document) if example.document else None
        if document_id:
            batch[Document].append({"id": document_id, "text": example.document, "created_at": self.now})
        item_id = self._add_item(batch, item, document_id) if document_id and example.summary else None
        batch[SampleRow].append(self._sample(item, document_id, item_id, facts))

    def _add_item(self, batch: Batch, item: CoreItem, document_id: str) -> str:
        example = item.example
        parent_id, document, summary = self.parents.get(item.parent or "", ("", "", ""))
        edited = bool(parent_id and document == document_id and item.edits)
        row = item_row(
            document_id, example.summary, parent_id if edited else None, item.edits if edited else (), self.now
        )
        batch[Item].append(row.model_dump())
        if edited:
            batch[EditRow].extend(edit.model_dump() for edit in edit_rows(row.id, summary, item.edits))
        self.parents[example.id] = (row.id, document_id, example.summary)
        return row.id

    def _sample(self, item: CoreItem, document_id: str | None, item_id: str | None, facts: str) -> dict[str, Any]:
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
def spooled(provenance: Provenance, items: Iterable[CoreItem]) -> Iterator[IO[bytes]]:
    """A file with the rows of the items. Raises what reading the items raises, and RecordError for unstorable texts."""
    with TemporaryFile() as file:
        for batch in Preparation(provenance, datetime.now(UTC)).batches(items):
            pickle.dump(batch, file)
        file.seek(0)
        yield file


def write_spooled(session: Session, provenance: Provenance, counts: Mapping[str, object], file: IO[bytes]) -> Imported:
    """Add the rows that are not there yet, then join what lacked its document."""
    _add_file(session, provenance, counts)
    before = count_samples(session, provenance.dataset_id)
    for batch in _loaded(file):
        for table in _ORDER:
            insert_new(session, table, batch[table])
    added = count_samples(session, provenance.dataset_id) - before
    joined, missing = join_missing(session, provenance.dataset_id)
    return Imported(provenance.dataset, added, joined, missing)


def count_samples(session: Session, dataset_id: str) -> int:
    return session.exec(select(func.count(col(SampleRow.number))).where(SampleRow.dataset_id == dataset_id)).one()


def _add_file(session: Session, provenance: Provenance, counts: Mapping[str, object]) -> None:
    now = datetime.now(UTC)
    insert_new(session, Dataset, [{"id": provenance.dataset_id, "name": provenance.dataset, "created_at": now}])
    told = {name: value for name, value in asdict(provenance).items() if name != "dataset"}
    row = {"id": provenance.file_id, "dataset_id": provenance.dataset_id, "created_at": now, **told}
    insert_new(session, DatasetFile, [{**row, "counts": json.dumps(counts, ensure_ascii=False)}])


def _loaded(file: IO[bytes]) -> Iterator[Batch]:
    while True:
        try:
            yield pickle.load(file)
        except EOFError:
            return
