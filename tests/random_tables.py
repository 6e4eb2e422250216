"""Tables of scores made by chance, from which sentences are made: the evidence of an audit, and a pool of which some have a label."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from core.assessment.audit.data import items_data
from core.assessment.audit.evidence import LAYOUT_SOURCES, Evidence
from core.assessment.audit.repetition import RepeatedRun, RepeatedScore
from core.edits.sanity import SanityPair, sanity_pairs
from core.evaluation.studies.surface import SURFACE_FEATURES
from core.results.cases.cases import MetricColumn
from core.results.cases.summary_pool import SummaryPool
from core.results.runs.placement import MOST_PLACED, PLACES, PlacedPair
from core.results.runs.stress_run import Plan, ScoreRecord, StressRun
from core.types import ErrorType, Example, Item, Outcome, Result, Seen, Verdict
from tests.unit.core.results.runs.stressed import source, variant

METRIC = "rouge2"
SPREAD = 0.1
"""Standard deviation of the noise."""


def audit_evidence(
    seed: int,
    documents: int = 40,
    sees: float = 1.0,
    moves: float = 0.0,
    reads: float = 1.0,
    gain: float = 0.0,
    *,
    height: float = 0.5,
    noise: float = 1.0,
    surface: float = 0.0,
    layout: float = 0.0,
    sane: float = 1.0,
    repeats: float = 1.0,
) -> Evidence:
    """An audit of one metric: an original, an error and a harmless edit of each document.

    In standard deviations of the noise, errors cost `sees`, harmless edits `moves`, a layout `layout`, and a phrase gains `gain`;
    beside another document errors cost `1 - reads` of that. Labelled originals score `height` on average, with `noise` of the
    usual noise, and follow `surface` deviations of the length. A share `sane` of the expectations holds, and a share `repeats`
    of the texts has the same score when asked again.
    """
    rng, further = np.random.default_rng(seed), np.random.default_rng([seed, 1])
    items = [item for number in range(documents) for item in _items_of(number)]
    data = items_data(Path("pairs.jsonl"), items, None, 0)
    outcomes: list[Outcome] = []
    for item in items:
        wrong = item.intended is Verdict.INCONSISTENT
        harmless = item.parent is not None and not wrong
        deviations = noise * rng.normal() - sees * wrong - moves * harmless
        features = {feature: rng.normal() for feature in SURFACE_FEATURES}
        score = height + SPREAD * (deviations + surface * features["summary-length"])
        outcomes.append(_result(item, METRIC, score))
        outcomes += [_result(item, feature, value) for feature, value in features.items()]
    placed = [
        PlacedPair(METRIC, place, f"s{number}", "negation", f"s{number}", 0.5, 0.5 + SPREAD * (rng.normal() - loss))
        for place in PLACES
        for loss in [sees * (1 - reads) if place == "elsewhere" else sees]
        for number in range(min(documents, MOST_PLACED))
    ]
    losses = {"shuffled": moves, "synonyms": moves, "negation": sees, "number": sees, "phrase": -gain}
    run = _run(rng, documents, losses)
    gaming_run = _run(rng, documents, {"phrase": -gain, "repeated": 0.0})
    pairs = sanity_pairs([source.example for source in run.sources.values()], seed)
    return Evidence(
        data,
        data.cases_of(outcomes),
        run,
        gaming_run,
        _run(further, min(documents, LAYOUT_SOURCES), dict.fromkeys(("as-list", "markdown", "line-breaks"), layout)),
        outcomes=outcomes,
        repetitions={METRIC: _asked_again(further, outcomes, items, repeats)},
        placed=placed,
        sanity_pairs=pairs,
        sanity={METRIC: _sanity_scores(further, run, pairs, sane, layout)},
        resamples=200,
    )


def _asked_again(
    rng: np.random.Generator, outcomes: Sequence[Outcome], items: Sequence[Item], repeats: float
) -> RepeatedRun:
    """Forty texts scored once more, of which such a share has the same score."""
    first = [outcome.score for outcome in outcomes if isinstance(outcome, Result) and outcome.metric == METRIC]
    again = [
        RepeatedScore(item.example, score, score if rng.random() < repeats else score + SPREAD)
        for item, score in list(zip(items, first, strict=True))[:40]
    ]
    return RepeatedRun(tuple(again), 1.0, len(again), "in reverse order, without the answers that were kept")


def _sanity_scores(
    rng: np.random.Generator, run: StressRun, pairs: Sequence[SanityPair], sane: float, layout: float
) -> dict[str, float]:
    """Scores by which each expectation of each summary holds with that chance, far from any limit; layouts are moved by `layout` of 1 on."""
    keys = dict.fromkeys((pair.source, pair.expectation) for pair in pairs)
    holds = {key: rng.random() < sane and (key[1] != "twin" or layout < 1) for key in keys}
    scores = {}
    for pair in pairs:
        before = run.readings[pair.source, "", METRIC].value
        assert before is not None
        held, broken = {
            "copy": (2.0, -1.0),
            "contentless": (-1.0, 2.0),
            "foreign": (-1.0, 2.0),
            "shuffled": (before - SPREAD, before + SPREAD),
            "twin": (before, before - SPREAD),
        }[pair.expectation]
        scores[pair.example.id] = held if holds[pair.source, pair.expectation] else broken
    return scores


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
    labelled = np.full(size, np.nan)
    rows = rng.choice(size, labels, replace=False)
    labelled[rows] = 1.0 - wrong[rows]
    scores = rng.normal(size=size) - distance * wrong
    return SummaryPool(
        [f"s{row}" for row in range(size)],
        labelled,
        np.arange(size) // 2,
        (MetricColumn("rouge2", scores),),
        parts={f"system {name}": np.arange(size) % 2 == number for number, name in enumerate("ab")},
    )
