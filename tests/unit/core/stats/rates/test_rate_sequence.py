"""The order of a draw with known probabilities, and intervals that hold after every label."""

from __future__ import annotations

from typing import get_args

import numpy as np
import pytest

from core.stats.rates.rate_sequence import DrawnPool, _unbiased_values, rate_sequence
from core.stats.rates.score_draw import (
    DrawWay,
    arrivals,
    draw_weights,
    drawn_first,
    expected_rates,
    selection_probabilities,
)
from core.stats.statistic import Values

WAYS = get_args(DrawWay)


def pool_of(size: int, way: DrawWay, seed: int = 0) -> tuple[DrawnPool, Values]:
    """A pool with one metric, and which of its summaries are inconsistent."""
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=size)
    wrong = (rng.random(size) < 1 / (1 + np.exp(1.5 - scores))).astype(np.float64)
    expected = expected_rates(scores, 0.2, 0.75)
    return DrawnPool(draw_weights(expected, way), scores[:, None], expected), wrong


def test_expected_rates_have_the_assumed_mean_and_rise_with_the_score() -> None:
    chances = expected_rates(np.array([-1.0, 0.0, np.nan, 2.0]), 0.1, 0.8)
    assert chances.mean() == pytest.approx(0.1)
    assert chances[0] < chances[1] == chances[2] < chances[3]


@pytest.mark.parametrize("way", WAYS)
def test_weights_sum_to_1_and_leave_every_summary_half_of_an_even_chance(way: DrawWay) -> None:
    pool, _ = pool_of(103, way)
    assert pool.weights.sum() == pytest.approx(1)
    assert pool.weights.min() >= 0.5 / 103
    assert len(np.unique(pool.weights)) == {"random": 1, "stratified": 5, "active": 103}[way]


def test_labels_weighted_by_their_probabilities_add_up_to_the_pool() -> None:
    """Horvitz and Thompson's total is unbiased for a draw that stops after 15 summaries."""
    pool, wrong = pool_of(60, "active")
    totals = []
    for seed in range(1000):
        times = arrivals(pool.weights, seed)
        order = drawn_first(times, 16)
        chances = selection_probabilities(pool.weights[order[:15]], times[order[15]])
        totals.append(float(np.sum(wrong[order[:15]] / chances)))
    assert np.mean(totals) == pytest.approx(wrong.sum(), abs=4 * np.std(totals) / 1000**0.5)


@pytest.mark.parametrize("way", WAYS)
def test_what_is_bet_on_is_right_on_average_whatever_was_drawn_before(way: DrawWay) -> None:
    """Every summary that may come next, weighted by its chance, within the least and the most that are allowed for."""
    pool, wrong = pool_of(40, way)
    before = drawn_first(arrivals(pool.weights, 1), 25)
    others = np.setdiff1d(np.arange(40), before)
    last = []
    for row in others:
        rows = np.append(before, row)
        value, floor, ceiling = (values[-1] for values in _unbiased_values(pool, rows, wrong[rows]))
        assert floor <= value <= ceiling
        last.append(value)
    assert np.average(last, weights=pool.weights[others]) == pytest.approx(wrong.mean())


@pytest.mark.parametrize("way", WAYS)
def test_the_interval_holds_the_rate_after_every_label_and_ends_at_it(way: DrawWay) -> None:
    missed = 0
    for seed in range(12):
        pool, wrong = pool_of(90, way, seed)
        rows = drawn_first(arrivals(pool.weights, 1000 + seed), 90)
        found = rate_sequence(pool, rows, wrong[rows], 0.1)
        assert (np.diff(found.high - found.low) <= 1e-12).all()
        if ((found.low > wrong.mean() + 1e-9) | (found.high < wrong.mean() - 1e-9)).any():
            missed += 1
        else:
            assert found.last == pytest.approx((wrong.mean(), wrong.mean()))
    assert missed <= 2  # of 12; more have a probability of 2 % if each has one of 5 %


def test_a_summary_without_a_label_counts_as_either() -> None:
    pool, wrong = pool_of(200, "active")
    rows = drawn_first(arrivals(pool.weights, 3), 120)
    outcomes = wrong[rows]
    outcomes[[10, 50]] = np.nan
    found, without = rate_sequence(pool, rows, outcomes, 0.1).last, rate_sequence(pool, rows, wrong[rows], 0.1).last
    assert found[0] <= without[0] < without[1] <= found[1]
    assert rate_sequence(pool, rows[:0], outcomes[:0], 0.1).last == (0.0, 1.0)
