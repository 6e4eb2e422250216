"""As many errors of one type as of another, drawn from the variants of a run."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable

from core.perturbation import PERTURBATIONS
from core.stress.run import Variant
from core.types import ErrorType


def balanced_variants(variants: Iterable[Variant], seed: int) -> list[Variant]:
    """The variants, in their order, with equally many errors of each type that has any; harmless ones and phrases all stay.

    As many as the rarest type has are drawn by the seed: of several kinds of one type as evenly as they allow.
    """
    made = [variant for variant in variants if variant.summary is not None]
    by_type: defaultdict[ErrorType, defaultdict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for place, variant in enumerate(made):
        error = error_type_of(variant)
        if error is not None:
            by_type[error][variant.kind].append(place)
    if not by_type:
        return made
    number = min(sum(map(len, kinds.values())) for kinds in by_type.values())
    drawn = random.Random(seed)
    kept = {place for error in sorted(by_type) for place in _draw_evenly(by_type[error], number, drawn)}
    return [one for place, one in enumerate(made) if place in kept or error_type_of(one) is None]


def error_type_of(variant: Variant) -> ErrorType | None:
    """The type of error that a variant is meant to have; None for one that breaks nothing or whose kind names no type."""
    return PERTURBATIONS.parse(variant.kind).card.error_type


def _draw_evenly(kinds: dict[str, list[int]], number: int, drawn: random.Random) -> list[int]:
    """So many places, one of each kind in turn until they are enough."""
    shuffled = [drawn.sample(kinds[kind], len(kinds[kind])) for kind in sorted(kinds)]
    rounds = range(max(map(len, shuffled)))
    in_turn = [places[turn] for turn in rounds for places in shuffled if turn < len(places)]
    return in_turn[:number]
