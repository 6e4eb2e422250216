"""Answers already given: a memory of recent ones over a SQLite file of limited size that processes of this machine may share."""

from __future__ import annotations

import hashlib
import json
import logging
import sqlite3
import struct
import sys
import threading
from array import array
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime
from functools import lru_cache
from json.encoder import encode_basestring_ascii
from pathlib import Path

from core.memoize import open_database
from core.model_reference import Checkpoint, ModelRef
from core.types import Answer, Option, Question, Span

_MEMORY_ANSWERS = 20_000  # answers; a probability weighs about 1 kB, an embedding about 15 kB
_MAX_SQL_VARIABLES = 500  # SQLite limits the variables of one statement
_NUMBERS_ONLY = "[[], [], "  # how an answer without spans and texts begins, as JSON writes it: of most models
_FILE = "answers-2.sqlite"  # the number changes with the layout; an old file is simply not read
UNREADABLE_ANSWERS_FILE = "unreadable-answers.jsonl"
"""Beside the cache: what language models said and nobody could use."""
# The order of `id` is that of use. What is dropped therefore lies together in the file, and leaves whole pages free.
# What was paid for has negative ids, and is never dropped.
_TABLE = "CREATE TABLE IF NOT EXISTS answer (id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, numbers BLOB, rest TEXT)"
_READ = "SELECT id, key, numbers, rest FROM answer WHERE key IN"
_WRITE = "INSERT OR IGNORE INTO answer (key, numbers, rest) VALUES (?, ?, ?)"
_WRITE_PAID = (
    "INSERT OR IGNORE INTO answer (id, key, numbers, rest) VALUES "
    "((SELECT min(coalesce(min(id), 0), 0) - 1 FROM answer), ?, ?, ?)"
)
_MARK_USED = "UPDATE answer SET id = (SELECT max(id) + 1 FROM answer) WHERE key = ? AND id >= 0"
_ENDS = "SELECT (SELECT min(id) FROM answer WHERE id >= 0), (SELECT max(id) FROM answer WHERE id >= 0)"
_DROP_OLDEST = "DELETE FROM answer WHERE id IN (SELECT id FROM answer WHERE id >= 0 ORDER BY id LIMIT ?)"
_STEP_ANSWERS = 100  # marked or dropped in one transaction: a millisecond or two, for which others wait
_MOST_STEPS = 50  # after one write
_STEP_PAGES = 256  # given back to the disk after a write, where the file is larger than a limit that was lowered
_NO_ROOM = {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR}

_log = logging.getLogger(__name__)


def cache_key(question: Question, fingerprint: str, device: str) -> bytes:
    """32 bytes that change with the weights, tokenizer, settings, exact inputs and kind of device, and with nothing else."""
    [key] = cache_keys([question], lambda _: (fingerprint, device))
    return key


def cache_keys(questions: Sequence[Question], weights: Callable[[ModelRef], tuple[str, str]]) -> list[bytes]:
    """The key of each question; `weights` gives the fingerprint and the device of a model, and is called a few times."""
    heads: dict[tuple[int, tuple[Option, ...]], str] = {}  # what many questions share is written once
    keys = []
    for question in questions:
        model, options = question.checkpoint, question.options
        head = heads.get((id(model), options))
        if head is None:
            head = heads[id(model), options] = _key_head(model, options, *weights(model))
        inputs = ", ".join(
            map(encode_basestring_ascii, question.inputs)
        )  # as json.dumps writes a text, in half the time
        keys.append(hashlib.sha256(f"{head}, [{inputs}]]".encode()).digest())
    return keys


def _key_head(model: ModelRef, options: Sequence[Option], fingerprint: str, device: str) -> str:
    """All that decides an answer but the inputs, as the beginning of a JSON list."""
    dtype = model.dtype if isinstance(model, Checkpoint) else ""
    # the order in which labels are answered
    expected = model.expects.labels if isinstance(model, Checkpoint) and model.expects else ()
    return json.dumps([fingerprint, model.kind, dtype, expected, device, options])[:-1]


class AnswerCache:
    """Answers by key. Safe for many threads and many processes; a write that was returned from is on disk.

    Where the file takes more than `limit_bytes` the least recently used answers are dropped from it, a few after each
    write, but none that was paid for. On a full disk answers stay in memory only, with a warning in the log.
    """

    def __init__(self, folder: Path, limit_bytes: int = sys.maxsize) -> None:
        self.folder = folder
        self.limit_bytes = limit_bytes
        self._lock = threading.Lock()
        self._memory: OrderedDict[bytes, Answer] = OrderedDict()  # the least recently used first
        self._unwritten: deque[tuple[bytes, bytes, str]] = deque()
        self._unwritten_paid: deque[tuple[bytes, bytes, str]] = deque()
        self._used: deque[bytes] = deque(maxlen=_MEMORY_ANSWERS)
        self._disk = open_database(folder / _FILE, "answer cache", _TABLE)
        self._warned = False
        self._old_until = self._find_old()

    @property
    def size_bytes(self) -> int:
        """Size of its file on disk."""
        with self._lock:
            return self._pragma("page_count") * self._pragma("page_size")

    def get(self, keys: Sequence[bytes]) -> dict[bytes, Answer]:
        """The answers that are known among these keys."""
        with self._lock:
            found = self._recent(keys)
            missing = [key for key in dict.fromkeys(keys) if key not in found]
            read = self._read(missing)
            self._remember(read)
            return found | read

    def recent(self, keys: Iterable[bytes]) -> dict[bytes, Answer]:
        """The answers among these keys that were read or written recently; does not touch the disk."""
        with self._lock:
            return self._recent(keys)

    def put(self, answers: Mapping[bytes, Answer], paid: bool = False) -> None:
        """Keep answers; those that were `paid` for as long as the file is there."""
        # threads that come while another one writes have their rows written together by the first of them
        unwritten = self._unwritten_paid if paid else self._unwritten
        unwritten.extend((key, *_serialize(answer)) for key, answer in answers.items())
        with self._lock:
            self._write()
            self._remember(answers)

    def reject(self, keys: Iterable[bytes], problem: str) -> None:
        """Forget answers that cannot be used, and keep them with the problem in a file for people to look at."""
        with self._lock, self._disk:
            for key in keys:
                found = self._recent([key]) or self._read([key])
                self._memory.pop(key, None)
                self._disk.execute("DELETE FROM answer WHERE key = ?", (key,))

                file = self.folder / UNREADABLE_ANSWERS_FILE
                answer = found.get(key)
                if answer is not None:
                    when = datetime.now(UTC).isoformat(timespec="seconds")
                    line = json.dumps(
                        {"time": when, "problem": problem, "texts": answer.texts, "values": answer.values}
                    )
                    with file.open("a", encoding="utf-8") as lines:
                        lines.write(f"{line}\n")

    def close(self) -> None:
        with self._lock, closing(self._disk):
            self._write()
            self._used.clear()

    def _write(self) -> None:
        rows = [self._unwritten.popleft() for _ in range(len(self._unwritten))]
        paid = [self._unwritten_paid.popleft() for _ in range(len(self._unwritten_paid))]
        used = [(self._used.popleft(),) for _ in range(min(len(self._used), _STEP_ANSWERS))]
        if not rows and not paid and not used:
            return
        try:
            with self._disk:
                self._disk.executemany(_MARK_USED, used)
                self._disk.executemany(_WRITE, rows)
                self._disk.executemany(_WRITE_PAID, paid)
            self._shrink()
        except sqlite3.Error as error:
            if error.sqlite_errorcode & 0xFF in _NO_ROOM:
                self._warn(error)
                return
            self._unwritten_paid.extendleft(paid)
            self._unwritten.extendleft(rows)  # whoever brought them has to hear of it too
            raise

    def _shrink(self) -> None:
        """Drop the least recently used answers while the file holds more than the limit, in several transactions."""
        for _ in range(_MOST_STEPS):
            if self._held_bytes() <= self.limit_bytes:
                break
            with self._disk:
                dropped = self._disk.execute(_DROP_OLDEST, (_STEP_ANSWERS,)).rowcount
            if not dropped:
                break
        if self._pragma("page_count") * self._pragma("page_size") > self.limit_bytes:
            self._disk.execute(f"PRAGMA incremental_vacuum({_STEP_PAGES})").fetchall()
        self._old_until = self._find_old()

    def _find_old(self) -> int:
        """Answers with an id below this are marked when they are read; none where the limit is far."""
        if self._held_bytes() < self.limit_bytes // 2:
            return 0
        oldest, newest = self._disk.execute(_ENDS).fetchone()
        return 0 if oldest is None else int(oldest + newest) // 2

    def _held_bytes(self) -> int:
        """Bytes of the file that answers take; what was dropped leaves pages that are written again."""
        return (self._pragma("page_count") - self._pragma("freelist_count")) * self._pragma("page_size")

    def _pragma(self, name: str) -> int:
        return int(self._disk.execute(f"PRAGMA {name}").fetchone()[0])

    def _warn(self, error: sqlite3.Error) -> None:
        if not self._warned:
            self._warned = True
            _log.warning(
                "Answers are no longer kept in %s: %s. Free some space on the disk, or set TOUCHSTONE_CACHE_DIR to "
                "another; what is not kept is asked again after a restart.",
                self.folder / _FILE,
                error,
            )

    def _recent(self, keys: Iterable[bytes]) -> dict[bytes, Answer]:
        found = {key: self._memory[key] for key in keys if key in self._memory}
        for key in found:
            self._memory.move_to_end(key)
        return found

    def _remember(self, answers: Mapping[bytes, Answer]) -> None:
        self._memory.update(answers)
        for _ in range(len(self._memory) - _MEMORY_ANSWERS):
            self._memory.popitem(last=False)

    def _read(self, keys: Sequence[bytes]) -> dict[bytes, Answer]:
        read: dict[bytes, Answer] = {}
        for start in range(0, len(keys), _MAX_SQL_VARIABLES):
            some = keys[start : start + _MAX_SQL_VARIABLES]
            marks = ",".join("?" * len(some))
            for id, key, numbers, rest in self._disk.execute(f"{_READ} ({marks})", some):
                values = struct.unpack(f"{len(numbers) // 8}d", numbers)
                if rest.startswith(_NUMBERS_ONLY):
                    read[key] = Answer(values, (), (), *_read_lengths(rest))
                else:
                    spans, texts, tokens, cut = json.loads(rest)
                    read[key] = Answer(values, tuple(Span(*span) for span in spans), tuple(texts), tokens, cut)

                if 0 <= id < self._old_until:
                    self._used.append(key)
        return read


def _serialize(answer: Answer) -> tuple[bytes, str]:
    numbers = array("d", answer.values).tobytes()
    if not answer.spans and not answer.texts:
        return numbers, f"{_NUMBERS_ONLY}{answer.tokens}, {answer.cut}]"
    spans = [[span.start, span.end] for span in answer.spans]
    return numbers, json.dumps([spans, answer.texts, answer.tokens, answer.cut])


@lru_cache(4096)
def _read_lengths(rest: str) -> tuple[int, int]:
    """Tokens and cut of an answer without spans and texts: a few lengths come again and again."""
    tokens, cut = rest[len(_NUMBERS_ONLY) : -1].split(", ")
    return int(tokens), int(cut)
