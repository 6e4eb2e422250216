"""What is counted of a minimal pair, and on which side a metric has to be better."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from core.stats.bootstrap import Resamples
from core.stats.score_pairs import (
    ScorePairs,
    consistency_share,
    mean_absolute_shift,
    mean_shift,
    noise_range,
    sign_rate,
    tie_share,
    wrong_way_share,
)
from core.stats.statistic import Statistic
from core.types import Direction
from tests.unit.core.stats.naive import assert_the_same

PAIRS = ScorePairs(
    original=np.array([0.9, 0.5, 0.4, 0.7, np.nan, 0.6]),
    edited=np.array([0.1, 0.5, 0.8, 0.6, 0.3, 0.2]),
    documents=np.array([0, 0, 1, 2, 3, 4]),
)
RESAMPLES = Resamples.draw(5, 200)


def value(statistic: Statistic) -> float | None:
    return RESAMPLES.of(statistic).value


def test_consistency_counts_ties_as_failures_and_leaves_out_what_failed() -> None:
    found = RESAMPLES.estimate(consistency_share(PAIRS))
    assert (found.value, found.n) == (3 / 5, 5)
    assert found.low is not None
    assert found.high is not None
    assert found.low < 3 / 5 < found.high


def test_the_shares_of_right_wrong_and_tied_pairs_add_up_to_one() -> None:
    shares = [value(part(PAIRS)) for part in (consistency_share, wrong_way_share, tie_share)]
    assert shares == [3 / 5, 1 / 5, 1 / 5]


def test_a_metric_that_falls_with_consistency_is_right_where_the_other_is_wrong() -> None:
    turned = replace(PAIRS, direction="lower")
    assert value(consistency_share(turned)) == value(wrong_way_share(PAIRS))
    assert value(sign_rate(turned)) == 1 / 4


def test_the_sign_rate_leaves_ties_out() -> None:
    found = RESAMPLES.estimate(sign_rate(PAIRS))
    assert (found.value, found.n) == (3 / 4, 4)


@pytest.mark.parametrize("direction", ["higher", "lower", "neutral"])
def test_shifts_are_in_the_metrics_own_units_whatever_its_direction(direction: Direction) -> None:
    pairs = replace(PAIRS, direction=direction)
    assert value(mean_shift(pairs)) == pytest.approx((-0.8 + 0 + 0.4 - 0.1 - 0.4) / 5)
    assert value(mean_absolute_shift(pairs)) == pytest.approx((0.8 + 0 + 0.4 + 0.1 + 0.4) / 5)


@pytest.mark.parametrize("part", [consistency_share, wrong_way_share, sign_rate])
def test_a_metric_without_a_better_side_has_no_right_and_wrong(part: Callable[[ScorePairs], Statistic]) -> None:
    found = RESAMPLES.estimate(part(replace(PAIRS, direction="neutral")))
    assert (found.value, found.n, found.error) == (None, 5, "The metric has no better side.")


def test_a_metric_that_never_moves_has_no_sign() -> None:
    found = RESAMPLES.estimate(sign_rate(replace(PAIRS, edited=PAIRS.original)))
    assert (found.value, found.n, found.error) == (None, 0, "No pair moved.")


def test_every_resample_is_counted_anew() -> None:
    rng = np.random.default_rng(3)
    before, after, documents = rng.integers(0, 4, 60) / 4, rng.integers(0, 4, 60) / 4, rng.integers(0, 12, 60)
    pairs, resamples = ScorePairs(before, after, documents), Resamples.draw(12, 200)
    shift = after - before
    assert_the_same(consistency_share(pairs), lambda at: float((shift[at] < 0).mean()), documents, resamples)
    assert_the_same(tie_share(pairs), lambda at: float((shift[at] == 0).mean()), documents, resamples)
    assert_the_same(mean_shift(pairs), lambda at: float(shift[at].mean()), documents, resamples)
    assert_the_same(mean_absolute_shift(pairs), lambda at: float(abs(shift[at]).mean()), documents, resamples)
    assert_the_same(sign_rate(pairs), lambda at: (shift[at] < 0).sum() / (shift[at] != 0).sum(), documents, resamples)


def test_noise_reaches_from_no_shift_to_the_farthest_of_five_harmless_shifts_that_are_known() -> None:
    shifts = np.array([0.3, np.nan, 0.1, 0.2, np.nan, 0.4, 0.25])
    assert noise_range(shifts) == (0.0, 0.4)
    assert noise_range(-shifts) == (-0.4, 0.0)
    assert noise_range(shifts[:-1]) is None


def test_noise_is_the_middle_95_percent_of_thirty_harmless_shifts_or_more() -> None:
    shifts = np.linspace(-1.0, 1.0, 41)
    assert noise_range(shifts) == pytest.approx((-0.95, 0.95))
    assert noise_range(shifts[:29]) == pytest.approx((-1.0, 0.4))
