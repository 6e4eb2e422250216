"""Turns the past into the future."""

from __future__ import annotations

from typing import ClassVar

from core.edits.perturbation import PERTURBATIONS, PerturbationCard, RulePerturbation
from core.text import (
    COORDINATORS,
    FINITE_TAGS,
    Sentence,
    VerbForm,
    finite_verb,
    is_asserted,
    main_verb,
    sentence_tags,
    tokenize,
    verb_bases,
)
from core.types import Edit, ErrorType, Example, Span

_WAS = frozenset({"was", "were"})


@PERTURBATIONS.add
class Tense(RulePerturbation):
    """Closed, will close; was closed, will be closed: the main verb of a sentence that has no second predicate."""

    name: ClassVar[str] = "tense"
    card: ClassVar[PerturbationCard] = PerturbationCard(
        title="Past into future",
        intent="breaking",
        does="Says of what happened that it will happen.",
        paper="none: a rule of ours; errors of tense are predicate errors in Pagnoni et al. 2021, FRANK",
        error_type=ErrorType.INTRINSIC_PREDICATE,
    )
    no_proposals_message: ClassVar[str] = (
        "No sentence of the summary tells one thing that happened, with a main verb in the past and no second predicate."
    )

    def proposals(self, example: Example) -> list[Edit]:
        why = "By the document this happened; here it is still to come."
        changes = (_future(sentence) for sentence in tokenize(example.summary))
        return [Edit(span, new, why) for span, new in filter(None, changes)]


def _future(sentence: Sentence) -> tuple[Span, str] | None:
    place = main_verb(sentence)
    if place is None or not is_asserted(sentence, place) or _is_fixed(sentence, place):
        return None
    token = sentence[place]
    if token.text in _WAS and sentence[0].low != "it":  # "it was one of those days"
        return token.span, "will be"
    reading = finite_verb(sentence, place)
    return (token.span, f"will {reading[0]}") if reading and reading[1] is VerbForm.PAST else None


def _is_fixed(sentence: Sentence, place: int) -> bool:
    """True if words fix a sentence in the past, a second predicate is joined, or the word before may be the verb instead."""
    tags = sentence_tags(sentence)
    low = [token.low for token in sentence]
    joined = next((here for here in range(place, len(low)) if low[here] in COORDINATORS), len(low))
    second = any(tag in FINITE_TAGS | {"MD"} for tag in tags[joined:])
    # "Tom and Ann exchange heated words"
    plural = "and" in low[:place] and bool(verb_bases(low[place - 1]))
    return second or plural or not _OF_THE_PAST.isdisjoint(low)


_OF_THE_PAST = frozenset("ago yesterday last since previously formerly earlier already once".split())
