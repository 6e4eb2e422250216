"""Scores with and without the document of the same summaries (Ramprasad and Wallace 2024, figure E.1).

Without: beside the document of another summary, for any metric; or by the closed-book control, which sees no document, beside the
metric that it controls. A metric that reads the document scores a summary higher beside its own; one that answers from what it
knows does not.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from core.errors import TouchstoneError, UnscorableError
from core.evaluation.report import Axis, Chart, Column, Report, Series, Table
from core.evaluation.study import Study, StudyData
from core.results import STRESS_RESAMPLES, Source, StressRun, document_array, score_array
from core.scoring import METRICS, Engine, metric_title
from core.stats import (
    Estimate,
    Resamples,
    ScorePairs,
    consistency_share,
    format_signed,
    format_unsigned,
    mean,
    mean_correction,
)
from core.types import Example, Failure

_CONTROLLED, _CONTROL = "direct-assessment", "closed-book"


@dataclass(frozen=True, slots=True)
class AblatedScore:
    """A metric on one summary with its document and without; None where it failed, `error` says why."""

    metric: str
    group: str
    own: float | None
    other: float | None
    error: str = ""
    domain: str = ""


@dataclass(frozen=True, slots=True)
class ScoreHistogram:
    """Distribution of the scores of the same summaries with their document and without."""

    metric: str
    """Spec of the metric."""
    edges: tuple[float, ...]
    """Edges of bins of the same width in the metric's own units, (bins + 1,)."""
    own: tuple[int, ...]
    """Summaries in each bin by their score with the document, (bins,)."""
    other: tuple[int, ...]
    """Summaries in each bin by their score without it, (bins,)."""
    own_mean: Estimate
    """Mean score with the document, in the metric's own units."""
    other_mean: Estimate
    """Mean score without it, in the metric's own units."""
    loss: Estimate
    """Mean gain by the document towards consistency, in the metric's own units."""
    own_better: Estimate
    """Share of summaries, 0..1, that score strictly more consistent with their document."""
    failed: int
    """Summaries that lack one of the two scores and are in no bin."""


def foreign_examples(run: StressRun) -> list[Example]:
    """Every summary of a run beside the document of another one, in the order of its sources; its seed draws the same.

    Raises UnscorableError where all summaries are of one document, so that there is no foreign one.
    """
    sources = list(run.sources.values())
    documents = {source.group: source.example for source in sources}
    groups = list(documents)
    if len(groups) < 2:
        raise UnscorableError("All summaries of the run are of one document: there is no foreign one.")
    random.Random(run.plan.seed).shuffle(groups)
    following = dict(zip(groups, [*groups[1:], groups[0]], strict=True))  # a rotation: no group keeps its own document
    foreign = [documents[following[source.group]] for source in sources]
    return [
        replace(source.example, document=other.document, contexts=other.contexts)
        for source, other in zip(sources, foreign, strict=True)
    ]


def score_foreign(engine: Engine, run: StressRun, examples: Sequence[Example]) -> Generator[AblatedScore]:
    """Every metric of the run on what `foreign_examples` gave; closing it cancels what is under way."""
    metrics = [METRICS.parse(spec) for spec in run.plan.metrics]
    owners = [source for source in run.sources.values() for _ in metrics]
    for source, (_, outcome) in zip(owners, engine.run(metrics, examples), strict=True):
        own = _score_in_run(run, source, outcome.metric)
        if isinstance(outcome, Failure):
            yield AblatedScore(outcome.metric, source.group, own, None, outcome.error, source.domain)
        else:
            yield AblatedScore(outcome.metric, source.group, own, outcome.score, domain=source.domain)


def closed_book_scores(run: StressRun) -> list[AblatedScore]:
    """The scores of direct assessment beside those of its closed-book control, where the run has both; else nothing."""
    specs = {METRICS.parse(spec).name: spec for spec in run.plan.metrics}
    metric, control = specs.get(_CONTROLLED), specs.get(_CONTROL)
    if not metric or not control:
        return []
    return [
        AblatedScore(
            metric,
            source.group,
            _score_in_run(run, source, metric),
            _score_in_run(run, source, control),
            domain=source.domain,
        )
        for source in run.sources.values()
    ]


def _score_in_run(run: StressRun, source: Source, metric: str) -> float | None:
    reading = run.readings.get((source.example.id, "", metric))
    return reading.value if reading else None


def score_histogram(
    scores: Sequence[AblatedScore], bins: int = 20, seed: int = 0, resamples: int = STRESS_RESAMPLES
) -> ScoreHistogram | None:
    """The histogram of one metric over the summaries that have both scores, bins of the same width; None where none has."""
    both = [score for score in scores if score.own is not None and score.other is not None]
    if not both:
        return None
    numbers = {group: place for place, group in enumerate(dict.fromkeys(score.group for score in both))}
    documents = document_array((score.group for score in both), numbers)
    own, other = score_array(score.own for score in both), score_array(score.other for score in both)
    pairs = ScorePairs(own, other, documents, METRICS.parse(both[0].metric).card.direction)
    edges = np.histogram_bin_edges(np.concatenate([own, other]), bins)
    draws = Resamples.draw(len(numbers), resamples, seed)
    return ScoreHistogram(
        metric=both[0].metric,
        edges=tuple(edges.tolist()),
        own=tuple(np.histogram(own, edges)[0].tolist()),
        other=tuple(np.histogram(other, edges)[0].tolist()),
        own_mean=draws.estimate(mean(own, documents)),
        other_mean=draws.estimate(mean(other, documents)),
        loss=draws.estimate(mean_correction(pairs)),
        own_better=draws.estimate(consistency_share(pairs)),
        failed=len(scores) - len(both),
    )


def ablation_report(study: Study, data: StudyData, baseline: str, bins: int, by: str) -> Report:
    """Scores of the summaries of a stress run with their document and without: beside a foreign one, or by the closed-book control."""
    run = data.stress_run
    if baseline == "foreign":
        examples = foreign_examples(run)
        scoring = score_foreign(data.scoring, run, examples)
        scores = list(data.track(scoring, "scores", len(examples) * len(run.plan.metrics)))
    else:
        scores = closed_book_scores(run)
    if not scores:
        raise TouchstoneError(
            f"{data.run_name} has no scores of direct-assessment and closed-book. Name both metrics to `stress`."
        )
    histograms = [
        histogram
        for metric in run.plan.metrics
        if (histogram := score_histogram([score for score in scores if score.metric == metric], bins, run.plan.seed))
    ]
    failures = Counter((score.metric, score.error) for score in scores if score.error)
    return study.report(
        data,
        [
            _means_table(histograms),
            *([_parts_table(run, scores, bins)] if by else []),
            _histogram_table(histograms),
        ],
        charts=[histogram_chart(place, histogram) for place, histogram in enumerate(histograms, 1)],
        sentences=[
            f"{metric_title(histogram.metric)}: the document gains {format_signed(histogram.loss)}, from {format_unsigned(histogram.other_mean)} without "
            f"it to {format_unsigned(histogram.own_mean)}."
            for histogram in histograms
        ]
        or ["No summary has a score with its document and one without."],
        notes=[
            "Where the histograms overlap, a score does not come from the document. Intervals are of 95 %, by document."
        ],
        problems=[
            f"{metric}: {count} of {len(run.sources)} summaries: {error}" for (metric, error), count in failures.items()
        ],
    )


def _means_table(histograms: Sequence[ScoreHistogram]) -> Table:
    return Table(
        "means",
        "Mean scores with the document and without",
        (
            Column("metric", format="metric"),
            Column("own_mean", "with the document", "unsigned"),
            Column("other_mean", "without", "unsigned"),
            Column("loss", format="signed", help="Mean score with the document minus without, towards consistency."),
            Column("own_better", "better with it", "percent", "Summaries that score strictly more consistent with it."),
            Column("n", format="count"),
            Column("failed", format="count", help="Summaries that lack one of the two scores."),
        ),
        tuple(
            (
                histogram.metric,
                histogram.own_mean,
                histogram.other_mean,
                histogram.loss,
                histogram.own_better,
                histogram.own_mean.n,
                histogram.failed,
            )
            for histogram in histograms
        ),
    )


def _parts_table(run: StressRun, scores: Sequence[AblatedScore], bins: int) -> Table:
    """The means of each domain that the run has, with the number of its documents."""
    outside = sum(not source.domain for source in run.sources.values())
    rows = []
    for domain in sorted({score.domain for score in scores if score.domain}):
        for metric in run.plan.metrics:
            of_part = [score for score in scores if (score.domain, score.metric) == (domain, metric)]
            if histogram := score_histogram(of_part, bins, run.plan.seed):
                documents = len({score.group for score in of_part})
                means = (histogram.own_mean, histogram.other_mean, histogram.loss)
                rows.append((domain, metric, *means, histogram.own_mean.n, documents, histogram.failed))
    return Table(
        "parts",
        "Mean scores with the document and without, by domain",
        (
            Column("part", "domain"),
            Column("metric", format="metric"),
            Column("own_mean", "with the document", "unsigned"),
            Column("other_mean", "without", "unsigned"),
            Column("loss", format="signed"),
            Column("n", format="count"),
            Column("documents", format="count", help="Below ten, intervals are wide and nothing is compared."),
            Column("failed", format="count"),
        ),
        tuple(rows),
        (f"{outside} of {len(run.sources)} summaries have no domain, and are in no row.",) if outside else (),
    )


def _histogram_table(histograms: Sequence[ScoreHistogram]) -> Table:
    return Table(
        "histogram",
        "Summaries by score, in the bins that have any",
        (
            Column("metric", format="metric"),
            Column("low", "score from", "number"),
            Column("high", "to", "number"),
            Column("own", "with the document", "count"),
            Column("other", "without", "count"),
        ),
        tuple(
            (histogram.metric, low, high, own, other)
            for histogram in histograms
            for low, high, own, other in zip(
                histogram.edges, histogram.edges[1:], histogram.own, histogram.other, strict=False
            )
            if own or other
        ),
    )


def histogram_chart(place: int, histogram: ScoreHistogram) -> Chart:
    """Both histograms over each other; `place` distinguishes the charts of several metrics."""
    centres = tuple((low + high) / 2 for low, high in zip(histogram.edges, histogram.edges[1:], strict=False))
    sides = (
        ("with the document", histogram.own, histogram.own_mean),
        ("without", histogram.other, histogram.other_mean),
    )
    return Chart(
        f"histogram-{place}",
        "bars",
        f"{metric_title(histogram.metric)}: scores of the same summaries",
        Axis("score"),
        Axis("summaries"),
        tuple(
            Series(f"{name}, mean {format_unsigned(replace(mean, low=None, high=None))}", centres, counts)
            for name, counts, mean in sides
        ),
    )
