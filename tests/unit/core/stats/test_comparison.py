"""Which of two metrics is better, on the same cases and the same draws."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats
from scipy.stats import t as student

from core.stats.bootstrap import Distribution, Resamples
from core.stats.comparison import (
    compare_paired,
    holm_correction,
    on_shared_cases,
    pairs_still_needed,
    williams_test,
)
from core.stats.correlation import RatedScores, pearson
from core.stats.proportion import share
from core.stats.score_pairs import ScorePairs, consistency_share
from core.stats.statistic import Estimate, Values, mean, undefined

RNG = np.random.default_rng(5)
DOCUMENTS = np.repeat(np.arange(40), 3)
RESAMPLES = Resamples.draw(40, 2000)
GOOD = (RNG.random(120) < 0.8).astype(float)
FAIR = np.where(RNG.random(120) < 0.9, GOOD, 0.0)
"""Right wherever GOOD is, but for a tenth."""


def distribution(values: Values, documents: Values | None = None) -> Distribution:
    return RESAMPLES.of(mean(values, DOCUMENTS if documents is None else documents))  # type: ignore[arg-type]


def students_interval(draws: Values, value: float, documents: int) -> tuple[float, float]:
    """The interval by scipy's own distribution, its scale the spread of the draws over documents that lack one degree."""
    error = float(np.std(draws)) * (documents / (documents - 1)) ** 0.5
    low, high = student.interval(0.95, documents - 1, loc=value, scale=error)
    return float(low), float(high)


def test_the_interval_of_a_difference_is_students_by_the_spread_of_paired_draws() -> None:
    first, second = distribution(GOOD), distribution(FAIR)
    found = compare_paired(first, second)
    difference = found.difference
    value = float(np.mean(GOOD - FAIR))
    assert (difference.value, difference.n) == (pytest.approx(value), 120)
    assert (difference.low, difference.high) == pytest.approx(students_interval(first.draws - second.draws, value, 40))
    error = float(np.std(first.draws - second.draws)) * (40 / 39) ** 0.5
    assert found.p == pytest.approx(2 * student.sf(value / error, 39))


def test_a_difference_of_shares_stays_within_one() -> None:
    documents = np.arange(8)
    draws = Resamples.draw(8, 400)
    first, second = (draws.of(share(np.array(values), documents)) for values in ([1.0] * 8, [0.0] * 7 + [1.0]))
    found = compare_paired(first, second).difference
    assert found.high == 1.0
    assert found.low is not None
    assert found.low < 7 / 8


def test_a_difference_of_fewer_than_eight_documents_says_how_many_more_it_takes() -> None:
    found = compare_paired(*(distribution(values[:15], DOCUMENTS[:15]) for values in (GOOD, FAIR)))
    assert (found.difference.low, found.p) == (None, None)
    assert found.difference.error == "5 documents are too few for an interval, which takes 8: 3 more."


def test_a_difference_that_is_the_same_in_every_draw_has_no_interval_and_no_p() -> None:
    found = compare_paired(distribution(GOOD + 5), distribution(GOOD))
    assert (found.difference.value, found.difference.low, found.p) == (pytest.approx(5), None, None)
    assert "every resample" in found.difference.error.lower()


def test_equal_metrics_have_a_p_of_one() -> None:
    found = compare_paired(distribution(GOOD), distribution(GOOD))
    assert (found.difference.value, found.p) == (0.0, 1.0)


def test_swapping_turns_the_difference_and_keeps_p() -> None:
    one, two = (
        compare_paired(distribution(GOOD), distribution(FAIR)),
        compare_paired(distribution(FAIR), distribution(GOOD)),
    )
    assert one.difference.value is not None
    assert (-one.difference.value, one.p) == (two.difference.value, two.p)


def test_p_is_small_about_as_often_as_it_should_when_nothing_differs() -> None:
    rng = np.random.default_rng(8)
    few = Resamples.draw(40, 400)
    tests = [
        compare_paired(*(few.of(mean(rng.normal(size=40)[DOCUMENTS], DOCUMENTS)) for _ in range(2))).p
        for _ in range(300)
    ]
    assert 0.02 <= np.mean([p is not None and p <= 0.05 for p in tests]) <= 0.10


def test_metrics_meet_on_the_cases_that_none_of_them_failed() -> None:
    one, two = on_shared_cases(np.array([1.0, np.nan, 3.0]), np.array([4.0, 5.0, np.nan]))
    assert np.array_equal(one, [1.0, np.nan, np.nan], equal_nan=True)
    assert np.array_equal(two, [4.0, np.nan, np.nan], equal_nan=True)


def test_statistics_of_different_cases_are_not_compared() -> None:
    found = compare_paired(distribution(GOOD), distribution(GOOD[1:], DOCUMENTS[1:]))
    assert (found.difference.value, found.p) == (None, None)
    assert found.difference.error == "The two rest on 120 and 119 cases: compare them on those that both have."


def test_a_difference_from_what_is_undefined_says_why() -> None:
    found = compare_paired(distribution(GOOD), RESAMPLES.of(undefined(120, "All labels are alike.")))
    assert (found.difference.value, found.difference.error, found.p) == (None, "All labels are alike.", None)


def test_a_difference_within_one_document_has_no_interval() -> None:
    found = compare_paired(*(distribution(values[:3], DOCUMENTS[:3]) for values in (GOOD + 1, GOOD)))
    assert (found.difference.value, found.difference.low, found.p) == (1.0, None, None)
    assert found.difference.error == "All cases are of one document: there is no interval."


def test_holm_multiplies_by_the_tests_left_and_never_falls() -> None:
    # 0.01 × 4, 0.02 × 3, 0.025 × 2 lifted to 0.06, 0.6 × 1
    assert holm_correction([0.6, 0.01, None, 0.025, 0.02]) == pytest.approx([0.6, 0.04, None, 0.06, 0.06])


def test_holm_gives_no_p_above_one() -> None:
    assert holm_correction([0.5, 0.9]) == [1.0, 1.0]


def correlated(n: int, r12: float, r13: float, r23: float) -> tuple[Values, Values, Values]:
    """Three samples with exactly these correlations."""
    basis = np.linalg.qr(np.column_stack([np.ones(n), RNG.normal(size=(n, 3))]))[0][:, 1:]
    wanted = np.array([[1, r12, r13], [r12, 1, r23], [r13, r23, 1]])
    human, one, two = (basis @ np.linalg.cholesky(wanted).T).T
    return human, one, two


def test_williams_t_is_that_of_steigers_formula() -> None:
    """His equation 7 (1980) written out, for the numbers of which `r.test` of R's package psych prints -0.89 and 0.37."""
    human, one, two = correlated(103, 0.4, 0.5, 0.1)
    found = williams_test(*(RatedScores(scores, human, np.arange(103) % 40) for scores in (one, two)), RESAMPLES)
    determinant = 1 - 0.4**2 - 0.5**2 - 0.1**2 + 2 * 0.4 * 0.5 * 0.1
    mean_squared = (0.9 / 2) ** 2
    t = -0.1 * math.sqrt(102 * 1.1 / (2 * (102 / 100) * determinant + mean_squared * 0.9**3))
    assert found.difference.value == pytest.approx(-0.1)
    assert found.p == pytest.approx(2 * stats.t.cdf(t, 100))
    assert (t, found.p) == (pytest.approx(-0.89, abs=5e-3), pytest.approx(0.37, abs=5e-3))
    assert found.difference.low is not None


def test_williams_counts_only_cases_with_all_three_values() -> None:
    human, one, two = correlated(60, 0.6, 0.3, 0.4)
    gaps = [
        np.append(values, [np.nan if place == at else 1.0 for at in range(3)])
        for place, values in enumerate((human, one, two))
    ]
    documents = np.arange(63) % 40
    found = williams_test(RatedScores(gaps[1], gaps[0], documents), RatedScores(gaps[2], gaps[0], documents), RESAMPLES)
    whole = williams_test(RatedScores(one, human, documents[:60]), RatedScores(two, human, documents[:60]), RESAMPLES)
    assert found == whole
    assert found.difference.n == 60


def test_a_metric_against_itself_differs_by_nothing() -> None:
    human, one, _ = correlated(60, 0.6, 0.3, 0.4)
    rated = RatedScores(one, human, np.arange(60) % 40)
    found = williams_test(rated, rated, RESAMPLES)
    assert (found.difference.value, found.p) == (0.0, 1.0)


def test_williams_of_a_constant_metric_says_why() -> None:
    human, one, _ = correlated(60, 0.6, 0.3, 0.4)
    documents = np.arange(60) % 40
    found = williams_test(RatedScores(one, human, documents), RatedScores(np.ones(60), human, documents), RESAMPLES)
    assert (found.difference.value, found.p) == (None, None)
    assert found.difference.error == "All 60 scores are the same (1)."


def test_four_times_the_pairs_halve_an_interval() -> None:
    assert pairs_still_needed(Estimate(0.7, 0.6, 0.8, 100)) == 300
    assert pairs_still_needed(Estimate(0.7, 0.66, 0.74, 100)) == 0
    assert pairs_still_needed(Estimate(0.7, None, None, 100)) is None
    assert pairs_still_needed(Estimate(1.0, 1.0, 1.0, 100)) is None


def test_the_pairs_that_were_asked_for_give_the_width() -> None:
    rng = np.random.default_rng(6)

    def estimate(documents: int) -> Estimate:
        moves = rng.random(3 * documents) < 0.7
        pairs = ScorePairs(moves.astype(float), np.zeros(3 * documents), np.repeat(np.arange(documents), 3))
        return Resamples.draw(documents, 2000).estimate(consistency_share(pairs))

    first = estimate(30)
    more = pairs_still_needed(first)
    assert more is not None
    second = estimate((first.n + more) // 3)
    assert second.low is not None
    assert second.high is not None
    assert (second.high - second.low) / 2 == pytest.approx(0.05, abs=0.01)


def test_correlations_are_compared_on_the_same_draws() -> None:
    human, one, two = correlated(120, 0.7, 0.2, 0.5)
    ours = [RESAMPLES.of(pearson(RatedScores(scores, human, DOCUMENTS))) for scores in (one, two)]
    found = compare_paired(*ours)
    assert found.difference.value is not None
    low, _ = students_interval(ours[0].draws - ours[1].draws, found.difference.value, 40)
    assert found.difference.low == pytest.approx(low)
    assert found.p is not None
    assert found.p < 0.01
