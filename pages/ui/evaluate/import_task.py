"""The import of a dataset in the background, and the uploaded files that it reads."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from streamlit.runtime.uploaded_file_manager import UploadedFile

from annotations.store.dataset_import import DatasetSource, ImportResult
from annotations.store.store import Store
from core.base import BackgroundTask, Limits, read_apart
from core.data import (
    ARCHIVES,
    DATASETS,
    ImportCounts,
    Recognition,
    Refusal,
    is_packed_table,
    readable_items,
    reading_record,
    recognise,
    source_sha256,
    strict_items,
)
from core.errors import TouchstoneError
from core.models import provenance_name
from core.types import Item

_LIMITS = Limits(seconds=900, megabytes=4096)


@dataclass(frozen=True, slots=True)
class Reader:
    """Begins to read a file or folder; `settings` are those that read it in the same way again."""

    read: Callable[[Path], Iterator[Item | Refusal]]
    settings: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ImportRequest:
    """Request to import a dataset under a name."""

    dataset: str
    """Name of the dataset."""
    importer: str
    """Name of the importer."""
    file: str
    """Name of the uploaded file; "" for a dataset from the hub or one that comes with Touchstone."""
    by: str
    """Person who imports it."""
    place: Callable[[], Path]
    """Path of the file, which may be downloaded first."""
    reading: Reader
    """Form in which the file is read."""
    skip_broken: bool
    """True to import the rest where some lines cannot be read."""
    replaces: str | None = None
    """Imported file whose place it takes, as `DatasetSource` has it."""

    def origin(self, place: Path) -> DatasetSource:
        plugin = DATASETS.get(self.importer)
        file = self.file or provenance_name(plugin(), place)
        return DatasetSource(
            self.dataset,
            self.importer,
            file,
            source_sha256(place),
            plugin().licence_of(place),
            plugin.release,
            self.by,
            self.replaces,
        )


class ImportTask(BackgroundTask[ImportResult]):
    """An import under way: what was read so far, and at its end its receipt."""

    def __init__(self, request: ImportRequest, store: Store) -> None:
        self.place = request.place
        self.tally = tally = ImportCounts()
        cancelled = threading.Event()

        def work() -> Generator[ImportResult]:
            take, place = readable_items if request.skip_broken else strict_items, request.place()
            shipped = DATASETS.get(request.importer).shipped
            tally.reading = {} if shipped else reading_record(place, request.reading.settings)
            with closing(read_apart(request.file or place.name, _LIMITS, request.reading.read, place)) as items:
                rows = _until_cancelled(take(items, tally), cancelled)
                yield store.import_dataset(request.origin(place), rows, tally.counts)

        super().__init__(work, cancelled=cancelled)


def _until_cancelled(items: Iterator[Item], cancelled: threading.Event) -> Iterator[Item]:
    """The items as long as nobody cancels; then TouchstoneError, so that none of them is kept."""
    for item in items:
        if cancelled.is_set():
            raise TouchstoneError("The import was cancelled: nothing of it is kept.")
        yield item


_FOLDER = "uploaded-files"


@dataclass(eq=False)
class UploadedFiles:
    """Uploaded files in a folder of their own, which is deleted with this object."""

    ids: tuple[str, ...]
    folder: TemporaryDirectory[str]
    source: Path
    looks_like: str = ""
    """Sentence that names the form of their content; "" for any other table."""

    def place(self) -> Path:
        return self.source

    @property
    def file(self) -> str:
        """The name of the file, or of a folder with the files."""
        return _FOLDER if len(self.ids) > 1 else self.source.name


def write_upload(files: Sequence[UploadedFile]) -> UploadedFiles:
    """The files on disk: one is read as a file, several as a folder."""
    folder = TemporaryDirectory(ignore_cleanup_errors=True)
    paths = [Path(folder.name, Path(file.name).name) for file in files]
    for path, file in zip(paths, files, strict=True):
        path.write_bytes(file.getvalue())
    ids = tuple(file.file_id for file in files)
    return UploadedFiles(ids, folder, paths[0] if len(paths) == 1 else Path(folder.name))


_LOOK_LIMITS = Limits(seconds=30, megabytes=1024)


def recognise_upload(source: Path) -> Recognition | None:
    """The benchmark or form that uploaded files are in; None for any other table, and for files that cannot be read."""
    try:
        if not source.is_dir() and not is_packed(source):
            return recognise(source)
        return next(iter([*read_apart(source.name, _LOOK_LIMITS, _recognitions, source)]), None)
    except TouchstoneError:
        return None  # reading it says what is wrong


def is_packed(source: Path) -> bool:
    """True for a file that may unpack to anything, and so is read in a process of its own. Raises as `is_packed_table`."""
    return source.suffix.lower() in ARCHIVES or is_packed_table(source)


def _recognitions(source: Path) -> list[Recognition]:
    recognition = recognise(source)
    return [recognition] if recognition else []
