"""The mean of a grade among all summaries of a pool, from the grades of few and the scores of all (prediction-powered inference)."""

from __future__ import annotations

import numpy as np

from core.stats.proportion import NOT_LEVEL
from core.stats.rates.prediction_powered import Predictions, tuned_scale
from core.stats.rates.rate import ONE_DOCUMENT, LabelSample
from core.stats.statistic import FOLDS, Estimate, Numbers, Values, deal_folds

_PENALTY = 10.0  # of squared slopes on standard normal scores, in units of the grades' variance
_LEAST_GRADES = 20  # with fewer nothing is fitted
_ROUNDING = 1e-12  # of the largest grade: what the order of summing leaves between equal ones
ALL_ALIKE = "All labelled summaries have the same grade, or all have one: there is no interval."


def predict_means(features: Values, rows: Numbers, sample: LabelSample) -> Predictions | None:
    """Predicted grades of the pool by ridge regression on its features, (N, features), cross-fitted over documents.

    `sample` holds grades in place of outcomes. None where nothing can be learned: few grades, few documents, or no feature.
    """
    if sample.n < _LEAST_GRADES or sample.clusters < 2 * FOLDS or not features.shape[1]:
        return None
    folds = deal_folds(sample.documents, FOLDS)
    labelled_features = features[rows]
    fits = []
    for fold in range(FOLDS):
        others = folds != fold
        weights = sample.weights[others] * (others.sum() / sample.weights[others].sum())
        mean = float(np.average(sample.outcomes[others], weights=weights))
        centre = np.average(labelled_features[others], axis=0, weights=weights)
        design = labelled_features[others] - centre
        ridge = (design.T * weights) @ design + _PENALTY * np.eye(features.shape[1])
        slopes = np.linalg.solve(ridge, (design.T * weights) @ (sample.outcomes[others] - mean))
        fits.append((features - centre) @ slopes + mean)
    return Predictions(np.stack(fits), folds, rows)


def powered_mean(sample: LabelSample, predictions: Predictions | None) -> Estimate:
    """The mean grade with Student's interval over documents; by the grades alone without predictions."""
    from scipy.special import stdtrit  # scipy takes half a second, and most commands estimate nothing

    corrected, fitted = sample.outcomes, 0
    if predictions is not None:
        centred = predictions.centred()
        factor = tuned_scale(sample, centred)
        corrected, fitted = sample.outcomes - factor * centred, int(factor > 0)
    value = float(sample.weights @ corrected)
    if sample.clusters < 2:
        return Estimate(value, None, None, sample.n, ONE_DOCUMENT, sample.clusters)
    error = sample.variance(corrected, fitted=fitted) ** 0.5
    if error <= _ROUNDING * float(np.abs(sample.outcomes).max()):
        return Estimate(value, None, None, sample.n, ALL_ALIKE, sample.clusters)
    margin = float(stdtrit(sample.clusters - 1, 1 - NOT_LEVEL / 2)) * error
    return Estimate(value, value - margin, value + margin, sample.n, documents=sample.clusters)
