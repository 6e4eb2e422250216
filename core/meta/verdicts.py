"""The verdict grid: did each metric move the right way on each minimal pair, the wrong way, or within its noise?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

import numpy as np

from core.meta.cases import Cases, Column
from core.stats.statistic import Values

_LEAST = 5  # harmless edits that a band of noise rests on


class Move(StrEnum):
    """What a metric did on a pair, against the human label."""

    RIGHT = "right way"
    WRONG = "wrong way"
    STILL = "within noise"
    NONE = "no score"


@dataclass(frozen=True, slots=True)
class Noise:
    """The middle 95 % of a metric's shifts under `n` harmless edits; exactly zero where fewer than five are known."""

    low: float
    high: float
    n: int


@dataclass(frozen=True, slots=True)
class Line:
    """One pair, by the rows of its faithful and its broken side, with the moves of the metrics in order."""

    good: int
    bad: int
    moves: tuple[Move, ...]


FILTERS: MappingProxyType[str, Callable[[Line], bool]] = MappingProxyType(
    {
        "all pairs": lambda line: True,  # noqa: ARG005  # it keeps whatever it is shown
        "metrics disagree": lambda line: {Move.RIGHT, Move.WRONG} <= set(line.moves),
        "all wrong": lambda line: _none_right(line.moves),
    }
)
"""Which pairs to show; "all wrong" are those on which no metric that scored them moved the right way."""


def noise(cases: Cases, column: Column) -> Noise:
    """How far a metric moves when an edit breaks nothing, from the harmless edits among the cases."""
    before, after = cases.harmless.T
    shifts = column.values[after] - column.values[before]
    known = shifts[~np.isnan(shifts)]
    if len(known) < _LEAST:
        return Noise(0.0, 0.0, len(known))
    low, high = np.quantile(known, [0.025, 0.975])
    return Noise(min(0.0, float(low)), max(0.0, float(high)), len(known))


def grid(cases: Cases, columns: Sequence[Column]) -> list[Line]:
    """A line for every minimal pair; a metric without a better side has no verdict. At least one column."""
    moves = [_moves(cases, column) for column in columns]
    return [
        Line(int(good), int(bad), of_pair)
        for (good, bad), of_pair in zip(cases.pairs, zip(*moves, strict=True), strict=True)
    ]


def chosen(lines: Iterable[Line], name: str) -> list[Line]:
    """The lines that a filter keeps."""
    return [line for line in lines if FILTERS[name](line)]


def _moves(cases: Cases, column: Column) -> list[Move]:
    band, (good, bad) = noise(cases, column), cases.pairs.T
    return [_move(column, band, shift) for shift in column.values[bad] - column.values[good]]


def _move(column: Column, band: Noise, shift: Values) -> Move:
    if np.isnan(shift) or column.direction == "neutral":
        return Move.NONE
    if band.low <= shift <= band.high:
        return Move.STILL
    fell = shift < 0
    return Move.RIGHT if fell == (column.direction == "higher") else Move.WRONG


def _none_right(moves: Sequence[Move]) -> bool:
    scored = [move for move in moves if move is not Move.NONE]
    return bool(scored) and Move.RIGHT not in scored
