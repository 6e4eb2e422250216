"""Which weights decide a number and whose code may run: hashes of the deciding files, and the repositories that TOUCHSTONE_TRUSTED_REPOS names."""

from __future__ import annotations

import hashlib
import re
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from core.errors import LoadError, TouchstoneError
from core.memoize import open_database
from core.models.files import checkpoint_parts, deciding_files, hub_file, is_local_source, locate, read_json_object
from core.settings import Settings
from core.types import Checkpoint

_FileKey = tuple[str, int, int]
_TABLE = "CREATE TABLE IF NOT EXISTS file (path TEXT PRIMARY KEY, size INTEGER, mtime_ns INTEGER, sha256 TEXT)"


class Fingerprints:
    """Remembers hashes by path, size and time of change, in memory and in a small database; safe among threads."""

    def __init__(self, cache_dir: Path) -> None:
        self._path = cache_dir / "fingerprints.sqlite"
        self._lock = threading.Lock()
        self._known: dict[_FileKey, str] = {}

    def of(self, checkpoint: Checkpoint) -> str:
        """Sha256, in hex, over names and contents of the deciding files. Raises MissingWeightsError."""
        places = [(locate(part), part.kind) for part in checkpoint_parts(checkpoint)]
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

    def _recall(self, key: _FileKey) -> str | None:
        with self._store() as store:
            row = store.execute("SELECT sha256 FROM file WHERE path=? AND size=? AND mtime_ns=?", key).fetchone()
        return row[0] if row else None

    def _read(self, path: Path, key: _FileKey) -> str:
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        with self._store() as store:
            store.execute("INSERT OR REPLACE INTO file VALUES (?, ?, ?, ?)", (*key, digest))
        return digest

    @contextmanager
    def _store(self) -> Iterator[sqlite3.Connection]:
        with closing(open_database(self._path, "cache of hashes", _TABLE)) as store, store:
            yield store


def untrusted_reason(checkpoint: Checkpoint) -> str:
    """Why the code of a checkpoint may not run here, and what to do; empty where the machine's setting allows it."""
    return _untrusted_message(checkpoint, _trusted_name(checkpoint, _code_folder(checkpoint)))


def require_trust(checkpoint: Checkpoint, folder: Path) -> None:
    """Raise LoadError, with what to do, unless the code in `folder` was trusted, and nothing there calls for other code."""
    reason = _untrusted_message(checkpoint, _trusted_name(checkpoint, folder)) or _foreign_code_reason(folder)
    if reason:
        raise LoadError(reason)


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
    return f"{repository}@{folder.name if folder else _commit_of(checkpoint.revision)}"


def _commit_of(revision: str) -> str:
    """The revision where it is a commit; of a branch nobody knows what code it will bring."""
    return revision if re.fullmatch(r"[0-9a-f]{40}", revision) else "COMMIT"


def _code_folder(checkpoint: Checkpoint) -> Path | None:
    try:
        return locate(checkpoint)
    except TouchstoneError:
        return None  # nothing to run yet: loading says why


def _foreign_code_reason(folder: Path) -> str:
    """Why a folder is refused that has transformers fetch code or a model from a repository which nobody read."""
    named = read_json_object(folder / "config.json").get("auto_map")
    classes = [str(value) for value in named.values()] if isinstance(named, dict) else []
    foreign = [name for name in classes if "--" in name]
    if (folder / "adapter_config.json").is_file():
        foreign.append("the model in adapter_config.json")
    if not foreign:
        return ""
    return (
        f"{folder} calls for code of another repository ({', '.join(foreign)}), which was not read with it. Put that code "
        "into the folder, name it in config.json without the repository, and trust the folder."
    )
