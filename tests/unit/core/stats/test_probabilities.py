"""Calibration and transferred thresholds on cases that are counted by hand."""

from __future__ import annotations

import numpy as np
import pytest

from core.stats.bootstrap import Resamples
from core.stats.discrimination import LabelledScores
from core.stats.probabilities import (
    brier_score,
    calibration_error,
    isotonic_probabilities,
    raw_probabilities,
    threshold_decisions,
)
from core.stats.statistic import Statistic, deal_folds


def labelled(scores: list[float], labels: str, direction: str = "higher") -> LabelledScores:
    kinds = np.array([mark == "1" for mark in labels])
    return LabelledScores(np.array(scores), kinds, np.arange(len(scores)), direction)  # type: ignore[arg-type]


def value_of(statistic: Statistic) -> float:
    return float(statistic.weigh(np.ones((len(statistic.documents), 1)))[0])


def test_brier_score_and_calibration_error_are_those_counted_by_hand() -> None:
    """Bins .1-.2: probabilities .12 and .18, none consistent. Bin .9-1: .9 and 1.0, one of two. One case has no probability."""
    probabilities, labels, documents = (
        np.array([0.12, 0.18, 0.9, 1.0, np.nan]),
        np.array([0, 0, 0, 1, 1]) == 1,
        np.arange(5),
    )
    brier = brier_score(probabilities, labels, documents)
    assert (brier.n, value_of(brier)) == (4, pytest.approx((0.0144 + 0.0324 + 0.81 + 0) / 4))
    error = calibration_error(probabilities, labels, documents)
    assert (error.n, value_of(error)) == (4, pytest.approx((0.30 + 0.90) / 4))
    estimate = Resamples.draw(5, 10).estimate(error)
    assert (estimate.low, estimate.documents) == (None, 4)
    assert "too high where cases are few" in estimate.error


def test_probabilities_of_a_fold_are_isotonic_in_the_other_fold_and_flat_beyond_it() -> None:
    """Fold 0 teaches 1:0, 2:1, 3:0, 4:1; pooled neighbours are 0, ½, ½, 1, and lines between them."""
    found = isotonic_probabilities(
        labelled([1, 2, 3, 4, 0, 1.5, 2.5, 9, np.nan], "010100000"), np.ones(9, dtype=bool), np.array([0] * 4 + [1] * 5)
    )
    assert found[4:8].tolist() == [0.0, 0.25, 0.5, 1.0]
    assert np.isnan(found[8])
    assert found[:4].tolist() == [0.0] * 4  # the other fold knows inconsistent ones only


def test_a_metric_that_is_lower_where_better_is_turned() -> None:
    scores = labelled([4, 3, 2, 1, 1.5], "01010", "lower")
    found = isotonic_probabilities(scores, np.ones(5, dtype=bool), np.array([0, 0, 0, 0, 1]))
    assert found[4] == pytest.approx(0.75)
    raw = raw_probabilities(labelled([0.25, 1.0], "01", "lower"))
    assert raw is not None
    assert raw.tolist() == [0.75, 0.0]
    assert raw_probabilities(labelled([0.25, 1.1], "01")) is None
    assert raw_probabilities(labelled([0.25, 0.1], "01", "neutral")) is None


def test_the_threshold_of_a_fold_comes_from_the_chosen_cases_of_the_other_fold() -> None:
    """Of the first four, 2 parts the labels of fold 0 between 1 and 3, and 6 those of fold 1 between 5 and 7."""
    scores = labelled([1, 3, 5, 7, 4, 4, np.nan], "0101110")
    learnt = np.array([True] * 4 + [False] * 3)
    found = threshold_decisions(scores, learnt, np.array([0, 0, 1, 1, 0, 1, 1]))
    assert found[4:6].tolist() == [0.0, 1.0]  # fold 0 is refused by 6, fold 1 accepted by 2
    assert np.isnan(found[6])
    one_kind = threshold_decisions(scores, np.array([False, True] * 3 + [False]), np.array([0, 0, 1, 1, 0, 1, 1]))
    assert np.isnan(one_kind).all()


def test_folds_keep_documents_together_and_are_equally_large() -> None:
    documents = np.repeat(np.arange(20) * 3, 4)
    folds = deal_folds(documents, 5)
    assert all(len(set(folds[documents == one])) == 1 for one in documents)
    assert np.bincount(folds).tolist() == [16] * 5
