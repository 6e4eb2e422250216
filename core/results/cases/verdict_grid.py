"""The verdict grid: did each metric move the right way on each minimal pair, the wrong way, or within its noise?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from core.results.cases.cases import Cases, MetricColumn
from core.stats.score_pairs import Move, classify_move, noise_range, with_least_ends


@dataclass(frozen=True, slots=True)
class NoiseBand:
    """The range of a metric's shifts under `n` harmless edits and no shift; exactly zero where fewer than five are known."""

    low: float
    high: float
    n: int


@dataclass(frozen=True, slots=True)
class PairVerdict:
    """One pair, by the rows of its faithful and its broken side, with the moves of the metrics in order."""

    good: int
    bad: int
    moves: tuple[Move, ...]


PAIR_FILTERS: MappingProxyType[str, Callable[[PairVerdict], bool]] = MappingProxyType(
    {
        "all pairs": lambda line: True,  # noqa: ARG005  # it keeps whatever it is shown
        "metrics disagree": lambda line: {Move.RIGHT, Move.WRONG} <= set(line.moves),
        "all wrong": lambda line: Move.RIGHT not in line.moves and not {Move.NONE}.issuperset(line.moves),
    }
)
"""Pairs to show; "all wrong" are those on which no metric that scored them moved the right way."""


def noise_band(cases: Cases, column: MetricColumn) -> NoiseBand:
    """Range in which a metric moves when an edit breaks nothing, from the harmless edits among the cases."""
    before, after = cases.harmless.T
    shifts = column.values[after] - column.values[before]
    low, high = noise_range(shifts) or (0.0, 0.0)
    return NoiseBand(low, high, int(np.sum(~np.isnan(shifts))))


def build_verdict_grid(cases: Cases, columns: Sequence[MetricColumn]) -> list[PairVerdict]:
    """A line for every minimal pair; a metric without a better side has no verdict. At least one column."""
    moves = []
    for column in columns:
        band, ends = noise_band(cases, column), cases.pairs.T
        shifts = column.values[ends[1]] - column.values[ends[0]]
        quiet = with_least_ends(band.low, band.high)
        moves.append([classify_move(shift, quiet, column.direction, preserving=False) for shift in shifts])
    return [
        PairVerdict(int(good), int(bad), of_pair)
        for (good, bad), of_pair in zip(cases.pairs, zip(*moves, strict=True), strict=True)
    ]


def filter_pairs(lines: Iterable[PairVerdict], name: str) -> list[PairVerdict]:
    """The lines that a filter keeps."""
    return [line for line in lines if PAIR_FILTERS[name](line)]
