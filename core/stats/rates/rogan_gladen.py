"""A rate counted by a metric with a threshold, corrected by its sensitivity and specificity (Rogan and Gladen 1978)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from core.stats.rates.rate import LabelSample
from core.stats.statistic import CONFIDENCE_LEVEL, Estimate, Numbers, Values, deal_folds

_HALVES = 2  # of the labels by document: each half is judged by the threshold of the other
_MIN_OF_A_KIND = 2  # labels, without which there is no threshold
USELESS = "Its threshold refuses no larger share of the inconsistent summaries than of the others: nothing corrects it."
TOO_FEW = "Too few labels of one kind to choose a threshold and to test it on others."


@dataclass(frozen=True, slots=True)
class CorrectedRate:
    """A corrected rate, with the share of the pool below the threshold, `counted`, and of the labels the two shares that correct it."""

    estimate: Estimate
    counted: float = math.nan
    sensitivity: float = math.nan
    specificity: float = math.nan


def corrected_rate(suspicion: Values, rows: Numbers, sample: LabelSample) -> CorrectedRate:
    """The rate by the suspicion of each summary of the pool, (N,), higher where it is more likely inconsistent, nan for none.

    `rows`, (n,), are the labels' places in the pool. Each label is judged by a threshold that other documents gave (Youden
    1950). Summaries without a score have no part in it.
    """
    n, documents = sample.n, sample.clusters
    scored = ~np.isnan(suspicion[rows])
    halves = deal_folds(sample.documents, _HALVES)
    decisions, counted = np.full(n, np.nan), []
    pool = suspicion[~np.isnan(suspicion)]
    for half in range(_HALVES):
        threshold = _youden_threshold(
            suspicion[rows][scored & (halves != half)], sample.outcomes[scored & (halves != half)]
        )
        if threshold is None:
            return CorrectedRate(Estimate(None, None, None, n, TOO_FEW, documents))
        decided = scored & (halves == half)
        decisions[decided] = suspicion[rows][decided] >= threshold
        counted.append(float(np.mean(pool >= threshold)))
    wrong, right = (scored & (sample.outcomes == outcome) for outcome in (1, 0))
    sensitivity = float(np.average(decisions[wrong], weights=sample.weights[wrong]))
    specificity = 1 - float(np.average(decisions[right], weights=sample.weights[right]))
    share = float(np.mean(counted))
    if sensitivity + specificity <= 1:
        return CorrectedRate(Estimate(None, None, None, n, USELESS, documents), share, sensitivity, specificity)
    value = min(max((share + specificity - 1) / (sensitivity + specificity - 1), 0.0), 1.0)
    low, high = lang_reiczigel(share, len(pool), sensitivity, int(wrong.sum()), specificity, int(right.sum()))
    low, high = min(low, value), max(high, value)
    if low == high:
        return CorrectedRate(Estimate(None, None, None, n, USELESS, documents), share, sensitivity, specificity)
    estimate = Estimate(value, low, high, n, documents=documents)
    return CorrectedRate(estimate, share, sensitivity, specificity)


def lang_reiczigel(  # three shares, each of its own number
    share: float, pool: int, sensitivity: float, wrong: int, specificity: float, right: int
) -> tuple[float, float]:
    """The interval of a rate corrected by an estimated sensitivity and specificity (Lang and Reiczigel 2014, section 2).

    The sensitivity is of `wrong` labels, the specificity of `right` ones, the share counted of `pool` summaries.
    """
    from scipy.special import ndtri  # scipy takes half a second, and most commands estimate nothing

    z = float(ndtri((1 + CONFIDENCE_LEVEL) / 2))
    size, ones, zeros = pool + z * z, wrong + 2, right + 2
    counted = (pool * share + z * z / 2) / size
    adjusted_sensitivity, adjusted_specificity = (wrong * sensitivity + 1) / ones, (right * specificity + 1) / zeros
    gain = adjusted_sensitivity + adjusted_specificity - 1
    if gain <= 0:
        return 0.0, 1.0
    rate = min(max((counted + adjusted_specificity - 1) / gain, 0.0), 1.0)
    sensitivity_variance, specificity_variance = (
        adjusted_sensitivity * (1 - adjusted_sensitivity) / ones,
        adjusted_specificity * (1 - adjusted_specificity) / zeros,
    )
    shift = 2 * z * z * (rate * sensitivity_variance - (1 - rate) * specificity_variance)
    spread = (
        counted * (1 - counted) / size + rate * rate * sensitivity_variance + (1 - rate) ** 2 * specificity_variance
    )
    margin = z * math.sqrt(spread) / gain
    return min(max(rate + shift - margin, 0.0), 1.0), min(max(rate + shift + margin, 0.0), 1.0)


def _youden_threshold(suspicion: Values, outcomes: Values) -> float | None:
    """The threshold of suspicion with the largest sum of sensitivity and specificity; from it on a summary counts as inconsistent."""
    wrong = int(outcomes.sum())
    if min(wrong, len(outcomes) - wrong) < _MIN_OF_A_KIND:
        return None
    order = np.argsort(-suspicion, kind="stable")
    ranked, marks = suspicion[order], outcomes[order]
    gains = np.cumsum(marks) / wrong - np.cumsum(1 - marks) / (len(marks) - wrong)
    last = np.append(ranked[1:] != ranked[:-1], True)  # a threshold parts no ties
    best = int(np.argmax(np.where(last, gains, -np.inf)))
    following = ranked[best + 1] if best + 1 < len(ranked) else ranked[best]
    return float((ranked[best] + following) / 2)
