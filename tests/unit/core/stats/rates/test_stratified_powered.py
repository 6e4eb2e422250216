"""Prediction-powered rates by strata of score, and means of grades, beside what loops over a textbook's formula give."""

from __future__ import annotations

import numpy as np
import pytest

from core.stats.rates.powered_mean import powered_mean, predict_means
from core.stats.rates.prediction_powered import Predictions, pool_ranks, predict_rates, score_features
from core.stats.rates.rate import LabelSample, labels_alone
from core.stats.rates.stratified_powered import score_strata, stratified_rate
from core.stats.statistic import Numbers, Values

POOL, LABELS = 3000, 300


def drawn(seed: int = 0, slope: float = 2.0) -> tuple[Values, Numbers, LabelSample, Values]:
    """Features and outcomes of a pool, and the sample of some rows; grades in place of outcomes are the feature and noise."""
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=POOL)
    wrong = (rng.random(POOL) < 1 / (1 + np.exp(1.5 - slope * scores))).astype(np.float64)
    rows = rng.choice(POOL, LABELS, replace=False)
    sample = LabelSample.equal(wrong[rows], np.arange(LABELS), POOL)
    return score_features([pool_ranks(scores)]), rows, sample, 3 + scores + rng.normal(size=POOL)


def test_strata_are_about_even_and_none_has_fewer_than_ten_labels() -> None:
    features, rows, sample, _ = drawn()
    predictions = predict_rates(features, rows, sample)
    assert predictions
    strata = score_strata(predictions, sample)
    assert np.bincount(strata) == pytest.approx(np.full(5, POOL / 5), abs=2)
    few = Predictions(predictions.of_pool, predictions.folds[:12], rows[:12])
    assert set(score_strata(few, sample)) == {0}


def test_the_rate_is_that_of_the_strata_weighted_by_their_shares() -> None:
    features, rows, sample, _ = drawn()
    predictions = predict_rates(features, rows, sample)
    assert predictions
    strata = score_strata(predictions, sample)
    value, variance = 0.0, 0.0
    for stratum in range(5):
        inside = strata == stratum
        labels = [place for place in range(LABELS) if inside[rows[place]]]
        ours = sample.outcomes[labels]
        theirs = np.array(
            [
                predictions.of_pool[predictions.folds[place], rows[place]]
                - predictions.of_pool[predictions.folds[place], inside].mean()
                for place in labels
            ]
        )
        factor = np.cov(ours, theirs, bias=True)[0, 1] / theirs.var()
        corrected = ours - min(max(factor, 0), 2) * theirs
        share = inside.mean()
        value += share * corrected.mean()
        variance += share**2 * corrected.var() / len(labels) * (1 - LABELS / POOL)
    found = stratified_rate(sample, predictions)
    assert found.value == pytest.approx(value)
    assert found.variance == pytest.approx(variance * LABELS / (LABELS - 10))
    assert found.variance < labels_alone(sample).variance


def test_without_predictions_or_with_few_errors_it_is_that_of_the_labels_alone() -> None:
    features, rows, sample, _ = drawn()
    assert stratified_rate(sample, None) == labels_alone(sample)
    outcomes = np.zeros(LABELS)
    outcomes[:6] = 1
    few = LabelSample.equal(outcomes, np.arange(LABELS), POOL)
    assert stratified_rate(few, predict_rates(features, rows, few)) == labels_alone(few)


def test_the_mean_of_a_grade_is_held_and_scores_make_its_interval_narrower() -> None:
    held, narrower = 0, []
    for seed in range(40):
        features, rows, sample, grades = drawn(seed)
        graded = LabelSample.equal(grades[rows], sample.documents, POOL)
        both, alone = powered_mean(graded, predict_means(features, rows, graded)), powered_mean(graded, None)
        assert both.low is not None
        assert both.high is not None
        assert alone.low is not None
        assert alone.high is not None
        held += both.low <= grades.mean() <= both.high
        narrower.append((both.high - both.low) / (alone.high - alone.low))
    assert held >= 35  # of 40; fewer have a probability of 1 % where each has one of 95 %
    assert np.mean(narrower) == pytest.approx(np.sqrt(0.5), abs=0.05)  # scores explain half of the variance


def test_a_mean_of_one_document_has_no_interval_and_one_of_few_grades_takes_no_scores() -> None:
    features, rows, sample, grades = drawn()
    single = LabelSample.equal(grades[rows[:5]], np.zeros(5, dtype=np.intp), POOL)
    assert powered_mean(single, None).low is None
    few = LabelSample.equal(grades[rows[:10]], np.arange(10), POOL)
    assert predict_means(features, rows[:10], few) is None
    assert sample.n == LABELS
