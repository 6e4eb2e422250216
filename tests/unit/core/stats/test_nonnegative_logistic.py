"""Logistic regression without negative slopes, on members of which one may be missing."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from core.stats.noisy_or import Bags
from core.stats.nonnegative_logistic import (
    PENALTY,
    cross_fit,
    cross_fit_complete,
    cross_log_odds,
    cross_ranks,
    fit_nonnegative,
    fit_with_missing,
    log_odds_with_missing,
    sigmoid,
    standard_scores,
)
from core.stats.statistic import Values

RNG = np.random.default_rng(3)
LABELS = np.arange(120) % 3 > 0
FEATURES = RNG.normal(size=(120, 3)) + np.outer(LABELS, [1.0, 0.5, 0.0])
SINGLES = Bags.singles(FEATURES)


def test_positive_slopes_are_those_of_ridge_regression() -> None:
    fitted = fit_nonnegative(Bags.singles(FEATURES[:, :2]), LABELS)
    theirs = LogisticRegression(C=1 / PENALTY, tol=1e-10).fit(FEATURES[:, :2], LABELS)
    assert fitted == pytest.approx(np.append(theirs.intercept_, theirs.coef_[0]), abs=1e-4)


def test_a_member_that_points_the_wrong_way_has_no_weight() -> None:
    fitted = fit_nonnegative(Bags.singles(np.column_stack([FEATURES[:, 0], -FEATURES[:, 0]])), LABELS)
    assert fitted[2] == 0
    assert fitted[:2] == pytest.approx(fit_nonnegative(Bags.singles(FEATURES[:, :1]), LABELS), abs=1e-4)


def test_the_fit_without_a_member_counts_where_it_has_no_score() -> None:
    holes = FEATURES.copy()
    holes[0, 1], holes[1, :2] = np.nan, np.nan
    fits = fit_with_missing(Bags.singles(holes), LABELS)
    assert fits[2, 2] == 0
    assert fits[2, [0, 1, 3]] == pytest.approx(
        fit_nonnegative(Bags.singles(np.delete(FEATURES, 1, axis=0)[:, [0, 2]]), LABELS[np.arange(120) != 1])
    )
    logits = log_odds_with_missing(fits, Bags.singles(holes))
    assert logits[0] == pytest.approx(fits[2, 0] + fits[2, 1] * holes[0, 0] + fits[2, 3] * holes[0, 2])
    assert np.isnan(logits[1])
    assert logits[2] == pytest.approx(fits[0, 0] + fits[0, 1:] @ holes[2])


def test_labels_of_one_kind_and_no_members_give_no_fit() -> None:
    assert np.isnan(fit_with_missing(SINGLES, np.ones(120, dtype=np.bool_))).all()
    alone = fit_with_missing(Bags.singles(FEATURES[:, :1]), LABELS)
    assert not np.isnan(alone[0]).any()
    assert np.isnan(alone[1]).all()


def test_each_fold_is_predicted_by_the_labels_of_the_others() -> None:
    folds = np.arange(120) % 4
    fits = cross_fit(SINGLES, LABELS, folds)
    changed = np.where(folds == 2, ~LABELS, LABELS)
    again = cross_fit(SINGLES, changed, folds)
    assert fits[2] == pytest.approx(again[2])
    assert fits[1] != pytest.approx(again[1])
    logits = cross_log_odds(fits, SINGLES, folds)
    assert logits[folds == 2] == pytest.approx(log_odds_with_missing(fits[2], SINGLES.only(folds == 2)))


def test_bags_that_miss_no_member_are_fitted_once_a_fold() -> None:
    folds = np.arange(120) % 4
    assert cross_fit_complete(SINGLES, LABELS, folds)[:, 0] == pytest.approx(cross_fit(SINGLES, LABELS, folds)[:, 0])
    assert np.isnan(cross_fit_complete(SINGLES, np.ones(120, dtype=np.bool_), folds)).all()


def test_ranks_order_folds_whatever_their_intercepts() -> None:
    folds = np.arange(120) % 4
    fits = cross_fit(SINGLES, LABELS, folds)
    moved = fits.copy()
    moved[1, :, 0] += 5
    assert cross_ranks(moved, SINGLES, folds) == pytest.approx(cross_ranks(fits, SINGLES, folds))


def test_standard_scores_of_a_constant_are_zero_and_large_odds_do_not_overflow() -> None:
    scores = standard_scores(np.array([[2.0, 5.0], [4.0, np.nan]]), np.array([3.0, 5.0]), np.array([1.0, 0.0]))
    assert scores[0].tolist() == [-1, 0]
    assert np.isnan(scores[1, 1])
    assert sigmoid(np.array([-2000.0, 0.0, 2000.0])).tolist() == [0, 0.5, 1]


def test_the_fit_of_bags_is_the_maximum_of_their_likelihood() -> None:
    from scipy.optimize import minimize

    owners = np.repeat(np.arange(60), 2)
    labels = LABELS[::2]

    def loss(fit: Values) -> float:
        chances = sigmoid(fit[0] + FEATURES @ fit[1:])
        whole = chances[::2] * chances[1::2]
        return float(-np.log(np.where(labels, whole, 1 - whole)).sum() + PENALTY * fit[1:] @ fit[1:] / 2)

    theirs = minimize(loss, np.zeros(4), bounds=[(None, None), *[(0, None)] * 3], tol=1e-12)
    assert fit_nonnegative(Bags(FEATURES, owners), labels) == pytest.approx(theirs.x, abs=1e-4)


def test_a_bag_is_as_consistent_as_all_of_its_rows_together() -> None:
    fits = np.array([[0.5, 1.0, 2.0], [0.0, 0.0, 1.0], [0.0, 1.0, 0.0]])
    bags = Bags(np.array([[1.0, 0.0], [-1.0, 0.5], [0.3, np.nan], [30.0, 30.0]]), np.array([0, 0, 1, 2]))
    chances = sigmoid(log_odds_with_missing(fits, bags))
    assert chances[:2] == pytest.approx([sigmoid(np.array(1.5)) * sigmoid(np.array(0.5)), sigmoid(np.array(0.3))])
    assert log_odds_with_missing(fits, bags)[2] == pytest.approx(90.5)
