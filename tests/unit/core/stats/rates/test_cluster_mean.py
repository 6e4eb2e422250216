"""The mean over documents with Student's interval: as scipy has it, by document, wider among several, and right for few documents."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from core.stats.rates.cluster_mean import cluster_mean
from core.stats.statistic import Values

VALUES: Values = np.array([0.1, 0.4, -0.2, 0.3, 0.25, 0.0, np.nan, 0.6])


def test_one_case_of_each_document_gives_the_interval_of_scipy() -> None:
    estimate = cluster_mean(VALUES, np.arange(8))
    known = VALUES[~np.isnan(VALUES)]
    low, high = stats.t.interval(0.95, len(known) - 1, known.mean(), stats.sem(known))
    assert (estimate.value, estimate.n, estimate.documents) == (pytest.approx(known.mean()), 7, 7)
    assert (estimate.low, estimate.high) == (pytest.approx(low), pytest.approx(high))


def test_cases_that_are_said_twice_tell_no_more() -> None:
    once, twice = cluster_mean(VALUES, np.arange(8)), cluster_mean(np.repeat(VALUES, 2), np.repeat(np.arange(8), 2))
    assert (twice.low, twice.high) == (pytest.approx(once.low), pytest.approx(once.high))
    assert (once.n, twice.n) == (7, 14)


def test_among_several_the_interval_is_wider_and_of_one_document_there_is_none() -> None:
    alone, among = cluster_mean(VALUES, np.arange(8)), cluster_mean(VALUES, np.arange(8), 4)
    assert alone.low is not None
    assert among.low is not None
    assert among.low < alone.low
    assert cluster_mean(VALUES, np.zeros(8, dtype=np.intp)).low is None
    assert cluster_mean(np.full(3, np.nan), np.arange(3)).value is None


@pytest.mark.slow
def test_noise_on_twelve_documents_seems_to_be_something_in_one_of_twenty_runs() -> None:
    rng = np.random.default_rng(0)
    claims = 0
    for _ in range(1000):
        estimates = [cluster_mean(rng.normal(size=12), np.arange(12), 4) for _ in range(4)]
        claims += any(
            one.low is not None and one.high is not None and not one.low <= 0 <= one.high for one in estimates
        )
    assert 0.03 < claims / 1000 < 0.07
