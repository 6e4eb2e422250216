"""Threads that do jobs one after the other, as the loads and downloads of models."""

from __future__ import annotations

import threading
from collections.abc import Callable
from queue import SimpleQueue


class WorkerThreads:
    """Daemons, so that a download that hangs never keeps the process from ending. Jobs must not raise."""

    def __init__(self, name: str, count: int) -> None:
        self._jobs: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._threads = [threading.Thread(target=self._run, name=name, daemon=True) for _ in range(count)]
        for thread in self._threads:
            thread.start()

    def put(self, job: Callable[[], None]) -> None:
        self._jobs.put(job)

    def close(self, patience_s: float) -> None:
        """Do no job after those queued, and wait a while for these."""
        for _ in self._threads:
            self._jobs.put(None)
        for thread in self._threads:
            thread.join(patience_s)

    def _run(self) -> None:
        while (job := self._jobs.get()) is not None:
            job()
