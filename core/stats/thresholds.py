"""Yes or no from a score: a threshold chosen on some documents and judged on others."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.errors import TouchstoneError
from core.stats.discrimination import Labelled
from core.stats.roc import accepted
from core.stats.statistic import Mask, Statistic, Values, clusters, ratio, sums_by, undefined


@dataclass(frozen=True, slots=True)
class Threshold:
    """The score from which on a summary counts as consistent, in the metric's own units.

    It was chosen on `n` summaries of `documents`, on which it must not be judged.
    """

    value: float
    n: int
    documents: frozenset[int]


def choose(development: Labelled) -> Threshold:
    """The threshold of the best balanced accuracy, halfway between two scores; of equally good ones the strictest.

    Raises TouchstoneError where the development split has not both kinds of labels.
    """
    kept = development.defined()
    if kept.why:
        raise TouchstoneError(f"No threshold can be chosen: {kept.why} Take a split with labels of both kinds.")
    scores, hits, false_alarms = accepted(kept)
    best = int(np.argmax(hits - false_alarms))
    value = float(scores[best : best + 2].mean())
    oriented = -value if kept.direction == "lower" else value
    return Threshold(oriented, len(kept.labels), frozenset(kept.documents.tolist()))


def balanced_accuracy(labelled: Labelled, threshold: Threshold) -> Statistic:
    """The mean of the shares of consistent summaries accepted and of inconsistent ones refused; the threshold is fixed.

    Undefined where the threshold was chosen on one of the same documents.
    """
    kept = labelled.defined()
    shared = threshold.documents.intersection(kept.documents.tolist())
    leak = (
        f"The threshold was chosen on {len(shared)} of these documents: it cannot be judged on them." if shared else ""
    )
    if why := kept.why or leak:
        return undefined(len(kept.labels), why)
    numbers, places = clusters(kept.documents)
    outcomes = _outcomes(kept.labels, _accepted(kept, threshold))
    sums = sums_by(places, outcomes, len(numbers))
    return Statistic(len(kept.labels), numbers, lambda weights: _balanced(sums.T @ weights), len(numbers))


def _accepted(labelled: Labelled, threshold: Threshold) -> Mask:
    if labelled.direction == "lower":
        return labelled.scores <= threshold.value
    return labelled.scores >= threshold.value


def _outcomes(labels: Mask, accepts: Mask) -> Values:
    """Indicators of accepted and all consistent ones, refused and all inconsistent ones, (n, 4)."""
    return np.column_stack([labels & accepts, labels, ~labels & ~accepts, ~labels]).astype(np.float64)


def _balanced(sums: Values) -> Values:
    hits, good, refused, bad = sums
    return (ratio(hits, good) + ratio(refused, bad)) / 2
