"""Correlations of cases and of systems are scipy's, in the sample and in every resample of documents."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats

from core.stats import correlation
from core.stats import correlation as systems
from core.stats.bootstrap import Resamples
from core.stats.correlation import RatedScores, correlation_of_systems, kendall, pearson, spearman, without_system_means
from core.stats.statistic import Numbers, Statistic, Values
from tests.unit.core.stats.naive import assert_the_same, redrawn

RNG = np.random.default_rng(1)
DOCUMENTS = RNG.integers(0, 30, 120)
SYSTEMS = RNG.integers(0, 5, 120)
SCORES = RNG.integers(0, 12, 120) / 4 + SYSTEMS
HUMAN = np.round(SCORES + RNG.normal(0, 2, 120))  # many ties
SAMPLE = RatedScores(SCORES, HUMAN, DOCUMENTS)
RESAMPLES = Resamples.draw(30, 150, seed=3)
COEFFICIENTS = [(pearson, stats.pearsonr), (spearman, stats.spearmanr), (kendall, stats.kendalltau)]

Reference = Callable[[Values, Values], tuple[float, float]]


@pytest.mark.parametrize(("ours", "scipys"), COEFFICIENTS)
def test_cases_correlate_as_in_scipy_in_every_resample(
    ours: Callable[[RatedScores], Statistic], scipys: Reference
) -> None:
    assert_the_same(ours(SAMPLE), lambda at: scipys(SCORES[at], HUMAN[at])[0], DOCUMENTS, RESAMPLES)


@pytest.mark.parametrize(
    ("ours", "scipys"),
    [
        (systems.pearson_of_means, stats.pearsonr),
        (systems.spearman_of_means, stats.spearmanr),
        (systems.kendall_of_means, stats.kendalltau),
    ],
)
def test_systems_correlate_as_in_scipy_in_every_resample(ours: systems.Coefficient, scipys: Reference) -> None:
    def means(values: Values, at: Numbers) -> list[float]:
        return [values[at][SYSTEMS[at] == system].mean() for system in range(5)]

    assert_the_same(
        correlation_of_systems(SAMPLE, SYSTEMS, ours),
        lambda at: scipys(means(SCORES, at), means(HUMAN, at))[0],
        DOCUMENTS,
        RESAMPLES,
    )


def test_a_system_level_correlation_counts_systems() -> None:
    assert RESAMPLES.estimate(correlation_of_systems(SAMPLE, SYSTEMS, systems.pearson_of_means)).n == 5


def test_tau_does_not_depend_on_how_many_signs_are_held_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = RESAMPLES.of(kendall(SAMPLE)).draws
    monkeypatch.setattr(correlation, "_MAX_SIGNS", 700)
    assert np.array_equal(whole, RESAMPLES.of(kendall(SAMPLE)).draws)


def test_large_scores_that_differ_little_correlate_as_exactly_as_small_ones() -> None:
    far = RatedScores(SCORES + 1e6, HUMAN, DOCUMENTS)
    assert RESAMPLES.of(pearson(far)).draws == pytest.approx(RESAMPLES.of(pearson(SAMPLE)).draws, abs=1e-6)


def test_a_resample_of_equal_scores_has_no_correlation_though_their_mean_is_rounded() -> None:
    scores, drawn = np.array([0.1] * 7 + [2.0]), np.random.default_rng(0).integers(0, 4, (8, 50)).astype(float)
    drawn[7] = 0  # the document that differs
    assert np.isnan(pearson(RatedScores(scores, np.arange(8.0), np.arange(8))).weigh(drawn)).all()


def test_a_resample_of_scores_that_nearly_agree_has_a_correlation() -> None:
    statistic = pearson(RatedScores(np.array([0, 1e-5, 2e-5, 1]), np.array([1.0, 3.0, 2.0, 9.0]), np.arange(4)))
    assert statistic.weigh(np.array([[1.0], [1.0], [1.0], [0.0]])) == pytest.approx(0.5, abs=1e-4)


@pytest.mark.parametrize("coefficient", [pearson, spearman, kendall])
def test_missing_values_do_not_count(coefficient: Callable[[RatedScores], Statistic]) -> None:
    scores, human = SCORES.copy(), HUMAN.copy()
    scores[3], human[5] = np.nan, np.nan
    rest = np.delete(np.arange(120), [3, 5])
    found = RESAMPLES.estimate(coefficient(RatedScores(scores, human, DOCUMENTS)))
    assert found == RESAMPLES.estimate(coefficient(RatedScores(SCORES[rest], HUMAN[rest], DOCUMENTS[rest])))
    assert found.n == 118


@pytest.mark.parametrize("coefficient", [pearson, spearman, kendall])
@pytest.mark.parametrize(
    ("scores", "human", "why"),
    [
        ([1.0, 1.0, 1.0], [1.0, 2.0, 3.0], "All 3 scores are the same (1)."),
        ([1.0, 2.0, 3.0], [0.5, 0.5, 0.5], "All 3 judgements are the same (0.5)."),
        ([1.0, np.nan, 3.0], [1.0, 2.0, 3.0], "A correlation needs three cases with both values, and there are 2."),
    ],
)
def test_a_correlation_that_is_undefined_says_why(
    coefficient: Callable[[RatedScores], Statistic], scores: list[float], human: list[float], why: str
) -> None:
    found = RESAMPLES.estimate(coefficient(RatedScores(np.array(scores), np.array(human), np.arange(3))))
    assert (found.value, found.low, found.error) == (None, None, why)


def test_systems_that_are_too_few_or_all_alike_say_so() -> None:
    few = RESAMPLES.estimate(correlation_of_systems(SAMPLE, SYSTEMS % 2, systems.pearson_of_means))
    assert (few.value, few.n, few.error) == (None, 2, "A correlation of systems needs three of them, and there are 2.")
    alike = RatedScores(np.tile([1.0, 2.0], 3), np.arange(6.0), np.arange(6))
    found = RESAMPLES.estimate(correlation_of_systems(alike, np.repeat(np.arange(3), 2), systems.kendall_of_means))
    assert (found.value, found.error) == (None, "All systems have the same mean.")


def test_means_that_differ_by_rounding_alone_are_ties() -> None:
    apart = np.array([[0.1 + 0.2], [0.3], [0.9]])
    assert systems.kendall_of_means(apart, np.array([[1.0], [1.0], [2.0]])).tolist() == [1.0]


def test_residuals_have_a_mean_of_zero_in_every_system_and_keep_what_is_missing() -> None:
    scores = SCORES.copy()
    scores[7] = np.nan
    left = without_system_means(scores, SYSTEMS)
    assert [np.nanmean(left[system == SYSTEMS]) for system in range(5)] == pytest.approx([0] * 5)
    assert np.flatnonzero(np.isnan(left)).tolist() == [7]


def test_a_partial_correlation_hardly_changes_when_the_means_are_taken_anew() -> None:
    """The means of the systems stay those of the sample in every resample; the interval must not feel it."""

    def anew(at: Numbers) -> float:
        left = [without_system_means(values[at], SYSTEMS[at]) for values in (SCORES, HUMAN)]
        return float(stats.pearsonr(*left)[0])

    fixed = RatedScores(without_system_means(SCORES, SYSTEMS), without_system_means(HUMAN, SYSTEMS), DOCUMENTS)
    found = RESAMPLES.estimate(pearson(fixed))
    draws = redrawn(anew, DOCUMENTS, RESAMPLES)
    assert found.value == pytest.approx(anew(np.arange(120)))
    assert (found.low, found.high) == pytest.approx(tuple(np.quantile(draws, [0.025, 0.975])), abs=0.03)


def test_tau_is_not_told_of_so_many_documents_that_their_square_fills_the_memory() -> None:
    values = np.arange(3001, dtype=np.float64)
    found = kendall(RatedScores(values, values, np.arange(3001)))
    assert found.error == "Tau is not computed for more than 3,000 documents. Take Spearman's."
    assert found.n == 3001


def test_tau_is_told_of_as_many_documents_as_the_limit_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(correlation, "_MAX_DOCUMENTS", 30)
    values = np.arange(31.0)
    assert not kendall(RatedScores(values[:30], values[:30], np.arange(30))).error
    assert kendall(RatedScores(values, values, np.arange(31))).error
