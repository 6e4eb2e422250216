"""No changed byte comes back as an answer; what was damaged is asked again, and what was paid for is saved from it."""

from __future__ import annotations

import json
import logging
import sqlite3
import struct
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from core.scoring.engine.answer_file import AnswerFile, answer_row
from core.scoring.engine.cache import AnswerCache
from core.scoring.engine.forecast import Durations
from core.types import Answer, Span

COMPUTED, PAID = "answers-3.sqlite", "paid-answers.sqlite"
SCORE = Answer((0.14662,), tokens=12)
TEXT = Answer((), (Span(0, 2),), ("The summary is consistent.",), tokens=7)


def fill(folder: Path, count: int = 400, paid: bool = False) -> list[bytes]:
    """Answers long enough to lie on many pages, written and closed; their keys."""
    cache = AnswerCache(folder)
    keys = [f"key {number:04d}".encode() for number in range(count)]
    cache.put({key: Answer((float(number),), (), ("text " * 60,)) for number, key in enumerate(keys)}, paid)
    cache.close()
    return keys


def keep(folder: Path, answer: Answer) -> None:
    cache = AnswerCache(folder)
    cache.put({b"key": answer})
    cache.close()


def known(folder: Path, keys: list[bytes]) -> dict[bytes, Answer]:
    cache = AnswerCache(folder)
    answers = cache.get(keys)
    cache.close()
    return answers


def replace_bytes(file: Path, old: bytes, new: bytes) -> None:
    content = file.read_bytes()
    assert content.count(old) == 1
    file.write_bytes(content.replace(old, new))


@pytest.mark.parametrize(
    ("answer", "old", "new"),
    [
        (SCORE, struct.pack("d", 0.14662), struct.pack("d", 0.94662)),
        (SCORE, b"[[], [], 12, 0]", b"[[], [], 13, 0]"),
        (SCORE, b"[[], [], 12, 0]", b"[[], [], 12, x]"),
        (TEXT, b"is consistent", b"isnconsistent"),
        (TEXT, b"is consistent", b"is \xff\xfensistent"),
    ],
)
def test_a_changed_answer_counts_as_unknown_and_the_log_says_it(
    answer: Answer, old: bytes, new: bytes, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    keep(tmp_path, answer)
    replace_bytes(tmp_path / COMPUTED, old, new)
    assert known(tmp_path, [b"key"]) == {}
    assert "1 answers in" in caplog.text
    assert "asked again" in caplog.text


def test_an_answer_that_was_asked_again_is_kept_in_place_of_the_changed_one(tmp_path: Path) -> None:
    keep(tmp_path, SCORE)
    replace_bytes(tmp_path / COMPUTED, b"[[], [], 12, 0]", b"[[], [], 13, 0]")
    assert known(tmp_path, [b"key"]) == {}
    keep(tmp_path, SCORE)
    assert known(tmp_path, [b"key"]) == {b"key": SCORE}


def cut_to_half(file: Path) -> None:
    with file.open("r+b") as opened:
        opened.truncate(file.stat().st_size // 2)


def overwrite_start(file: Path) -> None:
    with file.open("r+b") as opened:
        opened.write(b"not a database " * 40)


def overwrite_middle(file: Path) -> None:
    with file.open("r+b") as opened:
        opened.seek(file.stat().st_size // 3)
        opened.write(b"\xff" * 12_000)


def empty(file: Path) -> None:
    file.write_bytes(b"")


@pytest.mark.parametrize("damage", [cut_to_half, overwrite_start, overwrite_middle, empty])
@pytest.mark.parametrize("paid", [False, True])
def test_a_damaged_file_stops_nobody_and_gives_no_wrong_answer(
    damage: Callable[[Path], None], paid: bool, tmp_path: Path
) -> None:
    keys = fill(tmp_path, paid=paid)
    damage(tmp_path / (PAID if paid else COMPUTED))
    cache = AnswerCache(tmp_path)
    answers = cache.get(keys)
    assert all(answer == Answer((float(key[4:]),), (), ("text " * 60,)) for key, answer in answers.items())
    cache.put({b"new": SCORE}, paid)
    cache.close()
    assert known(tmp_path, [b"new"]) == {b"new": SCORE}


@pytest.mark.parametrize("damage", [cut_to_half, overwrite_middle])
def test_paid_answers_are_saved_row_by_row_from_a_damaged_file(
    damage: Callable[[Path], None], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    keys = fill(tmp_path, paid=True)
    damage(tmp_path / PAID)
    answers = known(tmp_path, keys)
    assert len(answers) > len(keys) // 4
    assert known(tmp_path, keys) == answers
    assert f"{PAID}.damaged-1" in caplog.text
    assert (tmp_path / f"{PAID}.damaged-1").is_file()


def test_what_was_computed_is_untouched_where_the_paid_file_is_damaged(tmp_path: Path) -> None:
    keys = fill(tmp_path)
    keep(tmp_path, SCORE)
    fill(tmp_path, paid=True)
    overwrite_start(tmp_path / PAID)
    assert len(known(tmp_path, keys)) == len(keys)


def test_a_file_that_is_damaged_while_it_is_open_is_replaced(tmp_path: Path) -> None:
    keys = fill(tmp_path, 2000)
    cache = AnswerCache(tmp_path)
    cut_to_half(tmp_path / COMPUTED)
    cache.get(keys)
    cache.put({b"new": SCORE})
    cache.close()
    assert known(tmp_path, [b"new"]) == {b"new": SCORE}


def test_the_paid_answers_of_the_layout_before_are_taken_over(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "answers-2.sqlite")) as old, old:
        old.execute("CREATE TABLE answer (id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, numbers BLOB, rest TEXT)")
        rest = json.dumps([[], ["Yes."], 3, 0])
        old.execute("INSERT INTO answer VALUES (-1, ?, ?, ?)", (b"paid", b"", rest))
        old.execute("INSERT INTO answer VALUES (1, ?, ?, ?)", (b"computed", b"", rest))
        old.execute("INSERT INTO answer VALUES (-2, ?, ?, ?)", (b"no JSON", b"", rest[:-3]))
        old.execute("INSERT INTO answer VALUES (-3, ?, ?, ?)", (b"no numbers", b"1234567", rest))
        old.execute(
            "INSERT INTO answer VALUES (-4, ?, ?, CAST(? AS TEXT))", (b"no UTF-8", b"", b'[[], ["\xff"], 3, 0]')
        )
    keys = [b"paid", b"computed", b"no JSON", b"no numbers", b"no UTF-8"]
    assert known(tmp_path, keys) == {b"paid": Answer((), (), ("Yes.",), 3)}
    assert not (tmp_path / "answers-2.sqlite").exists()


def test_a_checksum_is_of_key_and_answer(tmp_path: Path) -> None:
    file = AnswerFile(tmp_path / "file", "file")
    [key, numbers, rest, checksum] = answer_row(b"one", SCORE)
    file.write([(b"two", numbers, rest, checksum)])  # the row of another question
    assert file.read([b"two"]) == {}
    file.close()
    assert key == b"one"


@pytest.mark.parametrize("damage", [cut_to_half, overwrite_start, overwrite_middle, empty])
def test_a_damaged_file_of_durations_is_begun_again(damage: Callable[[Path], None], tmp_path: Path) -> None:
    durations = Durations(tmp_path)
    for number in range(2_000):
        durations.remember(f"metric {number}", "cpu", "edited", 1.0)
    durations.close()
    damage(tmp_path / "durations-1.sqlite")
    opened = Durations(tmp_path)
    opened.remember("rouge2", "cpu", "edited", 2.0)
    opened.close()
    again = Durations(tmp_path)
    assert again.last("rouge2", "cpu", "edited") == 2.0
    again.close()


def test_opening_a_file_again_gives_up_no_lock_on_it(tmp_path: Path) -> None:
    """Without its lock another process takes itself for the last, deletes the log, and the file is soon malformed."""
    cache = AnswerCache(tmp_path)
    cache.put({b"first": SCORE})
    AnswerCache(tmp_path).close()
    log = (tmp_path / f"{COMPUTED}-wal").stat().st_ino
    other = (
        "import sqlite3, sys; base = sqlite3.connect(sys.argv[1]); base.execute('SELECT * FROM answer'); base.close()"
    )
    subprocess.run([sys.executable, "-c", other, tmp_path / COMPUTED], check=True)
    assert (tmp_path / f"{COMPUTED}-wal").stat().st_ino == log
    cache.put({b"second": SCORE})
    cache.close()
    assert known(tmp_path, [b"first", b"second"]) == {b"first": SCORE, b"second": SCORE}


class UnmeasuredDatabase(sqlite3.Connection):
    """A file whose size cannot be asked for."""

    def execute(self, statement: str, *arguments: object) -> sqlite3.Cursor:
        if statement == "PRAGMA page_count":
            raise sqlite3.OperationalError("disk I/O error")
        return super().execute(statement, *arguments)


def test_a_cache_of_unknown_size_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keep(tmp_path, SCORE)
    with monkeypatch.context() as patch:
        patch.setattr(sqlite3, "connect", partial(sqlite3.connect, factory=UnmeasuredDatabase))
        file = AnswerFile(tmp_path / COMPUTED, "cache", 1_000_000)
    assert file.read([b"key"]) == {b"key": SCORE}
    file._disk.close()


def test_an_answer_is_kept_where_the_size_of_the_file_cannot_be_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = AnswerCache(tmp_path, 10**9)

    def locked(_: AnswerFile) -> int:
        raise sqlite3.OperationalError("database is locked")

    with monkeypatch.context() as patch:
        patch.setattr(AnswerFile, "_held_bytes", locked)
        cache.put({b"key": SCORE})
    cache.close()
    assert known(tmp_path, [b"key"]) == {b"key": SCORE}
