"""A person or organisation of the document where another one belongs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

from core.edits.perturbation import MAX_MENTIONS, PERTURBATIONS, PerturbationCard, RulePerturbation, replacement
from core.text import (
    DEFAULT_PARSER,
    FINITE_TAGS,
    OFFICES,
    PEOPLE,
    TITLES,
    Name,
    NameReading,
    Sentence,
    acts_on,
    find_names,
    find_places,
    has_place_for_article,
    matching_sentences,
    mentions,
    modifies,
    opens_sentence,
    reading_signature,
    sentence_around,
    sentence_tags,
    split_tokens,
    stand_ins,
    swappable_names,
    verb_bases,
)
from core.types import Edit, ErrorType, Example, Span

_GENDERED = re.compile(r"\b(?:he|she|him|her|his|hers|himself|herself)\b", re.IGNORECASE)
_MARGIN = 12  # characters
_WORD_BEFORE = re.compile(r"([A-Z][a-z]+) $")
_NAMED_BEFORE = re.compile(r"\b(?:named|called|name of|name) $")


@PERTURBATIONS.add
@dataclass(frozen=True)
class EntitySwapped(RulePerturbation):
    """One mention is replaced by somebody else, or something else of its kind, whom the document names elsewhere.

    Where there is nobody else, as in a dialogue, two of one sentence change places. `names` and `parser` are those of
    `entity-foreign`.
    """

    name: ClassVar[str] = "entity-swapped"
    card: ClassVar[PerturbationCard] = PerturbationCard(
        title="Swap an entity within the document",
        intent="breaking",
        does="Replaces a person, place, club, company or organisation by another that the document names elsewhere; where there is "
        "none, lets two that stand in one sentence change places.",
        paper="Ma et al. 2023, BUMP",
        error_type=ErrorType.INTRINSIC_ENTITY,
    )
    no_proposals_message: ClassVar[str] = (
        "The summary names no person, place, club, company or organisation that another of the same kind in the document could "
        "stand for, and no two of a kind of which one does something to the other."
    )

    names: NameReading = "listed"
    parser: str = DEFAULT_PARSER

    @property
    def signature(self) -> str:
        return f"{self.spec}{reading_signature(self.names, self.parser)}"

    def proposals(self, example: Example) -> list[Edit]:
        context = f"{example.document}\n\n{example.summary}"
        if self.names != "listed":
            return _further_edits(
                example,
                swappable_names(example.summary, context, self.names, self.parser)[:MAX_MENTIONS],
                swappable_names(example.document, context, self.names, self.parser),
            )
        document_names = {name.text: name for name in find_names(example.document, context)}
        others = list(document_names.values())[:MAX_MENTIONS]
        circumstances = {place.span for place in find_places(example.summary, context)}
        mentioned = [
            name
            for name in find_names(example.summary, context)[:MAX_MENTIONS]
            if name.span not in circumstances and _is_replaceable(example, name)
        ]
        swapped = [edit for old in mentioned for edit in _swapped_names(example, old, others)]
        return swapped or _exchanges(example, mentioned, others)


def _further_edits(example: Example, mentioned: Sequence[Name], others: Sequence[Name]) -> list[Edit]:
    """The same for names that more than lists tell, with an article that comes and goes with them."""
    made = [_with_article(example.summary, old, new) for old, new in stand_ins(example, mentioned, others)]
    if edits := [edit for edit in made if edit is not None]:
        return edits
    replaceable = [name for name in mentioned if _is_replaceable(example, name)]
    acting = [
        _exchange(example, name, other)
        for name, other in pairwise(replaceable)
        if acts_on(example.summary, name, other)
    ]
    return acting or _exchanges(example, replaceable, others)


def _with_article(summary: str, old: Name, new: Name) -> Edit | None:
    """None where the new name wants an article and there is no place for it."""
    why = f"The document says this of {old.text}. It speaks of {new.text} in another place."
    if old.kind in PEOPLE or old.definite == new.definite or modifies(summary, old):
        return replacement(summary, old.span, new.text, why)
    if old.definite:
        return Edit(Span(old.span.start - len("the "), old.span.end), new.text, why)
    article = "The" if opens_sentence(summary, old) else "the"
    return Edit(old.span, f"{article} {new.text}", why) if has_place_for_article(summary, old) else None


def _exchanges(example: Example, mentioned: Sequence[Name], others: Sequence[Name]) -> list[Edit]:
    return [
        _exchange(example, name, other)
        for name, other in pairwise(mentioned)
        if _can_change_places(example, name, other) and not _known_words(name, others) & _known_words(other, others)
    ]


def _can_change_places(example: Example, name: Name, other: Name) -> bool:
    """True if one acts on the other, or appears with it, in one sentence that changes its meaning the other way round."""
    there = sentence_around(example.summary, name.span)
    joined = example.summary[there.start : name.span.start].endswith(("and ", "or "))
    if joined or other.span.start >= there.end or not (_fits(example, name, other) and _fits(example, other, name)):
        return False
    between = split_tokens(example.summary[name.span.end : other.span.start])
    whole = split_tokens(there.of(example.summary))
    start, end = name.span.end - there.start, other.span.start - there.start
    verbs = [
        token.low
        for token, tag in zip(whole, sentence_tags(whole), strict=True)
        if start <= token.span.start < end and tag in FINITE_TAGS | {"MD"}
    ]
    if not verbs or not _SYMMETRIC.isdisjoint(word for verb in verbs for word in verb_bases(verb)):
        return False
    last = between[-1].low
    return last not in {"with", "or", "&"} and (last not in {"and", ","} or _acts(whole, other.span.end - there.start))


_SYMMETRIC = frozenset(
    "agree argue chat clash collide compete converse correspond cooperate date debate differ discuss divorce draw encounter equal "
    "exchange face fight hug kiss marry match meet negotiate play quarrel resemble share split talk tie".split()
)
"""Verbs of what two do together: if one met the other, the other met the one."""


def _acts(sentence: Sentence, start: int) -> bool:
    """True if a finite verb comes right at a place."""
    tags = sentence_tags(sentence)
    after = (tag for token, tag in zip(sentence, tags, strict=True) if token.span.start >= start)
    return next(after, "") in FINITE_TAGS | {"MD"}


def _exchange(example: Example, name: Name, other: Name) -> Edit:
    between = example.summary[name.span.end : other.span.start]
    why = f"The document tells it of {name.text} and {other.text} the other way round."
    return Edit(Span(name.span.start, other.span.end), f"{other.text}{between}{name.text}", why)


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


def _known_words(name: Name, others: Sequence[Name]) -> frozenset[str]:
    """The words by which a thing may be called: "Scott" and "Mr Shirley" are one where there is a Scott Shirley."""
    return name.words.union(*(other.words for other in others if other.words & name.words))


def _is_replaceable(example: Example, name: Name) -> bool:
    """True if the document names it as well, and neither naming nor a capitalised word that is no office comes before it."""
    before = _text_before(example, name)
    joined = _WORD_BEFORE.search(before)
    is_part = joined is not None and joined.group(1) not in OFFICES
    return mentions(example.document, name.text) and not is_part and not _NAMED_BEFORE.search(before)


def _text_before(example: Example, name: Name) -> str:
    return example.summary[max(0, name.span.start - _MARGIN) : name.span.start]


def _fits(example: Example, old: Name, new: Name) -> bool:
    """True if another name is of the same kind, and of the same gender where a pronoun may agree with it."""
    alike = old.kind == new.kind or ({old.kind, new.kind} <= PEOPLE and not _has_gendered_pronoun(example.summary, old))
    in_full = len(new.text.split()) > 1 and new.text.split()[0] not in TITLES
    # an office takes neither a title nor a first name alone
    return alike and old.definite == new.definite and (in_full or not _WORD_BEFORE.search(_text_before(example, old)))


def _has_gendered_pronoun(summary: str, name: Name) -> bool:
    start = sentence_around(summary, name.span).start
    return _GENDERED.search(summary, start) is not None
