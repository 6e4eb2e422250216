"""Runs carried on: the variants, scores and checks that are missing, in the foreground or in a thread of the process."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial

from core.base import BackgroundTask, Progress
from core.edits import PERTURBATIONS, Perturbation
from core.results.runs.filters import rule_remarks
from core.results.runs.stress_run import Check, RunRecord, ScoreRecord, Source, StressRun, Variant, to_json_line
from core.scoring import METRICS, NLI_CHECKS, Conversation, Engine, Metric, NliCheck, NliResult
from core.text import apply
from core.types import Edit, Example, Failure

_SOURCES_AT_ONCE = 16  # sources whose variants are made before they are scored, so that scores come soon


def continue_run(engine: Engine, run: StressRun) -> Generator[RunRecord]:
    """Records that the run does not hold yet, as they come; every record is added to the run before it is given.

    What failed or was refused is tried again, and given only where it comes out otherwise. Closing the generator cancels
    what is under way. Raises TouchstoneError for a plan that names what does not exist.
    """
    kinds = [PERTURBATIONS.parse(kind) for kind in run.plan.kinds]
    metrics = [METRICS.parse(metric) for metric in run.plan.metrics]
    every = list(run.sources.values())
    for start in range(0, len(every), _SOURCES_AT_ONCE):
        sources = every[start : start + _SOURCES_AT_ONCE]
        for record in _new_records(engine, run, sources, kinds, metrics):
            if run.add(record):
                yield record


def variant_conversation(example: Example, kind: Perturbation, seed: int) -> Conversation[list[Edit]]:
    """The conversation that makes a variant."""
    return Conversation(kind.spec, example, partial(kind.rounds, example, seed), kind.checkpoints())


def check_conversation(guard: NliCheck, example: Example, kind: str, variant: str) -> Conversation[NliResult]:
    """The conversation in which a guard reads a variant."""
    pair = Example(f"{example.id}\0{kind}", example.summary, variant)
    return Conversation(guard.spec, pair, partial(guard.rounds, example.summary, variant), guard.checkpoints())


def _new_records(
    engine: Engine, run: StressRun, sources: Sequence[Source], kinds: Sequence[Perturbation], metrics: Sequence[Metric]
) -> Iterator[RunRecord]:
    yield from _new_variants(engine, run, sources, kinds)
    for metric in metrics:
        yield from _new_scores(engine, run, sources, metric)
    if run.plan.guard:
        yield from _new_checks(engine, run, sources, NLI_CHECKS.parse(run.plan.guard))


def _new_variants(
    engine: Engine, run: StressRun, sources: Sequence[Source], kinds: Sequence[Perturbation]
) -> Iterator[Variant]:
    missing = [
        (source, kind) for source in sources for kind in kinds if not run.has_variant(source.example.id, kind.spec)
    ]
    conversations = [variant_conversation(source.example, kind, run.plan.seed) for source, kind in missing]
    for (source, kind), (_, outcome) in zip(missing, engine.converse(conversations), strict=True):
        if isinstance(outcome, Failure):
            yield Variant(source.example.id, kind.spec, error=outcome.error, failure=outcome.kind)
        else:
            yield Variant(
                source=source.example.id,
                kind=kind.spec,
                signature=kind.signature,
                summary=apply(source.example.summary, outcome),
                edits=tuple(outcome),
                remarks=rule_remarks(kind.card, source.example, outcome),
            )


def _new_scores(engine: Engine, run: StressRun, sources: Sequence[Source], metric: Metric) -> Iterator[ScoreRecord]:
    missing = [
        (place, example)
        for source in sources
        for place, example in _texts_to_score(run, source).items()
        if not run.has_score(*place, metric.spec)
    ]
    outcomes = engine.run([metric], [example for _, example in missing])
    for ((source, kind), _), (_, outcome) in zip(missing, outcomes, strict=True):
        if isinstance(outcome, Failure):
            yield ScoreRecord(source, kind, outcome.metric, None, error=outcome.error, failure=outcome.kind)
        else:
            yield ScoreRecord(source, kind, outcome.metric, outcome.score, outcome.signature)


def _new_checks(engine: Engine, run: StressRun, sources: Sequence[Source], guard: NliCheck) -> Iterator[Check]:
    missing = [
        (example, kind)
        for example in (source.example for source in sources)
        for kind in run.plan.guarded
        if run.has_variant(example.id, kind) and not run.has_mark(example.id, kind)
    ]
    conversations = [
        check_conversation(guard, example, kind, run.variants[example.id, kind].summary or "")
        for example, kind in missing
    ]
    for (example, kind), (_, result) in zip(missing, engine.converse(conversations), strict=True):
        if isinstance(result, Failure):
            yield Check(example.id, kind, None, result.error, result.kind)
        else:
            yield Check(example.id, kind, result)


def _texts_to_score(run: StressRun, source: Source) -> dict[tuple[str, str], Example]:
    """The summary itself and its variants, by (source, kind)."""
    example = source.example
    texts = {(example.id, ""): example}
    for kind in run.plan.kinds:
        summary = run.variants[example.id, kind].summary
        if summary is not None:
            texts[example.id, kind] = replace(example, id=f"{example.id}\0{kind}", summary=summary)
    return texts


LineSink = Callable[[Sequence[str]], None]
"""Takes the lines of new records, and has kept them when it returns."""

_LINES_AT_ONCE = 200  # records written at once
_MAX_WAIT_S = 0.5  # and how long they may wait for more


class BackgroundRuns:
    """Continues runs in a thread each; they outlive the page that started them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._tasks: dict[str, BackgroundTask[int]] = {}

    def start(self, engine: Engine, id: str, run: StressRun, sink: LineSink) -> BackgroundTask[int]:
        """Continue a run and hand its lines to `sink`; one that is under way goes on as it is."""
        with self._lock:
            task = self._tasks.get(id)
            if task and task.running:
                return task
            cancelled = threading.Event()
            task = self._tasks[id] = BackgroundTask(
                partial(_write_batches, engine, run, sink, cancelled),
                counts=lambda: (run.settled, run.planned),
                cancelled=cancelled,
            )
            return task

    def progress(self, id: str) -> Progress | None:
        """Progress of a run; None for one that this process has not continued."""
        task = self._task(id)
        return task.progress if task else None

    def cancel(self, id: str) -> None:
        """Stop a run after the score under way; everything that came is written."""
        if task := self._task(id):
            task.cancel()

    def wait(self, id: str, timeout: float) -> bool:
        """Wait until a run has ended; False when it did not in time."""
        task = self._task(id)
        return task is None or task.wait(timeout)

    def _task(self, id: str) -> BackgroundTask[int] | None:
        with self._lock:
            return self._tasks.get(id)


def _write_batches(engine: Engine, run: StressRun, sink: LineSink, cancelled: threading.Event) -> Generator[int]:
    """Continue a run and write its records in batches; gives the size of each batch after it was written."""
    batch: list[RunRecord] = []
    written = time.monotonic()
    with closing(continue_run(engine, run)) as records:
        for record in records:
            batch.append(record)
            due = len(batch) >= _LINES_AT_ONCE or time.monotonic() - written >= _MAX_WAIT_S
            if due or cancelled.is_set():
                sink([to_json_line(record) for record in batch])
                yield len(batch)
                batch, written = [], time.monotonic()
    if batch:
        sink([to_json_line(record) for record in batch])
        yield len(batch)
