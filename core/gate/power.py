"""What a comparison can show: before it the chance of finding a drop, after it the drop that is ruled out."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, sqrt
from statistics import NormalDist

import numpy as np

from core.cases.cases import Cases
from core.gate.regression import MEAN_SCORE, Change, Limit

DEFAULT_LIMITS = (Limit("auc", -3.0), Limit("consistency", -3.0))
"""The drops that a plan is made for where none is named."""

_QUALITY = 0.8  # area or share of the side before, of which nothing is known yet
_CORRELATIONS = (0.5, 0.9)  # of the estimates of the two sides: of two metrics, and of two versions of one
_NORMAL = NormalDist()
_TWO_SIDED = _NORMAL.inv_cdf(0.975)
_WANTED = 0.8


def plan_sentences(cases: Cases, limits: Sequence[Limit]) -> list[str]:
    """A sentence for each limit on how likely such a drop is found on these items, and how many it takes.

    It supposes a side before of .8, sides whose estimates correlate by .5 to .9, and summaries that are independent; by the
    normal approximation of a paired two-sided test at .05. The variance of an area is that of Hanley and McNeil (1982).
    """
    consistent, inconsistent = (int(np.sum(cases.labels == label)) for label in (1.0, 0.0))
    sizes = {
        "auc": consistent + inconsistent,
        "balanced_accuracy": consistent + inconsistent,
        "consistency": len(cases.pairs),
    }
    variances = {
        "auc": auc_variance(consistent, inconsistent),
        "balanced_accuracy": _accuracy_variance(consistent, inconsistent),
        "consistency": _QUALITY * (1 - _QUALITY) / len(cases.pairs) if len(cases.pairs) else 0.0,
    }
    return [
        _sentence(limit, sizes[limit.measure], variances[limit.measure])
        for limit in limits
        if variances.get(limit.measure)
    ]


def _sentence(limit: Limit, size: int, variance: float) -> str:
    drop = -limit.points / 100
    errors = [sqrt(2 * variance * (1 - correlation)) for correlation in _CORRELATIONS]
    low, high = (100 * detection_chance(drop, error) for error in errors)
    most, least = (ceil(size * ((_TWO_SIDED + _NORMAL.inv_cdf(_WANTED)) * error / drop) ** 2) for error in errors)
    what = "minimal pairs" if limit.measure == "consistency" else "labelled summaries"
    return (
        f"{size:,} {what}: a drop of {-limit.points:g} points of {limit.measure.replace('_', ' ')} is found in {low:.0f} to "
        f"{high:.0f} % of such comparisons; to find it in 80 % takes {least:,} to {most:,}."
    )


def detection_chance(drop: float, error: float) -> float:
    """The chance that a two-sided test at .05 finds a drop, given the standard error of the difference."""
    return _NORMAL.cdf(drop / error - _TWO_SIDED)


def auc_variance(consistent: int, inconsistent: int) -> float:
    """The variance of an area of .8 over so many summaries of each kind; 0 where there are none of one."""
    if not consistent or not inconsistent:
        return 0.0
    area = _QUALITY
    one, two = area / (2 - area), 2 * area**2 / (1 + area)
    parts = (consistent - 1) * (one - area**2) + (inconsistent - 1) * (two - area**2)
    return (area * (1 - area) + parts) / (consistent * inconsistent)


def _accuracy_variance(consistent: int, inconsistent: int) -> float:
    if not consistent or not inconsistent:
        return 0.0
    return _QUALITY * (1 - _QUALITY) * (1 / consistent + 1 / inconsistent) / 4


def ruled_out_sentences(changes: Sequence[Change], limits: Sequence[Limit]) -> list[str]:
    """For each change that is no regression the drop that its interval rules out: what was not found may still be there.

    The lower end of the 95 % interval is the one of two one-sided tests at .025 (Schuirmann 1987).
    """
    return [
        _ruled_out(change, [limit for limit in limits if limit.measure == change.measure])
        for change in changes
        if _testable(change)
    ]


def _testable(change: Change) -> bool:
    return change.measure != MEAN_SCORE and change.difference.low is not None and not change.worse


def _ruled_out(change: Change, limits: Sequence[Limit]) -> str:
    worst = max(0.0, -100 * (change.difference.low or 0.0))
    name = f"{change.metric}, {change.measure.replace('_', ' ')}"
    if not limits:
        return f"{name}: a drop of more than {worst:.1f} points is ruled out."
    return " ".join(
        f"{name}: a drop of {-limit.points:g} points is {'ruled out' if worst < -limit.points else 'not ruled out'} "
        f"(at most {worst:.1f})."
        for limit in limits
    )
