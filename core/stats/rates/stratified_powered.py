"""Prediction-powered inference by strata of score: each stratum of the pool is estimated by its own labels, with a factor of its own.

Fisch et al. 2024 (StratPPI), section 3, for strata whose sizes in the pool are known; labels that were drawn without regard to
the strata are post-stratified (Holt and Smith 1979).
"""

from __future__ import annotations

import numpy as np

from core.stats.rates.prediction_powered import Predictions, tuned_scale
from core.stats.rates.rate import LabelSample, Rate, labels_alone
from core.stats.statistic import Mask, Numbers, Values

_MOST_STRATA = 5
_LABELS_A_STRATUM = 30  # on average, for one more stratum
_LEAST_LABELS = 10  # of a stratum: its neighbour takes in what has fewer


def score_strata(predictions: Predictions, sample: LabelSample) -> Numbers:
    """The stratum of each summary of the pool by its mean predicted rate, (N,), numbered from 0; equal predictions share one.

    About as many summaries in each, and ten labels or more.
    """
    chances = predictions.of_pool.mean(axis=0)
    number = min(_MOST_STRATA, max(1, sample.n // _LABELS_A_STRATUM))
    edges = np.unique(np.quantile(chances, np.arange(1, number) / number))
    strata = np.searchsorted(edges, chances, side="right")
    labelled = np.bincount(strata[predictions.rows], minlength=int(strata.max()) + 1)
    merged, current, had = np.zeros(len(labelled), dtype=np.intp), 0, 0
    for stratum, labels in enumerate(labelled):
        if had >= _LEAST_LABELS:
            current, had = current + 1, 0
        merged[stratum] = current
        had += labels
    if had < _LEAST_LABELS and current:
        merged[merged == current] = current - 1
    merged_strata: Numbers = merged[strata]
    return merged_strata


def stratified_rate(sample: LabelSample, predictions: Predictions | None) -> Rate:
    """The rate by labels and predictions of each stratum, weighted by the strata's shares of the pool.

    Of too few errors, or without predictions, it is that of the labels alone. Labels of one document count together,
    whatever strata they are in.
    """
    alone = labels_alone(sample)
    if alone.exact or predictions is None:
        return alone
    strata = score_strata(predictions, sample)
    own, number = strata[predictions.rows], int(strata.max()) + 1
    value, deviations = 0.0, np.zeros(sample.n)
    for stratum in range(number):
        in_pool: Mask = strata == stratum
        rows = np.flatnonzero(own == stratum)
        part, centred = sample.part(rows), predictions.centred(in_pool)[rows]
        corrected = part.outcomes - tuned_scale(part, centred) * centred
        share, mean = float(in_pool.mean()), float(part.weights @ corrected)
        value += share * mean
        deviations[rows] = share * part.weights * (corrected - mean) * np.sqrt(part.unseen)
    if not 0 < value < 1:
        return alone
    sums: Values = np.bincount(sample.places, weights=deviations, minlength=sample.clusters).astype(np.float64)
    freedom = max(1, sample.clusters - 2 * number)
    return Rate(value, sample.clusters / freedom * float(sums @ sums), sample.n, sample.clusters)
