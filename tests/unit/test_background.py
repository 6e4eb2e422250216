"""A task in a thread of its own: results, progress, cancelling, and what stopped it."""

from __future__ import annotations

import threading
from collections.abc import Generator, Iterator

import pytest

from core.background import BackgroundTask, Progress
from core.errors import TouchstoneError

WAIT_S = 30.0


@pytest.mark.parametrize(
    ("progress", "text"),
    [
        (Progress(0, 40, 0.0, running=True), "0 of 40 scores, 40 left, 0 a second"),
        (Progress(10, 40, 2.0, running=True), "10 of 40 scores, 30 left, 2.0 a second, about 15 s to go"),
        (Progress(10, 1210, 2.0, running=True), "10 of 1210 scores, 1200 left, 2.0 a second, about 10 min to go"),
    ],
)
def test_progress_is_text_as_done_left_and_rate(progress: Progress, text: str) -> None:
    assert str(progress) == text


def test_work_in_the_background_goes_on_until_it_is_cancelled() -> None:
    def numbers() -> Iterator[int]:
        place = 0
        while True:
            yield (place := place + 1)

    work = BackgroundTask(lambda: (number for number in numbers()), 10)
    assert work.progress.running
    work.cancel()
    assert work.wait(WAIT_S)
    assert work.results == list(range(1, len(work.results) + 1))
    assert not work.progress.running


def test_work_in_the_background_tells_what_stopped_it() -> None:
    def broken() -> Iterator[int]:
        yield 1
        raise OSError("disk full")

    work = BackgroundTask(lambda: (number for number in broken()), 10)
    assert work.wait(WAIT_S)
    assert (work.results, work.progress.done, work.progress.running) == ([1], 1, False)
    assert "disk full" in work.progress.error


def test_a_single_call_is_a_task_of_one_result() -> None:
    work = BackgroundTask.call(lambda: "done")
    assert work.wait(WAIT_S)
    assert (work.results, work.running, work.error, work.version) == (["done"], False, "", 2)
    assert (work.progress.done, work.progress.total) == (1, 1)


def test_what_a_call_raises_is_a_sentence() -> None:
    def refuse() -> None:
        raise TouchstoneError("Name another file.")

    work = BackgroundTask.call(refuse)
    assert work.wait(WAIT_S)
    assert (work.results, work.running, work.error) == ([], False, "Name another file.")


def test_work_that_counts_itself_starts_from_what_was_done_before() -> None:
    done = [5]

    def steps() -> Generator[None]:
        for _ in range(3):
            done[0] += 10
            yield

    work = BackgroundTask(steps, counts=lambda: (done[0], 40))
    assert work.wait(WAIT_S)
    assert (work.progress.done, work.progress.total, len(work.results)) == (35, 40, 3)


def test_work_that_waits_long_sees_that_it_was_cancelled() -> None:
    cancelled = threading.Event()

    def silent() -> Generator[int]:
        cancelled.wait(WAIT_S)
        yield 1

    work = BackgroundTask(silent, cancelled=cancelled)
    work.cancel()
    assert work.wait(WAIT_S)
    assert work.results == [1]


def test_a_task_that_does_not_end_in_time_says_so() -> None:
    go = threading.Event()
    work = BackgroundTask.call(lambda: go.wait(WAIT_S))
    assert not work.wait(0.01)
    go.set()
    assert work.wait(WAIT_S)
