"""Work in the background by the person who began it, of whom each may have so much under way at once."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from annotations.store.records import RecordError
from core.base import BackgroundTask
from core.types import T


class PersonJobs:
    """Tasks of every person of this server, across their sessions; safe among threads."""

    def __init__(self, most: int | None) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._running: dict[str, list[BackgroundTask[Any]]] = {}

    def start(self, person: str, begin: Callable[[], BackgroundTask[T]]) -> BackgroundTask[T]:
        """Begin a task of a person. Raises RecordError where they have as many under way as a person may."""
        with self._lock:
            running = self._require_place(person)
            task = begin()
            self._running[person] = [*running, *([] if task in running else [task])]
            return task

    def require_place(self, person: str) -> None:
        """Raise RecordError where a person has as many tasks under way as they may."""
        with self._lock:
            self._require_place(person)

    def count(self, person: str) -> int:
        """Number of their tasks that are under way."""
        with self._lock:
            return len(self._under_way(person))

    def _require_place(self, person: str) -> list[BackgroundTask[Any]]:
        running = self._under_way(person)
        if self._most is not None and len(running) >= self._most:
            raise RecordError(
                f"{person} has {len(running)} jobs under way, and a person of this server may have {self._most} at once "
                "(TOUCHSTONE_PERSON_JOBS). Wait for one of them, or stop it."
            )
        return running

    def _under_way(self, person: str) -> list[BackgroundTask[Any]]:
        return [task for task in self._running.get(person, []) if task.running]
