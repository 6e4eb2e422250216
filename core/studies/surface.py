"""Share of surface in a metric: its correlation with shallow features, and what a shallow model of them predicts (Ramprasad and Wallace 2024)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from core.cases.cases import Cases, MetricColumn
from core.cases.measures import SLICE_FIELDS, MetricRow, Slice, metric_rows, slice_cases
from core.errors import TouchstoneError
from core.models.words.shallow import FEATURES, OutputKind, TrainingFacts
from core.stats.bootstrap import Resamples
from core.stats.correlation import RatedScores, spearman
from core.stats.statistic import Estimate, Numbers, Statistic, Values, deal_folds, quotient, undefined
from core.stats.text_tables import align_columns, format_correlation, format_percent
from core.training.shallow_trainer import TrainingTable, TrainingTask, fit_model


@dataclass(frozen=True, slots=True)
class FeatureCorrelation:
    """One metric, as it scores, against one shallow feature, as it is measured."""

    metric: str
    feature: str
    estimate: Estimate


def feature_correlations(cases: Cases, drawn: Resamples) -> Iterator[FeatureCorrelation]:
    """Every metric against every feature that was scored, but itself."""
    features = [column for column in cases.columns if column.name in FEATURES]
    for column in cases.columns:
        for feature in features:
            if feature is not column:
                rated = RatedScores(column.values, feature.values, cases.documents)
                yield FeatureCorrelation(column.name, feature.name, drawn.estimate(spearman(rated)))


def missing_features(cases: Cases) -> list[str]:
    """The features that no sample has a score of."""
    there = {column.name for column in cases.columns if not np.isnan(column.values).all()}
    return [feature for feature in FEATURES if feature not in there]


SURFACE_MODEL = "the surface alone"
"""The name under which the shallow model stands among metrics."""

_FOLDS = 4
_MIN_LEARNT = 20  # summaries to learn from


@dataclass(frozen=True, slots=True)
class PredictedShare:
    """Quality of the prediction of a metric by the surface, on documents that were held out.

    `order` is Spearman's correlation of prediction and score, `variance` the share of the scores' variance (R²), which is
    negative where their mean would predict better.
    """

    metric: str
    order: Estimate
    variance: Estimate


def predicted_shares(cases: Cases, drawn: Resamples, seed: int = 0) -> Iterator[PredictedShare]:
    """Every metric that is no feature itself. Raises TouchstoneError where a feature was not scored."""
    features, folds = _feature_array(cases), deal_folds(cases.documents, _FOLDS, seed)
    for column in cases.columns:
        if column.name not in FEATURES:
            predicted = _cross_predicted(features, column.values, folds, "score", seed)
            order = spearman(RatedScores(predicted, column.values, cases.documents))
            variance = _explained_variance(predicted, column.values, cases.documents)
            yield PredictedShare(column.name, drawn.estimate(order), drawn.estimate(variance))


def surface_against_metrics(cases: Cases, drawn: Resamples, seed: int = 0) -> list[MetricRow]:
    """The AUC of the surface beside that of every metric, a slice for each dataset.

    The model learned the labels of the other datasets; where there is only one, those of other documents. Raises
    TouchstoneError where a feature was not scored.
    """
    names = np.unique([sample.dataset for sample in cases.samples], return_inverse=True)[1].astype(np.intp)
    apart = names if names.max() else deal_folds(cases.documents, _FOLDS, seed)
    predicted = _cross_predicted(
        _feature_array(cases), cases.labels, _split_by_document(cases, apart), "probability", seed
    )
    metrics = tuple(column for column in cases.columns if column.name not in FEATURES)
    with_surface = replace(cases, columns=(MetricColumn(SURFACE_MODEL, predicted), *metrics))
    found = metric_rows(with_surface, _dataset_slices(with_surface), drawn, ("auc",))
    return [replace(row, n=row.figures["auc"].estimate.n) for row in found]


def format_features(found: Sequence[FeatureCorrelation]) -> str:
    """One line a metric and feature, in columns."""
    lines = ((one.metric, one.feature, str(one.estimate.n), format_correlation(one.estimate)) for one in found)
    return align_columns([("metric", "feature", "n", "Spearman"), *lines])


def format_shares(found: Sequence[PredictedShare]) -> str:
    """One line a metric, in columns."""
    head = ("metric", "n", "Spearman of prediction and score", "share of variance")
    return align_columns(
        [
            head,
            *(
                (one.metric, str(one.order.n), format_correlation(one.order), format_percent(one.variance))
                for one in found
            ),
        ]
    )


def _dataset_slices(cases: Cases) -> list[Slice]:
    """A slice for each dataset, without the one of all."""
    found = slice_cases(cases, "dataset")
    return found[1:] if len({SLICE_FIELDS["dataset"](sample) for sample in cases.samples}) > 1 else found[:1]


def _feature_array(cases: Cases) -> Values:
    """The six features in their order, (samples, 6), nan where one is undefined."""
    if missing := missing_features(cases):
        raise TouchstoneError(f"Not scored yet: {', '.join(missing)}. Score the data with them first.")
    columns = {column.name: column.values for column in cases.columns}
    return np.column_stack([columns[name] for name in FEATURES])


def _split_by_document(cases: Cases, apart: Numbers) -> Numbers:
    """Parts of which none shares a document with another: a document goes with its first sample."""
    first = np.unique(cases.documents, return_index=True)[1]
    parts: Numbers = apart[first][cases.documents]
    return parts


def _cross_predicted(features: Values, targets: Values, parts: Numbers, output: OutputKind, seed: int) -> Values:
    """Predict each part by a model that never saw it, (samples,); nan where too little is left to learn from."""
    predictions = np.full(len(targets), np.nan)
    scored = ~np.isnan(features).all(axis=1)
    for part in np.unique(parts):
        learnt = scored & (parts != part) & ~np.isnan(targets)
        if learnt.sum() >= _MIN_LEARNT and np.ptp(targets[learnt]) > 0:
            asked = scored & (parts == part)
            model = fit_model(
                TrainingTable(features[learnt], targets[learnt], parts[learnt]), *_temporary_task(output, seed)
            )
            predictions[asked] = model.predict(features[asked])
    return predictions


def _temporary_task(output: OutputKind, seed: int) -> tuple[TrainingTask, TrainingFacts]:
    """The papers of a model that lives for one table only."""
    measure = "ROC AUC" if output == "probability" else "Spearman"
    facts = TrainingFacts(
        dataset="",
        target="",
        seed=seed,
        pairs=0,
        documents=0,
        held_out_pairs=0,
        held_out_documents=0,
        measure=measure,
        agreement=None,
        signatures={},
    )
    return TrainingTask("", "", output, seed), facts


def _explained_variance(predicted: Values, scores: Values, documents: Numbers) -> Statistic:
    """R² with the mean of the scores as they are."""
    kept = ~np.isnan(predicted) & ~np.isnan(scores)
    if not kept.any() or np.ptp(scores[kept]) == 0:
        return undefined(int(kept.sum()), "The scores do not vary, or too few are known to learn from.")
    missed, spread = (predicted - scores)[kept] ** 2, (scores[kept] - scores[kept].mean()) ** 2
    left = quotient(missed, spread, documents[kept])
    return replace(left, weigh=lambda weights: 1 - left.weigh(weights))
