"""Share of surface in a metric: its correlation with shallow features, and what a shallow model of them predicts (Ramprasad and Wallace 2024)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from core.errors import TouchstoneError
from core.evaluation.report import Column, Pivot, Report, Table
from core.evaluation.study import STUDIES, Group, Input, Study, StudyData, setting
from core.evaluation.training.shallow_trainer import TrainingTable, TrainingTask, fit_model
from core.models import SHALLOW_FEATURES, OutputKind, TrainingFacts
from core.results import SLICE_FIELDS, Cases, MeasuresRow, MetricColumn, metric_rows, slice_cases
from core.scoring import metric_title
from core.stats import (
    Estimate,
    Numbers,
    RatedScores,
    Resamples,
    Statistic,
    Values,
    deal_folds,
    format_correlation,
    format_percent,
    quotient,
    spearman,
    undefined,
)


@dataclass(frozen=True, slots=True)
class FeatureCorrelation:
    """One metric, as it scores, against one shallow feature, as it is measured."""

    metric: str
    feature: str
    estimate: Estimate


def feature_correlations(cases: Cases, draws: Resamples) -> Iterator[FeatureCorrelation]:
    """Every metric against every feature that was scored, but itself."""
    for column in cases.columns:
        yield from correlations_of(column, cases, draws)


def correlations_of(column: MetricColumn, cases: Cases, draws: Resamples) -> Iterator[FeatureCorrelation]:
    """One metric against every feature that was scored, but itself."""
    for feature in cases.columns:
        if feature.name in SHALLOW_FEATURES and feature is not column:
            rated = RatedScores(column.values, feature.values, cases.documents)
            yield FeatureCorrelation(column.name, feature.name, draws.estimate(spearman(rated)))


SURFACE_FEATURES = (
    *SHALLOW_FEATURES,
    *("summary-length", "sentence-length", "source-position", "coverage", "density"),
)
"""The six features, and what a metric may follow besides: length, words per sentence, position and extractiveness."""


def missing_features(cases: Cases, features: Sequence[str] = SHALLOW_FEATURES) -> list[str]:
    """The features that no sample has a score of."""
    there = {column.name for column in cases.columns if not np.isnan(column.values).all()}
    return [feature for feature in features if feature not in there]


SURFACE_MODEL = "the surface alone"
"""The name under which the shallow model stands among metrics."""

_FOLDS = 4
_MIN_LEARNT = 20  # summaries to learn from
_RIDGE = 3.0  # weight of the penalty, in summaries with a mean score


@dataclass(frozen=True, slots=True)
class PredictedShare:
    """Quality of the prediction of a metric by the surface, on documents that were held out.

    `order` is Spearman's correlation of prediction and score, `variance` the share of the scores' variance (R²), which is
    negative where their mean would predict better.
    """

    metric: str
    order: Estimate
    variance: Estimate


def predicted_shares(cases: Cases, draws: Resamples, seed: int = 0) -> Iterator[PredictedShare]:
    """Every metric that is no feature itself. Raises TouchstoneError where a feature was not scored."""
    features, folds = _feature_array(cases), deal_folds(cases.documents, _FOLDS, seed)
    for column in cases.columns:
        if column.name not in SHALLOW_FEATURES:
            predicted = _cross_predicted(features, column.values, folds, "score", seed)
            order = spearman(RatedScores(predicted, column.values, cases.documents))
            variance = _explained_variance(predicted, column.values, cases.documents)
            yield PredictedShare(column.name, draws.estimate(order), draws.estimate(variance))


def surface_shares(cases: Cases, draws: Resamples, seed: int = 0) -> Iterator[PredictedShare]:
    """Share of each metric that SURFACE_FEATURES predict by a ridge regression; raises TouchstoneError if one was not scored."""
    from scipy.stats import rankdata  # takes a second to import, and only this part of the study needs it

    features = _feature_array(cases, SURFACE_FEATURES)
    missing = np.isnan(features)
    filled = np.where(missing, np.nanmean(features, axis=0), features)
    # ranks as well as values: an outlier in value is only one rank away and cannot dominate the fit
    both = np.column_stack([filled, rankdata(filled, axis=0)])
    scales = both.std(axis=0)
    standard = (both - both.mean(axis=0)) / np.where(scales > 0, scales, 1.0)
    design = np.column_stack([standard, missing, np.ones(len(features))])  # (samples, 3 · features + 1)
    folds = deal_folds(cases.documents, _FOLDS, seed)
    for column in cases.columns:
        if column.name not in SURFACE_FEATURES:
            predicted = _ridge_predicted(design, column.values, folds)
            order = spearman(RatedScores(predicted, column.values, cases.documents))
            variance = _explained_variance(predicted, column.values, cases.documents)
            yield PredictedShare(column.name, draws.estimate(order), draws.estimate(variance))


def _ridge_predicted(features: Values, targets: Values, folds: Numbers) -> Values:
    """Predict each fold from the others, (samples,); nan where too few samples remain to learn from."""
    predictions = np.full(len(targets), np.nan)
    for fold in np.unique(folds):
        learnt = (folds != fold) & ~np.isnan(targets)
        if learnt.sum() < _MIN_LEARNT or np.ptp(targets[learnt]) == 0:
            continue
        mean, scale = targets[learnt].mean(), targets[learnt].std()
        seen = features[learnt]
        weights = np.linalg.solve(
            seen.T @ seen + _RIDGE * np.eye(features.shape[1]), seen.T @ ((targets[learnt] - mean) / scale)
        )
        predictions[folds == fold] = mean + scale * (features[folds == fold] @ weights)
    return predictions


def surface_against_metrics(cases: Cases, draws: Resamples, seed: int = 0) -> list[MeasuresRow]:
    """The AUC of the surface beside that of every metric, a slice for each dataset.

    The model learned the labels of the other datasets; where there is only one, those of other documents. Raises
    TouchstoneError where a feature was not scored.
    """
    names = np.unique([sample.dataset for sample in cases.samples], return_inverse=True)[1].astype(np.intp)
    apart = names if names.max() else deal_folds(cases.documents, _FOLDS, seed)
    # all samples of a document get the fold of its first one, so that no document is in two folds
    folds: Numbers = apart[np.unique(cases.documents, return_index=True)[1]][cases.documents]
    predicted = _cross_predicted(_feature_array(cases), cases.labels, folds, "probability", seed)
    metrics = tuple(column for column in cases.columns if column.name not in SHALLOW_FEATURES)
    with_surface = replace(cases, columns=(MetricColumn(SURFACE_MODEL, predicted), *metrics))
    parts = slice_cases(with_surface, "dataset")
    several = len({SLICE_FIELDS["dataset"](sample) for sample in cases.samples}) > 1
    rows = metric_rows(with_surface, parts[1:] if several else parts[:1], draws, ("auc",))
    return [replace(row, n=row.figures["auc"].estimate.n) for row in rows]


def _feature_array(cases: Cases, features: Sequence[str] = SHALLOW_FEATURES) -> Values:
    """The features in their order, (samples, features), nan where one is undefined."""
    if missing := missing_features(cases, features):
        raise TouchstoneError(f"Not scored yet: {', '.join(missing)}. Score the data with them first.")
    columns = {column.name: column.values for column in cases.columns}
    return np.column_stack([columns[name] for name in features])


def _cross_predicted(features: Values, targets: Values, parts: Numbers, output: OutputKind, seed: int) -> Values:
    """Predict each part by a model that never saw it, (samples,); nan where too little is left to learn from."""
    predictions = np.full(len(targets), np.nan)
    scored = ~np.isnan(features).all(axis=1)
    # a model needs facts, and this one is never saved
    task = TrainingTask("", "", output, seed)
    facts = TrainingFacts(
        dataset="",
        target="",
        seed=seed,
        pairs=0,
        documents=0,
        held_out_pairs=0,
        held_out_documents=0,
        measure="ROC AUC" if output == "probability" else "Spearman",
        agreement=None,
        signatures={},
    )
    for part in np.unique(parts):
        learnt = scored & (parts != part) & ~np.isnan(targets)
        if learnt.sum() >= _MIN_LEARNT and np.ptp(targets[learnt]) > 0:
            held_out = scored & (parts == part)
            table = TrainingTable(features[learnt], targets[learnt], parts[learnt])
            predictions[held_out] = fit_model(table, task, facts).predict(features[held_out])
    return predictions


def _explained_variance(predicted: Values, scores: Values, documents: Numbers) -> Statistic:
    """R² of the predictions, against the mean of all scores."""
    complete = ~np.isnan(predicted) & ~np.isnan(scores)
    if not complete.any() or np.ptp(scores[complete]) == 0:
        return undefined(int(complete.sum()), "The scores do not vary, or too few are known to learn from.")
    missed, spread = (predicted - scores)[complete] ** 2, (scores[complete] - scores[complete].mean()) ** 2
    unexplained = quotient(missed, spread, documents[complete])
    return replace(unexplained, weigh=lambda weights: 1 - unexplained.weigh(weights))


@STUDIES.add
@dataclass(frozen=True)
class SurfaceStudy(Study):
    """Shallow features beside metrics, one at a time and all together."""

    name: ClassVar[str] = "surface"
    title: ClassVar[str] = "Share of surface"
    does: ClassVar[str] = (
        "Report how each metric correlates with the six shallow features, how much of it they explain, and how well they alone "
        "separate the labels."
    )
    group: ClassVar[Group] = "Which metric?"
    takes: ClassVar[tuple[Input, ...]] = (Input.SCORES,)
    audit: ClassVar[str] = "surface"
    by: str = setting(
        "",
        "Field whose values have rows of their own in a further table, as domain or system.",
        choices=("", *SLICE_FIELDS),
        labels={"": "nothing"},
        title="Rows by",
    )

    def run(self, data: StudyData) -> Report:
        cases, draws = data.scored, data.draws
        missing = missing_features(cases)
        if len(missing) == len(SHALLOW_FEATURES):
            raise TouchstoneError(f"Not scored yet: {', '.join(missing)}. Score the data with them first.")
        shares: list[PredictedShare] = []
        rivals: list[MeasuresRow] = []
        if not missing:
            shares, rivals = list(predicted_shares(cases, draws)), surface_against_metrics(cases, draws)
        correlations = list(feature_correlations(cases, draws))
        held_out = "of the other datasets" if len(data.datasets) > 1 else "of other documents"
        tables = [
            _correlation_table(correlations),
            Table(
                "shares",
                "What all six explain of a metric",
                (
                    Column("metric", format="metric"),
                    Column("n", format="count"),
                    Column("order", "Spearman of prediction and score", "correlation"),
                    Column("variance", "share of variance", "percent", "Below 0 the mean would predict better."),
                ),
                tuple((share.metric, share.order.n, share.order, share.variance) for share in shares),
                ("A small perceptron predicts the metric from the six features on documents that it never saw.",),
            ),
            Table(
                "auc",
                "The surface against the metrics",
                (
                    Column("slice"),
                    Column("metric", format="metric"),
                    Column("auc", "ROC AUC", "percent"),
                    Column("n", format="count"),
                ),
                tuple((row.slice, row.metric, row.figures["auc"], row.n) for row in rivals),
                (f"The same perceptron learned the labels {held_out}.",),
                Pivot("metric", "slice", ("auc",)),
            ),
        ]
        if self.by:
            tables.insert(1, _parts_table(cases, self.by, draws))
        further = missing_features(cases, SURFACE_FEATURES)
        if not further:
            tables.append(_surface_table(list(surface_shares(cases, draws))))
        return self.report(
            data,
            tables[: 1 + bool(self.by) if missing else None],
            sentences=list(_sentences(correlations, shares, rivals)),
            notes=[
                "Spearman's correlation with 95 % intervals by document: near ±1 a metric adds little to the surface."
            ],
            problems=[f"Not scored: {', '.join(map(metric_title, missing))}. What all six explain is missing."]
            if missing
            else [],
        )


def _surface_table(shares: Sequence[PredictedShare]) -> Table:
    return Table(
        "all_features",
        "What these explain together with length, words per sentence, position and extractiveness",
        (
            Column("metric", format="metric"),
            Column("n", format="count"),
            Column("order", "Spearman of prediction and score", "correlation"),
            Column("variance", "share of variance", "percent", "Below 0 the mean would predict better."),
        ),
        tuple((share.metric, share.order.n, share.order, share.variance) for share in shares),
        (f"A ridge regression on {', '.join(SURFACE_FEATURES)} and their ranks, on documents that it never saw.",),
    )


def _parts_table(cases: Cases, by: str, draws: Resamples) -> Table:
    """The correlations on each value of a field alone, with the number of its documents."""
    parts, label = slice_cases(cases, by)[1:], by.replace("_", " ")
    outside = len(cases.samples) - int(np.any([part.samples for part in parts], axis=0).sum())
    rows = []
    for part in parts:
        columns = tuple(
            replace(column, values=np.where(part.samples, column.values, np.nan)) for column in cases.columns
        )
        documents = len(np.unique(cases.documents[part.samples]))
        rows += [
            (
                part.name,
                correlation.metric,
                correlation.feature,
                correlation.estimate.n,
                documents,
                correlation.estimate,
            )
            for correlation in feature_correlations(replace(cases, columns=columns), draws)
        ]
    return Table(
        "parts",
        f"One feature at a time, by {label}",
        (
            Column("part", label),
            Column("metric", format="metric"),
            Column("feature", format="metric"),
            Column("n", format="count"),
            Column("documents", format="count", help="Below ten, intervals are wide and nothing is compared."),
            Column("estimate", "Spearman", "correlation"),
        ),
        tuple(rows),
        (f"{outside} of {len(cases.samples)} summaries have no {label}, and are in no row.",) if outside else (),
    )


def _correlation_table(correlations: Sequence[FeatureCorrelation]) -> Table:
    return Table(
        "features",
        "One feature at a time",
        (
            Column("metric", format="metric"),
            Column("feature", format="metric"),
            Column("n", format="count"),
            Column("estimate", "Spearman", "correlation"),
        ),
        tuple(
            (correlation.metric, correlation.feature, correlation.estimate.n, correlation.estimate)
            for correlation in correlations
        ),
        pivot=Pivot("metric", "feature", ("estimate",)),
    )


def _sentences(
    correlations: Sequence[FeatureCorrelation], shares: Sequence[PredictedShare], rivals: Sequence[MeasuresRow]
) -> Iterator[str]:
    """The metric that is surface most, by all six features or else by one, and the labels that the surface separates."""
    predicted = [share for share in shares if share.variance.value is not None]
    if predicted:
        most = max(predicted, key=lambda share: share.variance.value or 0.0)
        among = f", the most of {len(predicted)} metrics" if len(predicted) > 1 else ""
        yield f"The six features predict {format_percent(most.variance)} % of the variance of {metric_title(most.metric)}{among}."
    elif correlations:
        nearest = max(correlations, key=lambda correlation: abs(correlation.estimate.value or 0.0))
        yield f"{metric_title(nearest.metric)} is nearest to a feature: {format_correlation(nearest.estimate)} with {nearest.feature}."
    for part in dict.fromkeys(row.slice for row in rivals):
        rows = [row for row in rivals if row.slice == part and row.figures["auc"].estimate.value is not None]
        alone = next((row for row in rows if row.metric == SURFACE_MODEL), None)
        if alone:
            best = max(rows, key=lambda row: row.figures["auc"].estimate.value or 0.0)
            rival = "" if best is alone else f"; the best metric, {metric_title(best.metric)}, has {_percent(best)} %"
            yield f"{part}: the surface alone separates the labels with an AUC of {_percent(alone)} %{rival}."


def _percent(row: MeasuresRow) -> str:
    return format_percent(row.figures["auc"].estimate)
