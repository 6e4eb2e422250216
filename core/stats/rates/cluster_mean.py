"""The mean of cases that lie in documents, with Student's interval over documents, which also holds for few documents.

The percentile bootstrap is too narrow far out in the tails of few documents: of noise on 12 documents one of four figures that were
tested together seemed to differ from 0 in 12 % of the runs, with this interval in 1 %.
"""

from __future__ import annotations

import math

import numpy as np

from core.stats.statistic import CONFIDENCE_LEVEL, Estimate, Numbers, Values, cluster_documents, sums_by


def cluster_mean(
    values: Values, documents: Numbers, among: int = 1, bounds: tuple[float, float] = (-math.inf, math.inf)
) -> Estimate:
    """The mean of (n,) values, nan for those that are missing, with an interval inside the bounds that a mean can have.

    `among` several figures all intervals hold together (Bonferroni).
    """
    from scipy.special import stdtrit  # scipy takes half a second, and most commands estimate nothing

    has_value = ~np.isnan(values)
    if not has_value.any():
        return Estimate(None, None, None, 0, "No case has a value.")
    numbers, places = cluster_documents(documents[has_value])
    n, number = int(has_value.sum()), len(numbers)
    value = float(values[has_value].mean())
    if number < 2:
        return Estimate(value, None, None, n, "All cases are of one document: there is no interval.", number)
    deviations = sums_by(places, (values[has_value] - value)[:, None], number)
    error = math.sqrt(number / (number - 1) * float(np.sum(deviations**2))) / n
    if not error:
        same = "Every document has the same mean: there is no interval."
        return Estimate(value, None, None, n, same, number)
    margin = float(stdtrit(number - 1, 1 - (1 - CONFIDENCE_LEVEL) / (2 * among))) * error
    return Estimate(value, max(bounds[0], value - margin), min(bounds[1], value + margin), n, documents=number)
