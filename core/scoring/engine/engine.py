"""The engine: plan, look up, merge, batch, ask, fold; streaming, cancellable, one per process."""

from __future__ import annotations

import itertools
import threading
from collections import deque
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import closing, suppress
from copy import copy
from functools import partial
from pathlib import Path
from typing import Any

from core.base import BackgroundTask
from core.errors import Problem, attempt
from core.model_reference import EndpointModel, PluginFunction, asks_endpoint, local_checkpoints
from core.models import (
    CostEstimate,
    CostRow,
    ModelPool,
    ModelStatus,
    Spend,
    asks_service,
    batch_endpoint_of,
    endpoint_of,
    endpoint_problem,
    estimate_cost,
    has_cost,
    replacements_folder,
    require_devices,
    require_precision,
)
from core.scoring.engine.cache import AnswerCache
from core.scoring.engine.conversation import (
    BoardCell,
    CellKey,
    CellState,
    Conversation,
    Priority,
    Request,
    RunningConversation,
)
from core.scoring.engine.planner import Planner, StartBatches
from core.scoring.metric import Metric
from core.scoring.plugins.source import source_hash
from core.settings import Settings
from core.types import Counts, Example, Failure, FailureKind, Outcome, Question, Score, T

_MAX_TASKS_AHEAD = 512  # tasks of a bulk run under way at once
_POLL_S = 0.1  # how long a bulk run waits for an outcome before it looks whether it was cancelled
_CELL_STATES = {
    FailureKind.NEEDS_DOWNLOAD: CellState.NEEDS_DOWNLOAD,
    FailureKind.NEEDS_ENDPOINT: CellState.NEEDS_ENDPOINT,
}
_FIXED_BY_THE_POOL = (FailureKind.NEEDS_DOWNLOAD, FailureKind.LOAD)


class Engine:
    """Answers requests of many owners and bulk runs from one pool of models and one cache.

    A metric that raises spoils only its own cell.
    """

    def __init__(self, pool: ModelPool, cache: AnswerCache, start_batches: StartBatches | None = None) -> None:
        self.pool = pool
        self._cache = cache
        self._lock = threading.Condition(threading.RLock())
        self._latest: dict[str, Request] = {}
        self._payer = ""
        self._planner = Planner(pool, cache, self._lock, start_batches)
        self._unwatch = pool.watch(self._pool_changed)

    @classmethod
    def open(cls, settings: Settings, start_batches: StartBatches | None = None) -> Engine:
        """The engine of a process, on the devices, memory and cache folder that the settings name.

        With `start_batches`, a BatchWorker that knows to whom it reports, paid questions go by the Batch API of their endpoint.

        Raises BadSettingError for devices and a precision that this machine has not, and for a folder of prompts that is none.
        """
        require_devices(settings.device)
        require_precision(settings.precision, settings.device)
        replacements_folder()  # here, and not in the middle of a run that has already paid
        pool = ModelPool.open(settings)
        return cls(pool, AnswerCache(settings.cache_dir, settings.cache_bytes), start_batches)

    def charged_to(self, person: str) -> Engine:
        """The same engine, whose questions to endpoints are counted and limited as those of a person of a shared server."""
        charged = copy(self)
        charged._payer = person
        return charged

    def submit(self, owner: str, metrics: Sequence[Metric], examples: Sequence[Example]) -> Request:
        """Ask for every metric on every example; cancels what this owner asked before, and takes over what is the same.

        The same question again returns the same request, so a page may call it at every rerun.
        """
        with self._lock:
            old = self._latest.get(owner)
            if old and old.is_for(metrics, examples):
                self._revive(old)
                return old
            request = self._latest[owner] = Request(
                metrics, examples, Priority.INTERACTIVE, owner=owner, payer=self._payer
            )
            # what asks no model is there at once, and must not wait behind the planning of what does
            lexical_first = sorted(metrics, key=lambda metric: bool(metric.checkpoints()))
            for place, (metric, example) in enumerate(itertools.product(lexical_first, examples)):
                self._adopt_or_start(request, old, metric, example, place)
            cells = [(metric.spec, example.id) for metric, example in itertools.product(metrics, examples)]
            request.tasks = {cell: request.tasks[cell] for cell in cells}
            self._cancel(old)
            return request

    def release(self, owner: str) -> None:
        """Forget what an owner asked; the next submit starts afresh."""
        with self._lock:
            self._cancel(self._latest.pop(owner, None))

    def cells(self, request: Request) -> tuple[int, dict[CellKey, BoardCell]]:
        """One consistent look: the request's version and every cell."""
        with self._lock:
            return request.version, {place: self._cell(task) for place, task in request.tasks.items()}

    def wait(self, request: Request, version: int, timeout: float) -> bool:
        """Block until the request is newer than `version`, or cancelled; False when neither happened in time."""
        with self._lock:
            return self._lock.wait_for(lambda: request.version != version or request.cancelled.is_set(), timeout)

    def run(self, metrics: Sequence[Metric], examples: Iterable[Example]) -> Generator[tuple[Example, Outcome]]:
        """Every metric on every example, in order, a window of them under way at once. Closing it cancels the rest."""
        pairs = ((example, metric) for example in examples for metric in metrics)
        with closing(self._through((_scoring(metric, example), metric) for example, metric in pairs)) as ended:
            for task, outcome in ended:
                yield task.conversation.example, outcome

    def converse(
        self, conversations: Iterable[Conversation[T]], cancelled: threading.Event | None = None
    ) -> Generator[tuple[Conversation[T], T | Failure]]:
        """Every conversation to its end, in order, a window of them under way at once. Closing it cancels the rest.

        So does setting `cancelled`, from any thread: no question is begun after it, and none is waited for.
        """
        with closing(self._through(((conversation, None) for conversation in conversations), cancelled)) as ended:
            for task, outcome in ended:
                yield task.conversation, outcome

    def conversations(self, metrics: Sequence[Metric], examples: Iterable[Example]) -> Iterator[Conversation[Score]]:
        """The conversations by which these metrics would score these examples."""
        return (_scoring(metric, example) for example in examples for metric in metrics)

    def estimate(self, conversations: Iterable[Conversation[Any]]) -> CostEstimate:
        """Estimate the cost of conversations at endpoints, by their first questions; asks nothing.

        One whose endpoint is not set fails at once and costs nothing.
        """
        remote = [
            conversation
            for conversation in conversations
            if asks_endpoint(conversation.checkpoints) and _has_endpoints(conversation)
        ]
        firsts = [questions for conversation in remote if (questions := _first_questions(conversation))]
        paid = [question for first in firsts for question in first if has_cost(question)]
        # a service is asked once; of others the first question may be free, as that for the length of a text
        open_ended = sum(
            not any(has_cost(question) or asks_service(question) for question in first) for first in firsts
        )
        find = batch_endpoint_of if self._planner.in_batches else endpoint_of
        return estimate_cost(self._planner.unanswered(paid), open_ended, find)

    def spent(self) -> dict[str, Spend]:
        """Spend at endpoints since the start, by name, "" for the default one."""
        return self._planner.spent

    def costs(self) -> list[CostRow]:
        """Costs of every run of a process on this cache by prompt, the newest first."""
        return self._planner.costs()

    def counts(self) -> Counts:
        """Counts of what was planned, answered from the cache, merged and asked since the start, and its cost."""
        with self._lock:
            return self._planner.counts

    def queue_operations(self) -> int:
        """Number of entries put into a queue of models of the device or taken out of one."""
        with self._lock:
            return self._planner.queue_operations

    @property
    def folder(self) -> Path:
        """Folder of its answers on disk."""
        return self._cache.folder

    def disk_use(self) -> tuple[int, int]:
        """Bytes that its answers take on disk, and may take."""
        return self._cache.size_bytes, self._cache.limit_bytes

    def close(self) -> None:
        """Stop the threads, drop the models and close the cache; requests are cancelled, and what a run asks for fails.

        An endpoint that is silent is not waited for.
        """
        self._unwatch()
        self._planner.close()
        for owner in list(self._latest):
            self.release(owner)
        self._planner.join()
        self.pool.close()
        self._cache.close()

    def _through(
        self, works: Iterable[tuple[Conversation[Any], Metric | None]], cancelled: threading.Event | None = None
    ) -> Generator[tuple[RunningConversation, Any]]:
        request = Request((), (), Priority.BULK, cancelled, payer=self._payer)
        try:
            for task in self._ahead(self._start(request, *work, place) for place, work in enumerate(works)):
                if task.live and self._takes_itself(task.conversation):
                    self._planner.advance(task)
                if not _wait_for_outcome(task, request.cancelled):
                    return
                yield task, task.done.result()
        finally:
            request.cancelled.set()

    def _ahead(self, tasks: Iterable[RunningConversation]) -> Iterable[RunningConversation]:
        """The tasks, a window of which is started before the first of them is waited for; all where batches are made of them."""
        if not self._planner.in_batches:
            return _start_ahead(tasks)
        with self._planner.holding_batches():
            return list(tasks)

    def _adopt_or_start(
        self, request: Request, old: Request | None, metric: Metric, example: Example, place: int
    ) -> None:
        cell = (metric.spec, example.id)
        conversation = _scoring(metric, example)
        task = old.tasks.get(cell) if old else None
        if task and task.conversation == conversation and not task.failed() and not self._outdated(task):
            task.join(request, place)
            self._planner.reorder(task)
            request.tasks[cell] = task
        else:
            request.tasks[cell] = self._start(request, conversation, metric, place)

    def _start(
        self, request: Request, conversation: Conversation[Any], metric: Metric | None, place: int
    ) -> RunningConversation:
        task = RunningConversation(conversation, request, place, metric)
        if request.priority is Priority.INTERACTIVE or not self._takes_itself(conversation):
            self._planner.enqueue(task)
        return task

    def _takes_itself(self, conversation: Conversation[Any]) -> bool:
        """True for what a run computes in its own thread at its turn: without a model several threads are no faster (decision 82)."""
        return not (conversation.checkpoints or self._planner.in_batches)

    def _cancel(self, request: Request | None) -> None:
        if request:
            request.cancelled.set()
            self._lock.notify_all()

    def _revive(self, request: Request) -> None:
        """Ask again for cells that failed for lack of a model that is here now, and for those of weights replaced since."""
        for place, (cell, task) in enumerate(request.tasks.items()):
            fixed = task.failed(*_FIXED_BY_THE_POOL) and self._models_may_answer(task.conversation)
            if fixed or self._outdated(task):
                request.tasks[cell] = self._start(request, task.conversation, task.metric, place)
                request.version += 1

    def _outdated(self, task: RunningConversation) -> bool:
        """True if it has a score of weights, or of a plug-in, whose files were replaced since."""
        prints = task.fingerprints if task.done.done() and not task.failed() else {}
        functions = [model for model in prints if isinstance(model, PluginFunction)]
        return not (
            all(self.pool.unchanged(checkpoint, prints[checkpoint]) for checkpoint in local_checkpoints(prints))
            and all(attempt(partial(source_hash, function.source)) == prints[function] for function in functions)
        )

    def _models_may_answer(self, conversation: Conversation[Any]) -> bool:
        hopeful = {ModelStatus.COLD, ModelStatus.LOADING, ModelStatus.READY}
        return all(
            self.pool.state(checkpoint).status in hopeful for checkpoint in local_checkpoints(conversation.checkpoints)
        )

    def _cell(self, task: RunningConversation) -> BoardCell:
        outcome: Outcome | None = task.done.result() if task.done.done() else None
        if outcome and not task.failed(*_FIXED_BY_THE_POOL):
            return _outcome_cell(outcome)
        for state in map(self.pool.state, local_checkpoints(task.conversation.checkpoints)):
            if state.status in {ModelStatus.DOWNLOADING, ModelStatus.LOADING}:
                return BoardCell(CellState.LOADING, None, state.message, state.progress)
            if outcome and state.status is ModelStatus.FAILED:
                return _outcome_cell(task.failure(FailureKind.LOAD, state.message))
        if outcome:
            return _outcome_cell(outcome)
        return BoardCell(CellState.RUNNING if task.running else CellState.QUEUED)

    def _pool_changed(self) -> None:
        with self._lock:
            for request in self._latest.values():
                request.version += 1
            self._lock.notify_all()
        self._planner.wake()


def _scoring(metric: Metric, example: Example) -> Conversation[Score]:
    return Conversation(metric.spec, example, partial(metric.rounds, example), metric.checkpoints())


class ConversationTask(BackgroundTask[T | Failure]):
    """The outcomes of conversations, in their order, while a page is looked at.

    Cancelling it asks nothing more; an answer under way is paid for and is not shown.
    """

    def __init__(self, engine: Engine, conversations: Sequence[Conversation[T]]) -> None:
        cancelled = threading.Event()
        work = partial(_conversation_outcomes, engine, conversations, cancelled)
        super().__init__(work, len(conversations), cancelled=cancelled)


def _conversation_outcomes(
    engine: Engine, conversations: Sequence[Conversation[T]], cancelled: threading.Event
) -> Generator[T | Failure]:
    for _, outcome in engine.converse(conversations, cancelled):
        yield outcome


def _has_endpoints(conversation: Conversation[Any]) -> bool:
    return not any(
        endpoint_problem(model.endpoint) for model in conversation.checkpoints if isinstance(model, EndpointModel)
    )


def _first_questions(conversation: Conversation[Any]) -> Sequence[Question]:
    """The questions of its first round; none where the text is refused."""
    with closing(conversation.rounds()) as rounds:
        first = attempt(lambda: next(rounds, []))
    return [] if isinstance(first, Problem) else first


def _start_ahead(tasks: Iterable[RunningConversation]) -> Iterator[RunningConversation]:
    """The same tasks, a window of which is started before the first of them is waited for."""
    window: deque[RunningConversation] = deque()
    for task in tasks:
        window.append(task)
        if len(window) >= _MAX_TASKS_AHEAD:
            yield window.popleft()
    yield from window


def _wait_for_outcome(task: RunningConversation, cancelled: threading.Event) -> bool:
    """Wait for an outcome; False if the task was cancelled, since a dropped task never has one."""
    while not cancelled.is_set():
        with suppress(TimeoutError):
            task.done.exception(_POLL_S)
            return True
    return False


def _outcome_cell(outcome: Outcome) -> BoardCell:
    if isinstance(outcome, Failure):
        return BoardCell(_CELL_STATES.get(outcome.kind, CellState.FAILED), outcome, outcome.error)
    return BoardCell(CellState.READY, outcome)
