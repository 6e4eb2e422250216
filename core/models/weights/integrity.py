"""Integrity of weights: the files that decide a number, damage to them, and the repositories whose code may run.

Hashes of the deciding files; what a file is instead of what its name says; the repositories that TOUCHSTONE_TRUSTED_REPOS
names.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import threading
import time
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import cache
from itertools import chain, islice
from pathlib import Path

from core.base import open_database
from core.errors import LoadError, TouchstoneError
from core.model_reference import Checkpoint
from core.models.weights.hub_revisions import hub_file, is_commit, revision_of
from core.models.weights.locations import checkpoint_parts, is_local_source, locate
from core.models.weights.weight_files import PARSER_KINDS, deciding_files, read_json_object
from core.settings import Settings

_FileKey = tuple[int, int, int, int, int]
"""Device, inode, size and times of change: two archives of one date unpack to files of one size and mtime."""

_TABLE = (
    "CREATE TABLE IF NOT EXISTS hashed_file "
    "(device INTEGER, inode INTEGER, size INTEGER, mtime_ns INTEGER, ctime_ns INTEGER, sha256 TEXT, "
    "PRIMARY KEY (device, inode))"
)
_IS_VERSION = "device=? AND inode=? AND size=? AND mtime_ns=? AND ctime_ns=?"
_CLOCK_TICK_NS = 50_000_000  # more than a step of the clock that files are stamped with
_READ_ATTEMPTS = 3
_LOCATED_S = 1.0  # after which it is looked again where they lie
_MOST_WATCHED = 32  # folders; with more of them some have nothing to do with a model


@dataclass(frozen=True, slots=True)
class FileVersion:
    """The hash of a checkpoint's files, and what the disk says of each."""

    fingerprint: str
    keys: tuple[_FileKey, ...]


@dataclass(frozen=True, slots=True)
class _Watch:
    """State of files and of their folders on disk when a version was read; after `until` they are located again."""

    version: FileVersion
    paths: tuple[str, ...]
    keys: tuple[_FileKey, ...]
    until: float

    def holds(self) -> bool:
        """True if no file was changed, added or removed since: asked before every forward pass, so stats alone."""
        if time.monotonic() > self.until:
            return False
        try:
            return all(_stat_key(os.stat(path)) == key for path, key in zip(self.paths, self.keys, strict=True))
        except OSError:
            return False


class Fingerprints:
    """Remembers hashes by inode, size and times of change, in memory and in a small database; safe among threads."""

    def __init__(self, cache_dir: Path) -> None:
        self._path = cache_dir / "fingerprints.sqlite"
        self._lock = threading.Lock()
        self._hashes: dict[_FileKey, str] = {}
        self._unsettled: set[_FileKey] = set()  # so new when read that another change could leave the same key
        self._watches: dict[Checkpoint, _Watch] = {}

    def of(self, checkpoint: Checkpoint) -> str:
        """Sha256, in hex, over names and contents of the deciding files. Raises MissingWeightsError, LoadError."""
        watch = self._watches.get(checkpoint)
        return watch.version.fingerprint if watch and watch.holds() else self.version(checkpoint).fingerprint

    def version(self, checkpoint: Checkpoint) -> FileVersion:
        """The same with the files as they lie, which tells that they were replaced and put back. Raises as `of`."""
        # before the files are listed: what comes meanwhile changes its folder
        places = {str(place): _file_key(place) for place in _watched_places(checkpoint)}
        settled = len(places) <= _MOST_WATCHED and all(map(_is_settled, places.values()))
        files = _named_files(checkpoint)
        with self._lock:
            hashed = [(name, *self._of_file(path)) for name, path in files]
            settled = settled and self._unsettled.isdisjoint(key for _, key, _ in hashed)
        keys = tuple(key for _, key, _ in hashed)
        version = FileVersion(_digest((name, digest) for name, _, digest in hashed), keys)
        if settled:
            paths = (*places, *(str(path) for _, path in files))
            until = time.monotonic() + _LOCATED_S
            self._watches[checkpoint] = _Watch(version, paths, (*places.values(), *keys), until)
        return version

    def unchanged(self, checkpoint: Checkpoint, fingerprint: str) -> bool:
        """True if the files are known to have this fingerprint still; reads none, and does not wait for a thread that does."""
        watch = self._watches.get(checkpoint)
        if watch and watch.holds():
            return watch.version.fingerprint == fingerprint
        try:
            hashes = [(name, self._hashes.get(_file_key(path), "")) for name, path in _named_files(checkpoint)]
        except TouchstoneError:
            return False
        return _digest(hashes) == fingerprint

    def _of_file(self, path: Path) -> tuple[_FileKey, str]:
        for _ in range(_READ_ATTEMPTS):
            key = _file_key(path)
            if key in self._hashes and key not in self._unsettled:
                return key, self._hashes[key]
            self._unsettled.discard(key)
            digest = self._recall(key) or self._read(path, key)
            if _file_key(path) == key:
                self._hashes[key] = digest
                return key, digest
        raise LoadError(f"{path} is being written. Try again when it is complete.")

    def _recall(self, key: _FileKey) -> str | None:
        with self._store() as store:
            row = store.execute(f"SELECT sha256 FROM hashed_file WHERE {_IS_VERSION}", key).fetchone()
        return row[0] if row else None

    def _read(self, path: Path, key: _FileKey) -> str:
        settled = _is_settled(key)  # before reading

        try:
            with path.open("rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
        except OSError as error:
            raise _unreadable(path, error) from error

        if not settled:
            self._unsettled.add(key)
        elif _file_key(path) == key:
            with self._store() as store:
                store.execute("INSERT OR REPLACE INTO hashed_file VALUES (?, ?, ?, ?, ?, ?)", (*key, digest))
        return digest

    @contextmanager
    def _store(self) -> Iterator[sqlite3.Connection]:
        with closing(open_database(self._path, "cache of hashes", _TABLE)) as store, store:
            yield store


def fingerprint_of_files(checkpoint: Checkpoint) -> str:
    """Sha256, in hex, of the files of a checkpoint that is not loaded; raises MissingWeightsError, LoadError."""
    return _fingerprints(Settings.read().cache_dir).of(checkpoint)


@cache
def _fingerprints(cache_dir: Path) -> Fingerprints:
    """One for the process: it remembers what it has read."""
    return Fingerprints(cache_dir)


def _named_files(checkpoint: Checkpoint) -> list[tuple[str, Path]]:
    """The deciding files with their names, which do not tell where the checkpoint lies."""
    places = [(locate(part), part.kind) for part in checkpoint_parts(checkpoint)]
    return [(str(path.relative_to(place)), path) for place, kind in places for path in deciding_files(place, kind)]


def _watched_places(checkpoint: Checkpoint) -> list[Path]:
    """Every folder in which a deciding file lies or could be put, and what tells where a branch of the hub is."""
    places = [locate(part) for part in checkpoint_parts(checkpoint)]
    within = chain.from_iterable(os.walk(place) if place.is_dir() else () for place in places)
    folders = [Path(folder) for folder, _, _ in islice(within, _MOST_WATCHED + 1)]
    snapshots = [parent for place in places for parent in place.parents if parent.name == "snapshots"]
    around = [place.parent for place in places if not place.is_dir()]
    return [*folders, *around, *(path for parent in snapshots for path in (parent.parent / "refs").rglob("*"))]


def _digest(files: Iterable[tuple[str, str]]) -> str:
    return hashlib.sha256("\n".join(f"{name} {digest}" for name, digest in files).encode()).hexdigest()


def _file_key(path: Path) -> _FileKey:
    try:
        return _stat_key(path.stat())
    except OSError as error:
        raise _unreadable(path, error) from error


def _stat_key(stat: os.stat_result) -> _FileKey:
    return stat.st_dev, stat.st_ino, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns


def _unreadable(path: Path, error: OSError) -> LoadError:
    return LoadError(
        f"{path} cannot be read ({error.strerror}). Put the file back, or allow it to be read, and try again."
    )


def _is_settled(key: _FileKey) -> bool:
    """True if any later change of the file gives it other times."""
    *_, mtime_ns, ctime_ns = key
    return not 0 <= time.time_ns() - max(mtime_ns, ctime_ns) < _CLOCK_TICK_NS


_LFS_POINTER = b"version https://git-lfs"
_WEB_PAGE = (b"<!doctype", b"<html")
_ZIP = b"PK\x03\x04"


def check_files(checkpoint: Checkpoint) -> None:
    """Raise LoadError, with what to do, for the first file that is damaged; reads the first bytes of each."""
    for part in checkpoint_parts(checkpoint):
        files = [] if part.kind in PARSER_KINDS else deciding_files(locate(part), part.kind)
        for path in files:
            if path.suffix != ".jinja" and (reason := _damage(path)):
                raise LoadError(f"{path} {reason}.")


def _damage(path: Path) -> str:
    size = path.stat().st_size
    with path.open("rb") as file:
        head = file.read(512)
    if not size:
        return "is empty. Get the file again"
    if head.startswith(_LFS_POINTER):
        return "is a pointer of Git LFS and not the file itself. Run `git lfs pull` in its folder, or download the file"
    if head.lstrip().lower().startswith(_WEB_PAGE):
        return "is a web page, which a server sent in place of the file. Log in where it asks for it, and get the file again"
    whole = _tensor_file_size(path, size) if path.suffix == ".safetensors" else 0
    if size < whole:
        return f"is cut off: {size:,} of {whole:,} bytes are here. Get the file again"
    if head.startswith(_ZIP) and not zipfile.is_zipfile(path):
        return "is cut off. Get the file again"
    return ""


def _tensor_file_size(path: Path, size: int) -> int:
    """The bytes that a file of safe tensors must have by its header; 0 where the header cannot be read."""
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        if length > size:
            return 8 + length
        try:
            header = json.loads(file.read(length))
            ends = [tensor["data_offsets"][1] for name, tensor in header.items() if name != "__metadata__"]
        except (ValueError, AttributeError, LookupError, TypeError):
            return 0
    return 8 + length + max(ends, default=0)


def untrusted_reason(checkpoint: Checkpoint) -> str:
    """Reason why the code of a checkpoint may not run here, and what to do; empty where the settings allow it."""
    try:
        code_folder = locate(checkpoint)
    except TouchstoneError:
        code_folder = None
    return _untrusted_message(checkpoint, _trusted_name(checkpoint, code_folder))


def require_trust(checkpoint: Checkpoint, folder: Path) -> None:
    """Raise LoadError, with what to do, unless the code in `folder` was trusted, and nothing there calls for other code."""
    if reason := _untrusted_message(checkpoint, _trusted_name(checkpoint, folder)):
        raise LoadError(reason)
    # transformers would fetch code or a model from a repository which nobody read
    named = read_json_object(folder / "config.json").get("auto_map")
    classes = [str(value) for value in named.values()] if isinstance(named, dict) else []
    foreign = [name for name in classes if "--" in name]
    if (folder / "adapter_config.json").is_file():
        foreign.append("the model in adapter_config.json")
    if foreign:
        raise LoadError(
            f"{folder} calls for code of another repository ({', '.join(foreign)}), which was not read with it. Put that code "
            "into the folder, name it in config.json without the repository, and trust the folder."
        )


def _untrusted_message(checkpoint: Checkpoint, place: str) -> str:
    if place in Settings.read().trusted:
        return ""
    return (
        f"{checkpoint.source} brings code of its own, which would run on this machine with the rights of this program, "
        f"and nobody allowed that here. Read the code; then let whoever runs the machine set TOUCHSTONE_TRUSTED_REPOS={place} "
        "and try again."
    )


def _trusted_name(checkpoint: Checkpoint, folder: Path | None) -> str:
    """The code as the setting names it: a folder's path, or the repository and the commit that lies in the hub's cache."""
    if is_local_source(checkpoint.source):
        return str(Path(checkpoint.source).expanduser().resolve())
    repository, _ = hub_file(checkpoint.source)
    if folder:
        return f"{repository}@{folder.name}"
    revision = revision_of(checkpoint)
    # of a branch nobody knows what code it will bring
    return f"{repository}@{revision if is_commit(revision) else 'COMMIT'}"
