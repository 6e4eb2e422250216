"""The threads that ask one endpoint: each takes the most urgent question, waits for its answer and hands it out."""

from __future__ import annotations

import importlib
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, partial

from core.errors import Problem, attempt
from core.models import (
    CircuitBreaker,
    CostLog,
    Endpoint,
    SpendTracker,
    actual_usage,
    adapters,
    endpoint_of,
    is_usable,
    most_usage,
)
from core.scoring.engine.cache import AnswerCache
from core.scoring.engine.conversation import RunningConversation
from core.scoring.engine.question_queue import PendingQuestion, QuestionQueue
from core.types import Answer, Counts, Question


@dataclass(frozen=True, slots=True)
class EndpointStores:
    """Stores of the answers of endpoints, of the total spend, and of the cost of each prompt in each run."""

    answers: AnswerCache
    spend: SpendTracker
    costs: CostLog

    @classmethod
    def open(cls, answers: AnswerCache) -> EndpointStores:
        return cls(answers, SpendTracker(answers.folder), CostLog(answers.folder))

    def close(self) -> None:
        """Close what is beside the answers."""
        self.spend.close()
        self.costs.flush()


class EndpointWorker:
    """Keeps as many questions under way as the endpoint is to be asked at once; one that fails spoils only its own askers.

    The lock is the engine's: it guards the queue and the tasks, and is notified when something changes that a watcher
    may show. `resume` is called with a task that has all its answers.
    """

    def __init__(
        self,
        stores: EndpointStores,
        lock: threading.Condition,
        resume: Callable[[RunningConversation], None],
        at_once: int,
    ) -> None:
        self._stores = stores
        self._lock = lock
        self._resume = resume
        self._queue = QuestionQueue()
        self._breaker = CircuitBreaker()
        self._available = threading.Semaphore(0)
        self._closed = False
        self.counts = Counts()
        self._threads = [threading.Thread(target=self._serve, daemon=True) for _ in range(at_once)]
        for thread in self._threads:
            thread.start()

    def put_all(self, questions: Mapping[bytes, Question], task: RunningConversation) -> int:
        """Enqueue questions of a task by their keys, under the engine's lock; how many no other task waits for."""
        self._available.release(len(questions))
        return self._queue.put_all(questions, task)

    @property
    def idle(self) -> bool:
        """True if no question is open, under the engine's lock."""
        return not len(self._queue)

    def reorder(self, task: RunningConversation) -> None:
        """Take the questions of a task in their turn again, under the engine's lock: it has become more urgent."""
        self._queue.reorder(task)

    def close(self) -> None:
        """Ask nothing more."""
        self._closed = True
        self._available.release(len(self._threads))

    def join(self, timeout_s: float | None = None) -> None:
        """Wait for the answers under way, but no longer than this."""
        deadline = None if timeout_s is None else time.monotonic() + timeout_s
        for thread in self._threads:
            thread.join(None if deadline is None else max(0.0, deadline - time.monotonic()))

    def unanswered_tasks(self) -> list[RunningConversation]:
        """The tasks whose questions will not be answered any more; the queue is empty afterwards."""
        return self._queue.clear()

    def _serve(self) -> None:
        while self._available.acquire() and not self._closed:
            # none where another thread took it, or no task waits for it any more
            for pending in self._take_one():
                self._deliver(pending, attempt(partial(self._answer, pending)))

    def _take_one(self) -> list[PendingQuestion]:
        with self._lock:
            taken = self._queue.take(1)
            for task in (task for pending in taken for task in pending.tasks):
                task.mark_running()
            self._lock.notify_all()
            return taken

    def _answer(self, pending: PendingQuestion) -> Answer:
        question = pending.question
        endpoint = endpoint_of(question.endpoint_model)
        # what nobody waits for any more need not wait for money either
        unwanted = lambda: self._closed or not any(task.live for task in pending.tasks)  # noqa: E731  # one line of one use
        payer, most = pending.payer, most_usage(question, endpoint.reasoning_tokens)
        with self._stores.spend.reserve(endpoint, most, unwanted, payer):
            model = str(dict(question.options).get("model", ""))
            with self._breaker.guard((endpoint, model), unwanted) as caller:
                try:
                    answer = _asker(question.checkpoint.kind)(endpoint, question)
                finally:
                    self._stores.costs.record_requests(pending.prompt, endpoint, model, caller.sent)
            if is_usable(question.checkpoint.kind, answer):
                self._stores.answers.put({pending.key: answer}, paid=True)
            # last: what was paid for is cached before it is counted
            usage = actual_usage(question, answer)
            self._stores.spend.record(endpoint, usage, payer)
            self._stores.costs.record(pending.prompt, endpoint, model, usage)
        return answer

    def _deliver(self, pending: PendingQuestion, outcome: Answer | Problem) -> None:
        with self._lock:
            if isinstance(outcome, Answer):
                self.counts += Counts(passes=1, tokens=outcome.tokens)
            for task in self._queue.deliver(pending, outcome):
                self._resume(task)
            self._lock.notify_all()


@cache
def _asker(kind: str) -> Callable[[Endpoint, Question], Answer]:
    """Function that asks the questions of a kind: `ask` of the adapter of that name."""
    ask: Callable[[Endpoint, Question], Answer] = importlib.import_module(f"{adapters.__name__}.{kind}").ask
    return ask
