"""The import of a dataset: its items become rows in a temporary file, and then the next version in one transaction.

A summary whose document comes in a later file gets it then."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from functools import cached_property

from sqlmodel import Session, col, func, select

from annotations.store.dataset_versions import (
    VersionOfDataset,
    add_version,
    content_hash,
    newest_version,
    row_digests,
)
from annotations.store.document_joins import attach_documents
from annotations.store.imported_datasets import load_samples_of_version
from annotations.store.records import CAMPAIGN_PREFIX, LOCAL_LABELS, RecordError, require_storable, require_text
from annotations.store.spooled_rows import TABLE_ORDER, SpooledRows
from annotations.store.tables import Dataset, DatasetFile, SampleRow
from annotations.store.writes import content_id, insert_new
from core.types import PRECOMPUTED, Sample

CountsCallback = Callable[[], Mapping[str, object]]
"""Content of a file, JSON-able, asked after its last item."""


@dataclass(frozen=True)
class DatasetSource:
    """Origin of an imported dataset."""

    dataset: str
    """Name of the dataset."""
    importer: str
    """Name of the importer that reads the file."""
    file: str
    """Name of the file."""
    sha256: str
    """SHA-256 of the file, in hex."""
    licence: str = ""
    """Licence of the texts; empty if unknown."""
    release: str = ""
    """Release of the published dataset; empty for other files."""
    by: str = ""
    """Person who imports it; empty if nobody is named."""
    replaces: str | None = None
    """Imported file of the dataset whose place this one takes, by name or the first digits of its SHA-256; "" for none.

    None leaves it to the names of the files and their samples, see `annotations.store.replacement`."""

    def __post_init__(self) -> None:
        require_text("name of the dataset", self.dataset)
        if self.dataset == LOCAL_LABELS or self.dataset.startswith(CAMPAIGN_PREFIX):
            raise RecordError(f"{self.dataset!r} are labels given here. Choose another name for the dataset.")
        if self.dataset == PRECOMPUTED:
            raise RecordError(f"{self.dataset!r} come with Touchstone. Choose another name for the dataset.")
        facts = asdict(self).values()
        require_storable("where the dataset comes from", *(fact for fact in facts if fact is not None))

    @cached_property
    def dataset_id(self) -> str:
        return content_id("dataset", self.dataset)


@dataclass(frozen=True, slots=True)
class ImportResult:
    """Result of an import: `added` samples (or new facts of known ones), and the number of those without a document.

    `version` is that of the dataset afterwards, which is as before where nothing is added or `removed`.
    """

    dataset: str
    added: int
    joined: int
    missing: int
    version: int = 1
    removed: int = 0
    replaced: tuple[str, ...] = ()


def format_import(result: ImportResult) -> str:
    """A sentence on the version of the dataset that an import made, or that it made none."""
    if not (result.added or result.joined or result.removed):
        return f"{result.dataset} has all of it already: it stays at version {result.version}."
    if result.version == 1:
        return f"{result.dataset} is there, version 1."
    taken = f" in place of {', '.join(result.replaced)}" if result.replaced else " beside the files that are there"
    return (
        f"{result.dataset} is at version {result.version} now,{taken}. What changed: "
        f"cli.py datasets {shlex.quote(result.dataset)} --diff {result.version - 1} {result.version}"
    )


def write_spooled_rows(
    session: Session, provenance: DatasetSource, counts: Mapping[str, object], spooled: SpooledRows
) -> ImportResult:
    """Make the next version of a dataset of the rows and of the files that stay, and join what lacked its document.

    Nothing is written where the version would be as the newest one. Raises RecordError where the rows may change samples of
    a file or replace it, and nobody said which.
    """
    now, dataset_id = datetime.now(UTC), provenance.dataset_id
    insert_new(session, Dataset, [{"id": dataset_id, "name": provenance.dataset, "created_at": now}])
    # on PostgreSQL two imports into a dataset go one after the other, as all writes do on SQLite
    session.exec(select(Dataset).where(Dataset.id == dataset_id).with_for_update()).one()
    current = newest_version(session, provenance.dataset, dataset_id)
    if not current.number and "@" in provenance.dataset:
        raise RecordError(f"{provenance.dataset!r} reads as a version of a dataset. Choose a name without '@'.")
    replaced = replaced_files(session, provenance, current, spooled) if current.number else []

    _write_rows(session, provenance, counts, spooled)
    replaced_ids = {row.id for row in replaced}
    staying = tuple(id for id in current.file_ids if id not in replaced_ids)
    version = replace(
        current, number=current.number + 1, newest=current.newest + 1, file_ids=(*staying, spooled.file_id)
    )
    before = row_digests(session, current.rows)
    added = len(row_digests(session, col(SampleRow.file_id) == spooled.file_id) - before)
    joined, missing = attach_documents(session, version)
    after = row_digests(session, version.rows)
    if current.number and before == after:
        session.rollback()
        return ImportResult(provenance.dataset, 0, 0, missing, current.number)
    add_version(session, version, provenance.by, content_hash(after))
    gone = select(SampleRow.key).where(current.rows).except_(select(SampleRow.key).where(version.rows)).subquery()
    removed = session.exec(select(func.count()).select_from(gone)).one()
    names = tuple(row.file for row in replaced)
    return ImportResult(provenance.dataset, added, joined, missing, version.number, removed, names)


def _write_rows(
    session: Session, provenance: DatasetSource, counts: Mapping[str, object], spooled: SpooledRows
) -> None:
    values = {name: value for name, value in asdict(provenance).items() if name not in {"dataset", "replaces"}}
    facts = {"id": spooled.file_id, "dataset_id": provenance.dataset_id, "created_at": datetime.now(UTC)}
    counted = {"counts": json.dumps(counts, ensure_ascii=False)}
    insert_new(session, DatasetFile, [{**facts, **values, **counted}])
    for batch in spooled.batches():
        for table in TABLE_ORDER:
            insert_new(session, table, batch[table])


def replaced_files(
    session: Session,
    provenance: DatasetSource,
    current: VersionOfDataset,
    spooled: SpooledRows,
) -> list[DatasetFile]:
    """The files of the newest version whose place an import takes: those that it names, else those of its own name.

    Without a name: a file of another name adds to the samples, and one of the same name takes the place of its earlier self
    where both have a sample in common. Raises RecordError where that decides nothing, or where a file of another name that has
    summaries would change a text or label or has mostly pairs that are there, with the way to say which.
    """
    if provenance.replaces == "":
        return []
    query = select(DatasetFile).where(col(DatasetFile.id).in_(current.file_ids))
    files = list(session.exec(query.order_by(col(DatasetFile.created_at))))
    listed = ", ".join(f"{row.file} ({row.sha256[:8]})" for row in files)
    if provenance.replaces is not None:
        named = [row for row in files if row.file == provenance.replaces or row.sha256.startswith(provenance.replaces)]
        if not named:
            raise RecordError(f"No file of {provenance.dataset!r} is called {provenance.replaces!r}. It has {listed}.")
        return named

    new_keys = spooled.keys()
    keys_of_files = session.exec(select(SampleRow.file_id, SampleRow.key).where(current.rows).distinct())
    sharing = {file_id for file_id, key in keys_of_files if key in new_keys}
    same = [row for row in files if row.file == provenance.file]
    if not new_keys or (same and all(row.id in sharing for row in same)):
        return same
    older = load_samples_of_version(session, current)
    new = spooled.samples()
    changed = [key for key, sample in new.items() if key in older and _contradicts(sample, older[key])]
    pairs = {(sample.document, sample.item.example.summary) for key, sample in older.items() if key not in new}
    repeated = [
        key
        for key, sample in new.items()
        if sample.document and (sample.document, sample.item.example.summary) in pairs
    ]
    if changed and any(sample.item.example.summary for sample in new.values()):
        conflict = f"{len(changed):,} of its {len(new):,} samples have an id that is there with another text or label, as {changed[0]!r}"
    elif len(repeated) * 2 > len(new):
        conflict = f"{len(repeated):,} of its {len(new):,} pairs are there under another id, as {repeated[0]!r}"
    elif same:
        conflict = f"no sample of this {provenance.file!r} is in the one that is there"
    else:
        return []
    name = shlex.quote((same or files)[-1].file)
    raise RecordError(
        f"{provenance.dataset!r} has {listed}, and {conflict}. Say that {provenance.file!r} takes the place of a file "
        f"(--replaces {name}), or adds to the dataset, its values before older ones (--add); or choose another name for it."
    )


def _contradicts(new: Sample, old: Sample) -> bool:
    """True if both have a text or a label of the sample, and not the same."""
    texts = (new.item.example.summary, old.item.example.summary)
    documents, labels = (new.document, old.document), (new.item.intended, old.item.intended)
    return any(all(pair) and pair[0] != pair[1] for pair in (texts, documents, labels))
