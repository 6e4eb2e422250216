"""Prediction-powered inference of a rate: labels of a few summaries, and scores of all of them that predict the rest.

Angelopoulos et al. 2023 (PPI), with the power tuning of Angelopoulos, Duchi and Zrnic 2023 (PPI++) and the cross-fitting of
Zrnic and Candès 2024: the prediction of each label comes from documents of other folds. It holds whatever the scores are worth.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from core.stats.bootstrap import Resamples
from core.stats.rates.rate import LabelSample, Rate, labels_alone
from core.stats.statistic import FOLDS, Estimate, Mask, Numbers, Values, cluster_documents, deal_folds, quotient

MIN_CLASS = 4
"""With fewer labels of one kind nothing is fitted, and the scores have no part in the estimate."""

_PENALTIES = (1.0, 10.0, 100.0)  # of squared slopes on standard normal scores, where several metrics compete
_STEPS = 12  # of Newton's method, which comes to rest after about six
_WORTH_RESAMPLES = 1_000
_MAX_SCALE = 2.0  # of a prediction that ridge regression has shrunk


def pool_ranks(scores: Values) -> Values:
    """Shares of the pool with a lower score, ties half, in 0..1, (N,); nan where there is no score."""
    ranks = np.full(len(scores), np.nan)
    has_score = np.isfinite(scores)
    if not has_score.any():
        return ranks
    _, places, counts = np.unique(scores[has_score], return_inverse=True, return_counts=True)
    ranks[has_score] = ((np.cumsum(counts) - counts / 2) / has_score.sum())[places]
    return ranks


def score_features(ranks: Sequence[Values]) -> Values:
    """Normal scores of the ranks of each metric, and marks of what has no score where some have none, (N, features)."""
    from scipy.special import ndtri  # scipy takes half a second, and most commands estimate nothing

    features = []
    for of_metric in ranks:
        has_score = ~np.isnan(of_metric)
        if has_score.any() and np.ptp(of_metric[has_score]) > 0:
            features.append(np.where(has_score, ndtri(np.where(has_score, of_metric, 0.5)), 0.0))
        if has_score.any() and 0.005 < (missing := float(np.mean(~has_score))) < 0.995:
            features.append((~has_score - missing) / np.sqrt(missing * (1 - missing)))
    return np.column_stack(features) if features else np.zeros((len(ranks[0]) if ranks else 0, 0))


@dataclass(frozen=True, slots=True, eq=False)
class Predictions:
    """The predicted rate of every summary by the model of each fold, (folds, N), and the fold of each label, (n,).

    `rows`, (n,), are the labels' places in the pool.
    """

    of_pool: Values
    folds: Numbers
    rows: Numbers

    def centred(self, part: Mask | None = None) -> Values:
        """The prediction of each label by a model that it had no part in, minus that model's mean over a part of the pool, (n,)."""
        means = (self.of_pool if part is None else self.of_pool[:, part]).mean(axis=1)
        centred: Values = self.of_pool[self.folds, self.rows] - means[self.folds]
        return centred


def predict_rates(features: Values, rows: Numbers, sample: LabelSample) -> Predictions | None:
    """Predictions from features of the pool, (N, features), by the labels of the summaries in `rows`, (n,).

    None where nothing can be learned: too few labels of one kind, too few documents, or no feature.
    """
    if sample.errors < MIN_CLASS or sample.clusters < 2 * FOLDS or not features.shape[1]:
        return None
    folds = deal_folds(sample.documents, FOLDS)
    labelled_features, outcomes = features[rows], sample.outcomes
    penalties = _PENALTIES if features.shape[1] > 1 else _PENALTIES[:1]
    # the model of each fold, fitted on the other folds, (folds, 1 + features)
    fits = [
        np.stack(
            [
                fit_logistic(
                    labelled_features[folds != fold], outcomes[folds != fold], sample.weights[folds != fold], penalty
                )
                for fold in range(FOLDS)
            ]
        )
        for penalty in penalties
    ]
    best = min(fits, key=lambda fit: float(sample.weights @ (outcomes - _own(labelled_features, fit, folds)) ** 2))
    return Predictions(np.stack([_sigmoid(features @ fit[1:] + fit[0]) for fit in best]), folds, rows)


def _own(features: Values, fits: Values, folds: Numbers) -> Values:
    slopes = fits[folds]
    return _sigmoid(np.einsum("ij,ij->i", features, slopes[:, 1:]) + slopes[:, 0])


def fit_logistic(features: Values, outcomes: Values, weights: Values, penalty: float) -> Values:
    """Intercept and slopes of a ridge logistic regression, (1 + features,); outcomes of one kind give slopes of 0.

    Weighted rows count as many as they are.
    """
    coefficients = np.zeros(1 + features.shape[1])
    counts = weights * (len(weights) / weights.sum())
    rate = float(np.clip(counts @ outcomes / len(weights), 1e-6, 1 - 1e-6))
    coefficients[0] = np.log(rate / (1 - rate))
    if outcomes.min() == outcomes.max():
        return coefficients
    design = np.column_stack([np.ones(len(outcomes)), features])
    ridge = np.diag([1e-6, *[penalty] * features.shape[1]])
    for _ in range(_STEPS):
        rates = _sigmoid(design @ coefficients)
        gradient = design.T @ (counts * (outcomes - rates)) - ridge @ coefficients
        curvature = (design.T * (counts * rates * (1 - rates))) @ design + ridge
        step = np.linalg.solve(curvature, gradient)
        coefficients = coefficients + step * min(1.0, 4.0 / max(1e-12, float(np.abs(step).max())))
        if float(np.abs(step).max()) < 1e-6:
            break
    return coefficients


def _sigmoid(values: Values) -> Values:
    result: Values = 1 / (1 + np.exp(-np.clip(values, -30, 30)))
    return result


def tuned_scale(sample: LabelSample, predicted: Values) -> float:
    """The factor of centred predictions, (n,), that makes the variance smallest (PPI++, equation 7); 0 where they would increase it.

    Labels count as independent even where they are not: with few documents, sums by document would overfit the factor.
    """
    ours, theirs = (values - sample.weights @ values for values in (sample.outcomes, predicted))
    spread = float(sample.weights**2 @ theirs**2)
    return min(max(float(sample.weights**2 @ (ours * theirs)) / spread, 0.0), _MAX_SCALE) if spread > 0 else 0.0


def powered_rate(sample: LabelSample, predicted: Values | None, scale: float | None = None) -> Rate:
    """The rate by labels and centred predictions, (n,), times a scale, which is tuned by default.

    Of too few errors, or without predictions, it is that of the labels alone.
    """
    alone = labels_alone(sample)
    if alone.exact or predicted is None:
        return alone
    factor = tuned_scale(sample, predicted) if scale is None else scale
    corrected = sample.outcomes - factor * predicted
    value = float(sample.weights @ corrected)
    variance = sample.variance(corrected, fitted=int(scale is None and factor > 0))
    variance = max(
        variance, alone.variance / sample.n
    )  # n labels that are predicted rightly leave about one in n wrong
    if not 0 < value < 1:
        return alone
    return Rate(value, variance, sample.n, sample.clusters)


def label_worth(rate: Rate, alone: Rate, pool: int) -> float:
    """The number of labels that would alone give a rate this variance; `alone` is that of the labels that there are."""
    if rate.variance <= 0 or alone.variance <= 0 or alone.n >= pool:
        return float(alone.n)
    spread = alone.variance / (1 / alone.n - 1 / pool)
    return 1 / (rate.variance / spread + 1 / pool)


def worth_interval(sample: LabelSample, predicted: Values, pool: int) -> Estimate:
    """The number of labels that are worth as much as these with centred predictions, (n,), with its interval; at most the pool.

    The interval resamples documents, or labels that were drawn one by one.
    """
    corrected = sample.outcomes - tuned_scale(sample, predicted) * predicted
    squares = [sample.sums(values) ** 2 for values in (sample.outcomes, corrected)]
    squares[1] += squares[0].mean() / sample.n  # as in `powered_rate`
    times = Resamples.draw(sample.clusters, _WORTH_RESAMPLES).estimate(
        quotient(squares[0], squares[1], np.arange(sample.clusters))
    )

    worth = times.rescaled(lambda ratio: 1 / ((1 / sample.n - 1 / pool) / max(1.0, ratio) + 1 / pool))
    return replace(worth, n=sample.n)


def worth_with_scores(scores: Values, outcomes: Values, documents: Numbers) -> Estimate | None:
    """The number of labels that one label with its score is worth in an estimate of the rate, at the rate of these labels, (n,) each.

    Of summaries drawn one by one from a large pool; 1 where the scores say nothing of the label, at most n, None with too few of one kind.
    """
    n = len(outcomes)
    predictions = predict_rates(
        score_features([pool_ranks(scores)]), np.arange(n), LabelSample.equal(outcomes, documents, n + 1)
    )
    if predictions is None:
        return None
    single = LabelSample(outcomes, np.arange(n), np.full(n, 1 / n), np.ones(n))
    predicted = predictions.centred()
    corrected = outcomes - tuned_scale(single, predicted) * predicted
    squares = [(values - values.mean()) ** 2 for values in (outcomes, corrected)]
    squares[1] += squares[0].mean() / n  # as in `powered_rate`
    numbers, places = cluster_documents(documents)
    times = Resamples.draw(len(numbers), _WORTH_RESAMPLES).estimate(quotient(squares[0], squares[1], places))
    return times.rescaled(lambda ratio: max(1.0, ratio))
