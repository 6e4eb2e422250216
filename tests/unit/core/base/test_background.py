"""A task in a thread of its own: results, progress, cancelling, and what stopped it."""

from __future__ import annotations

import random
import threading
from collections.abc import Generator, Iterator

import pytest

from core.base.background import BackgroundTask, Mark, Progress, range_left, recent_marks, recent_rate, silence
from core.errors import TouchstoneError

WAIT_S = 30.0


@pytest.mark.parametrize(
    ("progress", "text"),
    [
        (Progress(0, 40, 0.0, running=True), "0 of 40 scores, 40 left, 0 a second"),
        (Progress(0, 0, 0.0, running=True, unit="pages"), "No pages yet"),
        (Progress(1, 3, 1.0, running=True, unit="pages"), "1 of 3 pages, 2 left, 1.0 a second, about 2 s to go"),
        (Progress(10, 40, 2.0, running=True), "10 of 40 scores, 30 left, 2.0 a second, about 15 s to go"),
        (Progress(10, 1210, 2.0, running=True), "10 of 1210 scores, 1200 left, 2.0 a second, about 10 min to go"),
        (Progress(10, 16, 0.05, running=True), "10 of 16 scores, 6 left, 3.0 a minute, about 2 min to go"),
        (
            Progress(10, 40, 2.0, running=True, left_s=(12.2, 19.7)),
            "10 of 40 scores, 30 left, 2.0 a second, 12 to 20 s to go",
        ),
        (
            Progress(10, 1210, 2.0, running=True, left_s=(90, 300)),
            "10 of 1210 scores, 1200 left, 2.0 a second, 2 to 5 min to go",
        ),
        (
            Progress(10, 40, 2.0, running=True, left_s=(14.9, 15.1)),
            "10 of 40 scores, 30 left, 2.0 a second, about 15 s to go",
        ),
        (Progress(10, 40, 0.2, running=True, silent_s=45), "10 of 40 scores, 30 left, nothing new for 45 s"),
        (
            Progress(10, 40, 2.0, running=True, silent_s=45, stopping=True),
            "Stopping after the step under way: 10 of 40 scores stay",
        ),
    ],
)
def test_progress_is_text_as_done_left_and_rate(progress: Progress, text: str) -> None:
    assert str(progress) == text


STEADY: tuple[Mark, ...] = tuple((float(second), 2 * second) for second in range(11))  # two a second, ten seconds long


def test_the_rate_falls_the_longer_nothing_moves() -> None:
    assert [recent_rate(STEADY, now) for now in (10.0, 20.0, 40.0)] == [2.0, 1.0, 0.5]
    assert recent_rate([(5.0, 3)], 5.0) == recent_rate([(5.0, 3)], 9.0) == 0.0


def test_a_wait_is_silence_only_when_it_is_long_for_this_work() -> None:
    assert [silence(STEADY, now) for now in (12.0, 20.0, 20.5)] == [0.0, 0.0, 10.5]
    slow = [(0.0, 0), (20.0, 1), (40.0, 2)]
    assert [silence(slow, now) for now in (90.0, 101.0)] == [0.0, 61.0]


def test_the_range_holds_the_rest_of_uneven_work_in_about_nine_of_ten_cases() -> None:
    draws, held = random.Random(0), 0
    for _ in range(300):
        times, sizes = [0.0], [0]
        for _ in range(60):
            size = draws.randint(1, 8)
            times.append(times[-1] + draws.gammavariate(size, 1.0))
            sizes.append(sizes[-1] + size)
        estimated = range_left([*zip(times, sizes, strict=True)][:21], sizes[-1] - sizes[20])
        assert estimated is not None
        held += estimated[0] <= times[-1] - times[20] <= estimated[1]
    assert 0.85 <= held / 300 <= 0.97


def test_no_range_is_given_before_the_pace_is_known_and_a_steady_one_is_narrow() -> None:
    assert range_left(STEADY[:3], 10) is None
    assert range_left(STEADY, 0) is None
    assert range_left(STEADY, 10) == (5.0, 5.0)


def test_the_pace_is_that_of_the_last_half_minute() -> None:
    marks: tuple[Mark, ...] = ((0.0, 0), (1.0, 500))
    for second in range(2, 62):
        marks = recent_marks(marks, (float(second), 500 + second))
    assert marks[0] == (30.0, 530)
    assert recent_rate(marks, 61.0) == 1.0


def test_a_task_says_at_once_that_it_stops() -> None:
    go = threading.Event()

    def steps() -> Generator[int]:
        yield 1
        go.wait(WAIT_S)
        yield 2

    work = BackgroundTask(steps, 3)
    work.cancel()
    assert work.progress.stopping or not work.running
    go.set()
    assert work.wait(WAIT_S)
    assert not work.progress.stopping


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
