"""Pace of questions to an endpoint: one that refuses for the moment is waited for, and one that refuses all is not asked."""

from __future__ import annotations

import math
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from core.errors import EndpointUnusableError, TouchstoneError

MINUTE_S = 60.0
"""The minute of rate limits; shorter in tests."""

_FIRST_PAUSE, _LONGEST_PAUSE, _PAUSE_OF_A_MINUTE = 1 / 60, 0.5, 0.25  # of a minute
_POLL_S = 0.2  # how long a question waits before it looks if it is still wanted
_FAST_GROWTH = 0.5  # of the number under way, with every answer, up to where it was refused
_FIRST_LOOK_S = 0.5  # after which all may be under way, where nothing was refused
_REMEMBERED = 4096  # answers from which the allowed rate is learned
_MORE_ALLOWED = 0.02  # questions in a period that are tried beyond the learned ones, with every answer

_REFUSALS_IN_A_ROW = 3
_OPEN_S = 10.0  # how long an endpoint is not asked that refuses everything; then one question tries it again


class EndpointClosedError(EndpointUnusableError):
    """An endpoint of which one refusal says that it will refuse everything: no money, a wrong key, no such model."""


class Pace:
    """Turns of the questions to one endpoint; safe among threads.

    At most `at_once` are under way: fewer after a refusal, more with every answer. While it refuses, one question at a
    time tries it. A rate that was refused is learned, as answers in a span of time.
    """

    def __init__(self, at_once: int, wait_s: float, title: str = "") -> None:
        self._title = title
        self._lock = threading.Condition()
        self._at_once = at_once
        self._wait_s = wait_s
        self._window = 1.0  # the first question tries it alone
        self._calm_window = float(at_once)  # below it the window grows fast
        self._callers = self._under_way = 0
        self._has_begun, self._first_sent = False, math.inf
        self._paused_until = 0.0
        self._refused_since: float | None = None
        self._refusals = 0
        self._is_rate = False
        self._words = ""
        self._allowed, self._period_s = math.inf, 0.0
        self._answered_at: deque[float] = deque(maxlen=_REMEMBERED)
        self.has_answered = False
        _PACES.add(self)

    def begin(self, check: Callable[[], None]) -> float:
        """Wait for the turn of a question; the time at which it is sent. `check` raises where it need not be asked."""
        with self._lock:
            self._callers += 1
            try:
                return self._await_turn(check)
            except TouchstoneError:
                self._callers -= 1
                raise

    def _await_turn(self, check: Callable[[], None]) -> float:
        while True:
            check()
            now = time.monotonic()
            pause = self._pause_s(now)
            if not pause:
                self._under_way += 1
                if not self._has_begun:
                    self._has_begun, self._first_sent = True, now
                return now
            self._lock.wait(min(pause, _POLL_S))

    def _pause_s(self, now: float) -> float:
        """Seconds until it is worth looking again if a question may be sent; 0 if it may be now."""
        if now < self._paused_until:
            return self._paused_until - now
        if now - self._first_sent >= _FIRST_LOOK_S:  # a refusal comes sooner, a long answer later
            self._window, self._first_sent = float(self._at_once), math.inf
        most = 1.0 if self._refused_since is not None else self._window
        if self._under_way and self._under_way >= int(most):
            return _POLL_S
        if math.isfinite(self._allowed):
            while self._answered_at and self._answered_at[0] <= now - self._period_s:
                self._answered_at.popleft()
            if self._answered_at and len(self._answered_at) + self._under_way >= int(self._allowed):
                return self._answered_at[0] + self._period_s - now
        return 0.0

    def end(self) -> None:
        """Give the turn to the next question, whatever became of this one."""
        with self._lock:
            self._under_way -= 1
            self._callers -= 1
            self._lock.notify()

    def answered(self, sent: float) -> None:
        """Go on, with more under way; after refusals by no more than what was answered before them in as long a time."""
        with self._lock:
            self.has_answered = True
            if self._refused_since is not None and sent >= self._refused_since:
                if self._is_rate:
                    self._learn(sent - self._refused_since, self._refused_since)
                self._refused_since, self._refusals, self._is_rate = None, 0, False
            elif math.isfinite(self._allowed):
                self._allowed += _MORE_ALLOWED + self._allowed / 1000
            self._answered_at.append(sent)
            more = _FAST_GROWTH if self._window < self._calm_window else 1.0 / self._window
            self._window = min(self._window + more, float(self._at_once))
            self._lock.notify_all()

    def _learn(self, period_s: float, refused: float) -> None:
        """Take over the rate of the answers before a refusal that lasted so long."""
        answers = sum(refused - period_s <= answered <= refused for answered in self._answered_at)
        if answers:
            self._allowed, self._period_s = float(answers), period_s
            self._answered_at.clear()

    def refused(self, sent: float, named_s: float | None, words: str, per_minute: bool, is_rate: bool) -> bool:
        """Hold back every question; False where the endpoint is not worth waiting for any longer.

        By the pause that the server names, unless it was too short before; else by one that doubles with each refusal.
        """
        with self._lock:
            now = time.monotonic()
            if self._refused_since is None:
                self._refused_since = now
                self._refusals = 0
                self._first_sent = math.inf
                self._calm_window = self._window = max(1.0, self._window / 2)
            elif sent < self._paused_until:  # it was sent before the pause began
                return self._paused_until - self._refused_since <= self._wait_s
            self._refusals += 1
            self._is_rate |= is_rate
            self._words = words
            pause = self._own_pause_s(per_minute)
            if named_s is not None:
                pause = named_s if self._refusals == 1 else max(named_s, pause)
            if now + pause - self._refused_since > self._wait_s:
                return False
            self._paused_until = now + pause
            return True

    def _own_pause_s(self, per_minute: bool) -> float:
        first = MINUTE_S * (_PAUSE_OF_A_MINUTE if per_minute else _FIRST_PAUSE)
        if self._is_rate and math.isfinite(self._allowed):
            first = max(first, self._period_s / 2)
        return min(first * 2.0 ** min(self._refusals - 1, 10), MINUTE_S * _LONGEST_PAUSE)

    @property
    def waiting(self) -> str:
        """A sentence with the cause of the wait, the next try and the end of patience; empty where nothing waits."""
        with self._lock:
            now = time.monotonic()
            if not self._callers or self._refused_since is None or now >= self._refused_since + self._wait_s:
                return ""
            again, end = (
                (datetime.now() + timedelta(seconds=max(0.0, moment - now))).strftime("%H:%M:%S")
                for moment in (self._paused_until, self._refused_since + self._wait_s)
            )
            return f"{self._title}: {self._words}; next try at {again}, waited for until {end}"


_PACES: weakref.WeakSet[Pace] = weakref.WeakSet()


def waiting_endpoints() -> list[str]:
    """A sentence for each endpoint that this process waits for: for what, and until when."""
    return list(filter(None, [pace.waiting for pace in list(_PACES)]))


@dataclass(slots=True)
class Caller:
    """A question that waits for its answer, as seen by the client that asks it."""

    check: Callable[[], None] = lambda: None
    """Raises TouchstoneError where the question need not be asked any more."""

    refused: Callable[[EndpointUnusableError], None] = lambda _: None
    """Takes a refusal that other questions will meet too."""

    sent: list[str] = field(default_factory=list)
    """Outcome of each request that was sent: answered, a kind of refusal, or ? where the server never said."""


CALLER: ContextVar[Caller] = ContextVar("CALLER")
"""The question that is asked in this thread."""


class CircuitBreaker:
    """Ends all questions to an endpoint and model that refused several in a row for good; safe among threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._refusals: dict[Hashable, int] = {}
        self._open: dict[Hashable, tuple[float, EndpointUnusableError]] = {}

    @contextmanager
    def guard(self, key: Hashable, unwanted: Callable[[], bool] = lambda: False) -> Iterator[Caller]:
        """Around one question; raises EndpointUnusableError in place of it where those before were refused."""
        is_trial = self._check(key)

        def check() -> None:
            if unwanted():
                raise TouchstoneError("Nobody waits for this answer any more.")
            if not is_trial:
                self._raise_open(key)

        caller = Caller(check, lambda error: self._count(key, error))
        token = CALLER.set(caller)
        try:
            yield caller
        finally:
            CALLER.reset(token)
        with self._lock:
            self._refusals.pop(key, None)
            self._open.pop(key, None)

    def _check(self, key: Hashable) -> bool:
        """Raise the error of an open one; True for the one question that is let through when its time is over."""
        self._raise_open(key)
        with self._lock:
            if key not in self._open:
                return False
            self._open[key] = time.monotonic() + _OPEN_S, self._open[key][1]
            return True

    def _raise_open(self, key: Hashable) -> None:
        with self._lock:
            until, error = self._open.get(key, (0.0, None))
        if error is not None and time.monotonic() < until:
            raise EndpointUnusableError(str(error))

    def _count(self, key: Hashable, error: EndpointUnusableError) -> None:
        with self._lock:
            self._refusals[key] = self._refusals.get(key, 0) + 1
            if isinstance(error, EndpointClosedError) or self._refusals[key] >= _REFUSALS_IN_A_ROW:
                self._open[key] = time.monotonic() + _OPEN_S, error
