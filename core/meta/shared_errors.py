"""Errors in common: which metrics miss the same minimal pairs, and the fewest metrics that catch what any of them catches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp  # type: ignore[import-untyped]  # it ships no types

from core.errors import TouchstoneError
from core.meta.cases import Cases, MetricColumn
from core.meta.verdict_grid import Move, PairVerdict, build_verdict_grid
from core.stats.statistic import Values
from core.stats.text_tables import align_columns


@dataclass(frozen=True, slots=True)
class SharedErrors:
    """Two metrics on the `n` pairs that both scored: how many each missed, how many both did, and the phi coefficient.

    `expected` is how many both would miss if their misses were independent; `phi` is None where one misses all or none.
    """

    left: str
    right: str
    n: int
    left_missed: int
    right_missed: int
    both_missed: int
    expected: float
    phi: float | None


@dataclass(frozen=True, slots=True)
class Coverage:
    """`metrics` are the fewest that together catch every pair that any of `among` metrics catches.

    They come with the most useful first; `gains` are the pairs that each adds. `caught` of `pairs` are caught by any.
    """

    metrics: tuple[str, ...]
    gains: tuple[int, ...]
    caught: int
    pairs: int
    among: int


def caught_pairs(cases: Cases, columns: Sequence[MetricColumn]) -> dict[str, Values]:
    """By metric, for each minimal pair: 1 where it moved the right way beyond its noise, 0 where not, nan without a score.

    A metric that scored no pair, or has no better side, is left out. Raises TouchstoneError where no minimal pair has a score.
    """
    grid = build_verdict_grid(cases, columns) if columns else []
    known = caught_in_grid(grid, [column.name for column in columns])
    if not known:
        raise TouchstoneError(
            "No minimal pair has a score here. Import pairs of a faithful and a broken summary, and score them."
        )
    return known


def caught_in_grid(grid: Sequence[PairVerdict], metrics: Sequence[str]) -> dict[str, Values]:
    """The same from a verdict grid of these metrics; empty where no pair has a verdict."""
    found = {name: _caught_by(place, grid) for place, name in enumerate(metrics)}
    return {name: caught for name, caught in found.items() if not np.isnan(caught).all()} if grid else {}


def _caught_by(place: int, grid: Sequence[PairVerdict]) -> Values:
    moves = [line.moves[place] for line in grid]
    return np.array([np.nan if move is Move.NONE else float(move is Move.RIGHT) for move in moves])


def shared_errors(caught: Mapping[str, Values]) -> list[SharedErrors]:
    """Every two metrics, those whose misses go together most first."""
    found = [_compare(left, right, caught[left], caught[right]) for left, right in combinations(caught, 2)]
    return sorted(found, key=lambda one: (one.phi is None, -(one.phi or 0.0), one.left, one.right))


def _compare(left: str, right: str, one: Values, other: Values) -> SharedErrors:
    both = ~np.isnan(one) & ~np.isnan(other)
    misses, others = one[both] == 0, other[both] == 0
    n, a, b = int(both.sum()), int(misses.sum()), int(others.sum())
    joint = int((misses & others).sum())
    spread = a * (n - a) * b * (n - b)
    phi = (n * joint - a * b) / float(np.sqrt(spread)) if spread else None
    return SharedErrors(left, right, n, a, b, joint, a * b / n if n else 0.0, phi)


def smallest_coverage(caught: Mapping[str, Values]) -> Coverage:
    """The exact minimum set cover, as an integer program; of several the one whose metrics catch most by themselves."""
    names = list(caught)
    hits = np.array([np.nan_to_num(caught[name]) for name in names])  # (metrics, pairs)
    anywhere = hits.any(axis=0)
    chosen = [names[place] for place in _minimum_cover(hits[:, anywhere])]
    metrics, gains = _by_gain({name: caught[name] == 1 for name in chosen})
    return Coverage(metrics, gains, int(anywhere.sum()), hits.shape[1], len(names))


def _minimum_cover(hits: Values) -> list[int]:
    """The rows that together have a 1 in every column, as few as possible."""
    metrics, pairs = hits.shape
    if not pairs:
        return []
    # less than one metric in all: it decides between covers of one size only
    bonus = hits.sum(axis=1) / (hits.sum() + 1.0) / metrics
    every_pair = LinearConstraint(hits.T, lb=np.ones(pairs))
    solved = milp(1.0 - bonus, constraints=every_pair, bounds=Bounds(0, 1), integrality=np.ones(metrics))
    return [place for place, share in enumerate(solved.x) if share > 0.5]


def _by_gain(chosen: Mapping[str, np.ndarray]) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """Names and gains, each time the one that adds most to those before."""
    rest, names, gains = dict(chosen), [], []
    covered = np.zeros(len(next(iter(chosen.values()), ())), dtype=bool)
    while rest:
        name = max(rest, key=lambda one: int((rest[one] & ~covered).sum()))
        hit = rest.pop(name)
        names.append(name)
        gains.append(int((hit & ~covered).sum()))
        covered |= hit
    return tuple(names), tuple(gains)


def format_coverage(found: Coverage) -> str:
    """The smallest set in a sentence."""
    parts = ", ".join(f"{name} (+{gain})" for name, gain in zip(found.metrics, found.gains, strict=True))
    whole = f"{found.caught} of {found.pairs} pairs are caught by any of {found.among} metrics"
    return f"{whole}; the smallest set that catches them all: {parts}." if parts else f"{whole}."


def format_shared_errors(found: Sequence[SharedErrors]) -> str:
    """One line for every two metrics."""
    lines = [
        (
            one.left,
            one.right,
            str(one.n),
            str(one.left_missed),
            str(one.right_missed),
            str(one.both_missed),
            f"{one.expected:.1f}",
            "–" if one.phi is None else f"{one.phi:+.2f}",
        )
        for one in found
    ]
    return align_columns([("metric", "and", "n", "misses", "misses", "both", "by chance", "phi"), *lines])
