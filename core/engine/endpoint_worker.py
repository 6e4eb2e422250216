"""The threads that ask one endpoint: each takes the most urgent question, waits for its answer and hands it out."""

from __future__ import annotations

import importlib
import threading
import time
from collections.abc import Callable
from functools import cache, partial

from core.engine.cache import AnswerCache
from core.engine.conversation import Task
from core.engine.question_queue import PendingQuestion
from core.errors import Problem, attempt
from core.llm.chat import is_usable
from core.llm.endpoints import Endpoint, endpoint_of
from core.llm.spend import SpendTracker, actual_usage, max_usage
from core.types import Answer, Counts, Question


class EndpointWorker:
    """Keeps as many questions under way as the endpoint is to be asked at once; one that fails spoils only its own askers.

    The lock is the engine's: it guards the questions and the tasks, and is notified when something changes that a watcher
    may show. `resume` is called with a task that has all its answers.
    """

    def __init__(
        self,
        cache: AnswerCache,
        spend: SpendTracker,
        lock: threading.Condition,
        resume: Callable[[Task], None],
        at_once: int,
    ) -> None:
        self._cache = cache
        self._spend = spend
        self._lock = lock
        self._resume = resume
        self._open: dict[bytes, PendingQuestion] = {}
        self._under_way: set[bytes] = set()
        self._available = threading.Semaphore(0)
        self._closed = False
        self.counts = Counts()
        self._threads = [threading.Thread(target=self._serve, daemon=True) for _ in range(at_once)]
        for thread in self._threads:
            thread.start()

    def put(self, key: bytes, question: Question, task: Task) -> bool:
        """Enqueue a question, under the engine's lock; False where the same one already waits and the task joins it."""
        pending = self._open.setdefault(key, PendingQuestion(key, question))
        pending.tasks.append(task)
        self._available.release()
        return len(pending.tasks) == 1

    def close(self) -> None:
        """Ask nothing more."""
        self._closed = True
        self._available.release(len(self._threads))

    def join(self, patience_s: float) -> None:
        """Wait for the answers under way, but no longer than this."""
        deadline = time.monotonic() + patience_s
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))

    def unanswered_tasks(self) -> list[Task]:
        """The tasks that nobody will answer any more; nothing is open afterwards."""
        tasks = list(dict.fromkeys(task for pending in self._open.values() for task in pending.tasks))
        self._open.clear()
        return tasks

    def _serve(self) -> None:
        while self._available.acquire() and not self._closed:
            with self._lock:
                pending = self._next()
            if pending is None:  # another thread took it, or nobody waits for it any more
                continue
            self._deliver(pending, attempt(partial(self._answer, pending)))

    def _next(self) -> PendingQuestion | None:
        """The most urgent question that is not under way, marked as such; what nobody waits for is dropped."""
        for pending in [one for key, one in self._open.items() if key not in self._under_way]:
            pending.tasks = [task for task in pending.tasks if task.live]
            if not pending.tasks:
                del self._open[pending.key]
        free = [pending for key, pending in self._open.items() if key not in self._under_way]
        if not free:
            return None
        chosen = min(free, key=lambda pending: pending.order)
        self._under_way.add(chosen.key)
        for task in chosen.tasks:
            task.running = True
            task.notify_watchers()
        self._lock.notify_all()
        return chosen

    def _answer(self, pending: PendingQuestion) -> Answer:
        question = pending.question
        endpoint = endpoint_of(question.endpoint_model)
        with self._spend.allowing(endpoint, max_usage(question, endpoint.thoughts)):
            answer = _asker(question.checkpoint.kind)(endpoint, question)
            if is_usable(question, answer):
                self._cache.put({pending.key: answer})
            self._spend.enter(
                endpoint, actual_usage(question, answer)
            )  # last: what was paid for is kept before it is counted
        return answer

    def _deliver(self, pending: PendingQuestion, answer: Answer | Problem) -> None:
        with self._lock:
            self._under_way.discard(pending.key)
            self._open.pop(pending.key, None)
            if isinstance(answer, Problem):
                self._refuse(pending, answer)
            else:
                self._hand_out(pending, answer)
            self._lock.notify_all()

    def _refuse(self, pending: PendingQuestion, problem: Problem) -> None:
        for task in pending.tasks:
            task.finish(task.failure(problem.kind, problem.message))

    def _hand_out(self, pending: PendingQuestion, answer: Answer) -> None:
        self.counts += Counts(passes=1, tokens=answer.tokens)
        for place, task in enumerate(pending.tasks):
            task.answers[pending.key] = answer
            task.counts += Counts(passes=1, tokens=answer.tokens) if place == 0 else Counts()
            if task.is_answered():
                self._resume(task)


@cache
def _asker(kind: str) -> Callable[[Endpoint, Question], Answer]:
    """What asks the questions of a kind: `ask(endpoint, question)` of the adapter of that name; raises TouchstoneError."""
    ask: Callable[[Endpoint, Question], Answer] = importlib.import_module(f"core.models.adapters.{kind}").ask
    return ask
