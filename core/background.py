"""A task that runs in a thread of its own, with progress, cancel and wait."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator
from contextlib import closing
from typing import Generic

from core.errors import attempt
from core.stress.runner import Progress
from core.types import T


class BackgroundTask(Generic[T]):
    """Works through a generator to its end, or until it is cancelled, and keeps what came; `total` is to come."""

    def __init__(self, work: Callable[[], Generator[T]], total: int) -> None:
        self._work, self._total = work, total
        self._found: list[T] = []
        self._began = time.monotonic()
        self._cancelled = threading.Event()
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
        done, seconds = len(self._found), time.monotonic() - self._began
        return Progress(done, self._total, done / seconds if seconds else 0.0, self._running, self._trouble)

    def cancel(self) -> None:
        """Stop after what is under way, with everything kept that has come."""
        self._cancelled.set()

    def wait(self, timeout: float) -> bool:
        """Wait until nothing more will come; False when it did not end in time."""
        self._thread.join(timeout)
        return not self._thread.is_alive()

    def _run(self) -> None:
        trouble = attempt(self._through)
        self._trouble = trouble.message if trouble else ""
        self._running = False

    def _through(self) -> None:
        with closing(self._work()) as coming:
            for one in coming:
                self._found.append(one)
                if self._cancelled.is_set():
                    return
