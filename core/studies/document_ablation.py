"""Scores with and without the document of the same summaries (Ramprasad and Wallace 2024, figure E.1).

Without: beside the document of another summary, for any metric; or by the closed-book control, which sees no document, beside the
metric that it controls. A metric that reads the document scores a summary higher beside its own; one that answers from what it
knows does not.
"""

from __future__ import annotations

import random
from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from core.engine.engine import Engine
from core.errors import UnscorableError
from core.metric import METRICS
from core.runs.run import Run, Source
from core.runs.shifts import STRESS_RESAMPLES, document_array, score_array
from core.stats.bootstrap import Resamples
from core.stats.score_pairs import ScorePairs, consistency_share, mean_correction
from core.stats.statistic import Estimate, mean
from core.stats.text_tables import align_columns, format_percent, format_signed, format_unsigned
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


@dataclass(frozen=True, slots=True)
class ScoreHistogram:
    """How many of the same summaries score from one edge up to the next, with their document and without.

    Means are in the metric's own units; `loss` is the mean gain of the document, towards consistency, and `own_better` the
    share of summaries that score strictly more consistent with it. `failed` lack one of the two scores.
    """

    metric: str
    edges: tuple[float, ...]
    own: tuple[int, ...]
    other: tuple[int, ...]
    own_mean: Estimate
    other_mean: Estimate
    loss: Estimate
    own_better: Estimate
    failed: int


def foreign_examples(run: Run) -> list[Example]:
    """Every summary of a run beside the document of another one, in the order of its sources; its seed draws the same.

    Raises UnscorableError where all summaries are of one document, so that there is no foreign one.
    """
    sources = list(run.sources.values())
    documents = {source.group: source.example for source in sources}
    groups = list(documents)
    if len(groups) < 2:
        raise UnscorableError("All summaries of the run are of one document: there is no foreign one.")
    random.Random(run.plan.seed).shuffle(groups)
    following = dict(zip(groups, [*groups[1:], groups[0]], strict=True))  # nobody keeps their own
    foreign = [documents[following[source.group]] for source in sources]
    return [
        replace(source.example, document=other.document, contexts=other.contexts)
        for source, other in zip(sources, foreign, strict=True)
    ]


def score_foreign(engine: Engine, run: Run, examples: Sequence[Example]) -> Generator[AblatedScore]:
    """Every metric of the run on what `foreign_examples` gave; closing it cancels what is under way."""
    metrics = [METRICS.parse(spec) for spec in run.plan.metrics]
    owners = [source for source in run.sources.values() for _ in metrics]
    for source, (_, outcome) in zip(owners, engine.run(metrics, examples), strict=True):
        own = _score_in_run(run, source, outcome.metric)
        if isinstance(outcome, Failure):
            yield AblatedScore(outcome.metric, source.group, own, None, outcome.message)
        else:
            yield AblatedScore(outcome.metric, source.group, own, outcome.score)


def closed_book_scores(run: Run) -> list[AblatedScore]:
    """The scores of direct assessment beside those of its closed-book control, where the run has both; else nothing."""
    specs = {METRICS.parse(spec).name: spec for spec in run.plan.metrics}
    metric, control = specs.get(_CONTROLLED), specs.get(_CONTROL)
    if not metric or not control:
        return []
    return [
        AblatedScore(metric, source.group, _score_in_run(run, source, metric), _score_in_run(run, source, control))
        for source in run.sources.values()
    ]


def _score_in_run(run: Run, source: Source, metric: str) -> float | None:
    reading = run.readings.get((source.example.id, "", metric))
    return reading.value if reading else None


def score_histogram(
    found: Sequence[AblatedScore], bins: int = 20, seed: int = 0, resamples: int = STRESS_RESAMPLES
) -> ScoreHistogram | None:
    """The histogram of one metric over the summaries that have both scores, bins of the same width; None where none has."""
    both = [one for one in found if one.own is not None and one.other is not None]
    if not both:
        return None
    numbers = {group: place for place, group in enumerate(dict.fromkeys(one.group for one in both))}
    documents = document_array((one.group for one in both), numbers)
    own, other = score_array(one.own for one in both), score_array(one.other for one in both)
    pairs = ScorePairs(own, other, documents, METRICS.parse(both[0].metric).card.direction)
    edges = np.histogram_bin_edges(np.concatenate([own, other]), bins)
    drawn = Resamples.draw(len(numbers), resamples, seed)
    return ScoreHistogram(
        metric=both[0].metric,
        edges=tuple(edges.tolist()),
        own=tuple(np.histogram(own, edges)[0].tolist()),
        other=tuple(np.histogram(other, edges)[0].tolist()),
        own_mean=drawn.estimate(mean(own, documents)),
        other_mean=drawn.estimate(mean(other, documents)),
        loss=drawn.estimate(mean_correction(pairs)),
        own_better=drawn.estimate(consistency_share(pairs)),
        failed=len(found) - len(both),
    )


def histogram_cells(one: ScoreHistogram) -> dict[str, str]:
    """A row of the table by its columns."""
    return {
        "metric": one.metric,
        "with the document": format_unsigned(one.own_mean),
        "without": format_unsigned(one.other_mean),
        "loss": format_signed(one.loss),
        "better with it, %": format_percent(one.own_better),
        "n": str(one.own_mean.n),
        "failed": str(one.failed),
    }


def format_histograms(found: Sequence[ScoreHistogram]) -> str:
    """The means of every metric in columns, and below them how many summaries lie in each bin."""
    if not found:
        return "No summary has a score with its document and one without."
    rows = [histogram_cells(one) for one in found]
    means = align_columns([tuple(rows[0]), *(tuple(row.values()) for row in rows)])
    bins = [
        (one.metric, f"{low:.3g} to {high:.3g}", str(own), str(other))
        for one in found
        for low, high, own, other in zip(one.edges, one.edges[1:], one.own, one.other, strict=False)
        if own or other
    ]
    return f"{means}\n\n{align_columns([('metric', 'score', 'with the document', 'without'), *bins])}"
