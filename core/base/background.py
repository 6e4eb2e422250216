"""A task that runs in a thread of its own, with progress, cancel and wait."""

from __future__ import annotations

import itertools
import math
import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Generic, Protocol

from core.errors import Problem, attempt
from core.types import T

_MINUTES_FROM_S = 120  # longer durations are given in minutes
_MINUTES_BELOW = 0.1  # a second; slower rates are given by the minute
_WINDOW_S = 30.0  # seconds over which the pace is measured
_SILENT_FROM_S = 10.0  # a shorter wait is not mentioned
_SILENT_GAPS = 3.0  # nor is one below this multiple of the usual wait

_FEWEST_PIECES = 3  # that tell how evenly work comes
_OF_NINE_IN_TEN = 1.645  # standard deviations
_MOST_TIMES = (
    4.0  # the middle of a range is at most so many times its end: of work that comes unevenly no more is known
)
Mark = tuple[float, int]
"""Time of a piece of work, in seconds, and the amount of all work done by then."""


@dataclass(frozen=True, slots=True)
class Progress:
    """Progress of a task: the work done, the total and the rate."""

    done: int
    """Results so far, in `unit`."""

    total: int
    """Results at the end, as far as that is known; 0 before anything is."""

    rate: float
    """Results per second over the last while."""

    running: bool
    """False once the task has ended, by itself or cancelled."""

    error: str = ""
    """Reason why the task stopped by itself; "" if it did not."""

    silent_s: float = 0.0
    """Seconds since the last result, if that is unusually long; else 0."""

    stopping: bool = False
    """True if the task was cancelled and its last step is under way."""

    unit: str = "scores"
    """Plural noun for what is counted."""

    left_s: tuple[float, float] | None = None
    """Fewest and most seconds that the rest may take; None where the pace is not known yet."""

    @property
    def seconds_left(self) -> float | None:
        """None where nothing is done yet, or nothing has been for long."""
        return (self.total - self.done) / self.rate if self.rate and not self.silent_s else None

    def __str__(self) -> str:
        if self.stopping:
            return f"Stopping after the step under way: {self.done} of {self.total} {self.unit} stay"
        if not self.total:
            return f"No {self.unit} yet"
        text = f"{self.done} of {self.total} {self.unit}, {self.total - self.done} left"
        if self.silent_s:
            return f"{text}, nothing new for {_format_duration(self.silent_s)}"
        if 0 < self.rate < _MINUTES_BELOW:
            pace = f"{self.rate * 60:.1f} a minute"
        else:
            pace = f"{self.rate:.0f} a second" if self.rate == 0 or self.rate >= 10 else f"{self.rate:.1f} a second"
        text = f"{text}, {pace}"
        return text if self.seconds_left is None else f"{text}, {self.time_left} to go"

    @property
    def time_left(self) -> str:
        """As “3 to 5 min”, or “about 4 min” where both ends read alike; empty where the pace is not known."""
        if self.seconds_left is None:
            return ""
        if self.left_s is None:
            return f"about {_format_duration(self.seconds_left)}"
        return _format_range(*self.left_s)


def recent_rate(marks: Sequence[Mark], now: float) -> float:
    """Rate per second since the first of the marks: the longer nothing is done after the last, the less."""
    (first_s, first), (_, last) = marks[0], marks[-1]
    return (last - first) / (now - first_s) if now > first_s else 0.0


def range_left(marks: Sequence[Mark], remaining: int) -> tuple[float, float] | None:
    """Seconds within which the rest ends in about nine of ten cases, from how evenly the work of the marks came; None of fewer than three pieces."""
    pieces = [
        (later[0] - earlier[0], later[1] - earlier[1])
        for earlier, later in itertools.pairwise(marks)
        if later[1] > earlier[1]
    ]
    if len(pieces) < _FEWEST_PIECES or remaining <= 0:
        return None
    seconds, amount = math.fsum(piece[0] for piece in pieces), sum(piece[1] for piece in pieces)
    pace = seconds / amount
    # what a piece takes beyond its share of the pace, by amount: pieces differ in size, and the time of each grows with it
    spread = math.fsum((took - pace * size) ** 2 / size for took, size in pieces) / (len(pieces) - 1)
    half = _OF_NINE_IN_TEN * math.sqrt(spread * remaining * (1 + remaining / amount))
    middle = pace * remaining
    return max(middle - half, middle / _MOST_TIMES), min(middle + half, middle * _MOST_TIMES)


def silence(marks: Sequence[Mark], now: float) -> float:
    """Seconds since the last mark, where that is unusually long for these marks; else 0."""
    silent_s, gaps = now - marks[-1][0], len(marks) - 1
    usual_s = (marks[-1][0] - marks[0][0]) / gaps if gaps else 0.0
    return silent_s if silent_s > max(_SILENT_FROM_S, _SILENT_GAPS * usual_s) else 0.0


def recent_marks(marks: Sequence[Mark], mark: Mark) -> tuple[Mark, ...]:
    """The marks with a newer one, without those that are too old to tell the pace; the last before them stays."""
    old = sum(when < mark[0] - _WINDOW_S for when, _ in marks)
    return (*marks[max(0, old - 1) :], mark)


class Track(Protocol):
    """Pass results on one by one and show how many of how many are there."""

    def __call__(self, results: Iterable[T], what: str, total: int, /) -> Iterator[T]: ...


def untracked(results: Iterable[T], what: str, total: int, /) -> Iterator[T]:  # noqa: ARG001  # nobody looks
    """Pass results on, and show nothing."""
    return iter(results)


class BackgroundTask(Generic[T]):
    """Works through a generator to its end, or until it is cancelled, and keeps its results; a failure becomes a sentence.

    Done are as many as there are results, of `total`, unless `counts` gives other numbers: it is called before the work
    begins, and in its thread after every result; `unit` is the plural of what is counted. Work that waits long may watch the
    event `cancelled` itself.
    """

    def __init__(
        self,
        work: Callable[[], Generator[T]],
        total: int = 1,
        *,
        counts: Callable[[], tuple[int, int]] | None = None,
        cancelled: threading.Event | None = None,
        unit: str = "scores",
    ) -> None:
        self._work = work
        self._results: list[T] = []
        self._cancelled = cancelled or threading.Event()
        self._unit = unit
        self._counts = counts or (lambda: (len(self._results), total))
        self._started = time.monotonic()
        done, self._total = self._counts()
        self._marks: tuple[Mark, ...] = ((self._started, done),)
        self._ended: Progress | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    @classmethod
    def call(cls, action: Callable[[], T]) -> BackgroundTask[T]:
        """A task whose only result is what a function returns."""

        def work() -> Generator[T]:
            yield action()

        return cls(work)

    @property
    def results(self) -> list[T]:
        """All results so far, in order."""
        return self._results[:]

    @property
    def progress(self) -> Progress:
        """As of now: while nothing is done the rate falls."""
        return self._ended or self._measure_progress(running=True)

    @property
    def running(self) -> bool:
        return self._ended is None

    @property
    def is_cancelled(self) -> bool:
        """True from the moment at which somebody cancelled it."""
        return self._cancelled.is_set()

    @property
    def error(self) -> str:
        """Reason why the task failed; empty where it did not."""
        return self._ended.error if self._ended else ""

    @property
    def elapsed_s(self) -> float:
        """Seconds since it was started."""
        return time.monotonic() - self._started

    @property
    def version(self) -> int:
        """A number that grows with every result and at the end."""
        return len(self._results) + (not self.running)

    def cancel(self) -> None:
        """Stop after the step that is under way; all results so far stay."""
        self._cancelled.set()

    def wait(self, timeout: float) -> bool:
        """Wait until the task has ended; False when it did not in time."""
        self._thread.join(timeout)
        return not self._thread.is_alive()

    def _run(self) -> None:
        outcome = attempt(self._collect_results)
        self._count()
        self._ended = self._measure_progress(running=False, error=outcome.error if isinstance(outcome, Problem) else "")

    def _collect_results(self) -> None:
        with closing(self._work()) as results:
            for result in results:
                self._results.append(result)
                self._count()
                if self._cancelled.is_set():
                    return

    def _count(self) -> None:
        done, self._total = self._counts()
        if done > self._marks[-1][1]:  # what is tried again counts as done all the while
            self._marks = recent_marks(self._marks, (time.monotonic(), done))

    def _measure_progress(self, running: bool, error: str = "") -> Progress:
        marks, now = self._marks, time.monotonic()
        return Progress(
            done=marks[-1][1],
            total=self._total,
            rate=recent_rate(marks, now),
            running=running,
            error=error,
            silent_s=silence(marks, now) if running else 0.0,
            stopping=running and self._cancelled.is_set(),
            unit=self._unit,
            left_s=range_left(marks, self._total - marks[-1][1]) if running else None,
        )


def _format_duration(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < _MINUTES_FROM_S else f"{seconds / 60:.0f} min"


def _format_range(low: float, high: float) -> str:
    """Both ends in the unit of the higher one."""
    divisor, unit = (1, "s") if high < _MINUTES_FROM_S else (60, "min")
    ends = [f"{end / divisor:.0f}" for end in (low, high)]
    return f"about {ends[1]} {unit}" if ends[0] == ends[1] else f"{ends[0]} to {ends[1]} {unit}"
