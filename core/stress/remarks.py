"""What rules have to say of a variant that was meant to break something: trivial edits, and where its words come from."""

from __future__ import annotations

from collections.abc import Sequence

from core.extrinsic import Origin, origin
from core.perturbation import PerturbationCard
from core.trivial import trivial
from core.types import Edit, ErrorType, Example

TRIVIAL = "trivial: "
OTHERWISE = "meant "
"""What a remark begins with that says that an edit is trivial, or that its words come from elsewhere than intended."""

_ORIGINS: dict[ErrorType, Origin] = {
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
    kinds = [trivial(edit, example.summary) for edit in edits]
    found = [*(f"{TRIVIAL}{kind.value}" for kind in kinds if kind), *_origin(card, example, edits)]
    return tuple(dict.fromkeys(found))


def _origin(card: PerturbationCard, example: Example, edits: Sequence[Edit]) -> list[str]:
    """Whether the words of all edits together stand in the document, and whether this is what was intended."""
    found = {origin(edit, example.summary, example.document) for edit in edits} - {None}
    if not found:
        return []
    whole: Origin = "extrinsic" if "extrinsic" in found else "intrinsic"
    intended = _ORIGINS.get(card.error_type) if card.error_type else None
    other = intended and intended != whole
    return [whole, f"{OTHERWISE}{intended}, but its words are {whole}"] if other else [whole]
