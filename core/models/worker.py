"""One background thread that does one job after another."""

from __future__ import annotations

import threading
from collections.abc import Callable
from queue import SimpleQueue


class Worker:
    """A daemon, so that a download that hangs never keeps the process from ending. Jobs must not raise."""

    def __init__(self, name: str) -> None:
        self._jobs: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def put(self, job: Callable[[], None]) -> None:
        self._jobs.put(job)

    def close(self, patience_s: float) -> None:
        """Do no job after those queued, and wait a while for these."""
        self._jobs.put(None)
        self._thread.join(patience_s)

    def _run(self) -> None:
        while (job := self._jobs.get()) is not None:
            job()
