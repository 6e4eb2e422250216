"""A person or organisation of the document where another one belongs."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

from core.english.names import PEOPLE, PLACES, Name, names
from core.english.standing import mentions, said_there, sentence_around
from core.perturbation import PERTURBATIONS, PerturbationCard
from core.rewriting import MOST_PLACES, Rewriting, replacement
from core.types import Edit, ErrorType, Example

_GENDERED = re.compile(r"\b(?:he|she|him|her|his|hers|himself|herself)\b", re.IGNORECASE)
_MARGIN = 10  # characters
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
        others = list(known.values())[:MOST_PLACES]
        mentioned = [name for name in names(example.summary, context)[:MOST_PLACES] if _can_go(example, name)]
        return [edit for old in mentioned for edit in _swaps(example, old, others)]


def _swaps(example: Example, old: Name, others: list[Name]) -> list[Edit]:
    there = said_there(example.document, example.summary, old.span)
    called = _all_words(old, others)
    away = [new for new in others if _fits(example, old, new) and not any(mentions(there, word) for word in new.words)]
    why = "The document says this of {old}. It speaks of {new} in another place."
    return [
        replacement(example.summary, old.span, new.text, why.format(old=old.text, new=new.text))
        for new in away
        if not called & _all_words(new, others)
    ]


def _all_words(name: Name, others: list[Name]) -> frozenset[str]:
    """The words by which a thing may be called: "Scott" and "Mr Shirley" are one where there is a Scott Shirley."""
    return name.words.union(*(other.words for other in others if other.words & name.words))


def _can_go(example: Example, name: Name) -> bool:
    """Whether the document names it as well, and no office or naming stands before it."""
    before = example.summary[max(0, name.span.start - _MARGIN) : name.span.start]
    return name.sort not in PLACES and mentions(example.document, name.text) and not _PART.search(before)


def _fits(example: Example, old: Name, new: Name) -> bool:
    """Whether another name is of the same sort, and of the same gender where a pronoun may agree with it."""
    alike = old.sort == new.sort or ({old.sort, new.sort} <= PEOPLE and not _gendered(example.summary, old))
    return alike and old.definite == new.definite


def _gendered(summary: str, name: Name) -> bool:
    start = sentence_around(summary, name.span).start
    return _GENDERED.search(summary, start) is not None
