"""Tests if one statistic is larger than another on the same documents, and the number of further pairs that would decide it.

The paired bootstrap resamples documents and refers the difference to Student's distribution, as its own percentiles find a difference of
equal metrics on 10 documents in 9 to 11 % of draws in place of 5; the tests that reviewers ask for besides (Williams, DeLong,
McNemar, sign test) take cases as independent.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from core.stats.bootstrap import Distribution, Resamples, reason_without_interval, variance_of
from core.stats.correlation import RatedScores, pearson
from core.stats.discrimination import LabelledScores
from core.stats.statistic import (
    CONFIDENCE_LEVEL,
    MIN_INTERVAL_DOCUMENTS,
    NO_SPREAD,
    Estimate,
    Values,
    too_few_documents,
)

_ROUNDING = 1e-12  # of the larger figure: what the order of summing leaves between equal ones

MIN_TEST_DOCUMENTS = 10
"""With fewer documents no test is made: it would find anything or nothing."""


@dataclass(frozen=True, slots=True)
class StatisticDifference:
    """The first statistic minus the second, and the two-sided p of the hypothesis that they are equal.

    `p` is None where the difference has no interval, of which the estimate has the error, and below ten documents.
    """

    difference: Estimate
    p: float | None


def on_shared_cases(*scores: Values) -> tuple[Values, ...]:
    """The scores of several metrics, (n,) each, with nan wherever one of them failed: metrics meet on the same cases."""
    failed = np.isnan(np.array(scores)).any(axis=0)
    return tuple(np.where(failed, np.nan, values) for values in scores)


def compare_paired(first: Distribution, second: Distribution) -> StatisticDifference:
    """The paired test: Student's t of the difference by its spread in the resamples (Efron and Tibshirani 1993; Cameron and Miller 2015).

    Both must come from the same resamples and the same cases; see `on_shared_cases`.
    """
    if first.value is not None and second.value is not None and first.n != second.n:
        other_cases = f"The two rest on {first.n} and {second.n} cases: compare them on those that both have."
        return StatisticDifference(Estimate(None, None, None, min(first.n, second.n), other_cases), None)
    return compare_on_documents(first, second)


def compare_on_documents(first: Distribution, second: Distribution) -> StatisticDifference:
    """The same test of figures of other cases on the same resamples of documents, as of a slice and of all."""
    estimate = difference(first, second)
    if estimate.value is None or estimate.documents < MIN_TEST_DOCUMENTS:
        return StatisticDifference(estimate, None)
    if estimate.low is None:
        equal = first.draws.size > 0 and np.array_equal(first.draws, second.draws)
        return StatisticDifference(estimate, 1.0 if equal else None)
    from scipy.special import stdtr  # scipy takes half a second, and most commands test nothing

    return StatisticDifference(
        estimate, float(2 * stdtr(estimate.documents - 1, -abs(estimate.value) / _standard_error(first, second)))
    )


def compare_by_variance(value: float, variance: float, paired: Estimate) -> StatisticDifference:
    """Student's test and interval of a difference of two figures in 0..1 by its variance, of the cases of a paired one."""
    from scipy.special import stdtr  # as above

    error = math.sqrt(variance)
    if not error:
        return StatisticDifference(Estimate(value, None, None, paired.n, NO_SPREAD, paired.documents), None)
    margin = _student(paired.documents) * error
    estimate = Estimate(value, max(-1.0, value - margin), min(1.0, value + margin), paired.n, "", paired.documents)
    tested = paired.documents >= MIN_TEST_DOCUMENTS
    return StatisticDifference(
        estimate, float(2 * stdtr(paired.documents - 1, -abs(value) / error)) if tested else None
    )


def difference(first: Distribution, second: Distribution) -> Estimate:
    """The first statistic minus the second on the same resamples of documents, with Student's interval; cases may be others."""
    n = min(first.n, second.n)
    if first.value is None or second.value is None:
        return Estimate(None, None, None, n, first.error or second.error)
    value, documents = first.value - second.value, min(first.documents, second.documents)
    if error := first.error or second.error:
        return Estimate(value, None, None, n, error)
    draws = first.draws - second.draws
    if error := too_few_documents(documents, MIN_INTERVAL_DOCUMENTS) or reason_without_interval(draws):
        return Estimate(value, None, None, n, error, documents)
    deviation = _standard_error(first, second)
    if not deviation:
        return Estimate(value, None, None, n, NO_SPREAD, documents)
    margin = _student(documents) * deviation
    farthest = 1.0 if first.interval and second.interval else math.inf
    return Estimate(value, max(-farthest, value - margin), min(farthest, value + margin), n, documents=documents)


def _standard_error(first: Distribution, second: Distribution) -> float:
    """The standard error of the difference; 0 where all resamples have the same one and the figures are not in 0..1.

    Of figures in 0..1 that do not vary, such as shares without an error, it is that of their own intervals (Zou and Donner 2008).
    """
    documents = min(first.documents, second.documents)
    error = math.sqrt(variance_of(first.draws - second.draws, documents))
    scale = max(abs(first.value or 0.0), abs(second.value or 0.0))
    if error > _ROUNDING * scale:
        return error
    larger, smaller = sorted((first.estimate(), second.estimate()), key=lambda estimate: -(estimate.value or 0.0))
    if not (first.interval and second.interval and larger.ends and smaller.ends):
        return 0.0
    margins = (larger.value or 0.0) - larger.ends[0], smaller.ends[1] - (smaller.value or 0.0)
    return float(np.hypot(*margins)) / _student(documents)


def _student(documents: int) -> float:
    """Student's quantile for an interval over that number of documents."""
    from scipy.special import stdtrit  # as above

    return float(stdtrit(documents - 1, (1 + CONFIDENCE_LEVEL) / 2))


def holm_correction(ps: Sequence[float | None]) -> list[float | None]:
    """Corrected for the number of tests (Holm 1979), in the order given; a test without p does not count."""
    made = sorted((p, place) for place, p in enumerate(ps) if p is not None)
    corrected: list[float | None] = [None] * len(ps)
    largest = 0.0
    for rank, (p, place) in enumerate(made):
        largest = max(largest, min(1.0, p * (len(made) - rank)))
        corrected[place] = largest
    return corrected


def williams_test(first: RatedScores, second: RatedScores, resamples: Resamples) -> StatisticDifference:
    """Test if two metrics correlate equally with the same judgements (Williams 1959; Steiger 1980, equation 7).

    The difference of Pearson's correlations has its bootstrap interval, p is that of Williams's t, which takes the cases
    as independent. Cases that lack one of the three values do not count.
    """
    first_scores, second_scores, human = on_shared_cases(first.scores, second.scores, first.human)
    ours = RatedScores(first_scores, human, first.documents), RatedScores(second_scores, human, first.documents)
    comparison = compare_paired(*(resamples.of(pearson(rated)) for rated in ours))
    between = RatedScores(first_scores, second_scores, first.documents).defined()
    if (
        comparison.difference.value is None
        or comparison.difference.n < 4
        or comparison.difference.documents < MIN_TEST_DOCUMENTS
    ):
        return replace(comparison, p=None)
    r12, r13 = (_pearson_value(rated.defined()) for rated in ours)

    r23 = _pearson_value(between)
    n = comparison.difference.n
    from scipy.special import stdtr

    if r23 >= 1 - 1e-12:
        p = 1.0
    else:
        determinant = 1 - r12**2 - r13**2 - r23**2 + 2 * r12 * r13 * r23
        spread = 2 * (n - 1) / (n - 3) * determinant + (r12 + r13) ** 2 / 4 * (1 - r23) ** 3
        t = (r12 - r13) * math.sqrt((n - 1) * (1 + r23) / spread)
        p = float(2 * stdtr(n - 3, -abs(t)))
    return replace(comparison, p=p)


def delong_test(first: LabelledScores, second: LabelledScores) -> float | None:
    """The two-sided p of two areas under the ROC curve being equal (DeLong, DeLong and Clarke-Pearson 1988).

    Both are of the same cases; those that lack a score do not count. None where an area is undefined or has no variance.
    """
    from scipy.special import ndtr  # scipy takes half a second, and most commands test nothing

    first_scores, second_scores = on_shared_cases(first.oriented, second.oriented)
    has_score = ~np.isnan(first_scores)
    labels = first.labels[has_score]
    if min(labels.sum(), (~labels).sum()) < 2:
        return None
    placements = [
        _placement_values(scores[has_score][labels], scores[has_score][~labels])
        for scores in (first_scores, second_scores)
    ]
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
    first_right, second_right = on_shared_cases(first, second)
    return sign_test(first_right - second_right)


def sign_test(differences: Values) -> float | None:
    """The two-sided p of (n,) differences being as often above zero as below; zeros and nan do not count.

    None where no difference is known, 1 where all are zero.
    """
    from scipy.special import bdtr

    defined = differences[~np.isnan(differences)]
    if not len(defined):
        return None
    above, below = int(np.sum(defined > 0)), int(np.sum(defined < 0))
    return min(1.0, 2 * float(bdtr(min(above, below), above + below, 0.5)))


def pairs_still_needed(estimate: Estimate, half_width: float = 0.05) -> int | None:
    """Number of further cases like these that narrow the interval to ± `half_width`; None without an interval."""
    if estimate.low is None or estimate.high is None or estimate.low == estimate.high:
        return None
    narrower = (estimate.high - estimate.low) / 2 / half_width
    # the width of an interval falls with the root of the number of documents
    return max(0, math.ceil(round(estimate.n * (narrower**2 - 1), 6)))  # 300.00000001 pairs are 300


def _pearson_value(rated: RatedScores) -> float:
    return float(np.corrcoef(rated.scores, rated.human)[0, 1])


def _placement_values(good: Values, bad: Values) -> tuple[Values, Values]:
    """The share of inconsistent summaries that each consistent one beats, and of consistent ones that beat each other one."""
    return _share_below(good, bad), 1 - _share_below(bad, good)


def _share_below(values: Values, others: Values) -> Values:
    """The share of the others that each value lies above, ties counting one half."""
    others = np.sort(others)
    sides = np.searchsorted(others, values, side="left") + np.searchsorted(others, values, side="right")
    return sides / (2 * len(others))
