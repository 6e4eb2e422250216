"""Edit bisect: which of the edits of a variant moves a metric.

Subsets of the edits are executed and scored. The Shapley value (Shapley 1953) of an edit is the mean of what it adds to
the shift over all orders in which the edits may be executed; the values of all edits sum to the whole shift.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb

from core.edits import apply
from core.types import Edit, Example

MOST_EDITS = 5
"""All 32 subsets of so many edits are scored; of more each edit alone, and all without each."""

Subset = frozenset[int]
"""Edits by their place in the list, from 0."""


@dataclass(frozen=True, slots=True)
class Blame:
    """What one edit does to one metric, in the metric's own units; None where a score is missing.

    `alone` is the shift when only this edit is executed, `without` the shift of all others. `share` is its Shapley value;
    None where not all subsets were scored.
    """

    alone: float | None
    without: float | None
    share: float | None


def subsets(number: int) -> list[Subset]:
    """The sets of edits to execute, from none to all, without repetition."""
    sizes = range(number + 1) if number <= MOST_EDITS else (0, 1, number - 1, number)
    return [frozenset(chosen) for size in sizes for chosen in combinations(range(number), size)]


def bisected(example: Example, edits: Sequence[Edit]) -> dict[Subset, Example]:
    """The summary with each subset of edits executed; the spans of all edits refer to the summary as it is."""
    return {
        subset: Example(
            _name(example, subset), example.document, apply(example.summary, [edits[i] for i in sorted(subset)])
        )
        for subset in subsets(len(edits))
    }


def blames(scores: Mapping[Subset, float | None], number: int) -> list[Blame]:
    """What each of `number` edits does, from the scores of one metric on `bisected` texts; subsets without one are left out."""
    known = {subset: score for subset, score in scores.items() if score is not None}
    every = frozenset(range(number))
    return [
        Blame(
            alone=_shift(known, frozenset({edit}), frozenset()),
            without=_shift(known, every - {edit}, frozenset()),
            share=_shapley(known, edit, every),
        )
        for edit in range(number)
    ]


def _shapley(known: Mapping[Subset, float], edit: int, every: Subset) -> float | None:
    others = sorted(every - {edit})
    total = 0.0
    for size in range(len(others) + 1):
        for before in map(frozenset, combinations(others, size)):
            step = _shift(known, before | {edit}, before)
            if step is None:
                return None
            total += step / (len(every) * comb(len(others), size))
    return total


def _shift(known: Mapping[Subset, float], after: Subset, before: Subset) -> float | None:
    return known[after] - known[before] if after in known and before in known else None


def _name(example: Example, subset: Subset) -> str:
    return f"{example.id}\0{','.join(map(str, sorted(subset)))}"
