"""A hash of the contents that decide a checkpoint's numbers, read once per file and machine."""

from __future__ import annotations

import hashlib
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from core.llm.addressee import SOURCE, address_in
from core.llm.endpoint import asked_by, fingerprint_of
from core.models.files import deciding_files, locate, parts
from core.types import Checkpoint

_Key = tuple[str, int, int]


class Fingerprints:
    """Remembers hashes by path, size and time of change, in memory and in a small database; safe among threads."""

    def __init__(self, cache_dir: Path) -> None:
        self._path = cache_dir / "fingerprints.sqlite"
        self._lock = threading.Lock()
        self._known: dict[_Key, str] = {}

    def of(self, checkpoint: Checkpoint) -> str:
        """Sha256, in hex, over names and contents of the deciding files, or over the address of the endpoint that answers.

        Raises NotHereError, NoEndpointError.
        """
        if checkpoint.source == SOURCE:
            return fingerprint_of(address_in(checkpoint) or asked_by(checkpoint).address)
        places = [(locate(part), part.kind) for part in parts(checkpoint)]
        with self._lock:
            lines = [
                f"{path.relative_to(place)} {self._of_file(path)}"
                for place, kind in places
                for path in deciding_files(place, kind)
            ]
        return hashlib.sha256("\n".join(lines).encode()).hexdigest()

    def _of_file(self, path: Path) -> str:
        real = path.resolve()
        stat = real.stat()
        key = (str(real), stat.st_size, stat.st_mtime_ns)
        if key not in self._known:
            self._known[key] = self._recall(key) or self._read(real, key)
        return self._known[key]

    def _recall(self, key: _Key) -> str | None:
        with self._store() as store:
            row = store.execute("SELECT sha256 FROM file WHERE path=? AND size=? AND mtime_ns=?", key).fetchone()
        return row[0] if row else None

    def _read(self, path: Path, key: _Key) -> str:
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        with self._store() as store:
            store.execute("INSERT OR REPLACE INTO file VALUES (?, ?, ?, ?)", (*key, digest))
        return digest

    @contextmanager
    def _store(self) -> Iterator[sqlite3.Connection]:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with closing(sqlite3.connect(self._path, timeout=30)) as store, store:
            store.execute(
                "CREATE TABLE IF NOT EXISTS file (path TEXT PRIMARY KEY, size INTEGER, mtime_ns INTEGER, sha256 TEXT)"
            )
            yield store
