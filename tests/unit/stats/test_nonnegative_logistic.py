"""Logistic regression without negative slopes, on members of which one may be missing."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from core.stats.nonnegative_logistic import (
    PENALTY,
    cross_fit,
    cross_log_odds,
    cross_ranks,
    fit_nonnegative,
    fit_with_missing,
    log_odds_with_missing,
    sigmoid,
    standard_scores,
)

RNG = np.random.default_rng(3)
LABELS = np.arange(120) % 3 > 0
FEATURES = RNG.normal(size=(120, 3)) + np.outer(LABELS, [1.0, 0.5, 0.0])


def test_positive_slopes_are_those_of_ridge_regression() -> None:
    fitted = fit_nonnegative(FEATURES[:, :2], LABELS)
    theirs = LogisticRegression(C=1 / PENALTY, tol=1e-10).fit(FEATURES[:, :2], LABELS)
    assert fitted == pytest.approx(np.append(theirs.intercept_, theirs.coef_[0]), abs=1e-4)


def test_a_member_that_points_the_wrong_way_has_no_weight() -> None:
    fitted = fit_nonnegative(np.column_stack([FEATURES[:, 0], -FEATURES[:, 0]]), LABELS)
    assert fitted[2] == 0
    assert fitted[:2] == pytest.approx(fit_nonnegative(FEATURES[:, :1], LABELS), abs=1e-4)


def test_the_fit_without_a_member_counts_where_it_has_no_score() -> None:
    holes = FEATURES.copy()
    holes[0, 1], holes[1, :2] = np.nan, np.nan
    fits = fit_with_missing(holes, LABELS)
    assert fits[2, 2] == 0
    assert fits[2, [0, 1, 3]] == pytest.approx(
        fit_nonnegative(np.delete(FEATURES, 1, axis=0)[:, [0, 2]], LABELS[np.arange(120) != 1])
    )
    logits = log_odds_with_missing(fits, holes)
    assert logits[0] == pytest.approx(fits[2, 0] + fits[2, 1] * holes[0, 0] + fits[2, 3] * holes[0, 2])
    assert np.isnan(logits[1])
    assert logits[2] == pytest.approx(fits[0, 0] + fits[0, 1:] @ holes[2])


def test_labels_of_one_kind_and_no_members_give_no_fit() -> None:
    assert np.isnan(fit_with_missing(FEATURES, np.ones(120, dtype=np.bool_))).all()
    alone = fit_with_missing(FEATURES[:, :1], LABELS)
    assert not np.isnan(alone[0]).any()
    assert np.isnan(alone[1]).all()


def test_each_fold_is_predicted_by_the_labels_of_the_others() -> None:
    folds = np.arange(120) % 4
    fits = cross_fit(FEATURES, LABELS, folds)
    changed = np.where(folds == 2, ~LABELS, LABELS)
    again = cross_fit(FEATURES, changed, folds)
    assert fits[2] == pytest.approx(again[2])
    assert fits[1] != pytest.approx(again[1])
    logits = cross_log_odds(fits, FEATURES, folds)
    assert logits[folds == 2] == pytest.approx(log_odds_with_missing(fits[2], FEATURES[folds == 2]))


def test_ranks_order_folds_whatever_their_intercepts() -> None:
    folds = np.arange(120) % 4
    fits = cross_fit(FEATURES, LABELS, folds)
    moved = fits.copy()
    moved[1, :, 0] += 5
    assert cross_ranks(moved, FEATURES, folds) == pytest.approx(cross_ranks(fits, FEATURES, folds))


def test_standard_scores_of_a_constant_are_zero_and_large_odds_do_not_overflow() -> None:
    scores = standard_scores(np.array([[2.0, 5.0], [4.0, np.nan]]), np.array([3.0, 5.0]), np.array([1.0, 0.0]))
    assert scores[0].tolist() == [-1, 0]
    assert np.isnan(scores[1, 1])
    assert sigmoid(np.array([-2000.0, 0.0, 2000.0])).tolist() == [0, 0.5, 1]
