"""The thread that asks one plug-in: it takes what one call may be given, asks the plug-in's process, and hands the answers out."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from core.errors import Problem, attempt
from core.model_reference import PluginFunction
from core.scoring.engine.cache import AnswerCache
from core.scoring.engine.conversation import RunningConversation
from core.scoring.engine.question_queue import PendingQuestion, QuestionQueue
from core.scoring.plugins.function_metric import example_of
from core.scoring.plugins.processes.process import PluginLimits, PluginProcess
from core.scoring.plugins.source import source_hash
from core.settings import Settings
from core.types import Answer, Counts, Option, Question

_TOGETHER_S, _MOST_TOGETHER = 0.05, 64  # quick calls, so long that nobody waits for them

_TimedOutcome = tuple[PendingQuestion, Answer | Problem, float]
"""A question with its outcome, and the seconds that it took."""


class FunctionWorker:
    """Keeps the process of one source, and starts it again where it ended or its code changed.

    The lock is the engine's: it guards the queue and the tasks, and is notified when something changes that a watcher
    may show. `resume` is called with a task that goes on.
    """

    def __init__(
        self, source: str, cache: AnswerCache, lock: threading.Condition, resume: Callable[[RunningConversation], None]
    ) -> None:
        self._source = source
        self._cache = cache
        self._lock = lock
        self._resume = resume
        self._queue = QuestionQueue()
        self._available = threading.Semaphore(0)
        self._closed = False
        self._process: PluginProcess | None = None
        self._call_s = _TOGETHER_S  # of the last calls
        self._loaded = ""  # hash of the code that the process runs
        self.counts = Counts()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def put_all(self, questions: Mapping[bytes, Question], task: RunningConversation) -> int:
        """Enqueue questions of a task by their keys, under the engine's lock; how many no other task waits for."""
        self._available.release()
        return self._queue.put_all(questions, task)

    @property
    def idle(self) -> bool:
        """True if no question is open, under the engine's lock."""
        return not len(self._queue)

    def reorder(self, task: RunningConversation) -> None:
        """Take the questions of a task in their turn again, under the engine's lock: it has become more urgent."""
        self._queue.reorder(task)

    def close(self) -> None:
        """Ask nothing more, and end the process: a function that is under way costs nothing."""
        self._closed = True
        self._available.release()
        if process := self._process:
            process.end()

    def join(self, timeout_s: float | None = None) -> None:
        """Wait for the thread, but no longer than this."""
        self._thread.join(timeout_s)
        if process := self._process:
            process.end()

    def unanswered_tasks(self) -> list[RunningConversation]:
        """The tasks whose questions will not be answered any more; the queue is empty afterwards."""
        return self._queue.clear()

    def _serve(self) -> None:
        while self._available.acquire() and not self._closed:
            while not self._closed and (batch := self._take_batch()):
                began = time.perf_counter()
                size = _function(batch[0]).at_once
                parts = [batch[start : start + size] for start in range(0, len(batch), size)]
                self._deliver([outcome for part in parts for outcome in self._ask(part)])
                self._call_s = (time.perf_counter() - began) / len(parts)

    def _take_batch(self) -> list[PendingQuestion]:
        """Questions of one function with the same settings: those of one call, or of several quick ones, whose answers are kept together.

        What was taken beyond them waits again.
        """
        with self._lock:
            taken = self._queue.take(1)
            if taken:
                quick = int(_TOGETHER_S / self._call_s)
                size = max(_function(taken[0]).at_once, min(quick, _MOST_TOGETHER))
                taken += self._queue.take(size - 1)
            batch = [pending for pending in taken if _call_of(pending) == _call_of(taken[0])]
            self._queue.put_back([pending for pending in taken if pending not in batch])
            for task in {task for pending in batch for task in pending.tasks}:
                task.mark_running()
            self._lock.notify_all()
            return batch

    def _ask(self, batch: Sequence[PendingQuestion]) -> list[_TimedOutcome]:
        """Have one call answer a batch; one that fails is halved until the example that cannot be scored is alone."""
        process = attempt(self._ready_process)
        if isinstance(process, Problem):
            return [(pending, process, 0.0) for pending in batch]
        current = self._current(batch)
        if not current:
            return []
        function, options = _call_of(current[0])
        examples = [example_of(pending.question) for pending in current]
        began = time.perf_counter()
        outcomes = attempt(partial(process.ask, function.name, options, examples))
        seconds = (time.perf_counter() - began) / len(current)
        if not isinstance(outcomes, Problem):
            return [(pending, outcome, seconds) for pending, outcome in zip(current, outcomes, strict=True)]
        if len(current) == 1 or self._closed:
            return [(pending, outcomes, seconds) for pending in current]
        half = len(current) // 2
        return [*self._ask(current[:half]), *self._ask(current[half:])]

    def _ready_process(self) -> PluginProcess:
        """The process that runs the code as it is now; raises PluginError where it does not load."""
        code = source_hash(self._source)
        if self._process and (not self._process.alive or self._loaded != code):
            self._process.end()
            self._process = None
        if self._process is None:
            self._process, self._loaded = PluginProcess(self._source, PluginLimits.of(Settings.read())), code
        return self._process

    def _current(self, batch: Sequence[PendingQuestion]) -> list[PendingQuestion]:
        """The questions to the code that the process runs; tasks that asked what it was before begin again."""
        with self._lock:
            outdated = [pending for pending in batch if pending.fingerprint != self._loaded]
            for task in dict.fromkeys(task for pending in outdated for task in self._queue.remove(pending)):
                if task.keys is not None:
                    task.restart()
                    self._resume(task)
        return [pending for pending in batch if pending.fingerprint == self._loaded]

    def _deliver(self, outcomes: Sequence[_TimedOutcome]) -> None:
        self._cache.put({pending.key: outcome for pending, outcome, _ in outcomes if isinstance(outcome, Answer)})
        with self._lock:
            self.counts += Counts(passes=1)
            for pending, outcome, seconds in outcomes:
                for asker in pending.tasks[:1]:
                    asker.work_s += seconds
                for task in self._queue.deliver(pending, outcome):
                    self._resume(task)
            self._lock.notify_all()


def _function(pending: PendingQuestion) -> PluginFunction:
    assert isinstance(pending.question.checkpoint, PluginFunction)
    return pending.question.checkpoint


def _call_of(pending: PendingQuestion) -> tuple[PluginFunction, tuple[Option, ...]]:
    return _function(pending), pending.question.options
