"""A person or organisation of the document where another one belongs."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

from core.english.mentions import matching_sentences, mentions, sentence_around
from core.english.names import OFFICES, PEOPLE, TITLES, Name, find_names, find_places
from core.perturbation import MAX_MENTIONS, PERTURBATIONS, PerturbationCard, RulePerturbation, replacement
from core.types import Edit, ErrorType, Example

_GENDERED = re.compile(r"\b(?:he|she|him|her|his|hers|himself|herself)\b", re.IGNORECASE)
_MARGIN = 12  # characters
_WORD_BEFORE = re.compile(r"([A-Z][a-z]+) $")
_NAMED_BEFORE = re.compile(r"\b(?:named|called|name of|name) $")


@PERTURBATIONS.add
@dataclass(frozen=True)
class EntitySwapped(RulePerturbation):
    """One mention is replaced by somebody else, or something else of its kind, whom the document names elsewhere."""

    name: ClassVar[str] = "entity-swapped"
    card: ClassVar[PerturbationCard] = PerturbationCard(
        title="Swap an entity within the document",
        intent="breaking",
        does="Replaces a person, place, club, company or organisation by another that the document names elsewhere.",
        paper="Ma et al. 2023, BUMP",
        error_type=ErrorType.INTRINSIC_ENTITY,
    )
    no_proposals_message: ClassVar[str] = (
        "The summary names no person, place, club, company or organisation that another of the same kind in the document could "
        "stand for."
    )

    def proposals(self, example: Example) -> list[Edit]:
        context = f"{example.document}\n\n{example.summary}"
        known = {name.text: name for name in find_names(example.document, context)}
        others = list(known.values())[:MAX_MENTIONS]
        circumstances = {place.span for place in find_places(example.summary, context)}
        mentioned = [
            name
            for name in find_names(example.summary, context)[:MAX_MENTIONS]
            if name.span not in circumstances and _is_replaceable(example, name)
        ]
        return [edit for old in mentioned for edit in _swapped_names(example, old, others)]


def _swapped_names(example: Example, old: Name, others: list[Name]) -> list[Edit]:
    claim, _, there = matching_sentences(example.document, example.summary, old.span).partition("\n")
    called = _known_words(old, others)
    fitting = [new for new in others if _fits(example, old, new) and not _names(claim, new)]
    away = [new for new in fitting if not _names(there, new)] or fitting
    why = "The document says this of {old}. It speaks of {new} in another place."
    return [
        replacement(example.summary, old.span, new.text, why.format(old=old.text, new=new.text))
        for new in away
        if not called & _known_words(new, others)
    ]


def _names(text: str, name: Name) -> bool:
    return any(mentions(text, word) for word in name.words)


def _known_words(name: Name, others: list[Name]) -> frozenset[str]:
    """The words by which a thing may be called: "Scott" and "Mr Shirley" are one where there is a Scott Shirley."""
    return name.words.union(*(other.words for other in others if other.words & name.words))


def _is_replaceable(example: Example, name: Name) -> bool:
    """Whether the document names it as well, and neither naming nor a capitalised word that is no office stands before it."""
    before = _text_before(example, name)
    joined = _WORD_BEFORE.search(before)
    is_part = joined is not None and joined.group(1) not in OFFICES
    return mentions(example.document, name.text) and not is_part and not _NAMED_BEFORE.search(before)


def _text_before(example: Example, name: Name) -> str:
    return example.summary[max(0, name.span.start - _MARGIN) : name.span.start]


def _fits(example: Example, old: Name, new: Name) -> bool:
    """Whether another name is of the same kind, and of the same gender where a pronoun may agree with it."""
    alike = old.kind == new.kind or ({old.kind, new.kind} <= PEOPLE and not _has_gendered_pronoun(example.summary, old))
    in_full = len(new.text.split()) > 1 and new.text.split()[0] not in TITLES
    # an office takes neither a title nor a first name alone
    return alike and old.definite == new.definite and (in_full or not _WORD_BEFORE.search(_text_before(example, old)))


def _has_gendered_pronoun(summary: str, name: Name) -> bool:
    start = sentence_around(summary, name.span).start
    return _GENDERED.search(summary, start) is not None
