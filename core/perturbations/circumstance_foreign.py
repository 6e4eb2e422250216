"""A place where, by the document, nothing happened."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from core.english.mentions import mentions
from core.english.names import Name, NameKind, find_places, listed_names
from core.perturbation import MAX_MENTIONS, PERTURBATIONS, PerturbationCard, RulePerturbation, replacement
from core.types import Edit, ErrorType, Example


@PERTURBATIONS.add
@dataclass(frozen=True)
class CircumstanceForeign(RulePerturbation):
    """Where it happened is replaced by a country or city that the document does not mention."""

    name: ClassVar[str] = "circumstance-foreign"
    card: ClassVar[PerturbationCard] = PerturbationCard(
        title="Bring in a foreign place",
        intent="breaking",
        does="Replaces the place of an event by a country or city that the document does not mention.",
        paper="Ma et al. 2023, BUMP",
        error_type=ErrorType.EXTRINSIC_CIRCUMSTANCE,
    )
    no_proposals_message: ClassVar[str] = (
        "The summary puts nothing in or near a place, at the end of a phrase, that the document names as well."
    )

    def proposals(self, example: Example) -> list[Edit]:
        context = f"{example.document}\n\n{example.summary}"
        places = [place for place in find_places(example.summary, context) if mentions(example.document, place.text)]
        return [
            edit for place in places[:MAX_MENTIONS] if not place.definite for edit in _foreign_places(example, place)
        ]


def _foreign_places(example: Example, old: Name) -> list[Edit]:
    # a place that no list knows is most often a town
    kind = NameKind.COUNTRY if old.kind is NameKind.COUNTRY else NameKind.CITY
    fresh = [new for new in listed_names(kind) if not mentions(example.document, new) and new not in example.summary]
    why = "The document puts this in {old}. It does not mention {new}."
    return [replacement(example.summary, old.span, new, why.format(old=old.text, new=new)) for new in fresh]
