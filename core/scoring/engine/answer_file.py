"""Answers in a SQLite file: a row with a checksum each, that of use its order, and what can be saved of a damaged file."""

from __future__ import annotations

import json
import logging
import sqlite3
from array import array
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, suppress
from functools import lru_cache, partial
from pathlib import Path
from typing import TypeVar
from zlib import crc32

from core.base import is_damage, open_database, set_aside_if_damaged
from core.errors import TouchstoneError
from core.types import Answer, Span

R = TypeVar("R")
AnswerRow = tuple[bytes, bytes, str, int]
"""Key, values as doubles, the rest of the answer as JSON, and the checksum of these three."""

_MAX_SQL_VARIABLES = 999  # of one statement, in any version of SQLite
_NUMBERS_ONLY = b"[[], [], "  # how an answer without spans and texts begins, as JSON writes it: of most models
# The order of `id` is that of use. What is dropped therefore lies together in the file, and leaves whole pages free.
_TABLE = (
    "CREATE TABLE IF NOT EXISTS answer "
    "(id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, numbers BLOB, rest TEXT, checksum INTEGER)"
)
_COLUMNS = "key, numbers, rest, checksum"
_READ = f"SELECT id, {_COLUMNS} FROM answer WHERE key IN"
_WRITE = f"INSERT OR IGNORE INTO answer ({_COLUMNS}) VALUES (?, ?, ?, ?)"
_DELETE = "DELETE FROM answer WHERE key = ?"
_HOLDS_ANY = "SELECT EXISTS (SELECT 1 FROM answer)"
_MARK_USED = "UPDATE answer SET id = (SELECT max(id) + 1 FROM answer) WHERE key = ?"
_DROP_OLDEST = "DELETE FROM answer WHERE id IN (SELECT id FROM answer ORDER BY id LIMIT ?)"
_BETWEEN = f"SELECT {_COLUMNS} FROM answer WHERE id BETWEEN ? AND ?"
_STEP_ANSWERS = 100  # marked or dropped in one transaction: a millisecond or two, for which others wait
_MOST_STEPS = 50  # after one write
_STEP_PAGES = 256  # given back to the disk after a write, where the file is larger than a limit that was lowered
_MOST_MARKS = 20_000  # keys that were read and wait for the next write
_LEAST_ROW_BYTES = 40  # a key, its index entry, and the header of a row take more

_LOG = logging.getLogger(__name__)


class AnswerFile:
    """Answers by key; its owner sees to it that one thread at a time is inside. A write that was returned from is on disk.

    Beyond `limit_bytes` the least recently used answers are dropped, a few after each write. Without a limit nothing is
    dropped, and the rows of a damaged file are copied to the new one. A row whose checksum is another counts as not there.
    """

    def __init__(self, file: Path, what: str, limit_bytes: int | None = None) -> None:
        self._file = file
        self._what = what
        self._limit_bytes = limit_bytes
        self._used: deque[bytes] = deque(maxlen=_MOST_MARKS)
        self._disk = self._open()
        self._old_until = self._find_old()

    @property
    def size_bytes(self) -> int:
        return self._pragma("page_count") * self._pragma("page_size")

    def read(self, keys: Sequence[bytes]) -> dict[bytes, Answer]:
        """The answers that are there and sound; a damaged one is deleted, which the log says.

        Raises TouchstoneError where the system or another program keeps the file from being read.
        """
        answers: dict[bytes, Answer] = {}
        damaged: list[bytes] = []
        for start in range(0, len(keys), _MAX_SQL_VARIABLES):
            some = keys[start : start + _MAX_SQL_VARIABLES]
            try:
                rows = self._reading(partial(_read_rows, keys=some))
            except sqlite3.OperationalError as error:
                raise TouchstoneError(
                    f"The {self._what} cannot be read: {error}. Settle that, then try again."
                ) from error
            for id, key, numbers, rest, checksum in rows:
                if not _is_sound(key, numbers, rest, checksum):
                    damaged.append(key)
                    continue
                answers[key] = parse_answer(numbers, rest)
                if id < self._old_until:
                    self._used.append(key)
        if damaged:
            self.delete(damaged)
            _LOG.warning(
                "%d answers in %s do not have the checksum that they were written with. They were deleted, and are asked again.",
                len(damaged),
                self._file,
            )
        return answers

    def write(self, rows: Sequence[AnswerRow]) -> None:
        """Add rows whose key is new, and mark what was read since the last write as used."""
        used = [(self._used.popleft(),) for _ in range(min(len(self._used), _STEP_ANSWERS))]
        if rows or used:
            self._reading(lambda disk: self._write(disk, rows, used))
            with suppress(
                sqlite3.OperationalError
            ):  # of the disk or a lock: the rows are written, and the next write drops what is old
                self._shrink()

    def delete(self, keys: Iterable[bytes]) -> None:
        self._reading(partial(_delete_rows, keys=list(keys)))

    def close(self) -> None:
        with closing(self._disk):
            self.write(())

    def _open(self) -> sqlite3.Connection:
        salvage = _salvage if self._limit_bytes is None else None
        disk = open_database(self._file, self._what, _TABLE, salvage)
        disk.text_factory = bytes  # a damaged text is told by its checksum, before it is decoded
        return disk

    def _write(self, disk: sqlite3.Connection, rows: Sequence[AnswerRow], used: Sequence[tuple[bytes]]) -> None:
        with disk:
            disk.executemany(_MARK_USED, used)
            disk.executemany(_WRITE, rows)

    def _reading(self, work: Callable[[sqlite3.Connection], R]) -> R:
        """The result of some work on the file; where the file turns out to be damaged, on the one that replaces it."""
        try:
            return work(self._disk)
        except sqlite3.DatabaseError as error:
            if not is_damage(error):
                raise
        self._disk.close()
        aside = set_aside_if_damaged(self._file, self._what)
        self._disk = self._open()
        if aside and self._limit_bytes is None:
            _salvage(aside, self._disk)
        self._old_until = self._find_old()
        return work(self._disk)

    def _shrink(self) -> None:
        """Drop the least recently used answers while the file holds more than the limit, in several transactions."""
        if self._limit_bytes is None:
            return
        for _ in range(_MOST_STEPS):
            if self._held_bytes() <= self._limit_bytes:
                break
            with self._disk:
                dropped = self._disk.execute(_DROP_OLDEST, (_STEP_ANSWERS,)).rowcount
            if not dropped:
                break
        if self.size_bytes > self._limit_bytes:
            self._disk.execute(f"PRAGMA incremental_vacuum({_STEP_PAGES})").fetchall()
        self._old_until = self._find_old()

    def _find_old(self) -> int:
        """Answers with an id below this are marked when they are read; none where the limit is far, or the file does not say."""
        try:
            if self._limit_bytes is None or self._held_bytes() < self._limit_bytes // 2:
                return 0
            oldest, newest = self._disk.execute("SELECT min(id), max(id) FROM answer").fetchone()
        except sqlite3.OperationalError:  # of the disk or a lock: the order of use is worth no answer
            return 0
        return 0 if oldest is None else int(oldest + newest) // 2

    def _held_bytes(self) -> int:
        """Bytes of the file that answers take; what was dropped leaves pages that are written again."""
        return (self._pragma("page_count") - self._pragma("freelist_count")) * self._pragma("page_size")

    def _pragma(self, name: str) -> int:
        return int(self._disk.execute(f"PRAGMA {name}").fetchone()[0])


def answer_row(key: bytes, answer: Answer) -> AnswerRow:
    """An answer as it stands in the file."""
    numbers = array("d", answer.values).tobytes()
    if answer.spans or answer.texts:
        spans = [[span.start, span.end] for span in answer.spans]
        rest = json.dumps([spans, answer.texts, answer.tokens, answer.cut])
    else:
        rest = f"{_NUMBERS_ONLY.decode()}{answer.tokens}, {answer.cut}]"
    return key, numbers, rest, _checksum(key, numbers, rest.encode())


def _salvage(damaged: Path, disk: sqlite3.Connection) -> None:
    rows = list(salvage_rows(damaged))
    with disk:
        disk.executemany(_WRITE, rows)
    _LOG.warning("%d answers of %s could be read and were kept.", len(rows), damaged.name)


def salvage_rows(damaged: Path) -> Iterator[AnswerRow]:
    """The sound rows that can still be read from a damaged file, found by halving the ranges that cannot be read."""
    with closing(sqlite3.connect(damaged, timeout=30)) as database:
        database.text_factory = bytes
        database.execute(
            "PRAGMA writable_schema=ON"
        )  # else nothing is read of a file that is shorter than it should be
        ranges = [(1, damaged.stat().st_size // _LEAST_ROW_BYTES + 1)]
        while ranges:
            low, high = ranges.pop()
            try:
                rows = database.execute(_BETWEEN, (low, high)).fetchall()
            except sqlite3.DatabaseError:
                if low < high:
                    middle = (low + high) // 2
                    ranges += [(middle + 1, high), (low, middle)]
            else:
                yield from (
                    (key, numbers, rest.decode(), sum)
                    for key, numbers, rest, sum in rows
                    if _is_sound(key, numbers, rest, sum)
                )


def _read_rows(disk: sqlite3.Connection, keys: Sequence[bytes]) -> list[tuple[int, bytes, bytes, bytes, int]]:
    [holds_any] = disk.execute(_HOLDS_ANY).fetchone()  # hardly anybody has paid answers: each key would be searched
    return disk.execute(f"{_READ} ({','.join('?' * len(keys))})", keys).fetchall() if holds_any else []


def _delete_rows(disk: sqlite3.Connection, keys: Iterable[bytes]) -> None:
    with disk:
        disk.executemany(_DELETE, [(key,) for key in keys])


def _is_sound(key: bytes, numbers: bytes, rest: bytes, checksum: int) -> bool:
    """True if a row is the one that was written; in a damaged file a column may hold another type."""
    are_bytes = isinstance(key, bytes) and isinstance(numbers, bytes) and isinstance(rest, bytes)
    return are_bytes and _checksum(key, numbers, rest) == checksum


def _checksum(key: bytes, numbers: bytes, rest: bytes) -> int:
    return crc32(rest, crc32(numbers, crc32(key)))


def parse_answer(numbers: bytes, rest: bytes) -> Answer:
    """The answer of a row, which is known to be sound."""
    values = tuple(memoryview(numbers).cast("d"))
    if rest.startswith(_NUMBERS_ONLY):
        return Answer(values, (), (), *_read_lengths(rest))
    spans, texts, tokens, cut = json.loads(rest)
    return Answer(values, tuple(Span(*span) for span in spans), tuple(texts), tokens, cut)


@lru_cache(4096)
def _read_lengths(rest: bytes) -> tuple[int, int]:
    """Tokens and cut of an answer without spans and texts: a few lengths come again and again."""
    tokens, cut = rest[len(_NUMBERS_ONLY) : -1].split(b", ")
    return int(tokens), int(cut)
