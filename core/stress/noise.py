"""The null band: how far a metric moves when nothing was broken, by edits of about the same size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.stress.shifts import Shift

_ALIKE = 2  # sizes within this factor count as the same
_LEAST = 5  # shifts that a band rests on


@dataclass(frozen=True, slots=True)
class Band:
    """The middle 95 % of the shifts of `n` harmless edits, and their mean size, in the metric's own units.

    None where fewer than five harmless edits were scored; `any_size` says that too few of the same size were, so that
    all of them count.
    """

    low: float | None
    high: float | None
    size: float | None
    n: int
    any_size: bool = False

    def multiple(self, shift: float) -> float | None:
        """How many times the mean harmless shift this one is; None where there is nothing to compare with."""
        return abs(shift) / self.size if self.size else None

    def holds(self, shift: float) -> bool | None:
        """Whether a shift lies within the band; None where there is none."""
        return None if self.low is None or self.high is None else self.low <= shift <= self.high


def band(harmless: Sequence[Shift], words: int) -> Band:
    """The band of one metric for edits that change so many words; `harmless` are its shifts under such edits."""
    alike = [shift for shift in harmless if shift.words <= _ALIKE * words and words <= _ALIKE * shift.words]
    few = _count(alike) < _LEAST
    sizes = np.array([shift.size for shift in (harmless if few else alike) if shift.size is not None])
    if len(sizes) < _LEAST:
        return Band(None, None, None, len(sizes))
    low, high = np.quantile(sizes, [0.025, 0.975])
    return Band(float(low), float(high), float(np.abs(sizes).mean()), len(sizes), any_size=few)


def _count(found: Sequence[Shift]) -> int:
    return sum(shift.size is not None for shift in found)
