"""Finite verbs, and sentences that are two main clauses joined: told by closed classes and our verbs, or not at all."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice

from core.english.closed import (
    ADVERBS,
    ARTICLES,
    AUXILIARIES,
    NEGATIVES,
    OBJECTS,
    POSSESSIVES,
    PREPOSITIONS,
    SUBORDINATORS,
)
from core.english.tokens import Sentence, at
from core.english.verbs import Form, forms_of

PERSONAL = frozenset("he she it they we there".split())
_OPENS = ARTICLES | POSSESSIVES | frozenset({"this", "these", "those", "such"})
_FIRST_LINKS = 3
_LONGEST_SUBJECT = 5  # words between the determiner and the finite verb
_INTO = frozenset(
    "that if unless whether because since although though while whereas so lest than either both neither not".split()
)
_JOINS = frozenset({"and", "but"})


@dataclass(frozen=True, slots=True)
class Joint:
    """Where a second main clause begins: the place of the mark or the coordinator before it, and of its subject."""

    link: int
    subject: int
    verb: int


def is_finite(word: str) -> bool:
    """Whether a lower-case word is an auxiliary or a form that only a finite verb of our lists has."""
    if word in AUXILIARIES or (word.endswith(("n't", "n’t")) and word in NEGATIVES):
        return True
    forms = forms_of(word)
    return bool(forms & {Form.PAST, Form.THIRD})


def finite_verb(sentence: Sentence, subject: int) -> int | None:
    """The place of the finite verb of a clause whose subject begins at a place; None where that is not certain."""
    first = at(sentence, subject)
    if first.low in PERSONAL:
        place = subject + 1
        while at(sentence, place).low in ADVERBS - {"back", "down", "up", "off", "out", "over"}:
            place += 1
        return place if is_finite(at(sentence, place).low) else None
    if first.low not in _OPENS and not _is_name(sentence, subject):
        return None
    for place in range(subject + 1, subject + 2 + _LONGEST_SUBJECT):
        word = at(sentence, place)
        if word.low in AUXILIARIES:
            return place
        if not word.is_word or word.low in SUBORDINATORS or word.low in OBJECTS or word.low in {"and", "or", "but"}:
            return None
        if _is_full_verb(sentence, place, subject):
            return place
    return None


def joint(sentence: Sentence) -> Joint | None:
    """The first place where a sentence can be parted into two, each with a finite verb of its own.

    What stands before must open no subordinate clause, so that the second clause cannot belong to it.
    """
    found = filter(None, (_joint(sentence, place) for place in range(2, len(sentence) - 2)))
    for link in islice(found, _FIRST_LINKS):
        if _is_main(sentence[: link.link]) and not _frames(sentence, link):
            return link
    return None


def _joint(sentence: Sentence, place: int) -> Joint | None:
    token = sentence[place]
    comma = token.text == "," and at(sentence, place + 1).low in _JOINS
    bare = (
        token.low in _JOINS
        and at(sentence, place - 1).is_word
        and at(sentence, place + 1).low in PERSONAL - {"it", "there"}
    )
    if token.text != ";" and not comma and not bare:
        return None
    subject = place + (2 if comma else 1)
    verb = finite_verb(sentence, subject)
    return None if verb is None else Joint(place, subject, verb)


def _is_main(before: Sentence) -> bool:
    """Whether a stretch from the start of a sentence is one main clause that ends with it."""
    words = [token.low for token in before]
    if _INTO & set(words) or ":" in words or '"' in words or "“" in words:
        return False
    return any(is_finite(word) for word in words)


def _frames(sentence: Sentence, link: Joint) -> bool:
    """Whether the sentence opens with a circumstance that may hold of both clauses."""
    opening = sentence[0].low
    return opening in SUBORDINATORS or (opening in PREPOSITIONS and sentence[link.subject].low not in PERSONAL)


def _is_name(sentence: Sentence, place: int) -> bool:
    return at(sentence, place).is_capital and at(sentence, place).is_word


def _is_full_verb(sentence: Sentence, place: int, subject: int) -> bool:
    """A past or third-person form that follows its noun and is followed by what follows verbs."""
    word, after = sentence[place].low, at(sentence, place + 1)
    forms = forms_of(word)
    after_name = place == subject + 1 and not _is_name(sentence, subject)
    if after_name or not forms & {Form.PAST, Form.THIRD} or Form.BASE in forms:
        return False
    if Form.PARTICIPLE in forms:
        return after.low in ARTICLES | POSSESSIVES | OBJECTS
    return after.low in ARTICLES | POSSESSIVES | PREPOSITIONS | OBJECTS | ADVERBS | {"that"}
