"""Answers already given: a memory of recent ones over SQLite files that processes of this machine may share.

Beside them lies the code behind each signature, in a file each.
"""

from __future__ import annotations

import json
import logging
import os
import re
import sqlite3
import sys
import threading
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime
from hashlib import sha256
from json.encoder import encode_basestring_ascii
from pathlib import Path
from threading import get_ident

from core.base import CodeParts, code_hash
from core.model_reference import Checkpoint, EndpointModel, ModelRef
from core.models import ModelPool, model_fingerprint
from core.scoring.engine.answer_file import AnswerFile, AnswerRow, answer_row, parse_answer
from core.scoring.metric_parts.question_grid import question_runs
from core.scoring.plugins.source import source_hash
from core.types import Answer, Option, Question

_MEMORY_PARTS = 1_000_000  # of recent answers: about 30 MB, as 50,000 of a classifier or 2,500 embeddings
_OWN_PARTS = 16  # of an answer and its key, beside its values, spans and texts
_FILE = "answers-3.sqlite"  # the number changes with the layout
_PAID_FILE = "paid-answers.sqlite"
_OLD_FILE = "answers-2.sqlite"  # of the layout before: what was paid for is taken over, the rest is computed again
_OLD_PAID = "SELECT key, numbers, rest FROM answer WHERE id < 0 ORDER BY id DESC"
UNREADABLE_ANSWERS_FILE = "unreadable-answers.jsonl"
"""Beside the cache: what language models said and nobody could use."""
_NO_ROOM = {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR}

_log = logging.getLogger(__name__)


def fingerprint_of(model: ModelRef, pool: ModelPool) -> str:
    """The hash that a model goes by in signatures and in the cache: of its weights, of its address, or of its code.

    64 hex digits, the first 12 of which are in signatures. Raises TouchstoneError where weights, endpoint or file are missing.
    """
    if isinstance(model, Checkpoint):
        return pool.fingerprint(model)
    return model_fingerprint(model) if isinstance(model, EndpointModel) else source_hash(model.source)


def cache_key(question: Question, fingerprint: str, device: str) -> bytes:
    """32 bytes that change with the weights, tokenizer, settings, exact inputs and kind of device, and with nothing else."""
    [key] = cache_keys([question], lambda _: (fingerprint, device))
    return key


def cache_keys(questions: Sequence[Question], weights: Callable[[ModelRef], tuple[str, str]]) -> list[bytes]:
    """The key of each question; `weights` gives the fingerprint and the device of a model, and is called a few times."""
    heads: dict[tuple[int, tuple[Option, ...]], bytes] = {}  # what many questions share is written once
    written = _WrittenTexts()
    keys: list[bytes] = []
    for run in question_runs(questions):
        about = (id(run.checkpoint), run.options)
        if about not in heads:
            model, (fingerprint, device) = run.checkpoint, weights(run.checkpoint)
            dtype = model.dtype if isinstance(model, Checkpoint) else ""
            # the order in which labels are answered
            expected = model.expects.labels if isinstance(model, Checkpoint) and model.expects else ()
            facts = json.dumps([fingerprint, model.kind, dtype, expected, device, run.options])
            heads[about] = f"{facts[:-1]}, [".encode()
        head = heads[about]
        keys += [
            sha256(head + b", ".join([written[text] for text in inputs]) + b"]]").digest() for inputs in run.inputs
        ]
    return keys


class _WrittenTexts(dict[str, bytes]):
    """Texts as json.dumps writes them, each written once; those of a grid stand in many questions."""

    def __missing__(self, text: str) -> bytes:
        self[text] = encode_basestring_ascii(text).encode()  # in half the time of json.dumps
        return self[text]


class AnswerCache:
    """Answers by key. Safe for many threads and many processes; a write that was returned from is on disk.

    Those that were paid for have a file of their own, from which nothing is dropped. Where the other file takes more than
    `limit_bytes` the least recently used answers are dropped from it, a few after each write. On a full disk answers stay in
    memory only, with a warning in the log.
    """

    def __init__(self, folder: Path, limit_bytes: int = sys.maxsize) -> None:
        self.folder = folder
        self.limit_bytes = limit_bytes
        self._lock = threading.Lock()
        self._memory: OrderedDict[bytes, Answer] = OrderedDict()  # the least recently used first
        self._memory_parts = 0
        self._computed = AnswerFile(folder / _FILE, "answer cache", limit_bytes)
        self._paid = AnswerFile(folder / _PAID_FILE, "file of paid answers")
        self._unwritten: dict[AnswerFile, deque[AnswerRow]] = {self._computed: deque(), self._paid: deque()}
        self._warned = False
        self._take_over_paid()

    @property
    def size_bytes(self) -> int:
        """Size on disk of the file that the limit is for."""
        with self._lock:
            return self._computed.size_bytes

    def get(self, keys: Sequence[bytes]) -> dict[bytes, Answer]:
        """The answers that are known among these keys."""
        with self._lock:
            answers = self._recent(keys)
            for file in self._unwritten:
                if missing := [key for key in dict.fromkeys(keys) if key not in answers]:
                    read = file.read(missing)
                    self._remember(read)
                    answers |= read
            return answers

    def recent(self, keys: Iterable[bytes]) -> dict[bytes, Answer]:
        """The answers among these keys that were read or written recently; does not touch the disk."""
        with self._lock:
            return self._recent(keys)

    def put(self, answers: Mapping[bytes, Answer], paid: bool = False) -> None:
        """Keep answers; those that were `paid` for as long as the file is there."""
        # threads that come while another one writes have their rows written together by the first of them
        self._unwritten[self._paid if paid else self._computed].extend(answer_row(*item) for item in answers.items())
        with self._lock:
            self._write()
            self._remember(answers)

    def reject(self, keys: Iterable[bytes], problem: str) -> None:
        """Forget answers that cannot be used, and keep them with the problem in a file for people to look at."""
        rejected = list(keys)
        answers = self.get(rejected)
        with self._lock:
            for key in rejected:
                if answer := self._memory.pop(key, None):
                    self._memory_parts -= _parts(answer)
            for file in self._unwritten:
                file.delete(rejected)
            when = datetime.now(UTC).isoformat(timespec="seconds")
            with (self.folder / UNREADABLE_ANSWERS_FILE).open("a", encoding="utf-8") as lines:
                for answer in answers.values():
                    record = {"time": when, "problem": problem, "texts": answer.texts, "values": answer.values}
                    lines.write(f"{json.dumps(record)}\n")

    def close(self) -> None:
        with self._lock, closing(self._computed), closing(self._paid):
            self._write()

    def _write(self) -> None:
        for file, unwritten in self._unwritten.items():
            rows = [unwritten.popleft() for _ in range(len(unwritten))]
            try:
                file.write(rows)
            except sqlite3.Error as error:
                if error.sqlite_errorcode & 0xFF not in _NO_ROOM:
                    unwritten.extendleft(reversed(rows))  # the caller that brought them has to learn of it too
                    raise
                self._warn(error)

    def _take_over_paid(self) -> None:
        """Copy the paid answers of the layout before, and remove its file."""
        old = self.folder / _OLD_FILE
        if not old.is_file():
            return
        try:
            with closing(sqlite3.connect(old, timeout=30)) as database:
                database.text_factory = bytes
                for key, numbers, rest in database.execute(_OLD_PAID):
                    try:
                        self._paid.write([answer_row(key, parse_answer(numbers, rest))])
                    except (ValueError, TypeError):  # written before there were checksums: any byte may be wrong
                        _log.warning("A paid answer in %s is damaged, and is asked again.", old)
        except sqlite3.DatabaseError as error:
            _log.warning("The paid answers of %s could not be taken over: %s. The file stays where it is.", old, error)
            return
        for end in ("", "-wal", "-shm"):
            old.with_name(old.name + end).unlink(missing_ok=True)

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
        answers = {key: self._memory[key] for key in keys if key in self._memory}
        for key in answers:
            self._memory.move_to_end(key)
        return answers

    def _remember(self, answers: Mapping[bytes, Answer]) -> None:
        for key, answer in answers.items():
            if before := self._memory.get(key):
                self._memory_parts -= _parts(before)
            self._memory[key] = answer
            self._memory_parts += _parts(answer)
        while self._memory_parts > _MEMORY_PARTS:
            self._memory_parts -= _parts(self._memory.popitem(last=False)[1])


def _parts(answer: Answer) -> int:
    """Size of an answer in memory, in numbers of about 32 bytes."""
    parts = _OWN_PARTS + len(answer.values)
    if answer.spans or answer.texts:  # most answers have none
        parts += 4 * len(answer.spans) + sum([len(text) // 32 + 2 for text in answer.texts])
    return parts


_FOLDER = "code"
_HASH = re.compile("[0-9a-f]{12}")

_LOG = logging.getLogger(__name__)


def keep_code(folder: Path, parts: CodeParts) -> None:
    """Record the parts under their hash, once; where the disk takes no more the log says so."""
    file = _file(folder, code_hash(parts))
    if file.exists():
        return
    unfinished = file.with_name(f".{file.name}.{os.getpid()}.{get_ident()}")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        unfinished.write_text(json.dumps(dict(parts), indent=1), encoding="utf-8")
        unfinished.replace(file)
    except OSError as error:
        _LOG.warning("%s could not be written: %s. explain-signature will not know this code.", file, error)


def read_code(folder: Path, hash: str) -> CodeParts | None:
    """The parts of a hash; None where this folder has no whole record of it."""
    file = _file(folder, hash)
    if not _HASH.fullmatch(hash) or not file.is_file():  # a signature of a file from elsewhere names no other file
        return None
    try:
        parts: CodeParts = json.loads(file.read_bytes())
    except ValueError:
        parts = {}
    if code_hash(parts) != hash:
        _LOG.warning("%s is damaged and is not read. Delete it: it is written again with the next score.", file)
        return None
    return parts


def _file(folder: Path, hash: str) -> Path:
    return folder / _FOLDER / f"{hash}.json"
