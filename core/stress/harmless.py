"""Harmless edits of one summary, of many sizes: what the null band of a single pair rests on.

They are the rule forms of the meaning-preserving perturbations, drawn with several seeds and numbers of edits, and two of
different kinds together.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from core.edits import apply
from core.errors import UnscorableError
from core.perturbation import Perturbation, by_rule
from core.rewriting import Rewriting
from core.stress.shifts import changed_words
from core.types import Edit, Example

MOST = 24
_SEEDS = range(3)
_MOST_EDITS = (1, 2, 3)
_JOINED = 12  # of variants of few words, joined in pairs


@dataclass(frozen=True, slots=True)
class Harmless:
    """A variant of a summary that says the same, the kind of its edits, and how many words they change."""

    summary: str
    kind: str
    edits: tuple[Edit, ...]
    words: int


def harmless(example: Example) -> list[Harmless]:
    """At most 24 different variants, spread over their sizes, the smallest first; the same at every call."""
    single = list(_different(example, _drawn(example)))
    small = sorted(single, key=lambda variant: variant.words)[:_JOINED]
    joined = _different(example, _joined(small))
    found = {variant.summary: variant for variant in [*joined, *single]}
    return _spread(sorted(found.values(), key=lambda variant: (variant.words, variant.summary)))


def _drawn(example: Example) -> Iterator[tuple[str, Sequence[Edit]]]:
    for kind in by_rule():
        if kind.card.intent == "preserving":
            for setting in _settings(kind):
                for seed in _SEEDS:
                    try:
                        yield kind.name, setting.edits(example, random.Random(seed))
                    except UnscorableError:
                        break  # no seed helps where there is nothing to edit


def _settings(kind: Perturbation) -> list[Perturbation]:
    """The kind with one edit, with two, with three, where it counts them."""
    return [replace(kind, most=most) for most in _MOST_EDITS] if isinstance(kind, Rewriting) else [kind]


def _joined(variants: Sequence[Harmless]) -> Iterator[tuple[str, Sequence[Edit]]]:
    for one, other in combinations(variants, 2):
        if one.kind != other.kind and _are_apart(one.edits, other.edits):
            yield f"{one.kind} and {other.kind}", [*one.edits, *other.edits]


def _are_apart(ours: Sequence[Edit], theirs: Sequence[Edit]) -> bool:
    return all(one.span.end < other.span.start or other.span.end < one.span.start for one in ours for other in theirs)


def _different(example: Example, drawn: Iterator[tuple[str, Sequence[Edit]]]) -> Iterator[Harmless]:
    seen = {example.summary}
    for kind, edits in drawn:
        summary = apply(example.summary, edits)
        if summary not in seen:
            seen.add(summary)
            yield Harmless(summary, kind, tuple(edits), changed_words(example.summary, edits))


def _spread(variants: Sequence[Harmless]) -> list[Harmless]:
    """At most `MOST` of them, evenly over the list."""
    number = min(MOST, len(variants))
    return [variants[place * len(variants) // number] for place in range(number)]
