"""Edit bisect: which of the edits of a variant moves a metric.

Subsets of the edits are executed and scored. The Shapley value (Shapley 1953) of an edit is the mean of what it adds to
the shift over all orders in which the edits may be executed; the values of all edits sum to the whole shift.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import comb

from core.edits import apply
from core.types import Edit, Example

MAX_EXHAUSTIVE_EDITS = 5
"""All 32 subsets of so many edits are scored; of more each edit alone, and all without each."""

EditSubset = frozenset[int]
"""Edits by their place in the list, from 0."""


@dataclass(frozen=True, slots=True)
class EditEffect:
    """What one edit does to one metric, in the metric's own units; None where a score is missing.

    `alone` is the shift when only this edit is executed, `without` the shift of all others. `share` is its Shapley value;
    None where not all subsets were scored.
    """

    alone: float | None
    without: float | None
    share: float | None


def edit_subsets(number: int) -> list[EditSubset]:
    """The sets of edits to execute, from none to all, without repetition."""
    sizes = range(number + 1) if number <= MAX_EXHAUSTIVE_EDITS else (0, 1, number - 1, number)
    return [frozenset(chosen) for size in sizes for chosen in combinations(range(number), size)]


def examples_by_subset(example: Example, edits: Sequence[Edit]) -> dict[EditSubset, Example]:
    """The summary with each subset of edits executed; the spans of all edits refer to the summary as it is."""
    return {
        subset: replace(
            example, id=_subset_id(example, subset), summary=apply(example.summary, [edits[i] for i in sorted(subset)])
        )
        for subset in edit_subsets(len(edits))
    }


def edit_effects(scores: Mapping[EditSubset, float | None], number: int) -> list[EditEffect]:
    """What each of `number` edits does, from the scores of one metric on `bisected` texts; subsets without one are left out."""
    known = {subset: score for subset, score in scores.items() if score is not None}
    every = frozenset(range(number))
    return [
        EditEffect(
            alone=_subset_shift(known, frozenset({edit}), frozenset()),
            without=_subset_shift(known, every - {edit}, frozenset()),
            share=_shapley_value(known, edit, every),
        )
        for edit in range(number)
    ]


def _shapley_value(known: Mapping[EditSubset, float], edit: int, every: EditSubset) -> float | None:
    others = sorted(every - {edit})
    total = 0.0
    for size in range(len(others) + 1):
        for before in map(frozenset, combinations(others, size)):
            step = _subset_shift(known, before | {edit}, before)
            if step is None:
                return None
            total += step / (len(every) * comb(len(others), size))
    return total


def _subset_shift(known: Mapping[EditSubset, float], after: EditSubset, before: EditSubset) -> float | None:
    return known[after] - known[before] if after in known and before in known else None


def _subset_id(example: Example, subset: EditSubset) -> str:
    return f"{example.id}\0{','.join(map(str, sorted(subset)))}"
