"""What an audit rests on, measured once for all its questions: scores of the labelled summaries, a stress run, and asking again."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from shlex import quote
from typing import Any

import numpy as np

from core.audit.data import AuditData, audit_command
from core.engine.conversation import Conversation
from core.engine.engine import Engine
from core.errors import TouchstoneError
from core.gate.threshold_file import OwnThreshold
from core.meta.cases import Cases, MetricColumn
from core.meta.measures import OVERALL_SLICE, MetricRow, Slice, affordable_resamples, draw_resamples, metric_rows
from core.metric import METRICS, Metric
from core.perturbation import Perturbation, rule_perturbations
from core.registry import settings_of
from core.settings import Settings
from core.shallow.model import FEATURES
from core.stats.bootstrap import Resamples
from core.stats.calibration import best_threshold
from core.stats.discrimination import LabelledScores, Threshold
from core.stress.cost import missing_conversations
from core.stress.placement import MOST_PLACED, PLACES, PlacedPair, planned_examples, score_placed
from core.stress.run import Plan, Run, Source
from core.stress.runner import continue_run
from core.stress.shifts import Shift, score_shifts
from core.types import Example, Outcome, Result, asks_endpoint

_MOST_REPEATED = 40  # texts that are scored a second time


@dataclass(frozen=True, slots=True)
class RepeatedScore:
    """The score of one text, and that of asking again in another order; None where it failed."""

    example: Example
    first: float | None
    second: float | None


@dataclass(frozen=True, slots=True)
class Repetition:
    """One metric asked again without the answers that were kept: so many seconds for these texts, after the first of them."""

    scores: tuple[RepeatedScore, ...]
    seconds: float
    timed: int
    way: str
    device: str = ""


@dataclass(frozen=True, eq=False)
class Evidence:
    """Everything that questions are answered from; figures that several of them need are computed once."""

    data: AuditData
    cases: Cases
    run: Run
    gaming_run: Run
    outcomes: Sequence[Outcome]
    repetitions: Mapping[str, Repetition]
    placed: Sequence[PlacedPair]
    seed: int = 0
    resamples: int = 0
    saved_thresholds: Mapping[str, OwnThreshold] = field(default_factory=dict)

    @cached_property
    def drawn(self) -> Resamples:
        """The resamples of `cli.py meta`."""
        return draw_resamples(self.cases, self.resamples)

    @cached_property
    def shifts(self) -> list[Shift]:
        return score_shifts(self.run)

    @cached_property
    def gaming_shifts(self) -> list[Shift]:
        return score_shifts(self.gaming_run)

    def signature(self, metric: str) -> str:
        """That of the metric's scores; empty where all of them failed."""
        return next((one.signature for one in self.outcomes if isinstance(one, Result) and one.metric == metric), "")

    def column(self, metric: str) -> MetricColumn | None:
        """The metric among the columns of the cases, with the scores of this audit; None where all failed."""
        signature = self.signature(metric)
        return next((one for one in self.cases.all_columns if signature and one.signature == signature), None)

    def cases_with(self, column: MetricColumn) -> Cases:
        """The cases with the scores of this metric alone."""
        return replace(self.cases, columns=(column,), separate=())

    def rows(self, metric: str, parts: Sequence[Slice], names: tuple[str, ...]) -> list[MetricRow]:
        """The rows of `cli.py meta` for this metric; none without scores."""
        column = self.column(metric)
        return list(metric_rows(self.cases_with(column), parts, self.drawn, names)) if column else []

    def labelled(self, metric: str) -> LabelledScores | None:
        """Every labelled summary once."""
        column, known = self.column(metric), ~np.isnan(self.cases.labels)
        if column is None:
            return None
        labels = self.cases.labels[known] == 1
        return LabelledScores(column.values[known], labels, self.cases.documents[known], column.direction)

    def threshold(self, metric: str) -> Threshold | None:
        """The saved one, or the one that separates all labelled summaries best; None without either."""
        saved = self.saved_thresholds.get(metric)
        if saved:
            return Threshold(saved.value, saved.accuracy.n, frozenset())
        labelled = self.labelled(metric)
        if labelled is None or labelled.direction == "neutral":
            return None
        return best_threshold(labelled, np.ones(len(labelled.labels), dtype=np.bool_))

    def cases_command(self, command: str, metric: str, *, chosen: bool = True) -> str:
        """A command on the dataset, for one metric where it can be chosen; what has to come before it stands before it."""
        column = self.column(metric)
        named = f" --metric {quote(column.name if column else metric)}" if chosen else ""
        return self._prepared(f"{command} {self.data.options}{named}", metric)

    def stress_command(self, metric: str) -> str:
        """The stress run, for one metric; `stress` takes one dataset, so that only the audit itself shows that of several."""
        if not self.data.stress_options:
            return self.audit_command(metric)
        seed = f" --seed {self.seed}" if self.seed else ""
        return f"python cli.py stress {self.data.stress_options}{seed} --metric {quote(metric)} -o run.jsonl"

    def audit_command(self, metric: str) -> str:
        """The audit itself, which alone shows what no other command has."""
        return audit_command(self.data, [metric], self.seed)

    def _prepared(self, command: str, metric: str) -> str:
        if not self.data.preparation:
            return command
        dataset = self.data.options.removeprefix("--dataset ")
        features = "".join(f" --metric {quote(one)}" for one in dict.fromkeys([metric, *FEATURES]))
        return "\n".join([self.data.preparation, f"python cli.py score-dataset {dataset}{features}", command])


@dataclass(eq=False)
class Measurement:
    """Measures the evidence step by step: `work` is a generator for a background task, `evidence` is there at its end."""

    engine: Engine
    settings: Settings
    data: AuditData
    metrics: Sequence[Metric]
    seed: int = 0
    saved_thresholds: Mapping[str, OwnThreshold] = field(default_factory=dict)
    outcomes: list[Outcome] = field(default_factory=list)
    placed: list[PlacedPair] = field(default_factory=list)
    repetitions: dict[str, Repetition] = field(default_factory=dict)

    def __post_init__(self) -> None:
        kinds = rule_perturbations()
        self.run = self._new_run("audit", kinds, self.data.sources)
        phrases = [kind for kind in kinds if kind.card.intent == "gaming"]
        self.gaming_run = self._new_run("audit, inconsistent summaries", phrases, self.data.broken)
        features = [METRICS.parse(spec) for spec in FEATURES]
        self.scored = list({metric.spec: metric for metric in [*self.metrics, *features]}.values())
        self.finished: Evidence | None = None

    def _new_run(self, name: str, kinds: Sequence[Perturbation], sources: Sequence[Source]) -> Run:
        run = Run(Plan.of(name, kinds, self.metrics, self.seed))
        for source in sources:
            run.add(source)
        return run

    @property
    def counts(self) -> tuple[int, int]:
        """Scores that are done, and those that there will be at most."""
        done = len(self.outcomes) + self.run.settled + self.gaming_run.settled + 2 * len(self.placed)
        repeated = sum(len(one.scores) for one in self.repetitions.values())
        of_texts = len(self.data.texts) * len(self.scored)
        again = len(self.metrics) * min(_MOST_REPEATED, len(self.data.texts))
        placed = 2 * len(self.metrics) * len(PLACES) * min(MOST_PLACED, len(self.data.sources))
        return done + repeated, of_texts + self.run.planned + self.gaming_run.planned + again + placed

    def paid_conversations(self) -> Iterator[Conversation[Any]]:
        """What endpoints will be asked, for an estimate: every text, variant and long document, and another sample of some."""
        paid = [metric for metric in self.metrics if asks_endpoint(metric.checkpoints())]
        if not paid:
            return
        yield from self.engine.conversations(paid, self.data.texts)
        for run in (self.run, self.gaming_run):
            yield from missing_conversations(self.engine, run)
        yield from self.engine.conversations(paid, planned_examples(self.run))
        again = [other for metric in paid if (other := _next_sample(metric))]
        yield from self.engine.conversations(again, _spread(self.data.texts, _MOST_REPEATED))

    def work(self) -> Generator[object]:
        """Every score of the audit; closing it cancels what is under way."""
        for _, outcome in self.engine.run(self.scored, self.data.texts):
            self.outcomes.append(outcome)
            yield outcome
        yield from continue_run(self.engine, self.run)
        yield from continue_run(self.engine, self.gaming_run)
        for metric in self.metrics:
            for pair in score_placed(self.engine, self.run, metric):
                self.placed.append(pair)
                yield pair
        for metric in self.metrics:
            self.repetitions[metric.spec] = self._ask_again(metric)
            yield metric
        self.finished = self._evidence()
        yield self.finished

    def evidence(self) -> Evidence:
        """What was measured. Raises TouchstoneError where the work has not ended, or a saved threshold is of other scores."""
        if self.finished is None:
            raise TouchstoneError("The audit was stopped before its end: start it again, what was scored is kept.")
        for metric, saved in self.saved_thresholds.items():
            saved.require_signature(self.finished.signature(metric))
        return self.finished

    def _evidence(self) -> Evidence:
        cases = self.data.cases_of(self.outcomes)
        return Evidence(
            self.data,
            cases,
            self.run,
            self.gaming_run,
            self.outcomes,
            self.repetitions,
            self.placed,
            self.seed,
            affordable_resamples(cases),
            self.saved_thresholds,
        )

    def _ask_again(self, metric: Metric) -> Repetition:
        """The same texts from the last to the first, by an engine that remembers nothing; of a judge another sample."""
        texts = _spread(self.data.texts, _MOST_REPEATED)
        first = {
            one.example_id: one.score for one in self.outcomes if isinstance(one, Result) and one.metric == metric.spec
        }
        paid = asks_endpoint(metric.checkpoints())
        again = _next_sample(metric) if paid else metric
        if again is None:
            return Repetition((), 0.0, 0, "It asks an endpoint, and has no setting for another sample.")
        way = "for another sample of the endpoint" if paid else "in reverse order, without the answers that were kept"
        if not metric.checkpoints() or paid:
            return _timed(self.engine, again, texts, first, way)
        with tempfile.TemporaryDirectory() as folder:
            settings = self.settings.model_copy(update={"cache_dir": Path(folder)})
            with closing(Engine.open(settings)) as fresh:
                return _timed(fresh, again, texts, first, way)


def _next_sample(metric: Metric) -> Metric | None:
    """The metric with the next number of its setting `sample`; None where it has none."""
    settings = {name: getattr(metric, name) for name in settings_of(metric)}
    return METRICS.build(metric.name, {**settings, "sample": settings["sample"] + 1}) if "sample" in settings else None


def _timed(
    engine: Engine, metric: Metric, texts: Sequence[Example], first: Mapping[str, float], way: str
) -> Repetition:
    """The first of the texts loads the model, and its time does not count."""
    latest, *others = reversed(texts)
    outcomes = list(engine.run([metric], [latest]))
    begun = time.perf_counter()
    outcomes += engine.run([metric], others)
    seconds = time.perf_counter() - begun
    scores = tuple(
        RepeatedScore(example, first.get(example.id), outcome.score if isinstance(outcome, Result) else None)
        for example, outcome in outcomes
    )
    device = next((outcome.device for _, outcome in outcomes if isinstance(outcome, Result)), "")
    return Repetition(scores, seconds, len(others), way, device)


def _spread(texts: Sequence[Example], most: int) -> list[Example]:
    """At most so many, evenly over all of them."""
    number = min(most, len(texts))
    return [texts[place * len(texts) // number] for place in range(number)]


def overall_row(rows: Sequence[MetricRow]) -> MetricRow | None:
    return next((row for row in rows if row.slice == OVERALL_SLICE), None)
