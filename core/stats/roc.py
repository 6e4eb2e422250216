"""The ROC curve: what every possible threshold would accept, rightly and wrongly."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.stats.discrimination import Labelled, auc
from core.stats.estimate import Estimate
from core.stats.resampling import Resamples
from core.stats.statistic import Values


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """Shares of inconsistent and of consistent summaries that score at least as well as `scores`, (points,) each.

    It goes from (0, 0), where nothing is accepted, to (1, 1), and is empty where the area is undefined. `area` has the
    interval and the number of summaries.
    """

    false_alarms: Values
    hits: Values
    scores: Values
    area: Estimate


def curve(labelled: Labelled, resamples: Resamples) -> Curve:
    """The curve over the distinct scores from the best down, in the metric's own units."""
    area, kept = resamples.estimate(auc(labelled)), labelled.defined()
    if area.value is None:
        return Curve(np.zeros(0), np.zeros(0), np.zeros(0), area)
    scores, hits, false_alarms = accepted(kept)
    sign = -1.0 if kept.direction == "lower" else 1.0
    start = np.array([0.0])
    return Curve(np.append(start, false_alarms), np.append(start, hits), sign * np.append(np.inf, scores), area)


def accepted(labelled: Labelled) -> tuple[Values, Values, Values]:
    """Distinct oriented scores from the best down, and the shares of either kind that are accepted at each."""
    distinct, ranks = np.unique(-labelled.oriented, return_inverse=True)
    good = np.bincount(ranks[labelled.labels], minlength=len(distinct))
    bad = np.bincount(ranks[~labelled.labels], minlength=len(distinct))
    return -distinct, np.cumsum(good) / good.sum(), np.cumsum(bad) / bad.sum()
