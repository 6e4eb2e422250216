"""The three workloads and the texts they are timed on: a first score, the same after one edited sentence, and a set of pairs that share documents."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from itertools import chain
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from core.data.datasets import bundled
from core.models import require_devices
from core.scoring.metric import Metric
from core.settings import Settings
from core.text.segmentation import sentences
from core.types import Example
from tests.bench.comparison import EngineRun, MetricComparison, OneByOneRun
from tests.bench.measurement import BenchRow, Usage
from tests.bench.network_shapes import Sizes
from tests.bench.recipes import parse_supported_metric, prepare_metric

_MIN_WORDS, _MAX_WORDS = 8, 30  # words of a sentence that is taken
_SENTENCE_ENDS = (".", "!", "?")


def make_pair(number: int, words: int, claims: int, changed: int | None = None) -> Example:
    """A document of about so many words, and a summary of so many sentences, one of which may be changed.

    Every number is another document that shares no sentence with the others, and so is its summary: what was asked about
    one says nothing about the next.
    """
    chosen = _choose_sentences(number, words)
    document = _write_document(number, chosen)
    picked = [chosen[place * len(chosen) // claims] for place in range(claims)]
    stated = [_make_claim(number, sentence, denied=place == changed) for place, sentence in enumerate(picked)]
    name = f"{number}" if changed is None else f"{number}/{changed}"
    return Example(name, document, " ".join(stated))


def make_pairs_sharing_documents(first: int, documents: int, pairs: int, words: int, claims: int) -> list[Example]:
    """Pairs that share documents numbered from `first`: each with its summary, then the summary with one sentence changed."""
    versions = [*range(-1, claims)]
    return [
        make_pair(
            first + place % documents, words, claims, _make_changed_claim(versions[place // documents % len(versions)])
        )
        for place in range(pairs)
    ]


def make_summaries_of_document(number: int, words: int, summaries: int, claims: int) -> list[Example]:
    """Pairs of one document of about so many words, with summaries of so many sentences; no two share one."""
    chosen = _choose_sentences(number, words)
    document = _write_document(number, chosen)
    pairs = []
    for summary in range(summaries):
        picked = [chosen[(place * len(chosen) // claims + summary) % len(chosen)] for place in range(claims)]
        stated = [_make_claim(summaries * number + summary, sentence, denied=False) for sentence in picked]
        pairs.append(Example(f"{number}-{summary}", document, " ".join(stated)))
    return pairs


@cache
def sentence_pool() -> tuple[str, ...]:
    """Plain sentences of the bundled documents."""
    documents = dict.fromkeys(item.example.document for item in bundled.bundled_items())
    found = [" ".join(span.of(document).split()) for document in documents for span in sentences(document)]
    return tuple(sentence for sentence in dict.fromkeys(found) if _is_plain(sentence))


def _is_plain(sentence: str) -> bool:
    whole = sentence.endswith(_SENTENCE_ENDS) and not any(
        stop in sentence[:-1] for stop in (*_SENTENCE_ENDS, '"', "“", ":")
    )
    return whole and _MIN_WORDS <= len(sentence.split()) <= _MAX_WORDS


def _choose_sentences(number: int, words: int) -> list[str]:
    """Sentences of the pool in an order that the number gives, until they have the words."""
    pool = list(sentence_pool())
    random.Random(number).shuffle(pool)
    chosen: list[str] = []
    while sum(len(sentence.split()) + 3 for sentence in chosen) < words:
        chosen.append(pool[len(chosen) % len(pool)])
    return chosen


def _write_document(number: int, chosen: Sequence[str]) -> str:
    return " ".join(f"In report {number}, {sentence}" for sentence in chosen)


def _make_claim(number: int, sentence: str, denied: bool) -> str:
    return f"Report {number} {'denies' if denied else 'says'} that {sentence}"


def _make_changed_claim(version: int) -> int | None:
    return None if version < 0 else version


_DOCUMENT_WORDS, _SET_DOCUMENT_WORDS = (
    1000,
    500,
)  # of a document; the bundled ones have about as many as those of the set
_SUMMARY_SENTENCES = 10  # sentences of every summary
_FIRST_SET_NUMBER = 1000  # the number of its first document: none of the others has it

DEFAULT_METRICS = (
    *("alignscore-base", "summac-zs", "minicheck-flan-t5", "unieval-fact"),
    *("bartscore", "bertscore", "semantic-similarity"),
)
"""Metrics of every family that needs nothing but random weights."""


@dataclass(frozen=True, slots=True)
class BenchPlan:
    """How much is timed: pairs of the set and their documents, repeats of the other workloads, questions of each model.

    The set is run once: it is long enough to be its own repeat.
    """

    pairs: int = 200
    documents: int = 50
    repeats: int = 3
    rows: int = 12
    seed: int = 0


@dataclass(frozen=True, slots=True)
class BothRuns:
    """One workload run both ways."""

    engine: EngineRun
    straightforward: OneByOneRun


def run_bench(specs: Sequence[str], sizes: Sizes, plan: BenchPlan, settings: Settings) -> Iterator[BenchRow]:
    """Lines as they are measured, metric by metric; raises TouchstoneError at once for what cannot be timed."""
    require_devices(settings.device)
    for spec in specs:
        parse_supported_metric(spec)
    return chain.from_iterable(_bench_metric(spec, sizes, plan, settings) for spec in specs)


def _bench_metric(spec: str, sizes: Sizes, plan: BenchPlan, settings: Settings) -> Iterator[BenchRow]:
    with TemporaryDirectory(prefix="touchstone-bench-") as folder:
        metric, shapes = prepare_metric(spec, sizes, sentence_pool(), Path(folder) / "models")
        with closing(
            MetricComparison(metric, settings.device, settings.memory_budget, Path(folder) / "cache")
        ) as track:
            track.warm_up(make_pair(0, _SET_DOCUMENT_WORDS, _SUMMARY_SENTENCES))
            for workload, runs in _repeat_workloads(track, plan):
                yield _bench_row(metric, shapes, workload, runs)


def _repeat_workloads(track: MetricComparison, plan: BenchPlan) -> Iterator[tuple[str, list[BothRuns]]]:
    """Each workload with its repeats; the engine and the straightforward way take turns, with a fresh pair at every turn."""
    turns = [_one_repeat(track, number, plan) for number in range(1, plan.repeats + 1)]
    for workload in turns[0]:
        yield workload, [turn[workload] for turn in turns]
    examples = make_pairs_sharing_documents(
        _FIRST_SET_NUMBER, plan.documents, plan.pairs, _SET_DOCUMENT_WORDS, _SUMMARY_SENTENCES
    )
    yield f"{plan.pairs} pairs, {plan.documents} documents", [_run_both_ways(track, [examples], plan)[0]]


def _one_repeat(track: MetricComparison, number: int, plan: BenchPlan) -> dict[str, BothRuns]:
    # from the end: a decoder that remembers what it read finds before each edit what it would after the first score
    places = {"edit at end": _SUMMARY_SENTENCES - 1, "edit in middle": _SUMMARY_SENTENCES // 2, "edit at start": 0}
    edits = {name: [make_pair(number, _DOCUMENT_WORDS, _SUMMARY_SENTENCES, place)] for name, place in places.items()}
    workloads = {"first score": [make_pair(number, _DOCUMENT_WORDS, _SUMMARY_SENTENCES)], **edits}
    return dict(zip(workloads, _run_both_ways(track, list(workloads.values()), plan), strict=True))


def _run_both_ways(track: MetricComparison, workloads: Sequence[Sequence[Example]], plan: BenchPlan) -> list[BothRuns]:
    """The engine first and all at a stretch, because the straightforward way makes the models forget what they read."""
    engine = [track.engine(examples) for examples in workloads]
    straight = [track.straightforward(examples, plan.rows, plan.seed) for examples in workloads]
    return [BothRuns(*runs) for runs in zip(engine, straight, strict=True)]


def _bench_row(metric: Metric, shapes: tuple[str, ...], workload: str, runs: Sequence[BothRuns]) -> BenchRow:
    return BenchRow(
        metric=metric.name,
        shapes=shapes,
        workload=workload,
        repeats=len(runs),
        engine=_median_usage([run.engine.bill for run in runs]),
        straightforward=_median_usage([run.straightforward.bill for run in runs]),
        unpadded_seconds=median(run.straightforward.unpadded_seconds for run in runs),
        timed=round(median(run.straightforward.timed for run in runs)),
        score_difference=max(_largest_score_difference(run) for run in runs),
        answer_difference=max(run.straightforward.answer_difference for run in runs),
    )


def _median_usage(bills: Sequence[Usage]) -> Usage:
    """The median of each number."""
    return Usage(
        seconds=median(bill.seconds for bill in bills),
        rows=round(median(bill.rows for bill in bills)),
        padded_tokens=round(median(bill.padded_tokens for bill in bills)),
        tokens=round(median(bill.tokens for bill in bills)),
        memory_bytes=round(median(bill.memory_bytes for bill in bills)),
    )


def _largest_score_difference(run: BothRuns) -> float:
    pairs = zip(run.engine.results, run.straightforward.scores, strict=True)
    return max(abs(result.score - score.value) for result, score in pairs)
