"""Runs carried on: the variants, scores and checks that are missing, in the foreground or in a thread of the process."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial

from core.edits import apply
from core.engine.conversation import Conversation
from core.engine.engine import Engine
from core.errors import attempt
from core.metric import METRICS, Metric
from core.nli_check import NLI_CHECKS, NliCheck, NliResult
from core.perturbation import PERTURBATIONS, Perturbation
from core.stress.filters import rule_remarks
from core.stress.run import Check, Run, RunRecord, ScoreRecord, Source, Variant, to_json_line
from core.types import Edit, Example, Failure, Outcome

_SOURCES_AT_ONCE = 16  # sources whose variants are made before they are scored, so that scores come soon


def continue_run(engine: Engine, run: Run) -> Generator[RunRecord]:
    """What the run does not hold yet, as it comes; every record is added to the run before it is given.

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
    engine: Engine, run: Run, sources: Sequence[Source], kinds: Sequence[Perturbation], metrics: Sequence[Metric]
) -> Iterator[RunRecord]:
    yield from _new_variants(engine, run, sources, kinds)
    for metric in metrics:
        yield from _new_scores(engine, run, sources, metric)
    if run.plan.guard:
        yield from _new_checks(engine, run, sources, NLI_CHECKS.parse(run.plan.guard))


def _new_variants(
    engine: Engine, run: Run, sources: Sequence[Source], kinds: Sequence[Perturbation]
) -> Iterator[Variant]:
    missing = [
        (source, kind) for source in sources for kind in kinds if not run.has_variant(source.example.id, kind.spec)
    ]
    talks = [variant_conversation(source.example, kind, run.plan.seed) for source, kind in missing]
    for (source, kind), (_, found) in zip(missing, engine.converse(talks), strict=True):
        yield _build_variant(source, kind, found)


def _build_variant(source: Source, kind: Perturbation, found: list[Edit] | Failure) -> Variant:
    if isinstance(found, Failure):
        return Variant(source.example.id, kind.spec, refusal=found.message, trouble=found.kind)
    return Variant(
        source=source.example.id,
        kind=kind.spec,
        signature=kind.signature,
        summary=apply(source.example.summary, found),
        edits=tuple(found),
        remarks=rule_remarks(kind.card, source.example, found),
    )


def _new_scores(engine: Engine, run: Run, sources: Sequence[Source], metric: Metric) -> Iterator[ScoreRecord]:
    missing = [
        (place, example)
        for source in sources
        for place, example in _texts_to_score(run, source).items()
        if not run.has_score(*place, metric.spec)
    ]
    outcomes = engine.run([metric], [example for _, example in missing])
    for ((source, kind), _), (_, outcome) in zip(missing, outcomes, strict=True):
        yield _build_score(source, kind, outcome)


def _new_checks(engine: Engine, run: Run, sources: Sequence[Source], guard: NliCheck) -> Iterator[Check]:
    missing = [
        (example, kind)
        for example in (source.example for source in sources)
        for kind in run.plan.guarded
        if run.has_variant(example.id, kind) and not run.has_mark(example.id, kind)
    ]
    talks = [
        check_conversation(guard, example, kind, run.variants[example.id, kind].summary or "")
        for example, kind in missing
    ]
    for (example, kind), (_, found) in zip(missing, engine.converse(talks), strict=True):
        yield _build_check(example.id, kind, found)


def _build_check(source: str, kind: str, found: NliResult | Failure) -> Check:
    if isinstance(found, Failure):
        return Check(source, kind, None, found.message, found.kind)
    return Check(source, kind, found)


def _texts_to_score(run: Run, source: Source) -> dict[tuple[str, str], Example]:
    """The summary itself and its variants, by (source, kind)."""
    example = source.example
    texts = {(example.id, ""): example}
    for kind in run.plan.kinds:
        summary = run.variants[example.id, kind].summary
        if summary is not None:
            texts[example.id, kind] = Example(f"{example.id}\0{kind}", example.document, summary)
    return texts


def _build_score(source: str, kind: str, outcome: Outcome) -> ScoreRecord:
    if isinstance(outcome, Failure):
        return ScoreRecord(source, kind, outcome.metric, None, error=outcome.message, trouble=outcome.kind)
    return ScoreRecord(source, kind, outcome.metric, outcome.score, outcome.signature)


LineSink = Callable[[Sequence[str]], None]
"""Takes the lines of new records, and has kept them when it returns."""

_LINES_AT_ONCE = 200  # records written at once
_MINUTES_FROM_S = 120  # from here on told in minutes
_MAX_WAIT_S = 0.5  # and how long they may wait for more


@dataclass(frozen=True, slots=True)
class Progress:
    """Scores kept of all that are to be had, and how many come in a second; `trouble` says why a run stopped by itself."""

    done: int
    total: int
    rate: float
    running: bool
    trouble: str = ""

    @property
    def seconds_left(self) -> float | None:
        """None where nothing has come yet."""
        return (self.total - self.done) / self.rate if self.rate else None

    def __str__(self) -> str:
        told = f"{self.done} of {self.total} scores, {self.total - self.done} left, {_format_rate(self.rate)} a second"
        return told if self.seconds_left is None else f"{told}, about {_format_duration(self.seconds_left)} to go"


def _format_rate(rate: float) -> str:
    return f"{rate:.0f}" if rate == 0 or rate >= 10 else f"{rate:.1f}"


def _format_duration(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < _MINUTES_FROM_S else f"{seconds / 60:.0f} min"


class BackgroundRuns:
    """Carries runs on in a thread each; they outlive the page that asked for them."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._lock = threading.Lock()
        self._works: dict[str, _BackgroundRun] = {}

    def start(self, id: str, run: Run, sink: LineSink) -> None:
        """Carry a run on and hand its lines to `sink`; one that is under way goes on as it is."""
        with self._lock:
            work = self._works.get(id)
            if work and work.progress.running:
                return
            self._works[id] = _BackgroundRun(self._engine, run, sink)

    def progress(self, id: str) -> Progress | None:
        """How far a run is; None for one that this process has not carried on."""
        with self._lock:
            work = self._works.get(id)
        return work.progress if work else None

    def cancel(self, id: str) -> None:
        """Stop a run after the score under way, with everything kept that has come."""
        with self._lock:
            work = self._works.get(id)
        if work:
            work.cancelled.set()

    def wait(self, id: str, timeout: float) -> bool:
        """Wait until a run has ended; False when it did not in time."""
        with self._lock:
            work = self._works[id]
        work.thread.join(timeout)
        return not work.thread.is_alive()


class _BackgroundRun:
    """One run under way."""

    def __init__(self, engine: Engine, run: Run, sink: LineSink) -> None:
        self._engine, self._run, self._sink = engine, run, sink
        self._waiting: list[RunRecord] = []
        self._written = time.monotonic()
        self._began, self._before = time.monotonic(), run.done
        self.cancelled = threading.Event()
        self.progress = Progress(run.done, run.total, 0.0, running=True)
        self.thread = threading.Thread(target=self._work, daemon=True)
        self.thread.start()

    def _work(self) -> None:
        trouble = attempt(self._carry_on)
        self._tell(running=False, trouble=trouble.message if trouble else "")

    def _carry_on(self) -> None:
        with closing(continue_run(self._engine, self._run)) as records:
            for record in records:
                self._waiting.append(record)
                if len(self._waiting) >= _LINES_AT_ONCE or time.monotonic() - self._written >= _MAX_WAIT_S:
                    self._write()
                if self.cancelled.is_set():
                    break
        self._write()

    def _write(self) -> None:
        if self._waiting:
            self._sink([to_json_line(record) for record in self._waiting])
        self._waiting, self._written = [], time.monotonic()
        self._tell(running=True)

    def _tell(self, running: bool, trouble: str = "") -> None:
        seconds = time.monotonic() - self._began
        done = self._run.done
        self.progress = Progress(done, self._run.total, (done - self._before) / seconds, running, trouble)
