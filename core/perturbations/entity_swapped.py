"""A person or organisation of the document where another one belongs."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from core.english.names import PEOPLE, PLACES, Name, Sort, names
from core.english.standing import mentions, said_there, sentence_around
from core.perturbation import PERTURBATIONS, PerturbationCard
from core.rewriting import Rewriting, replacement
from core.types import Edit, ErrorType, Example

_GENDERED = re.compile(r"\b(?:he|she|him|her|his|hers|himself|herself)\b", re.IGNORECASE)
_PART = re.compile(r"(?:[A-Z][a-z]+|\b(?:named|called|name of|name)) $")


@PERTURBATIONS.add
@dataclass(frozen=True)
class EntitySwapped(Rewriting):
    """One mention is replaced by somebody else, or something else of its sort, whom the document names elsewhere."""

    name: ClassVar[str] = "entity-swapped"
    card: ClassVar[PerturbationCard] = PerturbationCard(
        title="Swap an entity within the document",
        intent="breaking",
        does="Replaces a person, club, company or organisation by another that the document names elsewhere.",
        paper="Ma et al. 2023, BUMP",
        error_type=ErrorType.INTRINSIC_ENTITY,
    )
    lacking: ClassVar[str] = (
        "The summary names no person, club, company or organisation that another of the same sort in the document could "
        "stand for."
    )

    def proposals(self, example: Example) -> list[Edit]:
        context = f"{example.document}\n\n{example.summary}"
        known = {name.text: name for name in names(example.document, context)}
        mentioned = [name for name in names(example.summary, context) if name.sort not in PLACES]
        return [
            _swap(example, old, new)
            for old in mentioned
            for new in known.values()
            if not _all_words(old, known.values()) & _all_words(new, known.values()) and _can_stand(example, old, new)
        ]


def _all_words(name: Name, others: Iterable[Name]) -> frozenset[str]:
    """The words by which a thing may be called: "Scott" and "Mr Shirley" are one where there is a Scott Shirley."""
    return name.words.union(*(other.words for other in others if other.words & name.words))


def _can_stand(example: Example, old: Name, new: Name) -> bool:
    """Whether another name fits the place and is said to be elsewhere."""
    alike = old.sort == new.sort or ({old.sort, new.sort} <= PEOPLE and not _gendered(example.summary, old))
    if not alike or old.definite != new.definite or _is_part(example.summary, old):
        return False
    there = said_there(example.document, example.summary, old.span)
    return mentions(example.document, old.text) and not any(mentions(there, word) for word in new.words)


def _is_part(summary: str, name: Name) -> bool:
    """Whether an office or a naming stands before it: "Justice Diana Bryant", "by the name of Dorothy"."""
    return _PART.search(summary[max(0, name.span.start - 10) : name.span.start]) is not None


def _gendered(summary: str, name: Name) -> bool:
    """Whether a pronoun of the sentence or a later one may agree with the name."""
    start = sentence_around(summary, name.span).start
    return name.sort is Sort.PERSON or _GENDERED.search(summary, start) is not None


def _swap(example: Example, old: Name, new: Name) -> Edit:
    why = f"The document says this of {old.text}. It speaks of {new.text} in another place."
    return replacement(example.summary, old.span, new.text, why)
