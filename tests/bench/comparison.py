"""One metric on one machine, scored by the engine and one question at a time, with what each used."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from core.base.code_version import adapter_code
from core.errors import TouchstoneError
from core.model_reference import Checkpoint
from core.models.model_pool import ModelPool
from core.models.networks.model import UNLIMITED
from core.scoring.engine.cache import AnswerCache, cache_key
from core.scoring.engine.engine import Engine
from core.scoring.metric import Metric
from core.types import Answer, Example, Failure, Outcome, Question, Result, Rounds, Score
from tests.bench.measurement import Usage
from tests.bench.meters import PeakMemory, TokenCounts, TokenMeter, clear_model_memory


@dataclass(frozen=True, slots=True)
class TimedQuestion:
    """One question that was answered by itself."""

    question: Question
    answer: Answer
    seconds: float
    reading: TokenCounts


@dataclass(frozen=True, slots=True)
class ProjectedUsage:
    """What all questions would take, by those of each model that were timed."""

    seconds: float
    reading: TokenCounts


class OneByOneRunner:
    """Asks the models of a pool one question at a time, through a meter; to a model every question is its first."""

    def __init__(self, pool: ModelPool, meter: TokenMeter) -> None:
        self._pool = pool
        self._meter = meter

    def ask(self, question: Question, padded: bool) -> TimedQuestion:
        with self._pool.lease(question.weights) as model:
            self._meter.attach(model)
            clear_model_memory(model)
            self._meter.take()
            self._meter.pad_to = _max_tokens(question) if padded else 0
            started = time.perf_counter()
            [answer] = model.forward(model.encode([question]))
            seconds = time.perf_counter() - started
            self._meter.pad_to = 0
            clear_model_memory(model)
            return TimedQuestion(question, answer, seconds, self._meter.take())


def answer_rounds(rounds: Rounds[Score], answer: Callable[[Question], Answer]) -> Score:
    """The score of a metric whose questions are answered one after the other."""
    try:
        questions = next(rounds)
        while True:
            questions = rounds.send([answer(question) for question in questions])
    except StopIteration as end:
        score: Score = end.value
        return score


def sample_questions(questions: Sequence[Question], most: int, seed: int) -> list[Question]:
    """At most so many questions of each model, all where there are no more, chosen by a seed."""
    return [
        question
        for some in _group_by_model(questions).values()
        for question in (some if len(some) <= most else random.Random(seed).sample(some, most))
    ]


def project_usage(questions: Sequence[Question], timed: Iterable[TimedQuestion]) -> ProjectedUsage:
    """Sums over all questions, each taken for as dear as the timed ones of its model on average."""
    measured: dict[Checkpoint, list[TimedQuestion]] = {}
    for one in timed:
        measured.setdefault(one.question.weights, []).append(one)
    seconds, reading = 0.0, TokenCounts()
    for checkpoint, some in _group_by_model(questions).items():
        factor = len(some) / len(measured[checkpoint])
        seconds += factor * sum(one.seconds for one in measured[checkpoint])
        reading += sum((one.reading for one in measured[checkpoint]), TokenCounts()).times(factor)
    return ProjectedUsage(seconds, reading)


def _group_by_model(questions: Sequence[Question]) -> Mapping[Checkpoint, list[Question]]:
    found: dict[Checkpoint, list[Question]] = {}
    for question in questions:
        found.setdefault(question.weights, []).append(question)
    return found


def _max_tokens(question: Question) -> int:
    """The tokens that a metric lets its model read; where it sets no limit, those that the model can."""
    options = dict(question.options)
    limits = options.get("limits")
    limit = limits[0] if isinstance(limits, tuple) else options.get("limit", UNLIMITED)
    return limit if isinstance(limit, int) else UNLIMITED


@dataclass(frozen=True, slots=True)
class EngineRun:
    """What the engine did, and the results in the order of the examples."""

    bill: Usage
    results: tuple[Result, ...]


@dataclass(frozen=True, slots=True)
class OneByOneRun:
    """The same one by one: padded rows projected from `timed` ones, seconds of these without padding, and the scores."""

    bill: Usage
    unpadded_seconds: float
    timed: int
    answer_difference: float
    scores: tuple[Score, ...]


class MetricComparison:
    """A metric's models and an engine with a cache of its own under a folder."""

    def __init__(self, metric: Metric, device: str, memory: int | float, folder: Path) -> None:
        self._metric = metric
        self._pool = ModelPool(device, memory, folder)
        self._cache = AnswerCache(folder)
        self._engine = Engine(self._pool, self._cache)
        self._meter = TokenMeter()
        self._one_by_one = OneByOneRunner(self._pool, self._meter)

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
        with PeakMemory(self._pool.device) as peak:
            started = time.perf_counter()
            results = self._run(examples)
            seconds = time.perf_counter() - started
        read = self._meter.take()
        asked = self._engine.counts().asked - before.asked
        return EngineRun(Usage(seconds, asked, round(read.padded), round(read.unpadded), peak.nbytes), results)

    def straightforward(self, examples: Sequence[Example], most: int, seed: int) -> OneByOneRun:
        """Score examples that the engine scored one question at a time, `most` questions of each model in earnest.

        The others keep the engine's answers and are taken for as dear as those.
        """
        asked = [question for example in examples for question in self._trace(example)]
        known = {question: self._known(question) for question in asked}
        chosen = sample_questions(asked, most, seed)
        with PeakMemory(self._pool.device) as peak:
            padded = [self._one_by_one.ask(question, padded=True) for question in chosen]
        plain = [self._one_by_one.ask(question, padded=False) for question in chosen]
        started = time.perf_counter()
        scores = self._scores(examples, known | {one.question: one.answer for one in padded})
        own, whole = time.perf_counter() - started, project_usage(asked, padded)
        read = whole.reading
        return OneByOneRun(
            bill=Usage(own + whole.seconds, len(asked), round(read.padded), round(read.unpadded), peak.nbytes),
            unpadded_seconds=own + project_usage(asked, plain).seconds,
            timed=len(padded),
            answer_difference=max(
                (_largest_difference(one.answer, known[one.question]) for one in (*padded, *plain)), default=0.0
            ),
            scores=scores,
        )

    def _run(self, examples: Sequence[Example]) -> tuple[Result, ...]:
        return tuple(self._result(outcome) for _, outcome in self._engine.run([self._metric], examples))

    def _result(self, outcome: Outcome) -> Result:
        if isinstance(outcome, Failure):
            raise TouchstoneError(f"{self._metric.name} cannot be timed: {outcome.error}")
        return outcome

    def _trace(self, example: Example) -> list[Question]:
        """All questions about an example, equal ones as often as they come, by the answers that the engine got."""
        asked: list[Question] = []

        def answer(question: Question) -> Answer:
            asked.append(question)
            return self._known(question)

        answer_rounds(self._metric.rounds(example), answer)
        return asked

    def _known(self, question: Question) -> Answer:
        made_by = f"{self._pool.fingerprint(question.weights)} {adapter_code(question.weights.kind)}"
        name = cache_key(question, made_by, self._pool.device)
        return self._cache.get([name])[name]

    def _scores(self, examples: Sequence[Example], given: Mapping[Question, Answer]) -> tuple[Score, ...]:
        def answer(question: Question) -> Answer:
            # an answer that differs may lead to a question that the engine never asked
            return given[question] if question in given else self._one_by_one.ask(question, padded=True).answer

        return tuple(answer_rounds(self._metric.rounds(example), answer) for example in examples)


def _largest_difference(one: Answer, other: Answer) -> float:
    """The largest difference between the numbers of two answers; infinite where they are not as many."""
    if len(one.values) != len(other.values):
        return math.inf
    return max((abs(a - b) for a, b in zip(one.values, other.values, strict=True)), default=0.0)
