"""The files in which Touchstone exports a dataset, or a campaign for another tool: their rows, from a file, a folder or a zip."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path, PurePath
from typing import IO, TYPE_CHECKING, Literal
from zipfile import BadZipFile, ZipFile, ZipInfo, is_zipfile

from core.data.datasets.formats.text_files import Row
from core.errors import TouchstoneError

if TYPE_CHECKING:
    import pyarrow as pa

ExportedKind = Literal["items", "labels", "tasks", "label-studio", "bump"]

LICENCE_KEY = b"touchstone.licence"
"""Key of the licence in the metadata of a Parquet file of a dataset."""

ANSWER = "answer."
"""Start of the name of a column with the answers to a question."""

_COLUMNS: dict[ExportedKind, frozenset[str]] = {
    "items": frozenset({"id", "document", "summary", "parent", "label", "judgements", "ratings", "slices"}),
    "labels": frozenset({"task", "item_id", "document", "summary", "explanation", "person", "active_seconds"}),
    "tasks": frozenset({"task", "item_id", "document", "summary", "explanation", "labels", "resolution"}),
}
_TASK_LIST = re.compile(rb'\[\s*\{\s*"id":\s*\d+,\s*"meta":\s*\{\s*"campaign":')
_PAIR_LIST = re.compile(rb'\[\s*\{\s*"id":\s*\d+,\s*"campaign":')
_HEAD = 1024  # bytes
_FILES = frozenset({"items.parquet", "labels.parquet", "tasks.parquet", "tasks.json"})
_MAX_MEMBER = 2_000_000_000  # bytes, unpacked
_BATCH_ROWS = 512  # rows


def exported_parts(source: Path) -> dict[ExportedKind, str]:
    """The name of the file of each kind in an export of Touchstone; empty for any other file or folder."""
    parts: dict[ExportedKind, str] = {}
    for name in _names(source):
        with _open(source, name) as file:
            if kind := _kind(file):
                parts.setdefault(kind, name)
    return parts


def exported_rows(source: Path, name: str) -> Iterator[tuple[int, Row]]:
    """The rows of a file of an export, numbered from 1."""
    with _open(source, name) as file:
        if _is_parquet(file):
            from pyarrow.parquet import ParquetFile

            numbers = count(1)
            for batch in ParquetFile(file).iter_batches(_BATCH_ROWS):
                yield from zip(numbers, batch.to_pylist(), strict=False)
        else:
            yield from enumerate(json.load(file), start=1)


def exported_columns(source: Path, name: str) -> list[str]:
    """Columns of a Parquet file of an export; of tasks for Label Studio the answers, as columns of that name."""
    with _open(source, name) as file:
        if not _is_parquet(file):
            return [f"{ANSWER}{id}" for task in json.load(file) for id in task.get("meta", {}).get("answers", ())]
        return list(_schema(file).names)


def exported_licence(source: Path, name: str) -> str:
    """Licence that a Parquet file of an export states; "" for none."""
    with _open(source, name) as file:
        metadata = _schema(file).metadata if _is_parquet(file) else None
    stated: bytes = (metadata or {}).get(LICENCE_KEY, b"")
    return stated.decode()


def _is_parquet(file: IO[bytes]) -> bool:
    start = file.read(4)
    file.seek(0)
    return start == b"PAR1"


def _schema(file: IO[bytes]) -> pa.Schema:
    from pyarrow.parquet import read_schema  # listing the importers need not wait for it

    return read_schema(file)


def _names(source: Path) -> list[str]:
    """Names of the files that may be of an export: of a folder or zip those that a format has."""
    if source.is_dir():
        return sorted(path.name for path in source.iterdir() if path.name in _FILES)
    if not source.is_file() or not is_zipfile(source):
        return [source.name] if source.is_file() else []
    try:
        with ZipFile(source) as archive:
            members = archive.infolist()
    except BadZipFile:
        return []
    return [member.filename for member in members if _is_of_export(member)]


def _is_of_export(member: ZipInfo) -> bool:
    return PurePath(member.filename).name in _FILES and member.file_size <= _MAX_MEMBER


@contextmanager
def _open(source: Path, name: str) -> Iterator[IO[bytes]]:
    """A file that can be read from any place. Raises TouchstoneError for one that cannot be unpacked."""
    if source.is_dir() or not is_zipfile(source):
        with (source / name if source.is_dir() else source).open("rb") as file:
            yield file
        return
    try:
        with ZipFile(source) as archive:
            content = archive.read(name)
    except (BadZipFile, RuntimeError, NotImplementedError) as error:
        raise TouchstoneError(f"{source.name} cannot be unpacked: {error}. Unpack it by hand.") from None
    yield io.BytesIO(content)


def _kind(file: IO[bytes]) -> ExportedKind | None:
    if not _is_parquet(file):
        head = file.read(_HEAD)
        return "label-studio" if _TASK_LIST.match(head) else "bump" if _PAIR_LIST.match(head) else None
    from pyarrow import ArrowInvalid

    try:
        columns = set(_schema(file).names)
    except ArrowInvalid:
        return None
    return next((kind for kind, names in _COLUMNS.items() if names <= columns), None)
