"""Somebody or something that the document does not mention at all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from core.english.mentions import mentions
from core.english.names import PEOPLE, TITLES, Name, NameKind, find_names, find_places, listed_names
from core.english.word_lists import list_lines
from core.perturbation import MAX_MENTIONS, PERTURBATIONS, PerturbationCard, RulePerturbation, replacement
from core.text import words
from core.types import Edit, ErrorType, Example

_UNLISTED_KINDS = frozenset({NameKind.PLACE, NameKind.ORGANISATION})


@PERTURBATIONS.add
@dataclass(frozen=True)
class EntityForeign(RulePerturbation):
    """One mention is replaced by a name of the same kind from our lists, written in the same way."""

    name: ClassVar[str] = "entity-foreign"
    card: ClassVar[PerturbationCard] = PerturbationCard(
        title="Bring in a foreign entity",
        intent="breaking",
        does="Replaces a person, country, city, club or company by one that the document does not mention.",
        paper="Ma et al. 2023, BUMP",
        error_type=ErrorType.EXTRINSIC_ENTITY,
    )
    no_proposals_message: ClassVar[str] = (
        "The summary names no person, country, city, club or company, of those that are known by name, title or list, that "
        "the document names as well."
    )

    def proposals(self, example: Example) -> list[Edit]:
        context = f"{example.document}\n\n{example.summary}"
        circumstances = {place.span for place in find_places(example.summary, context)}
        mentioned = [
            name
            for name in find_names(example.summary, context)[:MAX_MENTIONS]
            if name.span not in circumstances and mentions(example.document, name.text)
        ]
        taken = frozenset({*words(example.document), *words(example.summary)})
        return [edit for old in mentioned for edit in _foreign_names(example.summary, old, taken)]


def _foreign_names(summary: str, old: Name, taken: frozenset[str]) -> list[Edit]:
    fresh = [
        new for new in _names_of_same_kind(old) if not (taken & {*words(new)}) - {*words(old.text.partition(" ")[0])}
    ]
    why = "The document says this of {old}. It does not mention {new}."
    return [replacement(summary, old.span, new, why.format(old=old.text, new=new)) for new in fresh]


def _names_of_same_kind(old: Name) -> list[str]:
    """Names of the same kind: a title stays, a full name is followed by a full name, a surname by a surname."""
    if old.definite or (old.kind in _UNLISTED_KINDS and old.text.split()[0] not in TITLES):
        return []
    if old.kind not in PEOPLE:
        return list(listed_names(old.kind))
    surnames = " ".join(list_lines("surnames")).split()
    first, *rest = old.text.split()
    if first in TITLES:
        return [f"{first} {surname}" for surname in surnames]
    if old.kind is NameKind.PERSON:
        return surnames
    given = listed_names(old.kind)
    if rest:
        return [f"{name} {surname}" for name, surname in zip(given, surnames * 10, strict=False)]
    return list(given) if first in given else surnames
