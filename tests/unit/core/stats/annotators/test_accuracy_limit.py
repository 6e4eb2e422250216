"""Evidence that somebody lies below a limit: its definition, and how often it errs when it is looked at after every answer."""

from __future__ import annotations

import numpy as np
import pytest

from core.stats.annotators.accuracy_limit import evidence_below, upper_share


@pytest.mark.parametrize(("right", "total", "limit"), [(0, 1, 0.7), (0, 4, 0.7), (3, 9, 0.5), (40, 60, 0.9)])
def test_it_is_the_averaged_likelihood_by_that_at_the_limit(right: int, total: int, limit: float) -> None:
    shares = (np.arange(200_000) + 0.5) / 200_000 * limit
    likelihoods = shares**right * (1 - shares) ** (total - right)
    expected = likelihoods.mean() / (limit**right * (1 - limit) ** (total - right))
    assert evidence_below(right, total, limit) == pytest.approx(expected, rel=1e-4)


def test_nothing_is_known_before_an_answer_and_four_wrong_ones_are_enough_at_70_percent() -> None:
    assert evidence_below(0, 0, 0.7) == pytest.approx(1)
    assert [evidence_below(0, wrong, 0.7) >= 20 for wrong in (1, 2, 3, 4)] == [False, False, False, True]
    assert upper_share(0, 4) < 0.7 < upper_share(0, 3)
    assert upper_share(0, 0) == 1


@pytest.mark.slow
def test_who_keeps_to_the_limit_is_paused_in_one_case_of_twenty_at_most_and_who_guesses_is_found() -> None:
    rng = np.random.default_rng(0)

    def paused(accuracy: float, answers: int = 100) -> float:
        right = (rng.random((400, answers)) < accuracy).cumsum(axis=1)
        return float(
            np.mean([any(evidence_below(int(row[n]), n + 1, 0.7) >= 20 for n in range(answers)) for row in right])
        )

    assert paused(0.7) <= 0.05
    assert paused(0.4) > 0.95


def test_many_answers_overflow_nothing() -> None:
    assert evidence_below(0, 5000, 0.9) == float("inf")
    assert evidence_below(5000, 5000, 0.9) < 1e-3
