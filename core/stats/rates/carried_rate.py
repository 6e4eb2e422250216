"""The rate of inconsistent summaries where nobody labelled, from labels elsewhere and the scores of both, under either of two assumptions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.stats.proportion import NOT_LEVEL
from core.stats.rates.prediction_powered import Predictions
from core.stats.rates.rate import LabelSample, Rate
from core.stats.statistic import Estimate, Mask

_LEAST_SEPARATION = 3.0  # standard errors between the mean predictions of both kinds, for a rate to be told by them

OUTSIDE = "The carried rate and its whole interval lie outside of 0 to 1, or nothing varies: the assumption does not hold here."


@dataclass(frozen=True, slots=True)
class CarriedRate:
    """A rate with its variance, from `n` labels and the number of their documents; chance may put it below 0 or above 1."""

    value: float
    variance: float
    n: int
    documents: int

    def estimate(self) -> Estimate:
        """In 0..1, with Student's interval."""
        from scipy.special import stdtrit  # scipy takes half a second, and most commands estimate nothing

        margin = float(stdtrit(max(1, self.documents - 1), 1 - NOT_LEVEL / 2)) * self.variance**0.5
        value, low, high = (min(1.0, max(0.0, self.value + step)) for step in (0.0, -margin, margin))
        if low == high:
            return Estimate(value, None, None, self.n, OUTSIDE, self.documents)
        return Estimate(value, low, high, self.n, documents=self.documents)

    def p_of_equal(self, other: Rate) -> float:
        """The p of the hypothesis that an independent rate is the same."""
        from scipy.special import ndtr  # as above

        error = (self.variance + other.variance) ** 0.5
        return float(2 * ndtr(-abs(self.value - other.value) / error)) if error else 1.0


def rate_if_scores_hold(sample: LabelSample, predictions: Predictions, part: Mask) -> CarriedRate | None:
    """The rate of a part, (N,), where consistent and inconsistent summaries score as those of the sample (label shift).

    The share between the mean predictions of both kinds at which the mean of the part lies (Rogan and Gladen 1978, with
    predictions in place of decisions). None where the labels leave open which kind is predicted higher.
    """
    own = predictions.of_pool[predictions.folds, predictions.rows]
    means, variances = np.zeros(2), np.zeros(2)
    for kind in (0, 1):
        rows = np.flatnonzero(sample.outcomes == kind)
        some = sample.part(rows)
        means[kind], variances[kind] = some.weights @ own[rows], some.variance(own[rows], finite=False)
    distance = means[1] - means[0]
    if distance <= _LEAST_SEPARATION * float(variances.sum()) ** 0.5:
        return None
    predicted = predictions.of_pool[:, part].mean(axis=0)
    value = float((predicted.mean() - means[0]) / distance)
    spread = (1 - value) ** 2 * variances[0] + value**2 * variances[1] + float(np.var(predicted)) / len(predicted)
    return CarriedRate(value, float(spread / distance**2), sample.n, sample.clusters)


def rate_if_errors_hold(sample: LabelSample, predictions: Predictions, part: Mask) -> CarriedRate:
    """The rate of a part, (N,), where errors are as frequent at each score as in the sample (covariate shift)."""
    corrected = sample.outcomes - predictions.centred(part)
    value = float(sample.weights @ corrected)
    of_draw = min(max(value, 0.0), 1.0)
    variance = sample.variance(corrected, finite=False) + of_draw * (1 - of_draw) / int(part.sum())
    return CarriedRate(value, variance, sample.n, sample.clusters)
