"""A task that runs in a thread of its own, with progress, cancel and wait."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator
from contextlib import closing
from dataclasses import dataclass
from typing import Generic

from core.errors import Problem, attempt
from core.types import T

_MINUTES_FROM_S = 120  # longer durations are given in minutes


@dataclass(frozen=True, slots=True)
class Progress:
    """How much is done of all there is to do, and how much of it in a second; `error` says why a task stopped by itself."""

    done: int
    total: int
    rate: float
    running: bool
    error: str = ""

    @property
    def seconds_left(self) -> float | None:
        """None where nothing is done yet."""
        return (self.total - self.done) / self.rate if self.rate else None

    def __str__(self) -> str:
        text = f"{self.done} of {self.total} scores, {self.total - self.done} left, {_format_rate(self.rate)} a second"
        return text if self.seconds_left is None else f"{text}, about {_format_duration(self.seconds_left)} to go"


class BackgroundTask(Generic[T]):
    """Works through a generator to its end, or until it is cancelled, and keeps its results; a failure becomes a sentence.

    Done are as many as there are results, of `total`, unless `counts` gives other numbers: it is called before the work
    begins, and in its thread after every result. Work that waits long may watch the event `cancelled` itself.
    """

    def __init__(
        self,
        work: Callable[[], Generator[T]],
        total: int = 1,
        *,
        counts: Callable[[], tuple[int, int]] | None = None,
        cancelled: threading.Event | None = None,
    ) -> None:
        self._work = work
        self._results: list[T] = []
        self._cancelled = cancelled or threading.Event()
        self._counts = counts or (lambda: (len(self._results), total))
        self._started, self._done_before = time.monotonic(), self._counts()[0]
        self.progress = self._measure_progress(running=True)
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
    def running(self) -> bool:
        return self.progress.running

    @property
    def error(self) -> str:
        """Why the task failed; empty where it did not."""
        return self.progress.error

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
        self.progress = self._measure_progress(
            running=False, error=outcome.message if isinstance(outcome, Problem) else ""
        )

    def _collect_results(self) -> None:
        with closing(self._work()) as results:
            for result in results:
                self._results.append(result)
                self.progress = self._measure_progress(running=True)
                if self._cancelled.is_set():
                    return

    def _measure_progress(self, running: bool, error: str = "") -> Progress:
        seconds = self.elapsed_s
        done, total = self._counts()
        return Progress(done, total, (done - self._done_before) / seconds if seconds else 0.0, running, error)


def _format_rate(rate: float) -> str:
    return f"{rate:.0f}" if rate == 0 or rate >= 10 else f"{rate:.1f}"


def _format_duration(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < _MINUTES_FROM_S else f"{seconds / 60:.0f} min"
