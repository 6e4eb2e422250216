"""Stress runs in the background of a process: started, watched, cancelled, gone on with."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass

from core.engine import Engine
from core.stress.records import Record, Run, as_line
from core.stress.running import carry_on
from core.trouble import attempt

Sink = Callable[[Sequence[str]], None]
"""Takes the lines of new records, and has kept them when it returns."""

_TOGETHER = 200  # records written at once
_LONG_S = 120  # from here on told in minutes
_WAIT_S = 0.5  # and how long they may wait for more


@dataclass(frozen=True, slots=True)
class Progress:
    """Scores kept of all that are to be had, and how many come in a second; `trouble` says why a run stopped by itself."""

    done: int
    total: int
    rate: float
    running: bool
    trouble: str = ""

    @property
    def seconds_left(self) -> float | None:
        """None where nothing has come yet."""
        return (self.total - self.done) / self.rate if self.rate else None

    def __str__(self) -> str:
        told = f"{self.done} of {self.total} scores, {self.total - self.done} left, {_rate(self.rate)} a second"
        return told if self.seconds_left is None else f"{told}, about {_time(self.seconds_left)} to go"


def _rate(rate: float) -> str:
    return f"{rate:.0f}" if rate == 0 or rate >= 10 else f"{rate:.1f}"


def _time(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < _LONG_S else f"{seconds / 60:.0f} min"


class Conductor:
    """Carries runs on in a thread each; they outlive the page that asked for them."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._lock = threading.Lock()
        self._works: dict[str, _Work] = {}

    def start(self, id: str, run: Run, sink: Sink) -> None:
        """Carry a run on and hand its lines to `sink`; one that is under way goes on as it is."""
        with self._lock:
            work = self._works.get(id)
            if work and work.progress.running:
                return
            self._works[id] = _Work(self._engine, run, sink)

    def progress(self, id: str) -> Progress | None:
        """How far a run is; None for one that this process has not carried on."""
        with self._lock:
            work = self._works.get(id)
        return work.progress if work else None

    def cancel(self, id: str) -> None:
        """Stop a run after the score under way, with everything kept that has come."""
        with self._lock:
            work = self._works.get(id)
        if work:
            work.cancelled.set()

    def wait(self, id: str, timeout: float) -> bool:
        """Wait until a run has ended; False when it did not in time."""
        with self._lock:
            work = self._works[id]
        work.thread.join(timeout)
        return not work.thread.is_alive()


class _Work:
    """One run under way."""

    def __init__(self, engine: Engine, run: Run, sink: Sink) -> None:
        self._engine, self._run, self._sink = engine, run, sink
        self._waiting: list[Record] = []
        self._written = time.monotonic()
        self._began, self._before = time.monotonic(), run.done
        self.cancelled = threading.Event()
        self.progress = Progress(run.done, run.total, 0.0, running=True)
        self.thread = threading.Thread(target=self._work, daemon=True)
        self.thread.start()

    def _work(self) -> None:
        trouble = attempt(self._carry_on)
        self._tell(running=False, trouble=trouble.message if trouble else "")

    def _carry_on(self) -> None:
        with closing(carry_on(self._engine, self._run)) as records:
            for record in records:
                self._waiting.append(record)
                if len(self._waiting) >= _TOGETHER or time.monotonic() - self._written >= _WAIT_S:
                    self._write()
                if self.cancelled.is_set():
                    break
        self._write()

    def _write(self) -> None:
        if self._waiting:
            self._sink([as_line(record) for record in self._waiting])
        self._waiting, self._written = [], time.monotonic()
        self._tell(running=True)

    def _tell(self, running: bool, trouble: str = "") -> None:
        seconds = time.monotonic() - self._began
        done = self._run.done
        self.progress = Progress(done, self._run.total, (done - self._before) / seconds, running, trouble)
