"""The bootstrap as a textbook writes it: one resample after the other, its cases repeated as often as their document."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from core.stats.bootstrap import Resamples
from core.stats.statistic import Numbers, Statistic, Values

OfCases = Callable[[Numbers], float]
"""A statistic of the cases with these numbers, some of them several times."""


def redrawn(statistic: OfCases, documents: Numbers, resamples: Resamples) -> Values:
    """The statistic in every resample, (resamples,)."""
    columns = range(resamples.counts.shape[1])
    cases = [np.repeat(np.arange(len(documents)), resamples.counts[documents, column]) for column in columns]
    return np.array([statistic(chosen) for chosen in cases])


def assert_the_same(fast: Statistic, slow: OfCases, documents: Numbers, resamples: Resamples) -> None:
    """Both ways agree on the cases as they are and in every resample."""
    found = resamples.of(fast)
    assert found.value == pytest.approx(slow(np.arange(len(documents))), abs=1e-12)
    assert found.draws == pytest.approx(redrawn(slow, documents, resamples), abs=1e-12)
