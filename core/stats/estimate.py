"""What leaves this package: a figure with its interval and the number of cases it rests on."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Estimate:
    """A statistic of `n` cases with its 95 % interval.

    `value` is None where the statistic is undefined, `low` and `high` where there is no interval; `why` says for what
    reason, or why the interval must not be trusted.
    """

    value: float | None
    low: float | None
    high: float | None
    n: int
    why: str = ""
