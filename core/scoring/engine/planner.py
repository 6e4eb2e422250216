"""Conversations carried on round after round on a few threads: answers looked up, equal questions merged, the rest enqueued for the models."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property, partial
from typing import Any

from core.base import DEFINITIONS, adapter_code
from core.errors import LoadError, Problem, UnreadableAnswerError, attempt
from core.model_reference import Checkpoint, EndpointModel, ModelRef, PluginFunction, local_checkpoints
from core.models import CostRow, ModelPool, ModelStatus, Spend, endpoint_of, is_paid, pin_address, read_costs
from core.scoring.code_of_0_2_0 import holds_old_answers, old_adapter_code
from core.scoring.engine.cache import AnswerCache, cache_keys, fingerprint_of, keep_code
from core.scoring.engine.conversation import ConversationEnd, RunningConversation
from core.scoring.engine.device_worker import DeviceWorker
from core.scoring.engine.endpoint_worker import EndpointStores, EndpointWorker
from core.scoring.engine.fair_queue import StepQueue
from core.scoring.engine.function_worker import FunctionWorker
from core.scoring.engine.question_queue import QuestionWorker
from core.scoring.metric import Metric, metric_code, signature, within_bounds
from core.scoring.metric_parts.question_grid import question_runs
from core.text import mark_language, splitter_name
from core.types import Answer, Counts, FailureKind, Question

_LOG = logging.getLogger(__name__)

_PLANNER_THREADS = 4
_CLOSE_TIMEOUT_S = 1.0  # for answers of an endpoint that are under way when the engine closes: they are paid for
_CLOSED = Problem(FailureKind.ERROR, "The engine was closed before this was answered. Start again.")


StartBatches = Callable[
    [EndpointStores, threading.Condition, Callable[[RunningConversation], None], Callable[[], bool]], QuestionWorker
]
"""Start what has paid questions of one endpoint answered by its Batch API; it is given what a BatchWorker takes but `report`."""


class Planner:
    """Takes tasks to their end; a thread for each device asks its models, and others each endpoint, however slow it is.

    The lock is the engine's: it guards the tasks, and is notified when something changes that a watcher may show.
    With `start_batches` paid questions go by the Batch API of their endpoint.
    """

    def __init__(
        self,
        pool: ModelPool,
        cache: AnswerCache,
        lock: threading.Condition,
        start_batches: StartBatches | None = None,
    ) -> None:
        self._pool = pool
        self._cache = cache
        self._lock = lock
        self._closed = False
        self._counts = Counts()
        self._steps = StepQueue(_PLANNER_THREADS)
        self._devices: dict[str, DeviceWorker] = {}
        self._stores: EndpointStores | None = None  # until an endpoint is asked
        self._endpoints: dict[tuple[str, bool], QuestionWorker] = {}
        self._functions: dict[str, FunctionWorker] = {}
        self._start_batches = start_batches
        self._held = 0
        self._recorded: set[str] = set()  # specs of metrics
        self._recomputed: set[str] = set()  # kinds of models
        DEFINITIONS.folder = cache.folder / "definitions"
        self._threads = [threading.Thread(target=self._plan, daemon=True) for _ in range(_PLANNER_THREADS)]
        for thread in self._threads:
            thread.start()

    @property
    def counts(self) -> Counts:
        return sum((worker.counts for worker in self._workers), self._counts)

    def enqueue(self, task: RunningConversation) -> None:
        """Have a task taken as far as it goes without asking a model; it fails once the planner is closed."""
        with self._lock:
            if self._closed:
                task.fail(_CLOSED)
            else:
                self._steps.put(task)

    @property
    def queue_operations(self) -> int:
        """Number of entries put into a queue of models of the device or taken out of one, under the engine's lock."""
        return sum(worker.queue_operations for worker in self._devices.values())

    @property
    def in_batches(self) -> bool:
        """True if paid questions go by the Batch API."""
        return self._start_batches is not None

    @contextmanager
    def holding_batches(self) -> Iterator[None]:
        """Begin no batch before the end of the block: more questions are to come."""
        with self._lock:
            self._held += 1
        try:
            yield
        finally:
            with self._lock:
                self._held -= 1

    @property
    def spent(self) -> dict[str, Spend]:
        """Spend by the name of the endpoint."""
        return self._stores.spend.this_process() if self._stores else {}

    def unanswered(self, questions: Sequence[Question]) -> list[Question]:
        """Those of questions to endpoints whose answers are not in the cache, each once."""
        fixed = [replace(question, checkpoint=pin_address(question.endpoint_model)) for question in questions]
        by_key = dict(zip(self._keys(fixed, {}, adapter_code), fixed, strict=True))
        cached = self._cache.get(list(by_key))
        return [question for key, question in by_key.items() if key not in cached]

    def costs(self) -> list[CostRow]:
        """Costs of every run by prompt, this one up to now."""
        if self._stores:
            self._stores.costs.flush()
        return read_costs(self._cache.folder)

    def reorder(self, task: RunningConversation) -> None:
        """Take the questions of a task in their turn again: it has become more urgent."""
        with self._lock:
            for worker in self._workers:
                worker.reorder(task)

    def wake(self) -> None:
        """Look at the models again: the state of one has changed."""
        with self._lock:
            for worker in self._devices.values():
                worker.wake()

    def close(self) -> None:
        """Begin nothing any more."""
        with self._lock:
            self._closed = True
        for worker in self._workers:
            worker.close()
        unplanned = self._steps.close()
        with self._lock:
            for task in unplanned:
                task.fail(_CLOSED)

    def join(self) -> None:
        """Wait for what is under way, though not for a silent endpoint; what has no outcome then fails."""
        for thread in self._threads:
            thread.join()
        for device in self._devices.values():
            device.join()
        for worker in [*self._endpoints.values(), *self._functions.values()]:
            worker.join(_CLOSE_TIMEOUT_S)
        if self._stores:
            self._stores.close()
        self._fail_unanswered()

    def _plan(self) -> None:
        while task := self._steps.take():
            self.advance(task)
            self._steps.done(task)

    def advance(self, task: RunningConversation) -> None:
        """Take a task in this thread as far as it goes without asking a model; it fails once the planner is closed."""
        if self._closed:
            with self._lock:
                task.fail(_CLOSED)
            return
        example = task.conversation.example
        texts = {"document": example.document, "summary": example.summary}
        empty = next((name for name, text in texts.items() if not text.strip()), "")
        if empty:
            message = f"The {empty} is empty. Paste, load or type one."
            ended: ConversationEnd | None = ConversationEnd(task.failure(FailureKind.INPUT, message))
        else:
            ended = self._advance_rounds(task)
        if ended:
            with self._lock:
                task.finish(ended.value)
                self._lock.notify_all()

    def _advance_rounds(self, task: RunningConversation) -> ConversationEnd | None:
        """Go round after round as far as the answers are known; None when a model has to be asked."""
        while True:
            step = attempt(partial(self._next_round, task))
            if isinstance(step, Problem):
                return ConversationEnd(task.failure(step.kind, step.error))
            if isinstance(step, ConversationEnd):
                return step
            if not step:
                return None

    def _next_round(self, task: RunningConversation) -> ConversationEnd | bool:
        """The outcome, or whether all answers to the questions of the next round are known already."""
        began = time.perf_counter()
        try:
            step = task.next_round()
        except UnreadableAnswerError as error:
            self._reject(task, error)
            raise
        task.work_s += time.perf_counter() - began
        if isinstance(step, ConversationEnd):
            return ConversationEnd(self._outcome(task, step.value))
        return self._answer_or_enqueue(task, step)

    def _reject(self, task: RunningConversation, error: UnreadableAnswerError) -> None:
        """Have the answers that could not be used asked for again by whoever comes next."""
        unread = [
            key for key, answer in task.heard.items() if any(answer is unreadable for unreadable in error.answers)
        ]
        self._cache.reject(unread, str(error))

    def _outcome(self, task: RunningConversation, value: Any) -> Any:
        """Outcome to hand out: of the score of a metric the result, with signature and device."""
        if task.metric is None:
            return value
        models = [task.pins.get(model, model) for model in task.conversation.checkpoints]
        prints = [task.fingerprints.get(model) or self._fingerprint(model) for model in models]
        device = self._pool.device if local_checkpoints(models) else "cpu"
        self._keep_code(task.metric)
        score = within_bounds(value, task.metric.card)
        score = mark_language(score, task.metric.verified_languages, task.conversation.example)
        return task.result(score, signature(task.metric, prints, splitter_name(), score.asked), device)

    def _keep_code(self, metric: Metric) -> None:
        """Record once what the hash of the code in the signature stands for."""
        if metric.spec not in self._recorded:
            self._recorded.add(metric.spec)
            keep_code(self._cache.folder, metric_code(metric))

    def _answer_or_enqueue(self, task: RunningConversation, round_questions: Sequence[Question]) -> bool:
        """Look the questions up and enqueue the unknown ones; True when all are answered already."""
        # at the addresses at which their conversation began to ask: answers are cached under these
        endpoints = [
            run.checkpoint for run in question_runs(round_questions) if isinstance(run.checkpoint, EndpointModel)
        ]
        for endpoint in endpoints:
            if endpoint not in task.pins:
                task.pins[endpoint] = pin_address(endpoint)
        pins: Mapping[ModelRef, ModelRef] = task.pins
        questions = round_questions
        if endpoints:
            questions = [
                replace(question, checkpoint=pins.get(question.checkpoint, question.checkpoint))
                for question in round_questions
            ]
        models = [*(run.checkpoint for run in question_runs(questions)), *task.fingerprints]
        if self._weights_changed(task, models + list(task.conversation.checkpoints if task.metric else ())):
            with self._lock:
                task.restart()
                self._lock.notify_all()
            return not task.done.done()
        keys = self._keys(questions, task.fingerprints, adapter_code)
        answers = self._cache.get(keys)
        answers |= self._take_over(
            [(k, q) for k, q in zip(keys, questions, strict=True) if k not in answers], task.fingerprints
        )
        with self._lock:
            # another task's answer may have come since; the worker caches it before it clears the queue, so none is missed
            answers |= self._cache.recent(k for k in keys if k not in answers)
            task.ask(keys, answers)
            new = self._enqueue_questions(task, keys, questions) if task.missing else 0
            cached = sum([k in answers for k in keys])
            self._add_counts(task, Counts(len(keys), cached, len(keys) - cached - new, new))
            self._lock.notify_all()
            return not task.missing

    def _enqueue_questions(
        self, task: RunningConversation, keys: Sequence[bytes], questions: Sequence[Question]
    ) -> int:
        """Hand the questions that are missing to the workers; how many no other task waits for."""
        by_worker: dict[QuestionWorker, dict[bytes, Question]] = {}
        workers: dict[tuple[int, bool], QuestionWorker] = {}  # by the identity of the model: many questions ask a few
        places = {key: place for place, key in enumerate(keys) if key in task.missing}
        for key, place in places.items():
            question = questions[place]
            asks = (id(question.checkpoint), isinstance(question.checkpoint, EndpointModel) and is_paid(question))
            if asks not in workers:
                workers[asks] = self._worker(question)
            by_worker.setdefault(workers[asks], {})[key] = question
        return sum([worker.put_all(some, task) for worker, some in by_worker.items()])

    def _weights_changed(self, task: RunningConversation, models: Sequence[ModelRef]) -> bool:
        """True if weights are no longer those that the task began with; those that it asks for the first time are noted."""
        distinct_models = dict.fromkeys(models)
        self._require_loadable(local_checkpoints(distinct_models))
        now = {model: self._fingerprint(model) for model in distinct_models if not isinstance(model, EndpointModel)}
        return any(task.fingerprints.setdefault(model, now[model]) != now[model] for model in now)

    def _take_over(
        self, missing: Sequence[tuple[bytes, Question]], fingerprints: Mapping[ModelRef, str]
    ) -> Mapping[bytes, Answer]:
        """Answers that version 0.2.0 cached under other keys, copied to the keys of today."""
        local = [(key, question) for key, question in missing if isinstance(question.checkpoint, Checkpoint)]
        if not local or not self._has_old_answers:
            return {}
        same = [(key, question) for key, question in local if self._computes_as_before(question.checkpoint.kind)]
        old_keys = self._keys([question for _, question in same], fingerprints, old_adapter_code)
        old = self._cache.get(old_keys)
        answers = {key: old[old_key] for (key, _), old_key in zip(same, old_keys, strict=True) if old_key in old}
        if answers:
            self._cache.put(answers)
        return answers

    @cached_property
    def _has_old_answers(self) -> bool:
        return holds_old_answers(self._cache.folder)

    def _computes_as_before(self, kind: str) -> bool:
        if old_adapter_code(kind) is not None:
            return True
        if kind not in self._recomputed:
            self._recomputed.add(kind)
            _LOG.warning(
                "Answers that version 0.2.0 cached of %s models are computed again: their code has changed.", kind
            )
        return False

    def _keys(
        self,
        questions: Sequence[Question],
        fingerprints: Mapping[ModelRef, str],
        code: Callable[[str], str | None],
    ) -> list[bytes]:
        def weights(model: ModelRef) -> tuple[str, str]:
            fingerprint = fingerprints.get(model) or self._fingerprint(model)
            if isinstance(model, PluginFunction):
                return f"{fingerprint} {model.name}", ""  # a file may have several
            if isinstance(model, EndpointModel):
                return fingerprint, ""  # the same answer whatever the device and our own code
            return f"{fingerprint} {code(model.kind)}", self._pool.device

        return cache_keys(questions, weights)

    @property
    def _workers(self) -> list[QuestionWorker]:
        return [*self._devices.values(), *self._endpoints.values(), *self._functions.values()]

    def _worker(self, question: Question) -> QuestionWorker:
        """The worker whose threads have a question answered."""
        model = question.checkpoint
        if isinstance(model, PluginFunction):
            return self._function_worker(model.source)
        if not isinstance(model, EndpointModel):
            return self._device_worker(model)
        by = (model.endpoint, self.in_batches and is_paid(question))
        if by not in self._endpoints:
            self._endpoints[by] = self._start_worker(model, by[1])
            if self._closed:  # as of a device
                self._endpoints[by].close()
        return self._endpoints[by]

    def _device_worker(self, checkpoint: Checkpoint) -> DeviceWorker:
        """The worker of the device on which a checkpoint answers; a device that is not asked has none."""
        device = self._pool.place(checkpoint)
        if device not in self._devices:
            self._devices[device] = DeviceWorker(self._pool, self._cache, self._lock, self.enqueue)
            if self._closed:  # a task that was on its way: what it asks fails in the end
                self._devices[device].close()
        return self._devices[device]

    def _function_worker(self, source: str) -> FunctionWorker:
        """The worker of a plug-in, whose process starts with its first question."""
        if source not in self._functions:
            self._functions[source] = FunctionWorker(source, self._cache, self._lock, self.enqueue)
            if self._closed:  # as of a device
                self._functions[source].close()
        return self._functions[source]

    def _start_worker(self, model: EndpointModel, in_batches: bool) -> QuestionWorker:
        self._stores = self._stores or EndpointStores.open(self._cache)
        about = (self._stores, self._lock, self.enqueue)
        if self._start_batches and in_batches:
            return self._start_batches(*about, self._settled)
        return EndpointWorker(*about, endpoint_of(model).at_once)

    def _settled(self) -> bool:
        """True if all tasks are at their end or wait for batches, under the lock."""
        return not self._held and self._steps.idle and all(worker.idle for worker in self._workers)

    def _add_counts(self, task: RunningConversation, counts: Counts) -> None:
        task.counts += counts
        self._counts += counts

    def _fingerprint(self, model: ModelRef) -> str:
        return fingerprint_of(model, self._pool)

    def _require_loadable(self, checkpoints: Iterable[Checkpoint]) -> None:
        for state in map(self._pool.state, checkpoints):
            if state.status is ModelStatus.FAILED:
                raise LoadError(state.message)

    def _fail_unanswered(self) -> None:
        """Fail the tasks that will not be answered any more."""
        with self._lock:
            for task in [task for worker in self._workers for task in worker.unanswered_tasks()]:
                task.fail(_CLOSED)
