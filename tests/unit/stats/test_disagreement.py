"""How far metrics disagree."""

from __future__ import annotations

import numpy as np
import pytest

from core.stats.disagreement import rank_disagreement

nan = np.nan


def test_an_item_that_metrics_rank_alike_has_none_and_scales_do_not_count() -> None:
    alike = np.array([[0.1, 10.0], [0.2, 20.0], [0.3, 9000.0]])
    assert rank_disagreement(alike).tolist() == [0, 0, 0]


def test_what_one_metric_puts_first_and_another_last_has_most() -> None:
    # ranks: (1/6, 5/6), (3/6, 3/6), (5/6, 1/6); the standard deviation of two is half of their distance
    found = rank_disagreement(np.array([[1.0, 3.0], [2.0, 2.0], [3.0, 1.0]]))
    assert found.tolist() == pytest.approx([1 / 3, 0, 1 / 3])


def test_ties_share_the_middle_rank() -> None:
    found = rank_disagreement(np.array([[1.0, 1.0], [1.0, 2.0]]))
    assert found.tolist() == pytest.approx([1 / 8, 1 / 8])


def test_what_fewer_than_two_metrics_scored_cannot_be_compared() -> None:
    found = rank_disagreement(np.array([[1.0, nan], [2.0, 2.0], [nan, nan]]))
    assert np.isnan(found).tolist() == [True, False, True]
    assert rank_disagreement(np.empty((2, 0))).shape == (2,)
