"""A place where, by the document, nothing happened."""

from __future__ import annotations

from typing import ClassVar

from core.edits.perturbation import MAX_MENTIONS, PERTURBATIONS, PerturbationCard, RulePerturbation, replacement
from core.text import (
    Name,
    NameKind,
    Sentence,
    find_places,
    listed_names,
    main_verb,
    mentions,
    sentence_tags,
    tokenize,
    uncapitalised_opening,
)
from core.types import Edit, ErrorType, Example


@PERTURBATIONS.add
class CircumstanceForeign(RulePerturbation):
    """It happened in a country or city that the document does not mention."""

    name: ClassVar[str] = "circumstance-foreign"
    card: ClassVar[PerturbationCard] = PerturbationCard(
        title="Bring in a foreign place",
        intent="breaking",
        does="Replaces the place of an event by a country or city that the document does not mention, or puts a city to an "
        "event that is told without a place.",
        paper="Ma et al. 2023, BUMP",
        error_type=ErrorType.EXTRINSIC_CIRCUMSTANCE,
    )
    no_proposals_message: ClassVar[str] = (
        "The summary puts nothing in or near a place, at the end of a phrase, that the document names as well, and tells no "
        "event in one plain clause without a place."
    )

    def proposals(self, example: Example) -> list[Edit]:
        context = f"{example.document}\n\n{example.summary}"
        places = [place for place in find_places(example.summary, context) if mentions(example.document, place.text)]
        replaced = [
            edit for place in places[:MAX_MENTIONS] if not place.definite for edit in _foreign_places(example, place)
        ]
        return replaced or [edit for sentence in tokenize(example.summary) for edit in _added_places(example, sentence)]


def _foreign_places(example: Example, old: Name) -> list[Edit]:
    # a place that no list knows is most often a town
    kind = NameKind.COUNTRY if old.kind is NameKind.COUNTRY else NameKind.CITY
    fresh = _unmentioned(example, kind)
    why = "The document puts this in {old}. It does not mention {new}."
    return [replacement(example.summary, old.span, new, why.format(old=old.text, new=new)) for new in fresh]


def _unmentioned(example: Example, kind: NameKind) -> list[str]:
    return [new for new in listed_names(kind) if not mentions(example.document, new) and new not in example.summary]


def _added_places(example: Example, sentence: Sentence) -> list[Edit]:
    """A city before a sentence that says what happened and names no place."""
    if not _tells_event(sentence) or any(token.low in _PLACE_WORDS for token in sentence):
        return []
    first, opening = sentence[0], uncapitalised_opening(example.document, sentence)
    why = "The document does not mention {new}."
    return [
        Edit(first.span, f"In {new}, {opening}", why.format(new=new))
        for new in _unmentioned(example, NameKind.CITY)
        if opening
    ]


def _tells_event(sentence: Sentence) -> bool:
    verb = main_verb(sentence)
    if verb is None:
        return False
    tags = sentence_tags(sentence)
    return tags[verb] == "VBD" or (sentence[verb].low in {"has", "have", "will"} and tags[verb + 1] in {"VBN", "VB"})


_PLACE_WORDS = frozenset("in at near across inside outside worldwide here there".split())
