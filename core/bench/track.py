"""One metric on one machine, scored by the engine and one question at a time, with a bill for each."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from core.bench.line import Bill
from core.bench.straightforward import OneByOne, converse, project, sample
from core.cache import AnswerCache, key
from core.engine import Engine
from core.errors import TouchstoneError
from core.metric import Metric
from core.models.meter import Meter
from core.models.peak import Peak
from core.models.pool import ModelPool
from core.types import Answer, Example, Failure, Outcome, Question, Result, Score


@dataclass(frozen=True, slots=True)
class EngineRun:
    """What the engine did, and the results in the order of the examples."""

    bill: Bill
    results: tuple[Result, ...]


@dataclass(frozen=True, slots=True)
class StraightRun:
    """The same one by one: padded rows projected from `timed` ones, seconds of these without padding, and the scores."""

    bill: Bill
    unpadded_seconds: float
    timed: int
    answer_difference: float
    scores: tuple[Score, ...]


class Track:
    """A metric's models and an engine with a cache of its own under a folder."""

    def __init__(self, metric: Metric, device: str, memory_bytes: int | None, folder: Path) -> None:
        self._metric = metric
        self._pool = ModelPool(device, memory_bytes, folder)
        self._cache = AnswerCache(folder)
        self._engine = Engine(self._pool, self._cache)
        self._meter = Meter()
        self._one_by_one = OneByOne(self._pool, self._meter)

    def close(self) -> None:
        self._engine.close()

    def warm_up(self, example: Example) -> None:
        """Load the models and let both ways run once; raises TouchstoneError for a metric that gives no score."""
        self._run([example])
        self.straightforward([example], most=1, seed=0)

    def engine(self, examples: Sequence[Example]) -> EngineRun:
        """Score with the engine, which knows what it was asked before."""
        before = self._engine.counts()
        self._meter.take()
        with Peak(self._pool.device) as peak:
            started = time.perf_counter()
            results = self._run(examples)
            seconds = time.perf_counter() - started
        read = self._meter.take()
        asked = self._engine.counts().asked - before.asked
        return EngineRun(Bill(seconds, asked, round(read.padded), round(read.unpadded), peak.nbytes), results)

    def straightforward(self, examples: Sequence[Example], most: int, seed: int) -> StraightRun:
        """Score examples that the engine scored one question at a time, `most` questions of each model in earnest.

        The others keep the engine's answers and are taken for as dear as those.
        """
        asked = [question for example in examples for question in self._trace(example)]
        known = {question: self._known(question) for question in asked}
        chosen = sample(asked, most, seed)
        with Peak(self._pool.device) as peak:
            padded = [self._one_by_one.ask(question, padded=True) for question in chosen]
        plain = [self._one_by_one.ask(question, padded=False) for question in chosen]
        started = time.perf_counter()
        scores = self._scores(examples, known | {one.question: one.answer for one in padded})
        own, whole = time.perf_counter() - started, project(asked, padded)
        read = whole.reading
        return StraightRun(
            bill=Bill(own + whole.seconds, len(asked), round(read.padded), round(read.unpadded), peak.nbytes),
            unpadded_seconds=own + project(asked, plain).seconds,
            timed=len(padded),
            answer_difference=max((_apart(one.answer, known[one.question]) for one in (*padded, *plain)), default=0.0),
            scores=scores,
        )

    def _run(self, examples: Sequence[Example]) -> tuple[Result, ...]:
        return tuple(self._result(outcome) for _, outcome in self._engine.run([self._metric], examples))

    def _result(self, outcome: Outcome) -> Result:
        if isinstance(outcome, Failure):
            raise TouchstoneError(f"{self._metric.name} cannot be timed: {outcome.message}")
        return outcome

    def _trace(self, example: Example) -> list[Question]:
        """All questions about an example, equal ones as often as they come, by the answers that the engine got."""
        asked: list[Question] = []

        def answer(question: Question) -> Answer:
            asked.append(question)
            return self._known(question)

        converse(self._metric.rounds(example), answer)
        return asked

    def _known(self, question: Question) -> Answer:
        name = key(question, self._pool.fingerprint(question.checkpoint), self._pool.device)
        return self._cache.get([name])[name]

    def _scores(self, examples: Sequence[Example], given: Mapping[Question, Answer]) -> tuple[Score, ...]:
        def answer(question: Question) -> Answer:
            # an answer that differs may lead to a question that the engine never asked
            return given[question] if question in given else self._one_by_one.ask(question, padded=True).answer

        return tuple(converse(self._metric.rounds(example), answer) for example in examples)


def _apart(one: Answer, other: Answer) -> float:
    """The largest difference between the numbers of two answers; infinite where they are not as many."""
    if len(one.values) != len(other.values):
        return math.inf
    return max((abs(a - b) for a, b in zip(one.values, other.values, strict=True)), default=0.0)
