"""The rate of inconsistent summaries of a pool, of its parts and of each type of error, by labels, by scores with labels, and both ways."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np

from core.errors import TouchstoneError
from core.results.cases.cases import MetricColumn
from core.results.cases.summary_pool import SummaryPool
from core.scoring import metric_title
from core.stats import (
    EVIDENT_P,
    SELECTION_PROBABILITY,
    CorrectedRate,
    DrawingTest,
    Estimate,
    LabelledScores,
    LabelSample,
    Numbers,
    Predictions,
    Rate,
    Values,
    auc,
    beyond_weights,
    corrected_rate,
    drawing_tests,
    drawn_by_document,
    estimated_probabilities,
    labels_alone,
    p_of_weights,
    pool_ranks,
    powered_mean,
    powered_rate,
    predict_means,
    predict_rates,
    score_features,
    stratified_rate,
    tuned_scale,
    worth_interval,
)

Drawing = Literal["test", "random", "scores"]
"""The way labels were drawn: tested by the scores, at random as their owner says, or by their scores."""

UNKNOWN_ERROR = "unknown type"
_OF_WHOLE = 2.0  # times the pool, or half of it, that probabilities may add up to


@dataclass(frozen=True, eq=False)
class LabelDraw:
    """The labels of a pool as a sample of it. `ranks` are those of each metric's scores, (N,) each, `tests` how far the draw looks random.

    `sample` has 1 for an inconsistent summary; where summaries were drawn one by one each counts as a document. `problems`
    are sentences on what was wrong with the draw and corrected, `notes` on how it was made.
    """

    pool: SummaryPool
    rows: Numbers
    sample: LabelSample
    ranks: tuple[Values, ...]
    tests: tuple[DrawingTest, ...]
    problems: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def size(self) -> int:
        return len(self.pool.ids)

    @cached_property
    def features(self) -> Values:
        return score_features(self.ranks) if self.ranks else np.zeros((self.size, 0))

    @cached_property
    def predictions(self) -> Predictions | None:
        """Predictions by all metrics together."""
        return predict_rates(self.features, self.rows, self.sample)

    @cached_property
    def alone(self) -> Rate:
        return labels_alone(self.sample)

    @cached_property
    def powered(self) -> Rate:
        """The rate by the labels and all metrics together."""
        return powered_rate(self.sample, self.predictions.centred() if self.predictions else None)

    @cached_property
    def stratified(self) -> Rate:
        """The rate by the labels and all metrics together, by strata of score."""
        return stratified_rate(self.sample, self.predictions)

    @property
    def explained(self) -> float:
        """The share of the variance of the rate by labels alone that the scores take away."""
        if self.powered.exact or not self.alone.variance:
            return 0.0
        return max(0.0, 1 - self.powered.variance / self.alone.variance)

    @property
    def worth(self) -> Estimate | None:
        """Number of labels that would alone tell as much as these with the scores; None where the scores have no part in the rate."""
        if self.powered.exact or self.predictions is None:
            return None
        return worth_interval(self.sample, self.predictions.centred(), self.size)

    def powered_by(self, metric: int) -> Rate:
        """The rate by the labels and the metric of this number."""
        predictions = predict_rates(score_features([self.ranks[metric]]), self.rows, self.sample)
        return powered_rate(self.sample, predictions.centred() if predictions else None)


def draw_of_labels(pool: SummaryPool, drawing: Drawing = "test") -> LabelDraw:
    """The labels with their weights. Raises TouchstoneError for a draw that gives no rate, with what to do."""
    rows = pool.labelled
    if not len(rows):
        raise TouchstoneError(
            "No summary here has a label, so that no rate can be estimated. Label a few dozen in a campaign, or name a file of "
            "labels with --labels; the study label-plan says how many it takes."
        )
    outcomes, documents = 1 - pool.labels[rows], pool.documents[rows]
    notes, problems = [], list(pool.warnings)
    if len(rows) < len(pool.ids):
        notes.append(
            "Labels that were drawn by the error itself, such as reported ones, cannot be told from others by scores."
        )
    ranks = tuple(pool_ranks(column.values) for column in pool.columns)
    if pool.probabilities is not None:
        sample, more = _weighted_sample(pool, rows, outcomes, documents)
        problems += more
        notes.append(f"Labels count by the inverse of their {SELECTION_PROBABILITY} (Hájek 1971).")
    else:
        if not drawn_by_document(pool.documents, rows):
            documents = np.arange(len(rows))
            notes.append("The labels were drawn summary by summary: each is a draw of its own.")
        else:
            notes.append("Labels share documents more than single draws would: intervals are clustered by document.")
        sample = LabelSample.equal(outcomes, documents, len(pool.ids))
    tests = tuple(drawing_tests(ranks, rows, sample)) if len(rows) < len(pool.ids) else ()
    evident = _evident(pool.columns, tests)
    if pool.probabilities is not None:
        features = score_features(ranks) if ranks else np.zeros((len(pool.ids), 0))
        if evident and drawing == "test" and p_of_weights(features, ranks, rows, sample) < EVIDENT_P:
            problems.append(
                f"{evident} Weighted by their {SELECTION_PROBABILITY} they are still unlike all summaries: check how the column was "
                "made. The estimate takes it as right."
            )
    elif drawing == "scores" or (evident and drawing == "test"):
        sample = _corrected_sample(sample, ranks, rows, evident)
        problems.append(
            f"{evident or 'The labels were drawn by their scores.'} They are weighted by their scores as if drawn by these; the "
            "estimate is wrong where the draw depended on anything else that goes with errors. Draw labels at random."
        )
    return LabelDraw(pool, rows, sample, ranks, tests, tuple(problems), tuple(notes))


def _weighted_sample(
    pool: SummaryPool, rows: Numbers, outcomes: Values, documents: Numbers
) -> tuple[LabelSample, list[str]]:
    assert pool.probabilities is not None
    probabilities = pool.probabilities[rows]
    for row, probability in zip(rows, probabilities, strict=True):
        if np.isnan(probability):
            raise TouchstoneError(
                f"The label of {pool.ids[row]} has no {SELECTION_PROBABILITY}, and others have one. Give each label its own."
            )
        if not 0 < probability <= 1:
            raise TouchstoneError(
                f"The {SELECTION_PROBABILITY} of {pool.ids[row]} is {probability:g}. It must be above 0 and at most 1."
            )
    sample = LabelSample.weighted(outcomes, documents, probabilities)
    whole = float(np.sum(1 / probabilities))
    if 1 / _OF_WHOLE <= whole / len(pool.ids) <= _OF_WHOLE:
        return sample, []
    sentence = (
        f"The selection probabilities add up to a pool of {whole:,.0f} summaries, and here are {len(pool.ids):,}: they count as "
        "relative to each other."
    )
    return replace(sample, unseen=np.ones(len(rows))), [sentence]


def _evident(columns: Sequence[MetricColumn], tests: Sequence[DrawingTest]) -> str:
    """In words, by which metric the labels were evidently not drawn at random; empty where they may have been."""
    tested = [
        (test.p, test.place, column.name) for test, column in zip(tests, columns, strict=False) if test.p is not None
    ]
    p, place, name = min(tested, default=(1.0, 0.5, ""))
    if p >= EVIDENT_P:
        return ""
    at_most = "< 0.0001" if p < 0.0001 else f"= {p:.4f}"
    return (
        f"The labels were evidently not drawn at random: by {metric_title(name)} their mean percentile among all summaries is "
        f"{100 * place:.0f}, or their spread another (p {at_most})."
    )


def _corrected_sample(sample: LabelSample, ranks: Sequence[Values], rows: Numbers, evident: str) -> LabelSample:
    features = score_features(ranks) if ranks else np.zeros((0, 0))
    if not features.shape[1]:
        raise TouchstoneError(
            "There are no scores by which the labels could be weighted. Score the pool, or leave drawing as it is."
        )
    corrected = LabelSample.weighted(sample.outcomes, sample.documents, estimated_probabilities(features, rows))
    if beyond_weights(corrected, ranks, rows):
        raise TouchstoneError(
            f"{evident} They are so far from a random draw that no weights correct it. Label "
            "summaries that are drawn at random from all."
        )
    return corrected


@dataclass(frozen=True, slots=True)
class PartRate:
    """The rate of a part of the pool by the labels in it, alone and with the scores."""

    name: str
    summaries: int
    powered: Rate
    alone: Rate


def part_rates(draw: LabelDraw) -> Iterator[PartRate]:
    """Each part that has a label; predictions are fitted on all labels and tuned once, so that small parts have them too."""
    predictions = draw.predictions
    scale = tuned_scale(draw.sample, predictions.centred()) if predictions else 0.0
    for name, mask in draw.pool.parts.items():
        labelled = np.flatnonzero(mask[draw.rows])
        if not len(labelled):
            continue
        # an even draw is one of the part, too, with the share that it has of that
        part = draw.sample.part(labelled)
        even = bool(np.ptp(draw.sample.unseen) == 0) and draw.sample.unseen[0] < 1
        sample = replace(part, unseen=np.full(len(labelled), 1 - len(labelled) / int(mask.sum()))) if even else part
        centred = predictions.centred(mask)[labelled] if predictions else None
        yield PartRate(name, int(mask.sum()), powered_rate(sample, centred, scale), labels_alone(sample))


def error_type_rates(draw: LabelDraw) -> dict[str, Rate]:
    """The share of summaries with each type of error, the most frequent first; none where no label names a type."""
    errors = [draw.pool.errors.get(int(row), ()) for row in draw.rows]
    wrong = draw.sample.outcomes == 1
    if not any(kinds for kinds, inconsistent in zip(errors, wrong, strict=True) if inconsistent):
        return {}
    named = [
        kinds or (UNKNOWN_ERROR,) if inconsistent else () for kinds, inconsistent in zip(errors, wrong, strict=True)
    ]
    rates = {}
    for kind in dict.fromkeys(kind for kinds in named for kind in kinds):
        sample = replace(draw.sample, outcomes=np.array([float(kind in kinds) for kinds in named]))
        predictions = predict_rates(draw.features, draw.rows, sample)
        rates[kind] = powered_rate(sample, predictions.centred() if predictions else None)
    return dict(sorted(rates.items(), key=lambda kind_rate: (-kind_rate[1].value, kind_rate[0])))


def grade_means(draw: LabelDraw) -> dict[str, tuple[Estimate, Estimate]]:
    """The mean among all summaries of each grade that two labelled ones or more have, by the grades with the scores and alone.

    Summaries without a grade have no part in its mean.
    """
    means = {}
    for aspect, values in draw.pool.grades.items():
        graded = np.flatnonzero(np.isfinite(values[draw.rows]))
        if len(graded) < 2:
            continue
        rows = draw.rows[graded]
        sample = replace(draw.sample.part(graded), outcomes=values[rows])
        if np.ptp(draw.sample.unseen) == 0 and draw.sample.unseen[0] < 1:
            sample = replace(sample, unseen=np.full(len(rows), 1 - len(rows) / draw.size))
        predictions = predict_means(draw.features, rows, sample)
        means[aspect] = powered_mean(sample, predictions), powered_mean(sample, None)
    return means


def threshold_rate(draw: LabelDraw) -> tuple[str, CorrectedRate]:
    """The corrected count of the metric that separates the labels best, with its name; "" where none has a better side."""
    candidates = {
        column.name: column
        for column in draw.pool.columns
        if column.direction != "neutral" and _separation(draw, column) is not None
    }
    if not candidates:
        return "", CorrectedRate(Estimate(None, None, None, draw.sample.n, "No metric separates labels of both kinds."))
    best = max(candidates.values(), key=lambda column: _separation(draw, column) or 0.0)
    suspicion = np.where(np.isfinite(best.values), best.values, np.nan) * (1 if best.direction == "lower" else -1)
    return best.name, corrected_rate(suspicion, draw.rows, draw.sample)


def _separation(draw: LabelDraw, column: MetricColumn) -> float | None:
    """The area under the ROC curve on the labels; None where it is undefined."""
    values = np.where(np.isfinite(column.values), column.values, np.nan)[draw.rows]
    labelled = LabelledScores(values, draw.sample.outcomes == 0, draw.sample.documents, column.direction)
    statistic = auc(labelled)
    if statistic.error:
        return None
    return float(statistic.weigh(np.ones((len(statistic.documents), 1)))[0])


def separations(draw: LabelDraw) -> Mapping[str, float]:
    """The area under the ROC curve of each metric that has one."""
    areas = {column.name: _separation(draw, column) for column in draw.pool.columns}
    return {name: value for name, value in areas.items() if value is not None}
