"""A conversation with the models about one example, the task that carries it on, and the request of one owner that watches many tasks."""

from __future__ import annotations

import itertools
import math
import threading
import time
from collections.abc import Callable, Generator, Iterable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum
from pathlib import Path
from typing import Any, Generic, Protocol

from core.errors import Problem, TouchstoneError
from core.model_reference import EndpointModel, ModelRef
from core.scoring.metric import Metric
from core.types import Answer, Counts, Example, Failure, FailureKind, Outcome, Question, Result, Rounds, Score, T

QueueOrder = tuple[int, int, int]
"""(priority, request, place in the request): smaller goes first"""

_request_numbers = itertools.count()


class ScoringEngine(Protocol):
    """The part of the engine that studies ask: metrics on examples, and conversations, in their order; closing one cancels the rest."""

    @property
    def folder(self) -> Path: ...

    def run(self, metrics: Sequence[Metric], examples: Iterable[Example]) -> Generator[tuple[Example, Outcome]]: ...

    def converse(self, conversations: Iterable[Conversation[T]]) -> Generator[tuple[Conversation[T], T | Failure]]: ...


class Priority(IntEnum):
    """Order of service: a person who waits at a screen, then everything else."""

    INTERACTIVE = 0
    BULK = 1


_MAX_RESTARTS = 5
_RESTLESS = (
    "The files of its weights were replaced again and again while this was scored. Try again when they are complete."
)


class CellState(StrEnum):
    """State of a cell of the board."""

    QUEUED = "queued"
    LOADING = "loading"
    RUNNING = "running"
    READY = "ready"
    FAILED = "failed"
    NEEDS_DOWNLOAD = "needs download"
    NEEDS_ENDPOINT = "needs endpoint"


@dataclass(frozen=True, slots=True)
class BoardCell:
    """Content of a cell of the board, one metric on one example: its outcome, or its state and the reason."""

    state: CellState
    outcome: Outcome | None = None
    message: str = ""
    progress: float | None = None


CellKey = tuple[str, str]
"""(metric spec, example id)"""


@dataclass(frozen=True, slots=True)
class Conversation(Generic[T]):
    """A conversation about an example with these models; `spec` names the metric or other plugin, with its settings.

    `rounds` begins it again at every call. Two with the same `spec`, example and models are the same.
    """

    spec: str
    example: Example
    rounds: Callable[[], Rounds[T]] = field(compare=False)
    checkpoints: tuple[ModelRef, ...] = ()


@dataclass(frozen=True, slots=True)
class ConversationEnd:
    """Result of a conversation, which may be any value."""

    value: Any


class Request:
    """Work that one owner waits for. A newer request of the same owner cancels it, and so does setting `cancelled`.

    A request without an owner is its own: it takes turns with all others. `payer` is the person of a shared server who pays
    for its questions to endpoints, "" for nobody.
    """

    def __init__(
        self,
        metrics: Sequence[Metric],
        examples: Sequence[Example],
        priority: Priority,
        cancelled: threading.Event | None = None,
        owner: str = "",
        payer: str = "",
    ) -> None:
        self.metrics = tuple(metrics)
        self.examples = tuple(examples)
        self.priority = priority
        self.number = next(_request_numbers)
        self.owner = owner or f"request {self.number}"
        self.payer = payer
        self.tasks: dict[CellKey, RunningConversation] = {}
        self.version = 0
        self.cancelled = cancelled or threading.Event()

    def is_for(self, metrics: Sequence[Metric], examples: Sequence[Example]) -> bool:
        return self.metrics == tuple(metrics) and self.examples == tuple(examples)

    def order(self, place: int) -> QueueOrder:
        """Place in the queue: the text that a person typed last goes first; bulk work goes in its own order."""
        return (self.priority, -self.number if self.priority is Priority.INTERACTIVE else self.number, place)


class RunningConversation:
    """A conversation under way; one by which `metric` scores ends in a result, any other in its own value.

    The engine's lock guards everything that changes.
    """

    def __init__(
        self, conversation: Conversation[Any], request: Request, place: int, metric: Metric | None = None
    ) -> None:
        self.conversation = conversation
        self.metric = metric
        self.watchers = [request]
        self.owner = request.owner
        self.payer = request.payer
        self.order = request.order(place)
        self.done: Future[Any] = Future()
        self.counts = Counts()
        self.running = False
        self.work_s = 0.0  # its own and that of models for it, without loading and waiting
        self.keys: Sequence[bytes] | None = None  # of the questions asked last; None before the first round
        self.answers: dict[bytes, Answer] = {}
        self.missing: set[bytes] = set()  # keys that it waits for
        self.heard: dict[bytes, Answer] = {}  # the answers of all rounds so far
        self.pins: dict[ModelRef, EndpointModel] = {}  # models of endpoints, at the address where it began to ask
        self.fingerprints: dict[ModelRef, str] = {}  # of models, as they were when it began to ask
        self._ended = False
        self._restarts = 0
        self._rounds: Rounds[Any] | None = None
        self._started = 0.0

    @property
    def live(self) -> bool:
        """True if a request waits for it and it can still be answered."""
        # every question in a queue asks this: asking the future would take its lock, and a generator twice as long
        if not self._ended:
            for request in self.watchers:
                if not request.cancelled.is_set():
                    return True
        return False

    def join(self, request: Request, place: int) -> None:
        # the original summary is adopted at every keystroke: cancelled requests must not pile up behind it
        self.watchers = [*(watcher for watcher in self.watchers if not watcher.cancelled.is_set()), request]
        self.order = min(self.order, request.order(place))

    def next_round(self) -> Sequence[Question] | ConversationEnd:
        """Take the conversation one round further, with the answers to the questions asked last."""
        try:
            if self._rounds is None or self.keys is None:
                self._started = time.perf_counter()
                self._rounds = self.conversation.rounds()
                return next(self._rounds)
            self.heard |= self.answers
            return self._rounds.send([self.answers[key] for key in self.keys])
        except StopIteration as stop:
            return ConversationEnd(stop.value)

    def restart(self) -> None:
        """Begin again, since weights that it asked were replaced; it fails where that happens again and again."""
        self._restarts += 1
        if self._restarts > _MAX_RESTARTS:
            self.fail(Problem(FailureKind.LOAD, _RESTLESS))
        self._rounds, self.keys, self.answers, self.missing, self.fingerprints = None, None, {}, set(), {}

    def ask(self, keys: Sequence[bytes], answers: dict[bytes, Answer]) -> None:
        """Begin to wait for the answers of a round that are not known."""
        self.keys, self.answers, self.missing = keys, answers, set(keys).difference(answers)

    def receive(self, key: bytes, answer: Answer) -> None:
        """Take an answer that it waits for."""
        self.answers[key] = answer
        self.missing.discard(key)

    def is_answered(self) -> bool:
        return self.keys is not None and not self.missing

    def notify_watchers(self) -> None:
        """Let the watchers see that there is something new to show."""
        for request in self.watchers:
            request.version += 1

    def finish(self, outcome: object) -> None:
        if not self._ended:
            self._ended = True
            self.done.set_result(outcome)
            self.notify_watchers()

    def mark_running(self) -> None:
        """Say that a model is asked for it."""
        if not self.running:
            self.running = True
            self.notify_watchers()

    def fail(self, problem: Problem) -> None:
        self.finish(self.failure(problem.kind, problem.error))

    def failed(self, *kinds: FailureKind) -> bool:
        """True if it ended in a failure, of one of these kinds where some are given."""
        outcome = self.done.result() if self.done.done() else None
        return isinstance(outcome, Failure) and (not kinds or outcome.kind in kinds)

    def result(self, score: Score, signature: str, device: str) -> Result:
        """The result that a score makes; raises TouchstoneError for a value that is not finite."""
        of_claims = [claim.score for claim in score.claims if claim.score is not None]
        for value in (score.value, *(part.score for part in score.parts), *of_claims):
            if not math.isfinite(value):
                raise TouchstoneError(
                    f"The metric gave {value}, which is no number to compare. Try another text or setting."
                )
        return Result(
            example_id=self.conversation.example.id,
            metric=self.conversation.spec,
            signature=signature,
            score=score.value,
            parts=score.parts,
            seen=score.seen,
            seconds=time.perf_counter() - self._started,
            device=device,
            counts=self.counts,
            claims=score.claims,
        )

    def failure(self, kind: FailureKind, message: str) -> Failure:
        return Failure(self.conversation.example.id, self.conversation.spec, kind, message)
