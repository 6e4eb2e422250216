"""Answers already given: a memory of recent ones over a SQLite file that every process of this machine may share."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import threading
from array import array
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from cachetools import LRUCache

from core.memoize import open_database
from core.types import Answer, Checkpoint, Question, Span

_MEMORY_ANSWERS = 20_000  # answers; a probability weighs about 1 kB, an embedding about 15 kB
_MAX_SQL_VARIABLES = 500  # SQLite limits the variables of one statement
_FILE = "answers-1.sqlite"  # the number changes with the layout; an old file is simply not read
UNREADABLE_ANSWERS_FILE = "unreadable-answers.jsonl"
"""Beside the cache: what language models said and nobody could use."""
_TABLE = "CREATE TABLE IF NOT EXISTS answer (key BLOB PRIMARY KEY, numbers BLOB, rest TEXT) WITHOUT ROWID"


def cache_key(question: Question, fingerprint: str, device: str) -> bytes:
    """32 bytes that change with the weights, tokenizer, settings, exact inputs and kind of device, and with nothing else."""
    model = question.checkpoint
    dtype = model.dtype if isinstance(model, Checkpoint) else ""
    # the order in which labels are answered
    expected = model.expects.labels if isinstance(model, Checkpoint) and model.expects else ()
    facts = [fingerprint, model.kind, dtype, expected, device, question.options, question.inputs]
    return hashlib.sha256(json.dumps(facts).encode()).digest()


class AnswerCache:
    """Answers by key. Safe for many threads and many processes; a write that was returned from is on disk."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._lock = threading.Lock()
        self._memory: LRUCache[bytes, Answer] = LRUCache(_MEMORY_ANSWERS)
        self._unwritten: deque[tuple[bytes, bytes, str]] = deque()
        self._disk = open_database(folder / _FILE, "answer cache", _TABLE)

    def get(self, keys: Sequence[bytes]) -> dict[bytes, Answer]:
        """The answers that are known among these keys."""
        with self._lock:
            found = self._recent(keys)
            missing = [key for key in dict.fromkeys(keys) if key not in found]
            read = self._read(missing)
            self._memory.update(read)
            return found | read

    def recent(self, keys: Iterable[bytes]) -> dict[bytes, Answer]:
        """The answers among these keys that were read or written recently; does not touch the disk."""
        with self._lock:
            return self._recent(keys)

    def put(self, answers: Mapping[bytes, Answer]) -> None:
        # threads that come while another one writes have their rows written together by the first of them
        self._unwritten.extend((key, *_serialize(answer)) for key, answer in answers.items())
        with self._lock:
            self._write()
            self._memory.update(answers)

    def reject(self, keys: Iterable[bytes], problem: str) -> None:
        """Forget answers that cannot be used, and keep them with the problem in a file for people to look at."""
        with self._lock, self._disk:
            for key in keys:
                found = self._recent([key]) or self._read([key])
                self._memory.pop(key, None)
                self._disk.execute("DELETE FROM answer WHERE key = ?", (key,))
                _append_line(self.folder / UNREADABLE_ANSWERS_FILE, problem, found.get(key))

    def close(self) -> None:
        with self._lock:
            self._disk.close()

    def _write(self) -> None:
        rows = [self._unwritten.popleft() for _ in range(len(self._unwritten))]
        if not rows:
            return
        try:
            with self._disk:
                self._disk.executemany("INSERT OR IGNORE INTO answer VALUES (?, ?, ?)", rows)
        except sqlite3.Error:
            self._unwritten.extendleft(rows)  # whoever brought them has to hear of it too
            raise

    def _recent(self, keys: Iterable[bytes]) -> dict[bytes, Answer]:
        return {key: self._memory[key] for key in keys if key in self._memory}

    def _read(self, keys: Sequence[bytes]) -> dict[bytes, Answer]:
        read: dict[bytes, Answer] = {}
        for start in range(0, len(keys), _MAX_SQL_VARIABLES):
            some = keys[start : start + _MAX_SQL_VARIABLES]
            marks = ",".join("?" * len(some))
            rows = self._disk.execute(f"SELECT key, numbers, rest FROM answer WHERE key IN ({marks})", some)
            read.update({key: _deserialize(numbers, rest) for key, numbers, rest in rows})
        return read


def _append_line(file: Path, problem: str, answer: Answer | None) -> None:
    if answer is None:
        return
    when = datetime.now(UTC).isoformat(timespec="seconds")
    line = json.dumps({"time": when, "problem": problem, "texts": answer.texts, "values": answer.values})
    with file.open("a", encoding="utf-8") as lines:
        lines.write(f"{line}\n")


def _serialize(answer: Answer) -> tuple[bytes, str]:
    spans = [[span.start, span.end] for span in answer.spans]
    return array("d", answer.values).tobytes(), json.dumps([spans, answer.texts, answer.tokens, answer.cut])


def _deserialize(numbers: bytes, rest: str) -> Answer:
    spans, texts, tokens, cut = json.loads(rest)
    values = array("d")
    values.frombytes(numbers)
    return Answer(tuple(values), tuple(Span(*span) for span in spans), tuple(texts), tokens, cut)
