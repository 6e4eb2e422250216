"""Tests if labelled summaries were drawn at random from their pool, and weights for those that were not."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from core.stats.comparison import holm_correction
from core.stats.rates.prediction_powered import fit_logistic
from core.stats.rates.rate import LabelSample
from core.stats.statistic import Numbers, Values

EVIDENT_P = 0.001
"""Below this p, corrected for the number of tests, labels were evidently not drawn at random."""

_LEAST_SHARE = 0.25  # of the labels, which the weighted ones must be worth
_FARTHEST = 0.1  # from the middle of the pool, for the mean rank of the weighted labels
_SIMULATED = 4_000  # draws: the smallest p is a quarter of EVIDENT_P
_MARGIN = 1.5  # times a simulated distance, as labels that by chance lack those of large weight show too little spread
_MOST_ROWS = 100_000  # of the pool, from which the chance of a label is learned


@dataclass(frozen=True, slots=True)
class DrawingTest:
    """Place of the labelled among all by one metric: their mean rank in 0..1 (0.5 at random), and p by Holm for place and spread."""

    place: float
    p: float | None


def drawing_tests(ranks: Sequence[Values], rows: Numbers, sample: LabelSample) -> list[DrawingTest]:
    """Compare the weighted scores of labelled summaries with those of the pool, for each metric; `ranks` are the pool's, (N,) each."""
    from scipy.special import stdtr  # scipy takes half a second, and most commands test nothing

    places, ps = [], list[float | None]()
    for of_metric in ranks:
        scored = np.flatnonzero(~np.isnan(of_metric[rows]))
        part = sample.part(scored) if len(scored) else None
        places.append(float(part.weights @ of_metric[rows][scored]) if part else np.nan)
        for values, expected in ((of_metric, 0.5), ((of_metric - 0.5) ** 2, None)):
            if part is None or part.clusters < 10:
                ps.append(None)
                continue
            mean = float(np.nanmean(values)) if expected is None else expected
            error = part.variance(values[rows][scored]) ** 0.5
            t = (float(part.weights @ values[rows][scored]) - mean) / error if error > 1e-9 else 0.0
            ps.append(float(2 * stdtr(part.clusters - 1, -abs(t))))
    corrected = holm_correction(ps)
    both = [[p for p in corrected[2 * n : 2 * n + 2] if p is not None] for n in range(len(ranks))]
    return [DrawingTest(place, min(of_metric, default=None)) for place, of_metric in zip(places, both, strict=True)]


def p_of_weights(features: Values, ranks: Sequence[Values], rows: Numbers, sample: LabelSample) -> float:
    """The share of draws by the probabilities of the labels whose weighted scores lie as far from the pool as those of the labels do.

    Labels of large weight are few, so that Student's t takes right probabilities for wrong ones in up to 7 % of draws. Here the draws are
    made from all of the pool, each summary by the probability of the label whose `features`, (N, features), are nearest.
    """
    rng = np.random.default_rng(0)
    from scipy.spatial import KDTree  # as above

    _, nearest = KDTree(features[rows]).query(features)
    probabilities = 1 / sample.weights[nearest]
    picked = rng.choice(len(features), (_SIMULATED, sample.n), p=probabilities / probabilities.sum())
    weights = 1 / probabilities[picked]
    weights /= weights.sum(axis=1, keepdims=True)
    farthest, simulated = 0.0, np.zeros(_SIMULATED)
    for of_metric in ranks:
        for values in (of_metric, (of_metric - 0.5) ** 2):
            filled = np.where(np.isnan(values), np.nanmean(values), values)
            distances = np.einsum("ij,ij->i", weights, filled[picked]) - filled.mean()
            spread = float(np.sqrt(np.mean(distances**2)))
            if not spread:
                continue
            of_labels = filled[rows]
            alone = replace(sample, documents=np.arange(sample.n)).variance(of_labels)
            spread *= math.sqrt(max(1.0, sample.variance(of_labels) / alone)) if alone else 1.0
            farthest = max(farthest, abs(float(sample.weights @ of_labels) - float(filled.mean())) / spread)
            simulated = np.maximum(simulated, np.abs(distances) / spread)
    return (1 + int(np.sum(_MARGIN * simulated >= farthest))) / (_SIMULATED + 1)


def estimated_probabilities(features: Values, rows: Numbers) -> Values:
    """The probability that each labelled summary was drawn, (n,), by its features, (N, features), and their squares.

    By logistic regression on all of the pool, or on a part of the unlabelled where it is large. It corrects a draw
    that depends on the scores alone.
    """
    n, pool = len(rows), len(features)
    others = np.setdiff1d(np.arange(pool), rows)
    taken = others if len(others) <= _MOST_ROWS else np.random.default_rng(0).choice(others, _MOST_ROWS, replace=False)
    used = np.concatenate([rows, taken])
    design = np.column_stack([features, features**2])
    outcomes = np.concatenate([np.ones(n), np.zeros(len(taken))])
    weights = np.concatenate([np.ones(n), np.full(len(taken), len(others) / max(1, len(taken)))])
    fit = fit_logistic(design[used], outcomes, weights / weights.sum(), 1.0)
    logits = np.clip(design[rows] @ fit[1:] + fit[0], -30, 30)
    chances: Values = 1 / (1 + np.exp(-logits))
    return chances


def drawn_by_document(documents: Numbers, rows: Numbers) -> bool:
    """True if more labels share a document than drawing single summaries would explain; `documents` are the pool's, (N,).

    Single summaries that were drawn at random from a pool are independent whatever documents they are of.
    """
    n, pool = len(rows), len(documents)
    if n < 2:
        return False
    sizes, label_counts = (np.bincount(of, minlength=int(documents.max()) + 1) for of in (documents, documents[rows]))
    expected = float(np.sum(sizes * (sizes - 1.0))) / 2 * (n * (n - 1.0)) / (pool * (pool - 1.0))
    return float(np.sum(label_counts * (label_counts - 1.0))) / 2 > expected + 3 * math.sqrt(expected) + 1


def beyond_weights(sample: LabelSample, ranks: Sequence[Values], rows: Numbers) -> bool:
    """True if the effective sample size is below a quarter of the labels (Kish 1965), or weighting leaves them unlike the pool."""
    if 1 / float(sample.weights @ sample.weights) < _LEAST_SHARE * sample.n:
        return True
    places = [np.where(np.isnan(of_metric[rows]), 0.5, of_metric[rows]) @ sample.weights for of_metric in ranks]
    return max((abs(float(place) - 0.5) for place in places), default=0.0) > _FARTHEST
