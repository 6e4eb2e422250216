"""Seats that are given in the order in which they were asked for."""

from __future__ import annotations

import threading
from collections import deque


class Turns:
    """Whoever waits longest is next. Python's own lock goes to whoever is quickest, so that some wait for seconds."""

    def __init__(self, seats: int = 1) -> None:
        self._door = threading.Lock()
        self._waiting: deque[threading.Lock] = deque()
        self._free = seats

    @property
    def waiting(self) -> int:
        """How many are in line."""
        return len(self._waiting)

    def __enter__(self) -> None:
        with self._door:
            if self._free:
                self._free -= 1
                return
            turn = threading.Lock()
            turn.acquire()
            self._waiting.append(turn)
        turn.acquire()

    def __exit__(self, *_: object) -> None:
        with self._door:
            if self._waiting:
                self._waiting.popleft().release()
            else:
                self._free += 1
