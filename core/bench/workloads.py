"""The three workloads: a first score, the same after one edited sentence, and a set of pairs that share documents."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from core.bench.line import Bill, Line
from core.bench.recipes import check, prepare
from core.bench.texts import pair, sentence_pool, shared
from core.bench.track import EngineRun, StraightRun, Track
from core.metric import Metric
from core.models import device as devices
from core.models.shapes import Sizes
from core.settings import Settings
from core.types import Example

_WORDS, _SET_WORDS = 1000, 500  # of a document; the bundled ones have about as many as those of the set
_CLAIMS = 10  # sentences of every summary
_FIRST_OF_SET = 1000  # the number of its first document: none of the others has it

DEFAULT = (
    *("alignscore-base", "summac-zs", "minicheck-flan-t5", "unieval-fact"),
    *("bartscore", "bertscore", "semantic-similarity"),
)
"""Metrics of every family that needs nothing but random weights."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How much is timed: pairs of the set and their documents, repeats of the other workloads, questions of each model.

    The set is run once: it is long enough to be its own repeat.
    """

    pairs: int = 200
    documents: int = 50
    repeats: int = 3
    rows: int = 12
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Both:
    """One workload run both ways."""

    engine: EngineRun
    straightforward: StraightRun


def bench(specs: Sequence[str], sizes: Sizes, plan: Plan, settings: Settings) -> Iterator[Line]:
    """Lines as they are measured, metric by metric; raises TouchstoneError at once for what cannot be timed."""
    devices.require(settings.device)
    for spec in specs:
        check(spec)
    return chain.from_iterable(_metric(spec, sizes, plan, settings) for spec in specs)


def _metric(spec: str, sizes: Sizes, plan: Plan, settings: Settings) -> Iterator[Line]:
    with TemporaryDirectory(prefix="touchstone-bench-") as folder:
        metric, shapes = prepare(spec, sizes, sentence_pool(), Path(folder) / "models")
        with closing(Track(metric, settings.device, settings.memory_bytes, Path(folder) / "cache")) as track:
            track.warm_up(pair(0, _SET_WORDS, _CLAIMS))
            for workload, runs in _workloads(track, plan):
                yield _line(metric, shapes, workload, runs)


def _workloads(track: Track, plan: Plan) -> Iterator[tuple[str, list[Both]]]:
    """Each workload with its repeats; the engine and the straightforward way take turns, with a fresh pair at every turn."""
    turns = [_turn(track, number, plan) for number in range(1, plan.repeats + 1)]
    for workload in turns[0]:
        yield workload, [turn[workload] for turn in turns]
    examples = shared(_FIRST_OF_SET, plan.documents, plan.pairs, _SET_WORDS, _CLAIMS)
    yield f"{plan.pairs} pairs, {plan.documents} documents", [_both_ways(track, [examples], plan)[0]]


def _turn(track: Track, number: int, plan: Plan) -> dict[str, Both]:
    # from the end: a decoder that remembers what it read finds before each edit what it would after the first score
    places = {"edit at end": _CLAIMS - 1, "edit in middle": _CLAIMS // 2, "edit at start": 0}
    edits = {name: [pair(number, _WORDS, _CLAIMS, place)] for name, place in places.items()}
    workloads = {"first score": [pair(number, _WORDS, _CLAIMS)], **edits}
    return dict(zip(workloads, _both_ways(track, list(workloads.values()), plan), strict=True))


def _both_ways(track: Track, workloads: Sequence[Sequence[Example]], plan: Plan) -> list[Both]:
    """The engine first and all at a stretch, because the straightforward way makes the models forget what they read."""
    engine = [track.engine(examples) for examples in workloads]
    straight = [track.straightforward(examples, plan.rows, plan.seed) for examples in workloads]
    return [Both(*runs) for runs in zip(engine, straight, strict=True)]


def _line(metric: Metric, shapes: tuple[str, ...], workload: str, runs: Sequence[Both]) -> Line:
    return Line(
        metric=metric.name,
        shapes=shapes,
        workload=workload,
        repeats=len(runs),
        engine=_middle([run.engine.bill for run in runs]),
        straightforward=_middle([run.straightforward.bill for run in runs]),
        unpadded_seconds=median(run.straightforward.unpadded_seconds for run in runs),
        timed=round(median(run.straightforward.timed for run in runs)),
        score_difference=max(_apart(run) for run in runs),
        answer_difference=max(run.straightforward.answer_difference for run in runs),
    )


def _middle(bills: Sequence[Bill]) -> Bill:
    """The median of each number."""
    return Bill(
        seconds=median(bill.seconds for bill in bills),
        rows=round(median(bill.rows for bill in bills)),
        padded_tokens=round(median(bill.padded_tokens for bill in bills)),
        tokens=round(median(bill.tokens for bill in bills)),
        memory_bytes=round(median(bill.memory_bytes for bill in bills)),
    )


def _apart(run: Both) -> float:
    pairs = zip(run.engine.results, run.straightforward.scores, strict=True)
    return max(abs(result.score - score.value) for result, score in pairs)
