"""Shares and areas have intervals that hold where errors or documents are few, and that always have a width."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import beta, binom

from core.stats.bootstrap import Resamples
from core.stats.discrimination import LabelledScores, auc
from core.stats.proportion import area_interval, independent_cases, share, share_estimate, share_interval
from core.stats.rates.rate import LabelSample, labels_alone
from core.stats.statistic import Values


def outcomes(ones: int, n: int) -> Values:
    return (np.arange(n) < ones).astype(np.float64)


@pytest.mark.parametrize("n", [12, 24, 30, 100, 200])
@pytest.mark.parametrize("rate", [0.8, 0.9, 0.95, 0.98])
def test_the_interval_of_a_share_holds_the_truth(n: int, rate: float) -> None:
    """By the exact chances of each count of independent pairs."""
    ends = [share_interval(ones / n, n, n, n) for ones in range(n + 1)]
    held = [low <= rate <= high for low, high in ends]
    assert binom.pmf(np.arange(n + 1), n, rate) @ held >= 0.93
    assert all(low < high for low, high in ends)


@pytest.mark.parametrize("ones", [0, 3, 29, 30])
def test_few_errors_have_the_exact_interval(ones: int) -> None:
    found = share_estimate(outcomes(ones, 30), np.arange(30))
    low = beta.ppf(0.025, ones, 31 - ones) if ones else 0.0
    high = beta.ppf(0.975, ones + 1, 30 - ones) if ones < 30 else 1.0
    assert (found.low, found.high) == (pytest.approx(low), pytest.approx(high))


def test_a_share_has_the_interval_of_a_rate_by_labels_alone() -> None:
    rng = np.random.default_rng(4)
    for rate in (0.02, 0.5, 0.9):
        documents = np.sort(rng.integers(0, 25, 150))
        right = (rng.random(25)[documents] / 2 + rng.random(150) / 2 < rate).astype(np.float64)
        found = Resamples.draw(25, 200).estimate(share(right, documents))
        alone = labels_alone(LabelSample.equal(right, documents, 10**9)).estimate()
        assert (found.value, found.low, found.high) == pytest.approx((alone.value, alone.low, alone.high), abs=1e-3)


def test_documents_that_are_all_alike_count_once_each() -> None:
    found = share_estimate(np.ones(40), np.repeat(np.arange(4), 10))
    assert (found.value, found.high) == (1.0, 1.0)
    assert found.low is not None
    assert found.low < 0.4


def test_outcomes_of_documents_that_have_the_same_share_count_each() -> None:
    right, places = np.tile([1.0, 0.0], 20), np.repeat(np.arange(20), 2)
    assert independent_cases(right, np.full(40, 1 / 40), places) == 40
    rate = labels_alone(LabelSample.equal(right, places, 1000))
    low, high = rate.interval()
    assert low < 0.4 < 0.6 < high


def test_an_area_without_a_loss_has_an_interval() -> None:
    scores = LabelledScores(np.arange(20.0), np.arange(20) >= 10, np.arange(20))
    found = Resamples.draw(20, 200).estimate(auc(scores))
    assert (found.value, found.high) == (1.0, 1.0)
    assert found.low == pytest.approx(0.025 ** (1 / 10))


def test_fewer_than_eight_documents_have_an_area_without_interval() -> None:
    scores = LabelledScores(np.array([1.0, 3.0, 2.0, 4.0]), np.array([False, True, True, False]), np.arange(4))
    found = Resamples.draw(4, 200).estimate(auc(scores))
    assert (found.value, found.low) == (0.5, None)
    assert found.error == "4 documents are too few for an interval, which takes 8: 4 more."


@pytest.mark.parametrize("value", [0.0, 1e-12, 0.02, 0.5, 0.97, 1.0])
def test_the_interval_of_an_area_lies_around_it_within_0_and_1(value: float) -> None:
    for variance in (0.0, 1e-6, 0.01):
        low, high = area_interval(value, variance, 10, 6)
        assert 0 <= low <= value <= high <= 1
        assert low < high
