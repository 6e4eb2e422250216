"""Power of a comparison: before it the chance of finding a drop, after it the drop that is ruled out."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, erf, sqrt
from statistics import NormalDist

import numpy as np

from core.assessment.gate.regression import MEAN_SCORE, Change, Limit
from core.results import Cases
from core.stats import Numbers

DEFAULT_LIMITS = (Limit("auc", -3.0), Limit("consistency", -3.0))
"""The drops that a plan is made for where none is named."""

_QUALITY = 0.8  # area or share of the side before, of which nothing is known yet
_CORRELATIONS = (0.5, 0.9)  # of the estimates of the two sides: of two metrics, and of two versions of one
_SHARED = 0.13
"""Correlation of what two summaries of one document say of a difference of two metrics: the median over pairs of FRANK's released metrics (149 documents, 671 summaries; .06 to .18). Over BUMP's minimal pairs it is none."""
_NORMAL = NormalDist()
_TWO_SIDED = _NORMAL.inv_cdf(0.975)
_WANTED = 0.8


def plan_sentences(cases: Cases, limits: Sequence[Limit]) -> list[str]:
    """A sentence for each limit on how likely such a drop is found on these items, and how many it takes.

    It supposes a side before of .8, sides whose estimates correlate by .5 to .9, and summaries of one document that correlate by
    .13; by the normal approximation of a paired two-sided test at .05. The variance of an area is that of Hanley and McNeil (1982).
    """
    consistent, inconsistent = (int(np.sum(cases.labels == label)) for label in (1.0, 0.0))
    labelled = cases.documents[~np.isnan(cases.labels)]
    documents = {
        "auc": labelled,
        "balanced_accuracy": labelled,
        "consistency": cases.documents[cases.pairs[:, 0]] if len(cases.pairs) else labelled[:0],
    }
    variances = {
        "auc": auc_variance(consistent, inconsistent),
        "balanced_accuracy": _QUALITY * (1 - _QUALITY) * (1 / consistent + 1 / inconsistent) / 4
        if consistent and inconsistent
        else 0.0,
        "consistency": _QUALITY * (1 - _QUALITY) / len(cases.pairs) if len(cases.pairs) else 0.0,
    }
    return [
        _sentence(limit, documents[limit.measure], variances[limit.measure])
        for limit in limits
        if variances.get(limit.measure)
    ]


def _sentence(limit: Limit, documents: Numbers, independent_variance: float) -> str:
    size, effect = len(documents), design_effect(documents)
    variance = independent_variance * effect
    drop = -limit.points / 100
    errors = [sqrt(2 * variance * (1 - correlation)) for correlation in _CORRELATIONS]
    low, high = (100 * detection_chance(drop, error) for error in errors)
    most, least = (ceil(size * ((_TWO_SIDED + _NORMAL.inv_cdf(_WANTED)) * error / drop) ** 2) for error in errors)
    what = "minimal pairs" if limit.measure == "consistency" else "labelled summaries"
    shared = (
        f" of {len(np.unique(documents)):,} documents, as good as {size / effect:,.0f} independent ones"
        if effect > 1.0
        else ""
    )
    return (
        f"{size:,} {what}{shared}: a drop of {-limit.points:g} points of {limit.measure.replace('_', ' ')} is found in {low:.0f} to "
        f"{high:.0f} % of such comparisons; to find it in 80 % takes {least:,} to {most:,}."
    )


def design_effect(documents: Numbers) -> float:
    """The factor by which the variance grows as items of one document have something in common, 1 where each has its own.

    `documents` numbers that of each item, (n,). Kish (1965) with clusters of unequal sizes m: 1 + (Σm²/Σm − 1) ρ, ρ = .13.
    """
    if not len(documents):
        return 1.0
    sizes = np.unique(documents, return_counts=True)[1].astype(np.float64)
    return float(1.0 + (np.sum(sizes**2) / np.sum(sizes) - 1.0) * _SHARED)


def detection_chance(drop: float, error: float) -> float:
    """The chance that a two-sided test at .05 finds a drop, given the standard error of the difference."""
    # NormalDist.cdf has another last digit from Python 3.14 on
    return 0.5 * (1.0 + erf((drop / error - _TWO_SIDED) / sqrt(2.0)))


def auc_variance(consistent: int, inconsistent: int) -> float:
    """The variance of an area of .8 by the number of summaries of each kind; 0 where one kind has none."""
    if not consistent or not inconsistent:
        return 0.0
    area = _QUALITY
    # Hanley and McNeil 1982: the chances that two of one kind both rank rightly against one of the other
    q1, q2 = area / (2 - area), 2 * area**2 / (1 + area)
    parts = (consistent - 1) * (q1 - area**2) + (inconsistent - 1) * (q2 - area**2)
    return (area * (1 - area) + parts) / (consistent * inconsistent)


def ruled_out_sentences(changes: Sequence[Change], limits: Sequence[Limit]) -> list[str]:
    """For each change that is no regression the drop that its interval rules out: what was not found may still be there.

    Where a gain of the same size is ruled out too, the sides are equivalent: the ends of the 95 % interval are the two
    one-sided tests at .025 (Schuirmann 1987).
    """
    sentences = []
    for change in changes:
        if change.measure == MEAN_SCORE or change.difference.low is None or change.worse:
            continue
        worst, best = (max(0.0, 100 * end) for end in (-change.difference.low, change.difference.high or 0.0))
        name = f"{change.metric}, {change.measure.replace('_', ' ')}"
        of_measure = [limit for limit in limits if limit.measure == change.measure]
        if not of_measure:
            sentences.append(f"{name}: a drop of more than {worst:.1f} points is ruled out.")
            continue
        sentences.append(
            " ".join(
                f"{name}: a drop of {-limit.points:g} points is {'ruled out' if worst < -limit.points else 'not ruled out'} "
                f"(at most {worst:.1f})"
                f"{f', and so is a gain of as much (at most {best:.1f}): equivalent' if max(worst, best) < -limit.points else ''}."
                for limit in of_measure
            )
        )
    return sentences
