"""Versions of imported datasets: the files that each is made of, references to them, and their tags."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import ColumnElement
from sqlmodel import Session, and_, col, func, or_, select

from annotations.store.records import RecordError, require_text
from annotations.store.tables import Dataset, DatasetVersion, SampleRow, VersionFile, VersionTag

_ROWS = 1000  # rows fetched at a time
_TAG = re.compile(r"(?!\d+\Z)[\w.+-]+")


@dataclass(frozen=True, slots=True)
class VersionOfDataset:
    """A version that a reference names: NAME is the newest, NAME@2 that of the number, NAME@TAG the tagged one."""

    dataset: str
    dataset_id: str
    number: int
    newest: int
    file_ids: tuple[str, ...]

    @property
    def reference(self) -> str:
        """Name by which results call it: that of the dataset while there is one version, then NAME@2."""
        return self.dataset if self.newest == 1 else self.full_reference

    @property
    def full_reference(self) -> str:
        """Name with the number, also of an only version."""
        return f"{self.dataset}@{self.number}"

    @property
    def rows(self) -> ColumnElement[bool]:
        """The condition that a row of samples is of this version."""
        return is_of_files(self.dataset_id, self.file_ids)


def is_of_files(dataset_id: str, file_ids: Sequence[str]) -> ColumnElement[bool]:
    """The condition that a row of samples is of these files, and joined with no other one."""
    joined = col(SampleRow.joined_file_id)
    return and_(
        col(SampleRow.dataset_id) == dataset_id,
        col(SampleRow.file_id).in_(file_ids),
        or_(joined.is_(None), joined.in_(file_ids)),
    )


def version_id(dataset_id: str, number: int) -> str:
    """The id of a version, which the migration of older databases makes in the same way."""
    return f"{dataset_id}-{number}"


def find_version(session: Session, reference: str) -> VersionOfDataset:
    """The version that a reference names. Raises RecordError, which names the datasets, or the versions, that there are."""
    ids = dict(session.exec(select(Dataset.name, Dataset.id)).all())
    if reference in ids:
        return newest_version(session, reference, ids[reference])
    name, _, wanted = reference.rpartition("@")
    if name not in ids:
        missing = name or reference
        raise RecordError(
            f"No dataset is named {missing!r}. Imported: {', '.join(sorted(ids)) or 'none yet'}. Import it first."
        )
    newest = newest_version(session, name, ids[name])
    tags = load_tags(session, ids[name])
    number = int(wanted) if wanted.isdecimal() else tags.get(wanted, 0)
    if not 1 <= number <= newest.newest:
        numbers = "version 1" if newest.newest == 1 else f"versions 1 to {newest.newest}"
        tagged = f", tagged {', '.join(tags)}" if tags else ""
        raise RecordError(
            f"{name!r} has no version {wanted!r}: it has {numbers}{tagged}. Name one of them, as {name}@{newest.newest}."
        )
    file_ids = _file_ids(session, version_id(ids[name], number))
    return VersionOfDataset(name, ids[name], number, newest.newest, file_ids)


def newest_version(session: Session, name: str, dataset_id: str) -> VersionOfDataset:
    """The newest version of a dataset that there is; number 0 before its first import is written."""
    of_dataset = select(func.max(DatasetVersion.number)).where(DatasetVersion.dataset_id == dataset_id)
    number = session.exec(of_dataset).one() or 0
    return VersionOfDataset(name, dataset_id, number, number, _file_ids(session, version_id(dataset_id, number)))


def _file_ids(session: Session, id: str) -> tuple[str, ...]:
    return tuple(session.exec(select(VersionFile.file_id).where(VersionFile.version_id == id)))


def load_references(session: Session) -> dict[str, list[str]]:
    """By name of a dataset, the references of its versions, the newest first."""
    newest = (
        select(Dataset.name, func.max(DatasetVersion.number))
        .join(DatasetVersion, col(DatasetVersion.dataset_id) == Dataset.id)
        .group_by(Dataset.name)
        .order_by(Dataset.name)
    )
    return {
        name: [name] if last == 1 else [f"{name}@{number}" for number in range(last, 0, -1)]
        for name, last in session.exec(newest)
    }


def add_version(session: Session, version: VersionOfDataset, by: str, content: str) -> None:
    """Write a version of a dataset, whose rows are there."""
    counted = select(func.count(func.distinct(SampleRow.key))).where(version.rows)
    id = version_id(version.dataset_id, version.number)
    row = DatasetVersion(
        id=id,
        dataset_id=version.dataset_id,
        number=version.number,
        samples=session.exec(counted).one(),
        content=content,
        by=by,
        created_at=datetime.now(UTC),
    )
    session.add(row)
    session.flush()
    session.add_all(VersionFile(version_id=id, file_id=file_id) for file_id in version.file_ids)
    session.flush()


def row_digests(session: Session, rows: ColumnElement[bool]) -> set[bytes]:
    """A digest of each of these rows, whatever its file is."""
    columns = (SampleRow.key, SampleRow.facts, SampleRow.summary, SampleRow.item_id, SampleRow.document_id)
    query = select(*columns).where(rows)  # type: ignore[call-overload]  # sqlmodel types four columns
    read = session.connection().execute(query, execution_options={"yield_per": _ROWS})
    return {hashlib.sha256(json.dumps([*row]).encode()).digest() for row in read}


def content_hash(digests: Iterable[bytes]) -> str:
    """SHA-256 of the rows with these digests, in any order of them."""
    return hashlib.sha256(b"".join(sorted(digests))).hexdigest()


def load_tags(session: Session, dataset_id: str) -> dict[str, int]:
    """Numbers of versions by their tags, the oldest tag first."""
    rows = session.exec(
        select(VersionTag.tag, VersionTag.number)
        .where(VersionTag.dataset_id == dataset_id)
        .order_by(col(VersionTag.created_at), VersionTag.tag)
    )
    return dict(rows.all())


def add_tag(session: Session, reference: str, tag: str, by: str) -> VersionOfDataset:
    """Tag a version for good. Raises RecordError for a tag of another version, and for what is no tag."""
    version = find_version(session, reference)
    require_text("tag", tag)
    if not _TAG.fullmatch(tag):
        raise RecordError(
            f"{tag!r} is no tag: a tag has letters, digits, '.', '_', '+' and '-', and is no number. As: camera-ready."
        )
    number = load_tags(session, version.dataset_id).get(tag)
    if number is None:
        values: dict[str, Any] = {"number": version.number, "by": by, "created_at": datetime.now(UTC)}
        session.add(VersionTag(dataset_id=version.dataset_id, tag=tag, **values))
    elif number != version.number:
        raise RecordError(
            f"{tag!r} is version {number} of {version.dataset!r}, and results refer to it by that. Choose another tag."
        )
    return version
