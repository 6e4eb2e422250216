"""A place or time of the document where another one belongs."""

from __future__ import annotations

from typing import ClassVar

from core.edits.perturbation import MAX_MENTIONS, PERTURBATIONS, PerturbationCard, RulePerturbation, replacement
from core.text import find_dates, find_places, find_relations, find_time_units, matching_sentences, mentions, tokenize
from core.types import Edit, ErrorType, Example, Span


@PERTURBATIONS.add
class CircumstanceSwapped(RulePerturbation):
    """Replacement of a place or time by that of something else in the document, or turning of the word that relates it."""

    name: ClassVar[str] = "circumstance-swapped"
    card: ClassVar[PerturbationCard] = PerturbationCard(
        title="Swap a place or time within the document",
        intent="breaking",
        does="Replaces a place or date by another of the same kind that the document mentions elsewhere; where there is none, "
        "turns the word that relates a circumstance, as after, near or despite.",
        paper="Ma et al. 2023, BUMP",
        error_type=ErrorType.INTRINSIC_CIRCUMSTANCE,
    )
    no_proposals_message: ClassVar[str] = (
        "The summary tells no place or date for which the document has another of the same kind in another sentence, and has no "
        "word as after, before or despite that can be turned."
    )

    def proposals(self, example: Example) -> list[Edit]:
        units = {date.text: date.unit for date in find_dates(example.document)}
        dates = [
            _swap(example, date.span, other)
            for date in find_dates(example.summary)[:MAX_MENTIONS]
            for other, unit in list(units.items())[:MAX_MENTIONS]
            if unit is date.unit and _is_elsewhere(example, date.span, other)
        ]
        # two weeks become two months where the document counts months of something else
        spans_of_time = [
            _swap(example, span, other)
            for sentence in tokenize(example.summary)
            for span, other in find_time_units(sentence)
            if mentions(example.document, other) and _is_elsewhere(example, span, other)
        ]
        context = f"{example.document}\n\n{example.summary}"
        elsewhere = {place.text: place for place in find_places(example.document, context)}
        places = [
            _swap(example, old.span, new.text)
            for old in find_places(example.summary, context)[:MAX_MENTIONS]
            for new in list(elsewhere.values())[:MAX_MENTIONS]
            if new.kind is old.kind
            and new.definite == old.definite
            and not old.words & new.words
            and _is_elsewhere(example, old.span, new.text)
        ]
        return [*dates, *places, *spans_of_time] or _turned_relations(example)


def _turned_relations(example: Example) -> list[Edit]:
    """After becomes before, near far from, despite because of: nothing else tells when, where or why."""
    return [
        replacement(example.summary, span, new, "The document puts it the other way round.")
        for sentence in tokenize(example.summary)
        for span, new in find_relations(sentence)
    ]


def _is_elsewhere(example: Example, span: Span, other: str) -> bool:
    """True if the document has the old words, and the new ones only away from what the sentence is about."""
    there = matching_sentences(example.document, example.summary, span)
    return mentions(example.document, span.of(example.summary)) and not mentions(there, other)


def _swap(example: Example, span: Span, other: str) -> Edit:
    why = f"The document says {span.of(example.summary)} here. It mentions {other} in another place."
    return replacement(example.summary, span, other, why)
