"""The best metric of a slice by one figure, and which others are significantly worse."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from core.stats.comparison import holm_correction
from core.stats.statistic import Estimate

SIGNIFICANCE_LEVEL = 0.05
CORRECTION = "Holm (1979), over the metrics that are compared with the best of a slice"
"""Correction of the p of every test for the number of tests."""

_EQUAL = 1e-12  # of a figure: what the order of summing leaves between equal ones


@dataclass(frozen=True, slots=True)
class MetricStatistic:
    """A statistic of one metric on one slice.

    `best` marks the largest value of the slice, all of them where several are equal; `level` those that are not
    significantly worse. `tests` has the p of being equal to the best by each test, corrected by Holm, None where the
    test is not possible; the first of them decides what is level.
    """

    estimate: Estimate
    best: bool = False
    level: bool = False
    tests: Mapping[str, float | None] = field(default_factory=dict)

    @property
    def p(self) -> float | None:
        """The p of the first test."""
        return next(iter(self.tests.values()), None)

    @property
    def untested(self) -> bool:
        """True if no test tells whether it is worse than the best."""
        return bool(self.tests) and not self.best and self.p is None

    @property
    def mark(self) -> str:
        """* best, = not significantly worse, ? not tested; nothing where it is significantly worse or not compared."""
        return "*" if self.best else "=" if self.level else "?" if self.untested else ""


PairedTest = Callable[[str, str], float | None]
"""From the names of two metrics to the p of being equal, None where it cannot be tested."""


def mark_best(estimates: Mapping[str, Estimate], tests: Mapping[str, PairedTest]) -> dict[str, MetricStatistic]:
    """Every metric's figure compared with the largest one by each of the tests."""
    values = {metric: estimate.value for metric, estimate in estimates.items() if estimate.value is not None}
    if not values:
        return {metric: MetricStatistic(estimate) for metric, estimate in estimates.items()}
    best, *others = sorted(values, key=lambda metric: -values[metric])
    made = {name: {other: test(best, other) for other in others} for name, test in tests.items()}
    corrected = {name: dict(zip(ps, holm_correction([*ps.values()]), strict=True)) for name, ps in made.items()}

    def compared(metric: str, estimate: Estimate) -> MetricStatistic:
        if estimate.value is None:
            return MetricStatistic(estimate)
        # equal but for rounding, as of two names of one metric: both are the largest
        largest = math.isclose(estimate.value, values[best], rel_tol=_EQUAL, abs_tol=_EQUAL)
        p_values = {name: ps.get(metric) for name, ps in corrected.items()}
        p = next(iter(p_values.values()), None)
        return MetricStatistic(estimate, largest, largest or (p is not None and p >= SIGNIFICANCE_LEVEL), p_values)

    return {metric: compared(metric, estimate) for metric, estimate in estimates.items()}
