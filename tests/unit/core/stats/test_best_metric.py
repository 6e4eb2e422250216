"""The best metric of a slice, and which others are significantly worse."""

from __future__ import annotations

import pytest

from core.stats.best_metric import mark_best
from core.stats.statistic import Estimate


def marks(p: float | None, others: int) -> set[str]:
    """The marks of so many metrics that are all below the best with the same p of one test."""
    estimates = {f"m{place}": Estimate(1.0 - place / 100, None, None, 50) for place in range(others + 1)}
    found = mark_best(estimates, {"paired bootstrap": lambda best, other: p})  # noqa: ARG005
    assert found["m0"].mark == "*"
    return {figure.mark for name, figure in found.items() if name != "m0"}


@pytest.mark.parametrize(
    ("p", "others", "mark"),
    [(0.004, 11, ""), (0.005, 11, "="), (0.4, 11, "="), (0.04, 1, ""), (None, 3, "?")],
)
def test_a_metric_is_level_unless_its_corrected_p_says_that_it_is_worse(
    p: float | None, others: int, mark: str
) -> None:
    assert marks(p, others) == {mark}
