"""The thread that has the questions to one endpoint answered by its Batch API: when nothing else is to come, all that wait."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from core.errors import Problem, TouchstoneError, attempt
from core.models import endpoint_of
from core.scoring.engine.conversation import RunningConversation
from core.scoring.engine.endpoint_worker import EndpointStores
from core.scoring.engine.question_queue import PendingQuestion, QuestionQueue
from core.types import Answer, Counts, Question

if TYPE_CHECKING:
    from core.scoring.engine.batch_exchange import BatchExchange, Outcomes

_GATHER_S = 0.05  # how often it looks whether all questions have come
_FIRST_POLL_S, _LONGEST_POLL_S, _SLOW_DOWN = 0.1, 30.0, 1.3


class BatchWorker:
    """Gathers questions until `settled`, called under the lock, says that no more will come before these are answered.

    The lock is the engine's, and `resume` as in EndpointWorker. `report` is given lines for people. When it is closed the
    batches go on, and the next start collects them.
    """

    def __init__(
        self,
        stores: EndpointStores,
        lock: threading.Condition,
        resume: Callable[[RunningConversation], None],
        settled: Callable[[], bool],
        report: Callable[[str], None],
    ) -> None:
        self._stores = stores
        self._lock = lock
        self._resume = resume
        self._settled = settled
        self._report = report
        self._queue = QuestionQueue()
        self._waiting: dict[bytes, PendingQuestion] = {}
        self._exchange: BatchExchange | None = None
        self._closed = threading.Event()
        self.counts = Counts()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    @property
    def idle(self) -> bool:
        """True: other workers do not wait for batches."""
        return True

    def put_all(self, questions: Mapping[bytes, Question], task: RunningConversation) -> int:
        """Enqueue questions of a task by their keys, under the engine's lock; how many no other task waits for."""
        return self._queue.put_all(questions, task)

    def reorder(self, task: RunningConversation) -> None:
        """Take the questions of a task in their turn again, under the engine's lock: it has become more urgent."""
        self._queue.reorder(task)

    def close(self) -> None:
        """Submit nothing more."""
        self._closed.set()

    def join(self, timeout_s: float | None = None) -> None:
        """Wait for what is said to the endpoint at the moment, but no longer than this."""
        self._thread.join(timeout_s)

    def unanswered_tasks(self) -> list[RunningConversation]:
        """The tasks whose questions will not be answered any more; the queue is empty afterwards."""
        return self._queue.clear()

    def _serve(self) -> None:
        poll_s = _FIRST_POLL_S
        while not self._closed.wait(poll_s if self._waiting else _GATHER_S):
            poll_s = min(poll_s * _SLOW_DOWN, _LONGEST_POLL_S)
            if self._gather():
                poll_s = _FIRST_POLL_S
            if self._waiting:
                outcomes = attempt(self._exchange_waiting)
                self._deliver(dict.fromkeys(self._waiting, outcomes) if isinstance(outcomes, Problem) else outcomes)

    def _gather(self) -> bool:
        """Take the questions that wait where all have come; whether there are any."""
        with self._lock:
            taken = self._queue.take(sys.maxsize) if self._settled() else []
            for task in {task for pending in taken for task in pending.tasks}:
                task.mark_running()
            self._waiting |= {pending.key: pending for pending in taken}
            self._lock.notify_all()
        return bool(taken)

    def _exchange_waiting(self) -> Outcomes:
        """Collect what has come, and submit what is in no batch."""
        if self._exchange is None:
            self._exchange = self._open_exchange()
        outcomes = self._exchange.collect(self._waiting)
        unsent = {key: pending for key, pending in self._waiting.items() if key not in outcomes}
        return outcomes | self._exchange.submit(unsent)

    def _open_exchange(self) -> BatchExchange:
        from core.scoring.engine.batch_exchange import BatchExchange  # imports openai, which takes a second

        first = next(iter(self._waiting.values()))
        endpoint = endpoint_of(first.question.endpoint_model)
        if endpoint.api != "chat":
            raise TouchstoneError(
                f"The Batch API is asked in the form of Chat Completions, and {endpoint.title} speaks {endpoint.api}. "
                "Leave --batch out, or name an endpoint whose api is chat."
            )
        return BatchExchange(endpoint, self._stores, self._report)

    def _deliver(self, outcomes: Outcomes) -> None:
        with self._lock:
            for key in outcomes.keys() & self._waiting.keys():
                outcome = outcomes[key]
                if isinstance(outcome, Answer):
                    self.counts += Counts(passes=1, tokens=outcome.tokens)
                for task in self._queue.deliver(self._waiting.pop(key), outcome):
                    self._resume(task)
            self._lock.notify_all()
