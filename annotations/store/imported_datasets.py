"""Imported data, read again: the datasets, their samples with our scores, and their texts."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import MISSING, dataclass, fields, replace
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement
from sqlmodel import Session, col, func, select

from annotations.store.dataset_versions import VersionOfDataset, find_version, load_tags
from annotations.store.tables import (
    Dataset,
    DatasetFile,
    DatasetVersion,
    Document,
    ItemRow,
    SampleRow,
    ScoreRow,
    VersionFile,
)
from annotations.store.writes import ITEM_FACTS, example_from_rows, part_from_json
from core.scoring import SentenceScores
from core.types import Example, Item, Part, Sample, StoredScore

_CHUNK = 500  # texts held in memory at a time
_ROWS = 1000  # rows fetched at a time


@dataclass(frozen=True, slots=True)
class FileRow:
    """One imported file of a dataset."""

    dataset: str
    """Name of the dataset."""
    file: str
    """Name of the file."""
    sha256: str
    """SHA-256 of its bytes."""
    importer: str
    """Name of the importer that read it."""
    licence: str
    """Licence, as the importer or the person states it."""
    release: str
    """Release of the data; "" for none."""
    by: str
    """Name of the person who imported it."""
    created_at: datetime
    """Time of the import."""
    counts: dict[str, Any]
    """Contents that were reported at the import."""


@dataclass(frozen=True, slots=True)
class VersionedRow:
    """A version of an imported dataset with its files, oldest first."""

    dataset: str
    """Name of the dataset."""
    number: int
    """Number of the version, from 1."""
    samples: int
    """Number of its samples."""
    content: str
    """SHA-256 of the facts about its samples in any order; "" for one that is older than versions."""
    by: str
    """Name of the person whose import made it."""
    created_at: datetime
    """Time of that import."""
    tags: tuple[str, ...]
    """Tags that it has."""
    files: tuple[FileRow, ...]
    """Files whose rows make it."""


@dataclass(frozen=True, slots=True)
class DatasetRow:
    """An imported dataset with its versions, oldest first; its samples and files are those of the newest."""

    name: str
    versions: tuple[VersionedRow, ...]

    @property
    def samples(self) -> int:
        return self.versions[-1].samples

    @property
    def files(self) -> tuple[FileRow, ...]:
        return self.versions[-1].files


def load_datasets(session: Session) -> list[DatasetRow]:
    """Every dataset by name."""
    files: dict[str, list[FileRow]] = defaultdict(list)
    listed = session.exec(
        select(DatasetFile, VersionFile.version_id, Dataset.name)
        .join(VersionFile, col(VersionFile.file_id) == DatasetFile.id)
        .join(Dataset, col(Dataset.id) == DatasetFile.dataset_id)
        .order_by(col(DatasetFile.created_at))
    )
    for row, version_id, name in listed:
        values = row.model_dump(exclude={"id", "dataset_id", "counts"})
        files[version_id].append(FileRow(dataset=name, counts=json.loads(row.counts), **values))
    versions: dict[str, list[VersionedRow]] = defaultdict(list)
    rows = session.exec(
        select(DatasetVersion, Dataset.name).join(Dataset).order_by(Dataset.name, col(DatasetVersion.number))
    )
    tags: dict[str, dict[str, int]] = {}
    for version, name in rows.all():
        numbers = tags.setdefault(name, load_tags(session, version.dataset_id))
        versions[name].append(
            VersionedRow(
                name,
                tags=tuple(tag for tag, number in numbers.items() if number == version.number),
                files=tuple(files[version.id]),
                **version.model_dump(exclude={"id", "dataset_id"}),
            )
        )
    return [DatasetRow(name, tuple(of_dataset)) for name, of_dataset in versions.items()]


def load_dataset_names(session: Session) -> list[str]:
    """The names of the datasets alone, which no large import makes slow."""
    return list(session.exec(select(Dataset.name).order_by(Dataset.name)))


def load_import_times(session: Session) -> dict[str, datetime]:
    """The time of the last import into each dataset, by its name; no large import makes it slow either."""
    last = func.max(col(DatasetFile.created_at))
    return dict(session.exec(select(Dataset.name, last).join(DatasetFile).group_by(Dataset.name)).all())


def load_imported_samples(session: Session, name: str) -> list[Sample]:
    """The samples of a version of a dataset, by default the newest, in the order of their first import.

    Raises RecordError for an unknown name.
    """
    version = find_version(session, name)
    merged = load_samples_of_version(session, version)
    scores_by_item = load_scores(session, col(ScoreRow.item_id).in_(_stored_item_ids(version)))
    return [
        replace(sample, kept=tuple(scores_by_item[sample.stored])) if sample.stored in scores_by_item else sample
        for sample in merged.values()
        if _has_content(sample)
    ]


def load_samples_of_version(session: Session, version: VersionOfDataset) -> dict[str, Sample]:
    """The samples of a version by their keys, without scores, also those that are only a document for others."""
    columns = (
        *(SampleRow.key, SampleRow.facts, SampleRow.summary, SampleRow.item_id, SampleRow.document_id),
        ItemRow.text,
    )
    rows = session.connection().execute(
        select(*columns)  # type: ignore[call-overload]  # sqlmodel types four columns
        .outerjoin(ItemRow, col(ItemRow.id) == SampleRow.item_id)
        .where(version.rows)
        .order_by(col(SampleRow.number)),
        execution_options={"yield_per": _ROWS},
    )
    merged: dict[str, Sample] = {}
    documents: dict[str, str] = {}  # a document's id once, however many summaries it has
    for key, facts, summary, item_id, document_id, text in rows:
        document = documents.setdefault(document_id, document_id) if document_id else ""
        sample = sample_from_row(version.reference, key, facts, text or summary, item_id or "", document)
        merged[key] = merge_samples(merged[key], sample) if key in merged else sample
    return merged


def load_stored_ids(session: Session, name: str) -> list[str]:
    """The ids of the stored texts of a dataset, those of one document together. Raises RecordError for an unknown name."""
    of_dataset = _stored_item_ids(find_version(session, name))
    ordered = select(ItemRow.id).where(col(ItemRow.id).in_(of_dataset)).order_by(ItemRow.document_id, col(ItemRow.id))
    return list(session.exec(ordered))


def load_examples(session: Session, ids: Sequence[str]) -> Iterator[Example]:
    """The texts of items under their ids, some at a time."""
    for start in range(0, len(ids), _CHUNK):
        rows = session.exec(
            select(ItemRow, Document)
            .join(Document, col(Document.id) == ItemRow.document_id)
            .where(col(ItemRow.id).in_(ids[start : start + _CHUNK]))
            .order_by(ItemRow.document_id, col(ItemRow.id))
        )
        yield from (example_from_rows(item.id, document, item.text) for item, document in rows)


def load_samples_of_item(session: Session, item_id: str) -> list[Sample]:
    """Samples of this stored item in each dataset that has it, without its texts; newest facts last, by dataset."""
    rows = session.exec(
        select(SampleRow, Dataset.name)
        .join(Dataset, col(SampleRow.dataset_id) == Dataset.id)
        .where(SampleRow.item_id == item_id)
        .order_by(Dataset.name, col(SampleRow.number))
    )
    return [sample_from_row(name, row.key, row.facts, "", item_id, row.document_id or "") for row, name in rows]


def load_scores(session: Session, which: ColumnElement[bool]) -> dict[str, list[StoredScore]]:
    """Our scores by item; a failure counts only while there is no score of that metric."""
    columns = (ScoreRow.item_id, ScoreRow.metric, ScoreRow.signature, ScoreRow.value, ScoreRow.error)
    by_item: dict[str, list[StoredScore]] = defaultdict(list)
    for id, metric, signature, value, error in session.connection().execute(
        select(*columns).where(which).order_by(col(ScoreRow.id))  # type: ignore[call-overload]  # sqlmodel types four columns
    ):
        by_item[id].append(StoredScore(metric, value, signature, error or ""))
    return {id: _without_resolved_failures(scores) for id, scores in by_item.items()}


def load_parts(session: Session, ids: Sequence[str], signatures: Sequence[str]) -> SentenceScores:
    """The scores of sentences by item and signature, of these items and signatures."""
    scores: dict[tuple[str, str], list[Part]] = {}
    for start in range(0, len(ids), _CHUNK):
        rows = session.exec(
            select(ScoreRow.item_id, ScoreRow.signature, ScoreRow.parts).where(
                col(ScoreRow.item_id).in_(ids[start : start + _CHUNK]), col(ScoreRow.signature).in_(signatures)
            )
        )
        scores |= {(id, signature): list(map(part_from_json, parts)) for id, signature, parts in rows if parts}
    return scores


def _stored_item_ids(version: VersionOfDataset) -> Any:
    return select(SampleRow.item_id).where(version.rows, col(SampleRow.item_id).is_not(None))


def _without_resolved_failures(scores: Iterable[StoredScore]) -> list[StoredScore]:
    scored = {score.metric for score in scores if score.value is not None}
    return [score for score in scores if score.value is not None or score.metric not in scored]


def sample_from_row(dataset: str, key: str, facts: str, summary: str, item_id: str, document_id: str) -> Sample:
    """A sample as a row of the store has it, without scores."""
    item = ITEM_FACTS.validate_json(facts)
    return Sample(dataset, replace(item, example=Example(key, "", summary)), item_id, document_id)


def _has_content(sample: Sample) -> bool:
    """True if it holds more than a document that came for others."""
    item = sample.item
    return bool(
        item.example.summary or item.intended or item.judgements or item.ratings or item.scores or item.explanations
    )


def merge_samples(older: Sample, newer: Sample) -> Sample:
    """Merge two samples: where they differ the newer one counts, and their lists add up."""
    values: dict[str, Any] = {}
    for field in fields(Item):
        before, now = getattr(older.item, field.name), getattr(newer.item, field.name)
        if field.name in {"example", "edits"} or not isinstance(now, tuple):
            values[field.name] = now if now != field.default else before
        elif field.default is not MISSING:
            values[field.name] = tuple(dict.fromkeys((*before, *now)))
    summary = newer.item.example.summary or older.item.example.summary
    return Sample(
        dataset=older.dataset,
        item=Item(**(values | {"example": Example(older.item.example.id, "", summary)})),
        stored=newer.stored or older.stored,
        document=newer.document or older.document,
    )
