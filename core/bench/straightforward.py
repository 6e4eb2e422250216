"""The straightforward evaluation: a metric's own questions, one row at a time, no cache, no merging, padded or not."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from core.models.meter import Meter, Reading, forget
from core.models.model import UNLIMITED
from core.models.pool import ModelPool
from core.types import Answer, Checkpoint, Question, Rounds, Score


@dataclass(frozen=True, slots=True)
class Timed:
    """One question that was answered by itself."""

    question: Question
    answer: Answer
    seconds: float
    reading: Reading


@dataclass(frozen=True, slots=True)
class Projection:
    """What all questions would take, by those of each model that were timed."""

    seconds: float
    reading: Reading


class OneByOne:
    """Asks the models of a pool one question at a time, through a meter; to a model every question is its first."""

    def __init__(self, pool: ModelPool, meter: Meter) -> None:
        self._pool = pool
        self._meter = meter

    def ask(self, question: Question, padded: bool) -> Timed:
        with self._pool.lease(question.checkpoint) as model:
            self._meter.attach(model)
            forget(model)
            self._meter.take()
            self._meter.pad_to = _maximum(question) if padded else 0
            started = time.perf_counter()
            [answer] = model.forward(model.encode([question]))
            seconds = time.perf_counter() - started
            self._meter.pad_to = 0
            forget(model)
            return Timed(question, answer, seconds, self._meter.take())


def converse(rounds: Rounds[Score], answer: Callable[[Question], Answer]) -> Score:
    """The score of a metric whose questions are answered one after the other."""
    try:
        questions = next(rounds)
        while True:
            questions = rounds.send([answer(question) for question in questions])
    except StopIteration as end:
        score: Score = end.value
        return score


def sample(questions: Sequence[Question], most: int, seed: int) -> list[Question]:
    """At most so many questions of each model, all where there are no more, chosen by a seed."""
    return [
        question
        for some in _by_model(questions).values()
        for question in (some if len(some) <= most else random.Random(seed).sample(some, most))
    ]


def project(questions: Sequence[Question], timed: Iterable[Timed]) -> Projection:
    """Sums over all questions, each taken for as dear as the timed ones of its model on average."""
    measured: dict[Checkpoint, list[Timed]] = {}
    for one in timed:
        measured.setdefault(one.question.checkpoint, []).append(one)
    seconds, reading = 0.0, Reading()
    for checkpoint, some in _by_model(questions).items():
        factor = len(some) / len(measured[checkpoint])
        seconds += factor * sum(one.seconds for one in measured[checkpoint])
        reading += sum((one.reading for one in measured[checkpoint]), Reading()).times(factor)
    return Projection(seconds, reading)


def _by_model(questions: Sequence[Question]) -> Mapping[Checkpoint, list[Question]]:
    found: dict[Checkpoint, list[Question]] = {}
    for question in questions:
        found.setdefault(question.checkpoint, []).append(question)
    return found


def _maximum(question: Question) -> int:
    """The tokens that a metric lets its model read; where it sets no limit, those that the model can."""
    options = dict(question.options)
    limits = options.get("limits")
    limit = limits[0] if isinstance(limits, tuple) else options.get("limit", UNLIMITED)
    return limit if isinstance(limit, int) else UNLIMITED
