"""Conversations with a language model that go on in the background while a page is looked at."""

from __future__ import annotations

import threading
from collections.abc import Generator, Sequence
from functools import partial
from typing import Generic

from core.background import BackgroundTask
from core.engine.conversation import Conversation
from core.engine.engine import Engine
from core.types import Failure, T


class ConversationTask(Generic[T]):
    """What conversations come to, in their order, as far as they have ended."""

    def __init__(self, engine: Engine, talks: Sequence[Conversation[T]]) -> None:
        self.total = len(talks)
        self._dropped = threading.Event()
        self._work: BackgroundTask[T | Failure] = BackgroundTask(
            partial(_outcomes, engine, talks, self._dropped), len(talks)
        )

    @property
    def outcomes(self) -> list[T | Failure]:
        return self._work.found

    @property
    def running(self) -> bool:
        return self._work.progress.running

    @property
    def trouble(self) -> str:
        """Why nothing came that should have; empty where all is well."""
        return self._work.progress.trouble

    @property
    def came(self) -> int:
        """A number that grows with everything that is new to show."""
        return len(self.outcomes) + (not self.running)

    def drop(self) -> None:
        """Ask nothing more; an answer under way is paid for and is not shown."""
        self._dropped.set()

    def wait(self, timeout: float) -> bool:
        """Wait until everything has come; False when it did not in time."""
        return self._work.wait(timeout)


def _outcomes(engine: Engine, talks: Sequence[Conversation[T]], dropped: threading.Event) -> Generator[T | Failure]:
    for _, outcome in engine.converse(talks, dropped):
        yield outcome
