"""Pace of questions to an endpoint: a refused rate holds back all of them, and a refusal of every question ends them."""

from __future__ import annotations

import threading
import time
from collections.abc import Hashable, Iterator
from contextlib import contextmanager

from core.errors import EndpointUnusableError

_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.5, 30.0
_FIRST_INTERVAL_S, _LONGEST_INTERVAL_S, _NO_INTERVAL_S = 0.01, 2.0, 0.001
_SPEED_UP = 0.9  # of the time between two questions, with every answer

_REFUSALS_IN_A_ROW = 3
_OPEN_S = 10.0  # how long an endpoint is not asked that refuses everything; then one question tries it again


class Pace:
    """Of one endpoint; safe among threads. Each refusal of the rate pauses all questions and doubles the time between two."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._next = self._paused_until = 0.0
        self._interval_s = 0.0
        self._refusals = 0

    def wait(self) -> None:
        """Sleep until it is a question's turn."""
        with self._lock:
            now = time.monotonic()
            turn = max(now, self._next)
            self._next = turn + self._interval_s
        if turn > now:
            time.sleep(turn - now)

    def slow_down(self, pause_s: float | None) -> None:
        """Hold back every question: by the pause that the server names, else by one that doubles with each refusal in a row."""
        with self._lock:
            now = time.monotonic()
            if now >= self._paused_until:  # else it was sent before the pause began
                self._refusals += 1
                self._interval_s = min(max(2 * self._interval_s, _FIRST_INTERVAL_S), _LONGEST_INTERVAL_S)
            own = min(_FIRST_PAUSE_S * 2 ** (self._refusals - 1), _LONGEST_PAUSE_S)
            self._paused_until = max(self._paused_until, now + (own if pause_s is None else pause_s))
            self._next = max(self._next, self._paused_until)

    def speed_up(self) -> None:
        """Go on a little faster after an answer."""
        with self._lock:
            self._refusals = 0
            self._interval_s *= _SPEED_UP
            if self._interval_s < _NO_INTERVAL_S:
                self._interval_s = 0.0


class CircuitBreaker:
    """Ends all questions to an endpoint and model that refused several in a row for good; safe among threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._refusals: dict[Hashable, int] = {}
        self._open: dict[Hashable, tuple[float, EndpointUnusableError]] = {}

    @contextmanager
    def guard(self, key: Hashable) -> Iterator[None]:
        """Around one question; raises EndpointUnusableError in place of it where those before were refused."""
        self._check(key)
        try:
            yield
        except EndpointUnusableError as error:
            self._count(key, error)
            raise
        with self._lock:
            self._refusals.pop(key, None)
            self._open.pop(key, None)

    def _check(self, key: Hashable) -> None:
        with self._lock:
            until, error = self._open.get(key, (0.0, None))
            if error is None:
                return
            if time.monotonic() < until:
                raise EndpointUnusableError(str(error))
            self._open[key] = time.monotonic() + _OPEN_S, error

    def _count(self, key: Hashable, error: EndpointUnusableError) -> None:
        with self._lock:
            self._refusals[key] = self._refusals.get(key, 0) + 1
            if self._refusals[key] >= _REFUSALS_IN_A_ROW:
                self._open[key] = time.monotonic() + _OPEN_S, error
