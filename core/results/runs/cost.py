"""Cost of a stress run at endpoints, known before it starts."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from core.edits import PERTURBATIONS
from core.model_reference import asks_endpoint
from core.models import CostEstimate
from core.results.runs.runner import check_conversation, variant_conversation
from core.results.runs.stress_run import Plan, Source, StressRun
from core.scoring import METRICS, NLI_CHECKS, Conversation, Engine

_ESTIMATED_SOURCES = 40  # sources; planning a judge's questions on each variant of a thousand takes half a minute


def asks_endpoints(plan: Plan) -> bool:
    """True if a run by this plan asks endpoints at all. Raises TouchstoneError for a plan that names what does not exist."""
    checkpoints = [
        *(PERTURBATIONS.parse(kind).checkpoints() for kind in plan.kinds),
        *(METRICS.parse(metric).checkpoints() for metric in plan.metrics),
        *(NLI_CHECKS.parse(guard).checkpoints() for guard in filter(None, [plan.guard])),
    ]
    return any(map(asks_endpoint, checkpoints))


def estimate_run_cost(engine: Engine, run: StressRun) -> CostEstimate:
    """Estimate the cost of a run at endpoints; of many sources some stand for all."""
    every = list(run.sources.values())
    if not every:
        return CostEstimate()
    some = every[:: math.ceil(len(every) / _ESTIMATED_SOURCES)]
    part = replace(run, sources={source.example.id: source for source in some})
    return engine.estimate(missing_conversations(engine, part)).times(len(every) / len(some))


def missing_conversations(engine: Engine, run: StressRun) -> Iterator[Conversation[Any]]:
    """The conversations with endpoints that the run does not hold yet, for an estimate.

    A variant that is not made yet is taken to be as long as its original, and to be none that was refused. Raises
    TouchstoneError for a plan that names what does not exist.
    """
    kinds = [PERTURBATIONS.parse(kind) for kind in run.plan.kinds]
    guards = [NLI_CHECKS.parse(run.plan.guard)] if run.plan.guard else []
    metrics = [metric for metric in map(METRICS.parse, run.plan.metrics) if asks_endpoint(metric.checkpoints())]
    paid_kinds = [kind for kind in kinds if asks_endpoint(kind.checkpoints())]
    paid_guards = [guard for guard in guards if asks_endpoint(guard.checkpoints())]
    for source in run.sources.values():
        example = source.example
        to_write = (kind for kind in paid_kinds if not run.has_variant(example.id, kind.spec))
        yield from (variant_conversation(example, kind, run.plan.seed) for kind in to_write)
        for metric in metrics:
            to_score = (kind for kind in ("", *run.plan.kinds) if not run.has_score(example.id, kind, metric.spec))
            texts = (
                replace(example, id=f"{example.id}\0{kind}", summary=_text_or_stand_in(run, source, kind))
                for kind in to_score
            )
            yield from engine.conversations([metric], texts)
        for guard in paid_guards:
            to_check = (kind for kind in run.plan.guarded if not run.has_mark(example.id, kind))
            yield from (
                check_conversation(guard, example, kind, _text_or_stand_in(run, source, kind)) for kind in to_check
            )


def _text_or_stand_in(run: StressRun, source: Source, kind: str) -> str:
    """A variant, or one of its length that differs from all others, as it will."""
    variant = run.variants.get((source.example.id, kind))
    made = variant.summary if variant else None
    return made or " ".join(filter(None, [source.example.summary, kind]))
