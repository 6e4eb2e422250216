"""Carry a stress run on: make the variants that are missing, score what has no score yet, and check what nobody checked."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from functools import partial

from core.edits import apply
from core.engine import Engine
from core.guard import GUARDS, Guard, Mark
from core.job import Talk
from core.metric import METRICS, Metric
from core.perturbation import PERTURBATIONS, Perturbation
from core.stress.records import Check, Reading, Record, Run, Source, Variant
from core.stress.remarks import remarks
from core.types import Edit, Example, Failure, Outcome

_TOGETHER = 16  # sources whose variants are made before they are scored, so that scores come soon


def carry_on(engine: Engine, run: Run) -> Generator[Record]:
    """What the run does not hold yet, as it comes; every record is added to the run before it is given.

    What failed or was refused is tried again, and given only where it comes out otherwise. Closing the generator cancels
    what is under way. Raises TouchstoneError for a plan that names what does not exist.
    """
    kinds = [PERTURBATIONS.parse(kind) for kind in run.plan.kinds]
    metrics = [METRICS.parse(metric) for metric in run.plan.metrics]
    every = list(run.sources.values())
    for start in range(0, len(every), _TOGETHER):
        sources = every[start : start + _TOGETHER]
        for record in _records(engine, run, sources, kinds, metrics):
            if run.add(record):
                yield record


def varying(example: Example, kind: Perturbation, seed: int) -> Talk[list[Edit]]:
    """The conversation that makes a variant."""
    return Talk(kind.spec, example, partial(kind.rounds, example, seed), kind.checkpoints())


def checking(guard: Guard, example: Example, kind: str, variant: str) -> Talk[Mark]:
    """The conversation in which a guard reads a variant."""
    pair = Example(f"{example.id}\0{kind}", example.summary, variant)
    return Talk(guard.spec, pair, partial(guard.rounds, example.summary, variant), guard.checkpoints())


def _records(
    engine: Engine, run: Run, sources: Sequence[Source], kinds: Sequence[Perturbation], metrics: Sequence[Metric]
) -> Iterator[Record]:
    yield from _variants(engine, run, sources, kinds)
    for metric in metrics:
        yield from _readings(engine, run, sources, metric)
    if run.plan.guard:
        yield from _checks(engine, run, sources, GUARDS.parse(run.plan.guard))


def _variants(engine: Engine, run: Run, sources: Sequence[Source], kinds: Sequence[Perturbation]) -> Iterator[Variant]:
    missing = [
        (source, kind) for source in sources for kind in kinds if not run.has_variant(source.example.id, kind.spec)
    ]
    talks = [varying(source.example, kind, run.plan.seed) for source, kind in missing]
    for (source, kind), (_, found) in zip(missing, engine.converse(talks), strict=True):
        yield _variant(source, kind, found)


def _variant(source: Source, kind: Perturbation, found: list[Edit] | Failure) -> Variant:
    if isinstance(found, Failure):
        return Variant(source.example.id, kind.spec, refusal=found.message, trouble=found.kind)
    return Variant(
        source=source.example.id,
        kind=kind.spec,
        signature=kind.signature,
        summary=apply(source.example.summary, found),
        edits=tuple(found),
        remarks=remarks(kind.card, source.example, found),
    )


def _readings(engine: Engine, run: Run, sources: Sequence[Source], metric: Metric) -> Iterator[Reading]:
    missing = [
        (place, example)
        for source in sources
        for place, example in _texts(run, source).items()
        if not run.has_score(*place, metric.spec)
    ]
    outcomes = engine.run([metric], [example for _, example in missing])
    for ((source, kind), _), (_, outcome) in zip(missing, outcomes, strict=True):
        yield _reading(source, kind, outcome)


def _checks(engine: Engine, run: Run, sources: Sequence[Source], guard: Guard) -> Iterator[Check]:
    missing = [
        (example, kind)
        for example in (source.example for source in sources)
        for kind in run.plan.guarded
        if run.has_variant(example.id, kind) and not run.has_mark(example.id, kind)
    ]
    talks = [checking(guard, example, kind, run.variants[example.id, kind].summary or "") for example, kind in missing]
    for (example, kind), (_, found) in zip(missing, engine.converse(talks), strict=True):
        yield _check(example.id, kind, found)


def _check(source: str, kind: str, found: Mark | Failure) -> Check:
    if isinstance(found, Failure):
        return Check(source, kind, None, found.message, found.kind)
    return Check(source, kind, found)


def _texts(run: Run, source: Source) -> dict[tuple[str, str], Example]:
    """The summary itself and its variants, by (source, kind)."""
    example = source.example
    texts = {(example.id, ""): example}
    for kind in run.plan.kinds:
        summary = run.variants[example.id, kind].summary
        if summary is not None:
            texts[example.id, kind] = Example(f"{example.id}\0{kind}", example.document, summary)
    return texts


def _reading(source: str, kind: str, outcome: Outcome) -> Reading:
    if isinstance(outcome, Failure):
        return Reading(source, kind, outcome.metric, None, error=outcome.message, trouble=outcome.kind)
    return Reading(source, kind, outcome.metric, outcome.score, outcome.signature)
