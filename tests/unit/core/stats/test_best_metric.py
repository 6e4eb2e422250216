"""The best metric of a slice, and the number of resamples below which nobody can say which others are worse."""

from __future__ import annotations

import pytest

from core.stats.best_metric import mark_best
from core.stats.comparison import holm_correction, resamples_needed
from core.stats.statistic import Estimate


def marks(p: float, others: int, resamples: int | None) -> set[str]:
    """The marks of so many metrics that are all below the best with the same p of one test."""
    estimates = {f"m{place}": Estimate(1.0 - place / 100, None, None, 50) for place in range(others + 1)}
    found = mark_best(estimates, {"paired bootstrap": lambda best, other: p}, resamples)  # noqa: ARG005
    assert found["m0"].mark == "*"
    return {figure.mark for name, figure in found.items() if name != "m0"}


@pytest.mark.parametrize("tests", [1, 2, 11, 30])
def test_holm_can_find_something_from_the_needed_resamples_on(tests: int) -> None:
    needed = resamples_needed(tests, 0.05)
    smallest, smaller = (2 / (number + 1) for number in (needed, needed - 1))
    assert min(filter(None, holm_correction([smallest] * tests))) < 0.05
    assert min(filter(None, holm_correction([smaller] * tests))) >= 0.05 - 1e-12


def test_twelve_metrics_need_440_resamples() -> None:
    assert resamples_needed(11, 0.05) == 440


@pytest.mark.parametrize(
    ("p", "others", "resamples", "mark"),
    [
        (2 / 201, 11, 200, "?"),  # no draw spoke against the best, and 11 times the smallest p is above the level
        (2 / 441, 11, 440, ""),
        (0.4, 11, 200, "="),  # no number of resamples would make it significant
        (2 / 21, 1, 20, "?"),  # the smallest p itself is above the level
        (12 / 21, 1, 20, "="),
        (2 / 201, 11, None, "="),  # a test that rests on no resamples
    ],
)
def test_a_metric_is_level_only_where_the_resamples_can_tell(
    p: float, others: int, resamples: int | None, mark: str
) -> None:
    assert marks(p, others, resamples) == {mark}
