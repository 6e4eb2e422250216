"""The threads that ask the models of the device: one chooses the most urgent model, makes the forward passes of a turn and hands out their answers, another prepares the next questions meanwhile.

For a GPU there are two of the first, so that a pass is launched before the answers of the last one are read.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from itertools import chain
from math import fsum

from core.errors import Problem, attempt
from core.model_reference import Checkpoint
from core.models import Model, ModelPool, ModelStatus
from core.models import device as devices
from core.scoring.engine.batch_size import BATCH_TOKENS, BatchSize
from core.scoring.engine.cache import AnswerCache
from core.scoring.engine.conversation import Priority, RunningConversation
from core.scoring.engine.fair_queue import Turn, Turns
from core.scoring.engine.question_queue import PendingQuestion, QuestionQueue, next_checkpoint, padded_tokens
from core.types import Answer, Counts, FailureKind, Question

_FIRST_QUESTIONS = 256  # tokenized while nobody computes, where none are ready
_FRONT_QUESTIONS = 4096  # from which batches of similar length are made
_BATCH_QUESTIONS = 256
_TURNS_AT_ONCE = {"cuda": 2}  # a processor computes in the thread that waits, and gains nothing


@dataclass(frozen=True, slots=True)
class ForwardPass:
    """The answers of one forward pass to their questions, and the seconds that it took."""

    answered: Sequence[tuple[PendingQuestion, Answer]]
    seconds: float


class DeviceWorker:
    """Answers questions to models of the device in threads of its own; `resume` is called with each task that has all its answers.

    There is a queue for each model, and one order of turns for all of them. The lock is the engine's: it guards the queues and the tasks, and is notified when something changes that a watcher may show.
    """

    def __init__(
        self,
        pool: ModelPool,
        cache: AnswerCache,
        lock: threading.Condition,
        resume: Callable[[RunningConversation], None],
    ) -> None:
        self._pool = pool
        self._cache = cache
        self._turns = Turns()
        self._queues: dict[Checkpoint, QuestionQueue] = {}
        self._sizes: dict[Checkpoint, BatchSize] = {}
        self._past_operations = 0  # of queues that are no more
        self._lock = lock
        self._resume = resume
        self._changed = threading.Event()
        self._closed = False
        self.counts = Counts()
        self._choosing = threading.Lock()  # held from the choice of a model until its batches are taken
        self._parsing = threading.Lock()
        self._last: Checkpoint | None = None
        self._device_free_s = 0.0  # when the last pass ended
        self._preparer = ThreadPoolExecutor(1, "tokenizer")
        self._prepared: Future[None] | None = None
        self._threads = [
            threading.Thread(target=self._serve, daemon=True) for _ in range(_TURNS_AT_ONCE.get(pool.device, 1))
        ]
        for thread in self._threads:
            thread.start()

    def put_all(self, questions: Mapping[bytes, Question], task: RunningConversation) -> int:
        """Enqueue questions of a task by their keys, under the engine's lock; how many no other task waits for."""
        self._changed.set()
        by_model: dict[int, dict[bytes, Question]] = {}  # by identity: many questions ask a few models
        for key, question in questions.items():
            by_model.setdefault(id(question.checkpoint), {})[key] = question
        return sum([self._queue(next(iter(some.values())).weights).put_all(some, task) for some in by_model.values()])

    @property
    def queue_operations(self) -> int:
        """Number of entries put into a queue or taken out of one, under the engine's lock."""
        return self._past_operations + sum(queue.operations for queue in self._queues.values())

    @property
    def idle(self) -> bool:
        """True if no question is open, under the engine's lock."""
        return not any(map(len, self._queues.values()))

    def reorder(self, task: RunningConversation) -> None:
        """Take the questions of a task in their turn again, under the engine's lock: it has become more urgent."""
        for queue in self._queues.values():
            queue.reorder(task)

    def wake(self) -> None:
        """Look again: the state of a model has changed."""
        self._changed.set()

    def close(self) -> None:
        """Begin no other batch."""
        self._closed = True
        self._changed.set()

    def join(self, timeout_s: float | None = None) -> None:
        """Wait for the batch under way, but no longer than this."""
        for thread in self._threads:
            thread.join(timeout_s)
        self._preparer.shutdown(wait=False)

    def unanswered_tasks(self) -> list[RunningConversation]:
        """The tasks whose questions will not be answered any more; the queues are empty afterwards."""
        return [task for queue in self._queues.values() for task in queue.clear()]

    def _serve(self) -> None:
        while not self._closed:
            self._changed.clear()  # before looking: what comes meanwhile is looked at again
            with ExitStack() as choosing:
                choosing.enter_context(self._choosing)
                checkpoint = self._next_checkpoint(self._last)
                self._last = checkpoint or self._last
                if checkpoint and (problem := attempt(partial(self._take_turn, checkpoint, choosing))):
                    self._refuse_all(checkpoint, problem)
            if checkpoint is None and not self._closed:
                self._changed.wait()
        self._changed.set()  # for the other thread, which may have waited

    def _queue(self, checkpoint: Checkpoint) -> QuestionQueue:
        if checkpoint not in self._queues:
            self._queues[checkpoint] = QuestionQueue(self._turns)
        return self._queues[checkpoint]

    def _next_checkpoint(self, last: Checkpoint | None) -> Checkpoint | None:
        with self._lock:
            turns = self._next_turns()
            ready = [checkpoint for checkpoint in turns if self._status(checkpoint) is ModelStatus.READY]
            current = next_checkpoint(turns, ready, last)
            self._request_models(turns, current)
            return current

    def _next_turns(self) -> dict[Checkpoint, Turn]:
        """The checkpoints with questions that a task still waits for, and the turn of the next one; empty queues end."""
        turns = {checkpoint: queue.next_turn() for checkpoint, queue in self._queues.items()}
        for checkpoint in [checkpoint for checkpoint, queue in self._queues.items() if not len(queue)]:
            self._past_operations += self._queues.pop(checkpoint).operations
        return {checkpoint: turn for checkpoint, turn in turns.items() if turn}

    def _status(self, checkpoint: Checkpoint) -> ModelStatus:
        state = self._pool.state(checkpoint)
        if state.status is ModelStatus.FAILED:
            self._refuse_all(checkpoint, Problem(FailureKind.LOAD, state.message))
        return state.status

    def _request_models(self, turns: Mapping[Checkpoint, Turn], current: Checkpoint | None) -> None:
        """Have cold models loaded where there is room, or where nothing as urgent is ready.

        Where the files do not even give their size the load is left to say why.
        """
        for checkpoint in sorted(turns, key=turns.__getitem__):
            urgent = current is None or turns[checkpoint][0] < turns[current][0]
            if self._status(checkpoint) is ModelStatus.COLD and (
                urgent or attempt(partial(self._pool.fits, checkpoint))
            ):
                self._pool.request(checkpoint)

    def _take_turn(self, checkpoint: Checkpoint, choosing: ExitStack) -> None:
        """Take batches of a model, let the other thread choose, and answer them."""
        queue = self._queues[checkpoint]
        with self._pool.lease_signed(checkpoint) as (model, loaded):
            if self._prepared:  # by the other thread: a batch is of questions that are ready
                wait([self._prepared])
            self._prepare(model, queue, loaded, _FIRST_QUESTIONS)
            with self._taken(checkpoint) as batches:
                if answerable := [self._answerable(queue, batch, loaded) for batch in batches]:
                    self._mark_running(list(chain.from_iterable(answerable)))
                    # ends before the model may go, and before the next batch is chosen
                    with self._preparing(model, queue, loaded):
                        choosing.close()
                        if len(self._threads) > 1:
                            self._changed.set()
                        passes = [
                            forward for batch in answerable for forward in self._forward(model, self._wanted(batch))
                        ]
                    self._deliver(queue, passes)

    @contextmanager
    def _preparing(self, model: Model, queue: QuestionQueue, loaded: str) -> Iterator[None]:
        """Have the questions that come next made ready in the other thread while the block runs; raises what stops that."""
        prepared = self._prepared = self._preparer.submit(self._prepare, model, queue, loaded, _FRONT_QUESTIONS)
        try:
            yield
        finally:
            prepared.result()

    def _prepare(self, model: Model, queue: QuestionQueue, loaded: str, limit: int) -> None:
        """Make rows of the questions whose turn is next, up to this number; those that cannot be made are refused."""
        with self._lock:
            fresh = queue.fill_front(limit)
        if answerable := self._answerable(queue, fresh, loaded):
            self._encode(model, answerable)

    @contextmanager
    def _taken(self, checkpoint: Checkpoint) -> Iterator[list[list[PendingQuestion]]]:
        """The batches of the next turn of a model: one for a person, of a run as many as a pass may take time; those without an answer in the end wait again."""
        queue, size = self._queues[checkpoint], self._size(checkpoint)
        batches: list[list[PendingQuestion]] = []
        with self._lock:
            turn = queue.next_turn()
            room = size.turn_tokens if turn and turn[0] == Priority.BULK else 1
            while room > 0 and (batch := queue.take_batch(size.tokens, _BATCH_QUESTIONS, size.tokens_writing)):
                batches.append(batch)
                room -= max(1, padded_tokens(batch))
        try:
            yield batches
        finally:
            with self._lock:
                queue.put_back(chain.from_iterable(batches))

    def _size(self, checkpoint: Checkpoint) -> BatchSize:
        if checkpoint not in self._sizes:
            self._sizes[checkpoint] = BatchSize(BATCH_TOKENS[self._pool.device])
        return self._sizes[checkpoint]

    def _answerable(self, queue: QuestionQueue, taken: Sequence[PendingQuestion], loaded: str) -> list[PendingQuestion]:
        """The questions to the weights that are loaded; tasks that asked weights replaced since begin again."""
        with self._lock:
            for task in [task for pending in taken if pending.fingerprint != loaded for task in queue.remove(pending)]:
                if task.keys is not None:  # a task with several of these questions begins again once
                    task.restart()
                    self._resume(task)
        return [pending for pending in taken if pending.fingerprint == loaded]

    def _encode(self, model: Model, fresh: Sequence[PendingQuestion]) -> None:
        """Make rows of questions; those that cannot be encoded are found by halving, and refused alone."""
        rows = attempt(partial(model.encode, [pending.question for pending in fresh]))
        if not isinstance(rows, Problem):
            for pending, row in zip(fresh, rows, strict=True):
                pending.row = row
        elif len(fresh) == 1:
            self._refuse(fresh[0], rows)
        else:
            half = len(fresh) // 2
            self._encode(model, fresh[:half])
            self._encode(model, fresh[half:])

    def _mark_running(self, batch: Sequence[PendingQuestion]) -> None:
        with self._lock:
            for task in {task for pending in batch for task in pending.tasks}:
                task.mark_running()
            self._lock.notify_all()

    def _forward(self, model: Model, batch: Sequence[PendingQuestion]) -> list[ForwardPass]:
        """One forward pass; a batch that fails is halved until the question that cannot be answered is alone.

        What no task waits for any more is not asked again.
        """
        if not batch:
            return []
        device = self._pool.place(batch[0].question.weights)
        began, peak, tokens = time.perf_counter(), devices.MemoryPeak(device), padded_tokens(batch)
        # libraries that parse do not say that they may be called by two threads
        with nullcontext() if tokens else self._parsing:
            answers = attempt(partial(model.forward, [pending.row for pending in batch if pending.row]))
        ended, taken = time.perf_counter(), peak.nbytes()
        # a pass that was launched early has waited for the one before
        seconds, self._device_free_s = ended - max(began, self._device_free_s), ended
        size = self._size(batch[0].question.weights)
        if not isinstance(answers, Problem):
            size.passed(tokens, ended - began, writes=any(pending.row and pending.row.writes for pending in batch))
            if taken:
                size.took(tokens, taken, devices.free_memory(device))
            return [ForwardPass(list(zip(batch, answers, strict=True)), seconds)]
        if len(batch) == 1:
            self._refuse(batch[0], answers)
            return []
        if answers.kind is FailureKind.OUT_OF_MEMORY:  # one text that is too long says nothing about batches
            size.overflowed(tokens)
        half = len(batch) // 2
        return [
            forward for part in (batch[:half], batch[half:]) for forward in self._forward(model, self._wanted(part))
        ]

    def _wanted(self, batch: Sequence[PendingQuestion]) -> Sequence[PendingQuestion]:
        """The questions that a task still waits for; none once the worker is closed."""
        with self._lock:
            tasks = {task for pending in batch for task in pending.tasks}  # which many questions have in common
            live = {task for task in tasks if task.live and not self._closed}
            return [pending for pending in batch if not live.isdisjoint(pending.tasks)]

    def _deliver(self, queue: QuestionQueue, passes: Sequence[ForwardPass]) -> None:
        """Keep the answers of a turn, and then hand them out."""
        answered = [pair for each in passes for pair in each.answered]
        self._cache.put({pending.key: answer for pending, answer in answered})
        with self._lock:
            self._count(passes)
            for task in queue.answer(answered):
                self._resume(task)

    def _count(self, passes: Sequence[ForwardPass]) -> None:
        """Count passes and their seconds for the tasks that asked their questions first."""
        by_task: dict[RunningConversation, list[tuple[ForwardPass, int]]] = {}
        for each in passes:
            for pending, answer in each.answered:
                for asker in pending.tasks[:1]:
                    by_task.setdefault(asker, []).append((each, answer.tokens))
            self.counts += Counts(passes=1, tokens=sum([answer.tokens for _, answer in each.answered]))
        for asker, rows in by_task.items():
            passes_of = len({id(each) for each, _ in rows})
            asker.counts += Counts(passes=passes_of, tokens=sum([tokens for _, tokens in rows]))
            asker.work_s += fsum([each.seconds / len(each.answered) for each, _ in rows])

    def _refuse(self, pending: PendingQuestion, problem: Problem) -> None:
        with self._lock:
            self._queues[pending.question.weights].refuse(pending, problem)
            self._lock.notify_all()

    def _refuse_all(self, checkpoint: Checkpoint, problem: Problem) -> None:
        """Fail everything that waits for a checkpoint."""
        with self._lock:
            for task in self._queue(checkpoint).clear():
                task.fail(problem)
            self._lock.notify_all()
