"""Tables of scores made by chance, from which sentences are made: the evidence of an audit, and a pool of which some have a label."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from core.assessment.audit.data import items_data
from core.assessment.audit.evidence import Evidence
from core.evaluation.studies.surface import SURFACE_FEATURES
from core.results.cases.cases import MetricColumn
from core.results.cases.summary_pool import SummaryPool
from core.results.runs.placement import PLACES, PlacedPair
from core.results.runs.stress_run import Plan, ScoreRecord, StressRun
from core.types import ErrorType, Example, Item, Outcome, Result, Seen, Verdict
from tests.unit.core.results.runs.stressed import source, variant

METRIC = "rouge2"
SPREAD = 0.1
"""Standard deviation of the noise."""


def audit_evidence(
    seed: int, documents: int = 40, sees: float = 1.0, moves: float = 0.0, reads: float = 1.0, gain: float = 0.0
) -> Evidence:
    """An audit of one metric: an original, an error and a harmless edit of each document.

    In standard deviations of the noise, errors cost `sees`, harmless edits `moves`, and a phrase gains `gain`; beside another
    document errors cost `1 - reads` of that.
    """
    rng = np.random.default_rng(seed)
    items = [item for number in range(documents) for item in _items_of(number)]
    data = items_data(Path("pairs.jsonl"), items, None, 0)
    outcomes: list[Outcome] = []
    for item in items:
        wrong = item.intended is Verdict.INCONSISTENT
        harmless = item.parent is not None and not wrong
        score = 0.5 + SPREAD * (rng.normal() - sees * wrong - moves * harmless)
        outcomes.append(_result(item, METRIC, score))
        outcomes += [_result(item, feature, rng.normal()) for feature in SURFACE_FEATURES if feature != METRIC]
    placed = [
        PlacedPair(METRIC, place, f"s{number}", "negation", f"s{number}", 0.5, 0.5 + SPREAD * (rng.normal() - loss))
        for place in PLACES
        for loss in [sees * (1 - reads) if place == "elsewhere" else sees]
        for number in range(documents)
    ]
    losses = {"shuffled": moves, "synonyms": moves, "negation": sees, "number": sees, "phrase": -gain}
    return Evidence(
        data,
        data.cases_of(outcomes),
        _run(rng, documents, losses),
        _run(rng, documents, {"phrase": -gain, "repeated": 0.0}),
        outcomes,
        placed=placed,
        resamples=200,
    )


def _run(rng: np.random.Generator, documents: int, losses: Mapping[str, float]) -> StressRun:
    """A run in which a kind costs so many standard deviations of the noise."""
    run = StressRun(Plan("by hand", tuple(losses), (METRIC,)))
    for number in range(documents):
        before = 0.5 + SPREAD * rng.normal()
        run.add(source(f"s{number}"))
        run.add(ScoreRecord(f"s{number}", "", METRIC, before, "signed"))
        for kind, loss in losses.items():
            run.add(variant(f"s{number}", kind))
            run.add(ScoreRecord(f"s{number}", kind, METRIC, before + SPREAD * (rng.normal() - loss), "signed"))
    return run


def _items_of(number: int) -> list[Item]:
    name, document = f"d{number}", f"The harbour was shut on day {number}. Nobody was hurt by the storm that came then."
    original = Item(
        Example(name, document, f"The harbour was shut on day {number}."),
        intended=Verdict.CONSISTENT,
        group=name,
        domain="news" if number % 2 else "dialogue",
    )
    types = (ErrorType.INTRINSIC_ENTITY, ErrorType.EXTRINSIC_PREDICATE)
    edits = (
        ("wrong", f"Somebody was hurt on day {number}.", Verdict.INCONSISTENT),
        ("harmless", f"On day {number} the harbour was shut.", Verdict.CONSISTENT),
    )
    return [
        original,
        *(
            Item(
                Example(f"{name}/{kind}", document, summary),
                parent=name,
                intended=verdict,
                group=name,
                domain=original.domain,
                error_type=types[number // 2 % 2] if verdict is Verdict.INCONSISTENT else None,
            )
            for kind, summary, verdict in edits
        ),
    ]


def _result(item: Item, metric: str, score: float) -> Result:
    return Result(item.example.id, metric, f"{metric} by hand", score, (), Seen(), 0.0, "cpu")


def labelled_pool(
    seed: int, size: int = 400, labels: int = 100, rate: float = 0.3, distance: float = 1.5
) -> SummaryPool:
    """A pool of which so many summaries of two systems have a label, with one metric that errors lower by `distance` of its noise."""
    rng = np.random.default_rng(seed)
    wrong = rng.random(size) < rate
    known = np.full(size, np.nan)
    rows = rng.choice(size, labels, replace=False)
    known[rows] = 1.0 - wrong[rows]
    scores = rng.normal(size=size) - distance * wrong
    return SummaryPool(
        [f"s{row}" for row in range(size)],
        known,
        np.arange(size) // 2,
        (MetricColumn("rouge2", scores),),
        parts={f"system {name}": np.arange(size) % 2 == number for number, name in enumerate("ab")},
    )
