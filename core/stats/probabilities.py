"""Scores as probabilities of being consistent: isotonic regression and thresholds that never see the documents they are used on, and how far probabilities are off."""

from __future__ import annotations

import numpy as np

from core.stats.discrimination import LabelledScores, Threshold, choose_threshold
from core.stats.statistic import Mask, Numbers, Statistic, Values, cluster_documents, mean, undefined

BINS = 10
"""Of equal width, by which the expected calibration error is counted."""

_NO_ERROR_INTERVAL = (
    "There is no interval: the error is too high where cases are few, and higher still in resamples, whose intervals "
    "were measured to hold 0 to 95 % instead of 95."
)


def raw_probabilities(labelled: LabelledScores) -> Values | None:
    """The scores as they are, (n,), taken as probabilities of being consistent; None where one lies outside of 0..1."""
    defined = labelled.scores[~np.isnan(labelled.scores)]
    if labelled.direction == "neutral" or np.any((defined < 0) | (defined > 1)):
        return None
    return 1 - labelled.scores if labelled.direction == "lower" else labelled.scores


def isotonic_probabilities(labelled: LabelledScores, learnt: Mask, folds: Numbers) -> Values:
    """The probability that each summary is consistent, (n,), by isotonic regression (Zadrozny and Elkan 2002).

    Each fold is predicted from those of `learnt`, (n,), that lie in the other `folds`, (n,). Nan where there is no score, or
    nothing to learn from.
    """
    # sklearn takes seconds to import, and only calibration needs this part of it
    from sklearn.isotonic import IsotonicRegression

    probabilities, scored = np.full(len(labelled.scores), np.nan), ~np.isnan(labelled.scores)
    for fold in np.unique(folds):
        taught, held_out = scored & learnt & (folds != fold), scored & (folds == fold)
        if taught.any() and held_out.any():
            model = IsotonicRegression(y_min=0.0, y_max=1.0, out_of_bounds="clip")
            model.fit(labelled.oriented[taught], labelled.labels[taught])
            probabilities[held_out] = model.predict(labelled.oriented[held_out])
    return probabilities


def threshold_decisions(labelled: LabelledScores, learnt: Mask, folds: Numbers) -> Values:
    """1 where a summary is accepted, 0 where it is refused, (n,), nan where it has no score.

    The threshold of each fold is the best one for those of `learnt`, (n,), that lie in the other `folds`, (n,); where
    these have not both labels, the fold is nan.
    """
    decisions, scored = np.full(len(labelled.scores), np.nan), ~np.isnan(labelled.scores)
    for fold in np.unique(folds):
        if threshold := best_threshold(labelled, learnt & (folds != fold)):
            held_out = scored & (folds == fold)
            decisions[held_out] = threshold.accepts(labelled)[held_out]
    return decisions


def best_threshold(labelled: LabelledScores, learnt: Mask) -> Threshold | None:
    """The threshold of the best balanced accuracy on these summaries; None where they have not both labels."""
    taught = LabelledScores(
        labelled.scores[learnt], labelled.labels[learnt], labelled.documents[learnt], labelled.direction
    )
    return None if taught.defined().error else choose_threshold(taught)


def brier_score(probabilities: Values, labels: Mask, documents: Numbers) -> Statistic:
    """The mean squared distance of (n,) probabilities from the labels as 1 and 0: 0 is the best (Brier 1950)."""
    return mean((probabilities - labels) ** 2, documents)


def calibration_error(probabilities: Values, labels: Mask, documents: Numbers) -> Statistic:
    """ECE: the mean distance between probability and share of consistent summaries over ten bins of probabilities, by their size.

    Guo et al. 2017, equation 3, of the probability of being consistent. It has no interval.
    """
    has_value = ~np.isnan(probabilities)
    if not has_value.any():
        return undefined(0, "No case has a value.")
    bins = np.minimum((probabilities[has_value] * BINS).astype(np.intp), BINS - 1)
    gaps = np.bincount(bins, weights=probabilities[has_value] - labels[has_value], minlength=BINS)
    value = float(np.abs(gaps).sum() / has_value.sum())
    return Statistic(
        int(has_value.sum()),
        cluster_documents(documents[has_value])[0],
        lambda weights: np.full(weights.shape[1], value),
        without_interval=_NO_ERROR_INTERVAL,
    )
