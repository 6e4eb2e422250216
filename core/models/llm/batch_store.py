"""The batches under way, kept beside the answers: whoever starts after them collects them, and submits nothing again."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from core.errors import TouchstoneError

_FILE = "batches-1.sqlite"  # the number changes with the layout
_TABLES = """
CREATE TABLE IF NOT EXISTS batch (
    file TEXT PRIMARY KEY, id TEXT, address TEXT, left_out TEXT, reservation TEXT, money REAL, submitted REAL);
CREATE TABLE IF NOT EXISTS question (key BLOB PRIMARY KEY, file TEXT, kind TEXT, model TEXT, prompt TEXT) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS question_of_file ON question (file);
"""
_MAX_SQL_VARIABLES = 500


@dataclass(frozen=True, slots=True)
class StoredBatch:
    """A file of requests that was uploaded, and the batch that answers it; its `id` is empty until there is one.

    `left_out` is what its requests go without. `money` is reserved for it under `reservation`. `submitted` is in seconds
    of time.time().
    """

    file: str
    address: str
    left_out: frozenset[str]
    reservation: str
    money: float
    id: str = ""
    submitted: float = 0.0


@dataclass(frozen=True, slots=True)
class StoredQuestion:
    """Facts about a question for whoever collects its answer: its kind, its model, and the prompt that asks."""

    kind: str
    model: str
    prompt: str


class BatchStore:
    """Safe among threads and processes: a question is in one batch at a time. Every call raises TouchstoneError alone."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / _FILE

    def add(self, batch: StoredBatch, questions: Mapping[bytes, StoredQuestion]) -> bool:
        """Keep an uploaded file with its questions by key; False where another process has one of them."""
        row = (batch.file, "", batch.address, json.dumps(sorted(batch.left_out)), batch.reservation, batch.money)
        try:
            with self._database() as database:
                rows = [
                    (key, batch.file, question.kind, question.model, question.prompt)
                    for key, question in questions.items()
                ]
                database.executemany("INSERT INTO question VALUES (?, ?, ?, ?, ?)", rows)
                database.execute("INSERT INTO batch VALUES (?, ?, ?, ?, ?, ?, ?)", (*row, time.time()))
        except sqlite3.IntegrityError:
            return False
        return True

    def name(self, file: str, id: str) -> None:
        """Note the batch that answers a file."""
        with self._database() as database:
            database.execute("UPDATE batch SET id = ? WHERE file = ?", (id, file))

    def remove(self, file: str) -> None:
        """Forget a batch that is collected, or never will be."""
        with self._database() as database:
            database.execute("DELETE FROM question WHERE file = ?", (file,))
            database.execute("DELETE FROM batch WHERE file = ?", (file,))

    def batches(self, address: str) -> list[StoredBatch]:
        """Those of an endpoint, the oldest first."""
        columns = "file, address, left_out, reservation, money, id, submitted"
        with self._database() as database:
            rows = database.execute(
                f"SELECT {columns} FROM batch WHERE address = ? ORDER BY submitted", (address,)
            ).fetchall()
        return [StoredBatch(file, place, frozenset(json.loads(out)), *rest) for file, place, out, *rest in rows]

    def questions(self, file: str) -> dict[bytes, StoredQuestion]:
        """The questions of a file, by key."""
        with self._database() as database:
            rows = database.execute("SELECT key, kind, model, prompt FROM question WHERE file = ?", (file,))
            return {key: StoredQuestion(*rest) for key, *rest in rows}

    def find(self, keys: Sequence[bytes]) -> dict[bytes, str]:
        """The files that hold these questions, by key."""
        files: dict[bytes, str] = {}
        with self._database() as database:
            for start in range(0, len(keys), _MAX_SQL_VARIABLES):
                some = keys[start : start + _MAX_SQL_VARIABLES]
                marks = ",".join("?" * len(some))
                files.update(database.execute(f"SELECT key, file FROM question WHERE key IN ({marks})", some))
        return files

    @contextmanager
    def _database(self) -> Iterator[sqlite3.Connection]:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with closing(sqlite3.connect(self._path, timeout=30)) as database, database:
                database.execute("PRAGMA synchronous=FULL")  # a batch that is forgotten is paid for twice
                database.executescript(_TABLES)
                yield database
        except sqlite3.IntegrityError:
            raise
        except (OSError, sqlite3.Error) as error:
            raise TouchstoneError(
                f"The batches under way cannot be kept in {self._path}: {error}. Set TOUCHSTONE_CACHE_DIR to a folder "
                "that can be written."
            ) from error
