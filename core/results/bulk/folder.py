"""A folder on this machine or behind a URL, whose files are written whole or not at all."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from uuid import uuid4

from core.errors import TouchstoneError

_PART = ".part"  # the end of the name of a file that is being written
_ABANDONED_S = 3600.0  # a part that is older was left by a process that died
_TABLES = {".jsonl", ".json", ".ndjson", ".csv", ".tsv", ".parquet"}


@dataclass(frozen=True)
class Folder:
    """`files` is a file system of pyarrow, `path` the place in it. `url` names it from anywhere: a URL, or the whole path."""

    url: str
    files: Any
    path: str

    @classmethod
    def at(cls, url: str) -> Folder:
        """A folder that need not exist yet. Raises TouchstoneError for a URL that nothing here can open."""
        files, path = _open_url(url)
        return cls(url if "://" in url else path, files, path.rstrip("/"))

    def inner(self, name: str) -> Folder:
        return Folder(f"{self.url.rstrip('/')}/{name}", self.files, f"{self.path}/{name}")

    def names(self, suffix: str = "") -> list[str]:
        """The files directly in this folder whose names end so, in order; none if the folder does not exist."""
        return sorted(info.base_name for info in self._infos() if info.is_file and info.base_name.endswith(suffix))

    def write_times(self, suffix: str) -> dict[str, float]:
        """Times at which the files of this very folder whose names end so were written, in seconds since 1970."""
        files = [info for info in self._infos() if info.is_file and info.base_name.endswith(suffix)]
        return {info.base_name: (info.mtime_ns or 0) / 1e9 for info in files}

    def folders(self) -> list[str]:
        """The names of the folders in it, in order."""
        return sorted(info.base_name for info in self._infos() if not info.is_file)

    def has(self, name: str) -> bool:
        return bool(self.files.get_file_info(f"{self.path}/{name}").is_file)

    def read(self, name: str) -> bytes:
        """Raises TouchstoneError where the file cannot be read."""
        try:
            with self.files.open_input_stream(f"{self.path}/{name}") as stream:
                return bytes(stream.read())
        except OSError as error:
            raise TouchstoneError(f"{self.url}/{name} cannot be read: {error}. Check the path.") from error

    def write(self, name: str, content: bytes) -> None:
        """Write a file so that nobody ever reads a part of it. Raises TouchstoneError where that is not possible."""
        try:
            self.files.create_dir(self.path, recursive=True)
            if self._is_local:
                folder = Path(self.path)
                part = folder / f".{name}-{uuid4().hex[:12]}{_PART}"
                with part.open("wb") as file:
                    file.write(content)
                    file.flush()
                    os.fsync(file.fileno())
                part.replace(folder / name)

                return
            with self.files.open_output_stream(
                f"{self.path}/{name}"
            ) as stream:  # a store shows an object once it is whole
                stream.write(content)
        except OSError as error:
            raise TouchstoneError(f"{self.url}/{name} cannot be written: {error}. Name another folder.") from error

    def remove_abandoned_parts(self) -> None:
        """Delete what processes that died were writing."""
        if not self._is_local:
            return
        for part in Path(self.path).glob(f".*{_PART}"):
            if time.time() - part.stat().st_mtime > _ABANDONED_S:
                part.unlink(missing_ok=True)

    def _infos(self) -> list[Any]:
        from pyarrow.fs import FileSelector

        return list(self.files.get_file_info(FileSelector(self.path, allow_not_found=True)))

    @property
    def _is_local(self) -> bool:
        return str(self.files.type_name) == "local"


def local_tables(source: str) -> Iterator[Path]:
    """The files of pairs at a path or URL, a file or a folder of them, in order; one from elsewhere is copied while it is read.

    Raises TouchstoneError where there is none.
    """
    files, path = _open_url(source)

    from pyarrow.fs import FileSelector

    info = files.get_file_info(path)
    if info.is_file:
        table_paths = [path]
    else:
        infos = files.get_file_info(FileSelector(path, recursive=True, allow_not_found=True))
        tables = [info.path for info in infos if info.is_file and Path(info.path).suffix.lower() in _TABLES]
        shown = sorted(table for table in tables if not Path(table).name.startswith((".", "_")))
        if not shown:
            raise TouchstoneError(
                f"There is no file {source}, and no folder with {', '.join(sorted(_TABLES))}. Check it."
            )
        table_paths = shown
    for place in table_paths:
        with _local_copy(files, place) as local:
            yield local


@contextmanager
def _local_copy(files: Any, place: str) -> Iterator[Path]:
    if str(files.type_name) == "local":
        yield Path(place)
        return
    from pyarrow.fs import LocalFileSystem, copy_files

    with TemporaryDirectory(prefix="touchstone-") as folder:
        local = Path(folder) / Path(place).name
        copy_files(place, str(local), source_filesystem=files, destination_filesystem=LocalFileSystem())
        yield local


def _open_url(url: str) -> tuple[Any, str]:
    """The file system of a path or URL: pyarrow's own, else one of fsspec."""
    from pyarrow import ArrowInvalid
    from pyarrow.fs import FileSystem, LocalFileSystem

    if "://" not in url:
        return LocalFileSystem(), str(Path(url).expanduser().absolute())
    try:
        files, path = FileSystem.from_uri(url)
    except ArrowInvalid:
        return _open_by_fsspec(url)
    return files, path


def _open_by_fsspec(url: str) -> tuple[Any, str]:
    import fsspec
    from pyarrow.fs import FSSpecHandler, PyFileSystem

    try:
        files, path = fsspec.core.url_to_fs(url)
    except (ImportError, ValueError) as error:
        raise TouchstoneError(f"{url} cannot be opened: {error}.") from error
    return PyFileSystem(FSSpecHandler(files)), path
