"""Intervals of a rate from labels: the published ones, and how often they hold it."""

from __future__ import annotations

import math

import numpy as np
import pytest

from core.stats.proportion import clopper_pearson, independent_cases, wilson
from core.stats.rates.carried_rate import OUTSIDE, CarriedRate
from core.stats.rates.label_count import expected_margin, explained_share, label_grid, labels_needed
from core.stats.rates.label_drawing import beyond_weights, drawing_tests, drawn_by_document, estimated_probabilities
from core.stats.rates.powered_mean import ALL_ALIKE, powered_mean
from core.stats.rates.prediction_powered import (
    fit_logistic,
    label_worth,
    pool_ranks,
    powered_rate,
    predict_rates,
    score_features,
    tuned_scale,
    worth_interval,
    worth_with_scores,
)
from core.stats.rates.rate import ALL_LABELLED, LabelSample, Rate, labels_alone
from core.stats.rates.rate_differences import difference_interval, difference_p, rank_intervals, rate_differences
from core.stats.rates.rogan_gladen import corrected_rate, lang_reiczigel
from core.stats.statistic import Numbers, Values

POOL = 2000


def outcomes(ones: int, n: int) -> Values:
    return np.repeat([1.0, 0.0], [ones, n - ones])


def alone(ones: int, n: int, pool: int = 10**9) -> Rate:
    return labels_alone(LabelSample.equal(outcomes(ones, n), np.arange(n), pool))


def metric(rng: np.random.Generator, rate: float, distance: float) -> tuple[Values, Values]:
    """Outcomes of a pool, and scores that lie so many standard deviations lower where they are 1."""
    wrong = (rng.random(POOL) < rate).astype(np.float64)
    return wrong, rng.normal(size=POOL) - distance * wrong


def powered(rng: np.random.Generator, wrong: Values, scores: list[Values], n: int) -> tuple[Rate, Rate, Numbers]:
    rows = rng.choice(POOL, n, replace=False)
    sample = LabelSample.equal(wrong[rows], np.arange(n), POOL)
    predictions = predict_rates(score_features([pool_ranks(one) for one in scores]), rows, sample)
    return powered_rate(sample, predictions.centred() if predictions else None), labels_alone(sample), rows


@pytest.mark.parametrize(
    ("ones", "n", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_wilson_is_the_score_interval_of_newcombe(ones: int, n: int, low: float, high: float) -> None:
    assert wilson(ones / n, n, 1.959964) == pytest.approx((low, high), abs=5e-5)


@pytest.mark.parametrize(
    ("ones", "n", "low", "high"),
    [(81, 263, 0.2527, 0.3676), (15, 148, 0.0578, 0.1617), (0, 20, 0.0, 0.1684), (1, 29, 0.0009, 0.1776)],
)
def test_clopper_pearson_is_the_exact_interval_of_newcombe(ones: int, n: int, low: float, high: float) -> None:
    assert clopper_pearson(ones, n) == pytest.approx((low, high), abs=5e-5)


def test_few_errors_have_the_exact_interval() -> None:
    assert alone(9, 200).exact
    assert alone(191, 200).exact
    assert alone(9, 200).interval() == pytest.approx(clopper_pearson(9, 200))
    assert not alone(10, 200).exact


def test_no_error_among_documents_counts_each_document_once() -> None:
    documents = np.repeat(np.arange(10), 5)
    sample = LabelSample.equal(np.zeros(50), documents, 10**9)
    assert independent_cases(sample.outcomes, sample.weights, sample.places) == pytest.approx(10)
    assert labels_alone(sample).interval()[1] > clopper_pearson(0, 50)[1]


def test_labels_that_repeat_within_documents_count_less() -> None:
    wrong = np.repeat(outcomes(30, 100), 4)
    repeated = LabelSample.equal(wrong, np.repeat(np.arange(100), 4), 10**9)
    assert independent_cases(wrong, repeated.weights, repeated.places) == pytest.approx(100, rel=0.02)
    once, twice = alone(30, 100).interval(), labels_alone(repeated).interval()
    assert twice == pytest.approx(once, abs=0.002)


def test_a_pool_that_is_labelled_whole_has_no_uncertainty() -> None:
    assert alone(3, 50, pool=50).interval() == (0.06, 0.06)


def test_labels_of_one_document_have_no_interval() -> None:
    rate = labels_alone(LabelSample.equal(outcomes(10, 30), np.zeros(30, dtype=np.intp), 1000))
    assert rate.estimate().low is None
    assert "one document" in rate.estimate().error


def test_weights_undo_a_draw_of_suspicious_summaries() -> None:
    rng = np.random.default_rng(0)
    wrong, scores = metric(rng, 0.2, 1.5)
    chance = np.where(scores < 0, 0.3, 0.05)
    rows = np.flatnonzero(rng.random(POOL) < chance)
    sample = LabelSample.weighted(wrong[rows], rows, chance[rows])
    assert wrong[rows].mean() > wrong.mean() + 0.05
    low, high = labels_alone(sample).interval()
    assert low < wrong.mean() < high


def test_a_metric_that_separates_makes_labels_worth_more() -> None:
    rng = np.random.default_rng(1)
    rate, labels, _ = powered(rng, *_of(metric(rng, 0.3, 2.0)), 300)
    assert label_worth(rate, labels, POOL) > 450
    assert rate.interval()[1] - rate.interval()[0] < labels.interval()[1] - labels.interval()[0]


def _of(drawn: tuple[Values, Values]) -> tuple[Values, list[Values]]:
    return drawn[0], [drawn[1]]


@pytest.mark.slow
@pytest.mark.parametrize("n", [100, 300])
def test_useless_metrics_widen_the_interval_by_less_than_five_percent(n: int) -> None:
    rng = np.random.default_rng(2)
    wider = []
    for _ in range(40):
        wrong, scores = metric(rng, 0.3, 1.5)
        useless = [rng.normal(size=POOL) for _ in range(3)]
        state = rng.bit_generator.state
        widths = []
        for columns in ([scores], [scores, *useless]):
            rng.bit_generator.state = state
            low, high = powered(rng, wrong, columns, n)[0].interval()
            widths.append(high - low)
        wider.append(widths[1] / widths[0])
    assert np.mean(wider) < 1.05


@pytest.mark.slow
@pytest.mark.parametrize("distance", [0.0, 1.8])
def test_the_interval_with_scores_holds_the_rate_whatever_they_are_worth(distance: float) -> None:
    rng = np.random.default_rng(3)
    held = 0
    for _ in range(300):
        wrong, scores = metric(rng, 0.2, distance)
        low, high = powered(rng, wrong, [scores], 120)[0].interval()
        held += low <= wrong.mean() <= high
    assert 0.915 < held / 300 < 0.985  # three standard errors around 95 %


def test_the_estimate_is_that_of_ppi_with_power_tuning() -> None:
    """With given predictions: the mean of labels minus predictions, plus that of all predictions, times PPI++'s factor."""
    rng = np.random.default_rng(4)
    wrong, scores = metric(rng, 0.3, 1.0)
    rows = rng.choice(POOL, 400, replace=False)
    sample = LabelSample.equal(wrong[rows], np.arange(400), POOL)
    centred = scores[rows] - scores.mean()
    covariance = np.cov(wrong[rows], -scores[rows])
    factor = covariance[0, 1] / covariance[1, 1]
    assert tuned_scale(sample, -centred) == pytest.approx(factor)
    expected = wrong[rows].mean() + factor * ((-scores).mean() - (-scores[rows]).mean())
    assert powered_rate(sample, -centred).value == pytest.approx(expected)


def test_ranks_of_ties_are_their_middle_and_what_is_missing_stays_so() -> None:
    ranks = pool_ranks(np.array([3.0, 1.0, 1.0, np.nan, np.inf]))
    assert ranks[:3] == pytest.approx([5 / 6, 1 / 3, 1 / 3])
    assert np.isnan(ranks[3:]).all()


def test_a_logistic_regression_without_penalty_finds_the_odds() -> None:
    group, result = np.repeat([0.0, 1.0], 100)[:, None], np.concatenate([outcomes(20, 100), outcomes(60, 100)])
    intercept, slope = fit_logistic(group, result, np.full(200, 1 / 200), 1e-9)
    assert intercept == pytest.approx(math.log(0.2 / 0.8), abs=1e-4)
    assert intercept + slope == pytest.approx(math.log(0.6 / 0.4), abs=1e-4)


def test_rogan_and_gladen_correct_a_count_by_what_a_threshold_misses() -> None:
    rng = np.random.default_rng(5)
    wrong, scores = metric(rng, 0.3, 2.0)
    rows = rng.choice(POOL, 300, replace=False)
    found = corrected_rate(-scores, rows, LabelSample.equal(wrong[rows], np.arange(300), POOL))
    assert found.estimate.value == pytest.approx(0.3, abs=0.06)
    assert found.estimate.low is not None
    assert found.estimate.low < wrong.mean() < (found.estimate.high or 0)


def test_the_interval_of_lang_and_reiczigel_holds_the_rate() -> None:
    rng = np.random.default_rng(6)
    held = 0
    for _ in range(500):
        share = rng.binomial(500, 0.2 * 0.85 + 0.8 * 0.1) / 500
        low, high = lang_reiczigel(share, 500, rng.binomial(60, 0.85) / 60, 60, rng.binomial(60, 0.9) / 60, 60)
        held += low <= 0.2 <= high
    assert 0.92 < held / 500 < 0.985


def test_labels_of_the_lowest_scores_were_evidently_not_drawn_at_random() -> None:
    rng = np.random.default_rng(7)
    wrong, scores = metric(rng, 0.3, 1.0)
    ranks = pool_ranks(scores)
    for rows, evident in (
        (np.argsort(scores + rng.normal(size=POOL))[:200], True),
        (rng.choice(POOL, 200, replace=False), False),
    ):
        [found] = drawing_tests([ranks], rows, LabelSample.equal(wrong[rows], np.arange(200), POOL))
        assert found.p is not None
        assert (found.p < 0.001) is evident
        assert (found.place < 0.4) is evident


def test_weights_by_the_scores_correct_a_draw_that_depends_on_them() -> None:
    rng = np.random.default_rng(8)
    wrong, scores = metric(rng, 0.3, 1.5)
    rows = np.flatnonzero(rng.random(POOL) < 0.3 / (1 + np.exp(scores)))
    ranks = pool_ranks(scores)
    chances = estimated_probabilities(score_features([ranks]), rows)
    sample = LabelSample.weighted(wrong[rows], rows, chances)
    assert wrong[rows].mean() > wrong.mean() + 0.08
    assert sample.rate == pytest.approx(wrong.mean(), abs=0.05)
    assert not beyond_weights(sample, [ranks], rows)


def test_labels_of_whole_documents_are_told_from_labels_of_single_summaries() -> None:
    rng = np.random.default_rng(9)
    documents = np.arange(POOL) // 10
    assert drawn_by_document(documents, np.arange(100))
    assert not drawn_by_document(documents, rng.choice(POOL, 100, replace=False))


def test_a_difference_is_significant_where_its_interval_leaves_out_zero() -> None:
    for ones in (5, 12, 30, 45):
        first, second = alone(ones, 100), alone(20, 100)
        low, high = difference_interval(first, second)
        p = difference_p(first, second)
        assert p is not None
        assert (p < 0.05) is not (low <= 0 <= high)


def test_two_rates_of_which_all_labels_are_there_differ_without_an_interval() -> None:
    known = {name: Rate(value, 0.0, 50, 50) for name, value in (("a", 0.2), ("b", 0.4))}
    [row] = rate_differences(known)
    assert (row.difference.value, row.difference.low, row.p) == (pytest.approx(-0.2), None, None)
    assert row.difference.error == ALL_LABELLED
    [mixed] = rate_differences({"a": known["a"], "c": alone(20, 100)})
    assert mixed.difference.low is not None
    assert mixed.p is not None


def test_grades_that_are_all_the_same_have_no_interval() -> None:
    found = powered_mean(LabelSample.equal(np.full(30, 4.0), np.arange(30), POOL), None)
    assert (found.value, found.low, found.error) == (pytest.approx(4.0), None, ALL_ALIKE)


def test_a_carried_rate_that_lies_outside_of_zero_to_one_says_so() -> None:
    found = CarriedRate(-0.4, 0.0001, 100, 100).estimate()
    assert (found.value, found.low, found.error) == (0.0, None, OUTSIDE)
    inside = CarriedRate(0.01, 0.0001, 100, 100).estimate()
    assert (inside.low, inside.high) == (0.0, pytest.approx(0.01 + 1.984 * 0.01, abs=1e-3))


def test_a_metric_that_says_nothing_makes_no_label_worth_more_and_has_no_interval() -> None:
    rng = np.random.default_rng(3)
    sample = LabelSample.equal((rng.random(100) < 0.3).astype(np.float64), np.arange(100), POOL)
    worth = worth_interval(sample, np.zeros(100), POOL)
    assert (worth.value, worth.low) == (pytest.approx(100), None)


def test_equal_rates_differ_in_five_percent_of_draws_at_most() -> None:
    rng = np.random.default_rng(10)
    ps = [difference_p(alone(rng.binomial(80, 0.2), 80), alone(rng.binomial(80, 0.2), 80)) for _ in range(200)]
    assert np.mean([p is not None and p < 0.05 for p in ps]) < 0.09


def test_ranks_leave_open_what_no_significant_difference_rules_out() -> None:
    rates = {"a": alone(10, 200), "b": alone(14, 200), "c": alone(120, 200)}
    ranks = rank_intervals(rates, rate_differences(rates))
    assert [(ranks[name].value, ranks[name].low, ranks[name].high) for name in "abc"] == [
        (1, 1, 2),
        (2, 1, 2),
        (3, 3, 3),
    ]


def test_a_perfect_metric_explains_everything_and_a_coin_nothing() -> None:
    assert explained_share(0.5, 0.1) == pytest.approx(0, abs=1e-6)
    assert explained_share(0.99999999, 0.1) > 0.98
    assert 0.2 < explained_share(0.9, 0.3) < 0.6


def test_the_labels_that_are_needed_just_reach_the_margin() -> None:
    for rate, explained in ((0.1, 0.0), (0.3, 0.4), (0.02, 0.4)):
        n = labels_needed(0.03, rate, 10_000, explained)
        assert expected_margin(n, rate, 10_000, explained) <= 0.03
        assert expected_margin(n - 1, rate, 10_000, explained) > 0.03
    assert labels_needed(1e-6, 0.1, 500) == 500
    assert list(label_grid(1000))[::29] == [10, 1000]


def test_a_label_with_its_score_is_worth_what_the_score_explains() -> None:
    """A metric of an area of .9 at a rate of 30 % explains 43 % of the variance (binormal): 100 labels are worth 175."""
    rng = np.random.default_rng(2)
    wrong, scores = metric(rng, 0.3, math.sqrt(2) * 1.2816)
    worth = worth_with_scores(scores, wrong, np.arange(POOL))
    assert worth is not None
    assert worth.value == pytest.approx(1 / (1 - explained_share(0.9, 0.3)), rel=0.06)
    assert worth.low is not None
    assert worth.low < worth.value < (worth.high or 0)
    noise = worth_with_scores(rng.normal(size=POOL), wrong, np.arange(POOL))
    assert noise is not None
    assert noise.value == pytest.approx(1, abs=0.01)
    oracle = worth_with_scores(1.0 - wrong, wrong, np.arange(POOL))
    assert oracle is not None
    assert oracle.value is not None
    assert 100 < oracle.value <= POOL
    assert worth_with_scores(scores[:30], outcomes(3, 30), np.arange(30)) is None
