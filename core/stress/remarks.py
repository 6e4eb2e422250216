"""What rules have to say of a variant: trivial edits, and words that come from elsewhere than intended."""

from __future__ import annotations

from collections.abc import Sequence

from core.extrinsic import origin
from core.perturbation import PerturbationCard
from core.trivial import trivial
from core.types import Edit, ErrorType, Example

_ORIGINS = {
    ErrorType.INTRINSIC_PREDICATE: "intrinsic",
    ErrorType.INTRINSIC_ENTITY: "intrinsic",
    ErrorType.INTRINSIC_CIRCUMSTANCE: "intrinsic",
    ErrorType.EXTRINSIC_PREDICATE: "extrinsic",
    ErrorType.EXTRINSIC_ENTITY: "extrinsic",
    ErrorType.EXTRINSIC_CIRCUMSTANCE: "extrinsic",
}


def remarks(card: PerturbationCard, example: Example, edits: Sequence[Edit]) -> tuple[str, ...]:
    """One short phrase each, in order and without repetition; none where there is nothing to say."""
    if card.intent != "breaking":
        return ()
    found = [phrase for edit in edits for phrase in _of(card, example, edit)]
    return tuple(dict.fromkeys(found))


def _of(card: PerturbationCard, example: Example, edit: Edit) -> list[str]:
    kind = trivial(edit, example.summary)
    phrases = [f"trivial: {kind.value}"] if kind else []
    intended = _ORIGINS.get(card.error_type) if card.error_type else None
    found = origin(edit, example.summary, example.document)
    if intended and found and found != intended:
        phrases.append(f"meant {intended}, but its words are {found}")
    return phrases
