"""Texts scored once more: in another order without the answers that were kept, as another sample, or with other instructions."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar

from core.model_reference import ModelRef, asks_endpoint
from core.models import is_paid
from core.registry import Plugin, settings_of
from core.scoring import METRICS, Engine, Metric
from core.settings import Settings
from core.types import Answer, Example, Question, Result, Rounds, Score

MOST_REPEATED = 40
"""Texts that are scored again."""
_ANOTHER = 1000  # more than any metric draws at once


@dataclass(frozen=True, slots=True)
class RepeatedScore:
    """The score of one text, and that of asking again; None where it failed."""

    example: Example
    first: float | None
    second: float | None


@dataclass(frozen=True, slots=True)
class RepeatedRun:
    """One metric asked again in some way: the seconds are those of the `timed` texts after the first of them.

    `processor_seconds` are those of all threads of this process meanwhile, `questions` those that no kept answer spared.
    """

    scores: tuple[RepeatedScore, ...]
    seconds: float
    timed: int
    way: str
    device: str = ""
    processor_seconds: float = 0.0
    questions: int = 0


def repeated_texts(texts: Sequence[Example]) -> list[Example]:
    """The texts that are scored again: at most 40, evenly over all of them."""
    number = min(MOST_REPEATED, len(texts))
    return [texts[place * len(texts) // number] for place in range(number)]


def ask_again(
    engine: Engine, settings: Settings, metric: Metric, texts: Sequence[Example], first: Mapping[str, float]
) -> RepeatedRun:
    """From the last text to the first, by an engine that remembers nothing; of a judge another sample. `first` is by id."""
    paid = asks_endpoint(metric.checkpoints())
    again = next_sample(metric) if paid else metric
    way = "for another sample of the endpoint" if paid else "in reverse order, without the answers that were kept"
    if not metric.checkpoints() or paid:
        return _timed(engine, again, texts, first, way)
    with tempfile.TemporaryDirectory() as folder:
        fresh_settings = settings.model_copy(update={"cache_dir": Path(folder)})
        with closing(Engine.open(fresh_settings)) as fresh:
            return _timed(fresh, again, texts, first, way)


def ask_reworded(engine: Engine, metric: Metric, texts: Sequence[Example], first: Mapping[str, float]) -> RepeatedRun:
    """With the metric whose instructions are in other words, named by its spelling."""
    return _timed(engine, metric, texts, first, metric.spec)


def next_sample(metric: Metric) -> Metric:
    """The metric with the next number of its setting `sample`; one without it asks its questions to endpoints as another sample."""
    settings = {name: getattr(metric, name) for name in settings_of(metric)}
    if "sample" not in settings:
        return AnotherSample(metric=metric)
    return METRICS.build(metric.name, {**settings, "sample": settings["sample"] + 1})


@dataclass(frozen=True)
class AnotherSample(Metric):
    """A metric whose answers of endpoints are asked for once more, and kept apart; no plugin, as nobody chooses it."""

    name: ClassVar[str] = "another-sample"

    metric: Metric = field(kw_only=True)

    def __post_init__(self) -> None:
        object.__setattr__(self, "card", self.metric.card)  # the fields alone are frozen

    @property
    def spec(self) -> str:
        return f"{self.metric.spec}, another sample"

    def checkpoints(self) -> tuple[ModelRef, ...]:
        return self.metric.checkpoints()

    def uses(self) -> Sequence[Plugin]:
        return (self.metric,)

    def fold(self, example: Example, questions: Sequence[Question], answers: Sequence[Answer]) -> Score:
        return self.metric.fold(example, questions, answers)

    def rounds(self, example: Example) -> Rounds[Score]:
        rounds = self.metric.rounds(example)
        questions = next(rounds)
        while True:
            others = []
            for question in questions:
                options = dict(question.options)
                sample = options.get("sample", 0)
                options["sample"] = _ANOTHER + (sample if isinstance(sample, int) else 0)
                others.append(replace(question, options=tuple(options.items())) if is_paid(question) else question)
            answers = yield others
            try:
                questions = rounds.send(answers)
            except StopIteration as end:
                score: Score = end.value
                return score


def _timed(
    engine: Engine, metric: Metric, texts: Sequence[Example], first: Mapping[str, float], way: str
) -> RepeatedRun:
    """The first of the texts loads the model, and its time does not count."""
    latest, *others = reversed(repeated_texts(texts))
    outcomes = list(engine.run([metric], [latest]))
    asked_before = engine.counts().asked
    begun, processor_begun = time.perf_counter(), time.process_time()
    outcomes += engine.run([metric], others)
    seconds, processor_seconds = time.perf_counter() - begun, time.process_time() - processor_begun
    scores = tuple(
        RepeatedScore(example, first.get(example.id), outcome.score if isinstance(outcome, Result) else None)
        for example, outcome in outcomes
    )
    device = next((outcome.device for _, outcome in outcomes if isinstance(outcome, Result)), "")
    questions = engine.counts().asked - asked_before
    return RepeatedRun(scores, seconds, len(others), way, device, processor_seconds, questions)
