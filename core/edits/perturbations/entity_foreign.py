"""Somebody or something that the document does not mention at all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from core.edits.perturbation import MAX_MENTIONS, PERTURBATIONS, PerturbationCard, RulePerturbation, replacement
from core.text import (
    DEFAULT_PARSER,
    PEOPLE,
    TITLES,
    Name,
    NameKind,
    NameReading,
    definite_names,
    find_places,
    foreign_nationalities,
    is_mentioned,
    list_lines,
    listed_names,
    named_things,
    reading_signature,
    words,
)
from core.types import Edit, ErrorType, Example

_SISTERS = {NameKind.PLACE: NameKind.CITY, NameKind.ORGANISATION: NameKind.COMPANY}
"""Kinds of which there is no list, and the kind whose names stand in their places."""
_UNLISTED_KINDS = frozenset(_SISTERS)


@PERTURBATIONS.add
@dataclass(frozen=True)
class EntityForeign(RulePerturbation):
    """One mention is replaced by a name of the same kind from our lists, written in the same way.

    `names=listed` reads names whose kind lists, titles and plain signs tell; `guessed` nationalities and those too of which
    the words around tell the kind; `parsed` those of the spaCy pipeline `parser` besides the lists.
    """

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

    names: NameReading = "listed"
    parser: str = DEFAULT_PARSER

    @property
    def signature(self) -> str:
        return f"{self.spec}{reading_signature(self.names, self.parser)}"

    def proposals(self, example: Example) -> list[Edit]:
        context = f"{example.document}\n\n{example.summary}"
        circumstances = {place.span for place in find_places(example.summary, context)}
        mentioned = [
            name
            for name in named_things(example.summary, context, self.names, self.parser)[:MAX_MENTIONS]
            if name.span not in circumstances and is_mentioned(example.document, name)
        ]
        taken = frozenset({*words(example.document), *words(example.summary)})
        similar = _listed_names if self.names == "listed" else _similar_names
        return [edit for old in mentioned for edit in _replacements(example.summary, old, similar(old), taken)]


def _replacements(summary: str, old: Name, similar: Sequence[str], taken: frozenset[str]) -> list[Edit]:
    taken_stems = {word[:4] for word in taken} if old.kind is NameKind.NATIONALITY else set()
    fresh = [
        new
        for new in similar
        if not (taken & {*words(new)}) - {*words(old.text.partition(" ")[0])} and new[:4].lower() not in taken_stems
    ]
    # the one before it stands for the name itself, so that all others are drawn as they were
    fresh = [fresh[place - 1] if new == old.text else new for place, new in enumerate(fresh)]
    why = "The document says this of {old}. It does not mention {new}."
    return [replacement(summary, old.span, new, why.format(old=old.text, new=new)) for new in fresh if new != old.text]


def _listed_names(old: Name) -> Sequence[str]:
    """Names of the same kind: a title stays, a full name is followed by a full name, a surname by a surname."""
    if old.definite or (old.kind in _UNLISTED_KINDS and old.text.split()[0] not in TITLES):
        return []
    if old.kind not in PEOPLE:
        return listed_names(old.kind)
    surnames = " ".join(list_lines("surnames")).split()
    first, *rest = old.text.split()
    if first in TITLES:
        return [f"{first} {surname}" for surname in surnames]
    if old.kind is NameKind.PERSON:
        return surnames
    first_names = listed_names(old.kind)
    if rest:
        return [f"{name} {surname}" for name, surname in zip(first_names, surnames * 10, strict=False)]
    return first_names if first in first_names else surnames


def _similar_names(old: Name) -> Sequence[str]:
    """The same, and for a kind without a list of its own the names of a kind beside it."""
    if old.kind is NameKind.NATIONALITY:
        return foreign_nationalities()
    if old.definite:
        return definite_names(old.kind)
    return listed_names(_SISTERS[old.kind]) if old.kind in _SISTERS else _listed_names(old)
