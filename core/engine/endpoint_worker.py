"""The threads that ask one endpoint: each takes the most urgent question, waits for its answer and hands it out."""

from __future__ import annotations

import importlib
import threading
import time
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path

from core.engine.cache import AnswerCache
from core.engine.conversation import Task
from core.engine.question_queue import PendingQuestion
from core.errors import Problem, attempt
from core.llm.chat import is_usable
from core.llm.endpoints import ENDPOINT_SOURCE, endpoint_of
from core.llm.spend import SpendTracker, actual_usage, max_usage
from core.models.model import Model
from core.types import Answer, Checkpoint, Counts, Question


class EndpointWorker:
    """Keeps as many questions under way as the endpoint is to be asked at once; one that fails spoils only its own askers.

    The lock is the engine's: it guards the questions and the jobs, and is notified when something changes that a watcher
    may show. `resume` is called with a job that has all its answers.
    """

    def __init__(
        self,
        cache: AnswerCache,
        ledger: SpendTracker,
        lock: threading.Condition,
        resume: Callable[[Task], None],
        at_once: int,
    ) -> None:
        self._cache = cache
        self._ledger = ledger
        self._lock = lock
        self._resume = resume
        self._open: dict[bytes, PendingQuestion] = {}
        self._under_way: set[bytes] = set()
        self._put_down = threading.Semaphore(0)
        self._closed = False
        self.counts = Counts()
        self._threads = [threading.Thread(target=self._serve, daemon=True) for _ in range(at_once)]
        for thread in self._threads:
            thread.start()

    def ask(self, key: bytes, question: Question, job: Task) -> bool:
        """Put a question down, under the engine's lock; False where the same one already waits and the job joins it."""
        waiting = self._open.setdefault(key, PendingQuestion(key, question))
        waiting.jobs.append(job)
        self._put_down.release()
        return len(waiting.jobs) == 1

    def close(self) -> None:
        """Ask nothing more."""
        self._closed = True
        self._put_down.release(len(self._threads))

    def join(self, patience_s: float) -> None:
        """Wait for the answers under way, but no longer than this."""
        deadline = time.monotonic() + patience_s
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))

    def abandoned(self) -> list[Task]:
        """The jobs that nobody will answer any more; nothing is open afterwards."""
        jobs = list(dict.fromkeys(job for waiting in self._open.values() for job in waiting.jobs))
        self._open.clear()
        return jobs

    def _serve(self) -> None:
        while self._put_down.acquire() and not self._closed:
            with self._lock:
                waiting = self._next()
            if waiting is None:  # another thread took it, or nobody waits for it any more
                continue
            self._deliver(waiting, attempt(partial(self._answer, waiting)))

    def _next(self) -> PendingQuestion | None:
        """The most urgent question that is not under way, marked as such; what nobody waits for is dropped."""
        for waiting in [one for key, one in self._open.items() if key not in self._under_way]:
            waiting.jobs = [job for job in waiting.jobs if job.live]
            if not waiting.jobs:
                del self._open[waiting.key]
        free = [waiting for key, waiting in self._open.items() if key not in self._under_way]
        if not free:
            return None
        chosen = min(free, key=lambda waiting: waiting.order)
        self._under_way.add(chosen.key)
        for job in chosen.jobs:
            job.running = True
            job.touch()
        self._lock.notify_all()
        return chosen

    def _answer(self, waiting: PendingQuestion) -> Answer:
        question = waiting.question
        endpoint = endpoint_of(question.checkpoint)
        with self._ledger.allowing(endpoint, max_usage(question, endpoint.thoughts)):
            answer = _forward_one(_endpoint_model(question.checkpoint.kind), question)
            if is_usable(question, answer):
                self._cache.put({waiting.key: answer})
            self._ledger.enter(
                endpoint, actual_usage(question, answer)
            )  # last: what was paid for is kept before it is counted
        return answer

    def _deliver(self, waiting: PendingQuestion, answer: Answer | Problem) -> None:
        with self._lock:
            self._under_way.discard(waiting.key)
            self._open.pop(waiting.key, None)
            if isinstance(answer, Problem):
                self._refuse(waiting, answer)
            else:
                self._hand_out(waiting, answer)
            self._lock.notify_all()

    def _refuse(self, waiting: PendingQuestion, trouble: Problem) -> None:
        for job in waiting.jobs:
            job.finish(job.failure(trouble.kind, trouble.message))

    def _hand_out(self, waiting: PendingQuestion, answer: Answer) -> None:
        self.counts += Counts(passes=1, tokens=answer.tokens)
        for place, job in enumerate(waiting.jobs):
            job.answers[waiting.key] = answer
            job.counts += Counts(passes=1, tokens=answer.tokens) if place == 0 else Counts()
            if job.is_answered():
                self._resume(job)


@cache
def _endpoint_model(kind: str) -> Model:
    loaded: Model = importlib.import_module(f"core.models.adapters.{kind}").load(
        Path(), Checkpoint(ENDPOINT_SOURCE, kind), ""
    )
    return loaded


def _forward_one(model: Model, question: Question) -> Answer:
    [answer] = model.forward(model.encode([question]))
    return answer
