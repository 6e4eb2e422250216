"""Tests that reviewers ask for beside the bootstrap: DeLong's, McNemar's and the sign test; all take cases as independent."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import bdtr, ndtr  # type: ignore[import-untyped]  # it ships no types

from core.stats.comparison import on_shared_cases
from core.stats.discrimination import LabelledScores
from core.stats.statistic import Values


def delong_test(first: LabelledScores, second: LabelledScores) -> float | None:
    """The two-sided p of two areas under the ROC curve being equal (DeLong, DeLong and Clarke-Pearson 1988).

    Both are of the same cases; those that lack a score do not count. None where an area is undefined or has no variance.
    """
    one, two = on_shared_cases(first.oriented, second.oriented)
    kept = ~np.isnan(one)
    labels = first.labels[kept]
    if min(labels.sum(), (~labels).sum()) < 2:
        return None
    placements = [_placement_values(scores[kept][labels], scores[kept][~labels]) for scores in (one, two)]
    (good, bad), (other_good, other_bad) = placements
    difference = good.mean() - other_good.mean()
    good_apart, bad_apart = good - other_good, bad - other_bad
    variance = good_apart.var(ddof=1) / len(good) + bad_apart.var(ddof=1) / len(bad)
    if variance == 0:
        return 1.0 if difference == 0 else None
    return float(2 * ndtr(-abs(difference) / math.sqrt(variance)))


def mcnemar_test(first: Values, second: Values) -> float | None:
    """The two-sided p of two shares of right cases being equal (McNemar 1947), exact by the binomial distribution.

    Both are 1 where right and 0 where wrong, (n,), nan where unknown. It is the sign test of the cases that only one has
    right. None where no case is known of both.
    """
    one, two = on_shared_cases(first, second)
    return sign_test(one - two)


def sign_test(differences: Values) -> float | None:
    """The two-sided p of (n,) differences being as often above zero as below; zeros and nan do not count.

    None where no difference is known, 1 where all are zero.
    """
    known = differences[~np.isnan(differences)]
    if not len(known):
        return None
    above, below = int(np.sum(known > 0)), int(np.sum(known < 0))
    return min(1.0, 2 * float(bdtr(min(above, below), above + below, 0.5)))


def _placement_values(good: Values, bad: Values) -> tuple[Values, Values]:
    """The share of inconsistent summaries that each consistent one beats, and of consistent ones that beat each other one."""
    return _share_below(good, bad), 1 - _share_below(bad, good)


def _share_below(values: Values, others: Values) -> Values:
    """The share of the others that each value lies above, ties counting one half."""
    others = np.sort(others)
    sides = np.searchsorted(others, values, side="left") + np.searchsorted(others, values, side="right")
    return sides / (2 * len(others))
