"""Errors in common: which metrics miss the same minimal pairs, which explainers the same errors, and the fewest that catch what any catches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from core.cases.cases import Cases, MetricColumn
from core.cases.verdict_grid import PairVerdict, build_verdict_grid
from core.errors import TouchstoneError
from core.stats.score_pairs import Move
from core.stats.statistic import Values
from core.stats.text_tables import align_columns
from core.studies.explanation_scores import GradedAnswer, answers_by_explainer, without_panels


@dataclass(frozen=True, slots=True)
class SharedErrors:
    """Two metrics, or explainers, on the `n` cases that both have an answer for: how many each missed, how many both did, and the phi coefficient.

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
    """`metrics`, or explainers, are the fewest that together catch every case that any of `among` catches.

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


MIN_WORTH = 0.5
"""An explanation with this mean grade or a better one explains its error: entirely 1, partially 0.5, not 0."""

EXPLAINED_NOTE = (
    "An explainer finds an error where it calls the summary inconsistent and its explanation is graded as at least "
    "partially correct; what it found and nobody graded is unknown."
)


def explained_errors(cases: Cases) -> dict[str, Values]:
    """By explainer, for each sample with an error: 1 where it was found and explained, 0 where not, nan where unknown.

    A sample has an error where its label says so, or where it has no label and somebody's explanation was graded. An
    explainer without a known answer is left out. Raises TouchstoneError where nobody has one.
    """
    without = without_panels(cases)
    found = {
        name: np.array([_explains(labelled, of) for labelled, of in zip(cases.labels, by_place, strict=True)])
        for name, by_place in _answers_by_place(without).items()
    }
    known = {name: explained for name, explained in found.items() if not np.isnan(explained).all()}
    if not known:
        raise TouchstoneError(
            "No explanation of an error is graded here, and nobody missed one. Import explanations, and judge them: "
            "cli.py judge."
        )
    anywhere = np.any([~np.isnan(explained) for explained in known.values()], axis=0)
    return {name: explained[anywhere] for name, explained in known.items()}


def _answers_by_place(cases: Cases) -> dict[str, list[list[GradedAnswer]]]:
    found: dict[str, list[list[GradedAnswer]]] = {}
    for name, answers in answers_by_explainer(cases).items():
        found[name] = [[] for _ in cases.samples]
        for answer in answers:
            found[name][answer.place].append(answer)
    return found


def _explains(label: float, answers: Sequence[GradedAnswer]) -> float:
    if label == 1:
        return float("nan")
    worths = [worth for answer in answers for worth in answer.worths]
    if worths:
        return float(np.mean(worths) >= MIN_WORTH)
    missed = label == 0 and answers and not any(answer.flagged for answer in answers)
    return 0.0 if missed else float("nan")


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
    from scipy.optimize import Bounds, LinearConstraint, milp  # few commands look for it

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


def compare_errors(caught: Mapping[str, Values]) -> tuple[Coverage, list[SharedErrors]]:
    """The smallest set, and every two."""
    return smallest_coverage(caught), shared_errors(caught)


def format_coverage(found: Coverage, who: str = "metrics", what: str = "pairs") -> str:
    """The smallest set in a sentence; `who` catches `what`."""
    parts = ", ".join(f"{name} (+{gain})" for name, gain in zip(found.metrics, found.gains, strict=True))
    whole = f"{found.caught} of {found.pairs} {what} are caught by any of {found.among} {who}"
    return f"{whole}; the smallest set that catches them all: {parts}." if parts else f"{whole}."


def format_shared_errors(found: Sequence[SharedErrors], who: str = "metric") -> str:
    """One line for every two metrics or explainers."""
    lines = [list(shared_row(one, who).values()) for one in found]
    return align_columns([(who, "and", "n", "misses", "misses", "both", "by chance", "phi"), *lines])


def shared_row(one: SharedErrors, who: str) -> dict[str, str]:
    """A line of the table, as text."""
    return {
        who: one.left,
        "and": one.right,
        "n": str(one.n),
        f"{who} misses": str(one.left_missed),
        "other misses": str(one.right_missed),
        "both": str(one.both_missed),
        "by chance": f"{one.expected:.1f}",
        "phi": "–" if one.phi is None else f"{one.phi:+.2f}",
    }
