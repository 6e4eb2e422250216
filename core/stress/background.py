"""Work in a thread of its own, looked at while it goes on."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator
from contextlib import closing
from typing import Generic

from core.stress.conductor import Progress
from core.trouble import attempt
from core.types import T


class Background(Generic[T]):
    """Works through a generator to its end, or until it is cancelled, and keeps what came; `total` is what is to come."""

    def __init__(self, work: Callable[[], Generator[T]], total: int) -> None:
        self._work, self._total = work, total
        self._found: list[T] = []
        self._began = time.monotonic()
        self._cancelled = threading.Event()
        self._changed = threading.Condition()
        self._trouble = ""
        self._running = True
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    @property
    def found(self) -> list[T]:
        """What has come so far."""
        return self._found[:]

    @property
    def progress(self) -> Progress:
        done = len(self._found)
        seconds = max(1e-3, time.monotonic() - self._began)
        return Progress(done, self._total, done / seconds, self._running, self._trouble)

    def cancel(self) -> None:
        """Stop after what is under way, with everything kept that has come."""
        self._cancelled.set()

    def wait_for_more(self, number: int, timeout: float) -> bool:
        """Wait until more has come than so many, or nothing more will; False when neither happened in time."""
        with self._changed:
            return self._changed.wait_for(lambda: len(self._found) > number or not self._running, timeout)

    def _run(self) -> None:
        trouble = attempt(self._through)
        with self._changed:
            self._trouble, self._running = trouble.message if trouble else "", False
            self._changed.notify_all()

    def _through(self) -> None:
        with closing(self._work()) as coming:
            for one in coming:
                with self._changed:
                    self._found.append(one)
                    self._changed.notify_all()
                if self._cancelled.is_set():
                    return
