"""Gains in spreads of the originals, against the definition on drawn cases."""

from __future__ import annotations

import numpy as np
import pytest

from core.results.runs.shifts import pair_gains, standardised_gain
from core.stats.score_pairs import ScorePairs


def test_a_gain_is_told_in_spreads_of_the_originals_of_the_same_resample() -> None:
    rng = np.random.default_rng(0)
    originals, gains, documents = rng.normal(3, 2, 6), rng.normal(0.5, 0.1, 6), np.array([0, 0, 1, 2, 2, 3])
    statistic = standardised_gain(ScorePairs(originals, originals + gains, documents), originals, documents)
    counts = np.array([[1.0, 2.0, 0.0], [1.0, 0.0, 1.0], [1.0, 1.0, 0.0], [1.0, 1.0, 3.0]])
    for column, value in zip(counts.T, statistic.weigh(counts), strict=True):
        drawn = np.repeat(np.arange(6), column[documents].astype(int))
        assert value == pytest.approx(gains[drawn].mean() / originals[drawn].std())


def test_a_resample_of_one_summary_has_no_spread() -> None:
    originals, documents = np.array([0.1, 0.7, 0.3]), np.array([0, 1, 2])
    statistic = standardised_gain(ScorePairs(originals, originals + 0.2, documents), originals, documents)
    assert np.isnan(statistic.weigh(np.array([[0.0], [3.0], [0.0]]))).all()


def test_originals_that_score_the_same_have_no_spread() -> None:
    originals, documents = np.full(3, 0.7), np.array([0, 1, 2])
    statistic = standardised_gain(ScorePairs(originals, originals + 0.2, documents), originals, documents)
    assert (statistic.n, "All originals score the same" in statistic.error) == (3, True)


def test_pairs_that_all_failed_have_no_gain() -> None:
    originals, documents = np.array([0.1, 0.7]), np.array([0, 1])
    assert standardised_gain(ScorePairs(originals, np.full(2, np.nan), documents), originals, documents).error


def test_no_shift_is_a_plain_zero() -> None:
    pairs = ScorePairs(np.array([0.5]), np.array([0.5]), np.array([0]))
    assert str(pair_gains(pairs)[0]) == "0.0"
