"""A lock that is given in the order in which it was asked for."""

from __future__ import annotations

import threading
from collections import deque


class Turns:
    """Whoever waits longest is next. Python's own lock goes to whoever is quickest, so that some wait for seconds."""

    def __init__(self) -> None:
        self._door = threading.Lock()
        self._waiting: deque[threading.Lock] = deque()
        self._taken = False

    @property
    def waiting(self) -> int:
        """How many are in line."""
        return len(self._waiting)

    def __enter__(self) -> None:
        with self._door:
            if not self._taken:
                self._taken = True
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
                self._taken = False
