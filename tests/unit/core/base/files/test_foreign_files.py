"""A reader of files from elsewhere is ended when it takes too long or too much, breaks alone, and knows no secret."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator

import pytest

from core.base.files.foreign_files import Limits, read_apart
from core.errors import TouchstoneError

LIMITS = Limits(seconds=30, megabytes=1024)


def numbers(count: int) -> Iterator[int]:
    yield from range(count)


def refuses() -> Iterator[int]:
    yield 1
    raise TouchstoneError("Line 2 is no number.")


def breaks() -> Iterator[int]:
    raise ZeroDivisionError


def dies() -> Iterator[int]:
    os.kill(os.getpid(), signal.SIGSEGV)
    yield 1


def hungry() -> Iterator[int]:
    yield len(bytearray(2**30))


def endless() -> Iterator[int]:
    yield os.getpid()
    yield from [0] * 63  # what is sent together
    while True:
        pass


def slow() -> Iterator[int]:
    time.sleep(0.4)
    yield 0
    time.sleep(60)


def environment() -> Iterator[str]:
    print("a library prints")  # noqa: T201  # which must not be taken for a result
    yield from os.environ


def test_results_come_in_order() -> None:
    assert list(read_apart("a.csv", LIMITS, numbers, 1000)) == list(range(1000))


def test_a_result_does_not_wait_long_for_those_that_are_sent_with_it() -> None:
    results = read_apart("a.csv", LIMITS, slow)
    assert next(results) == 0
    began = time.monotonic()
    results.close()
    assert time.monotonic() - began < 5


def test_what_the_reader_refuses_is_said_in_its_words() -> None:
    results = read_apart("a.csv", LIMITS, refuses)
    with pytest.raises(TouchstoneError, match=r"^Line 2 is no number\.$"):
        list(results)


@pytest.mark.parametrize("read", [breaks, dies, hungry])
def test_a_reader_that_breaks_is_a_sentence_with_the_name_of_the_file(read: object) -> None:
    with pytest.raises(TouchstoneError, match=r"'a\.csv' cannot be read: it is damaged, or takes more than 512 MB"):
        list(read_apart("a.csv", Limits(30, 512), read))  # type: ignore[arg-type]  # a reader of the list above


@pytest.mark.slow
def test_a_reader_that_never_ends_is_ended() -> None:
    results = read_apart("a.csv", Limits(3, 512), endless)
    process = next(results)
    with pytest.raises(TouchstoneError, match=r"'a\.csv' takes longer than 3 s to read"):
        list(results)
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)


def test_a_reader_ends_with_whoever_reads() -> None:
    results = read_apart("a.csv", LIMITS, endless)
    process = next(results)
    results.close()
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)


@pytest.mark.slow
def test_the_time_of_whoever_reads_does_not_count() -> None:
    results = read_apart("a.csv", Limits(2, 512), numbers, 200)
    assert next(results) == 0
    until = time.monotonic() + 2.1
    while time.monotonic() < until:
        pass  # as a database that stores what was read
    assert list(results)[-1] == 199


def test_a_reader_knows_no_secret_of_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "a-secret")
    monkeypatch.setenv("TOUCHSTONE_DATABASE_URL", "postgresql://touchstone:a-secret@db/x")
    names = {*read_apart("a.csv", LIMITS, environment)}
    assert "PATH" in names
    assert not {name for name in names if "AWS" in name or "TOUCHSTONE" in name}
