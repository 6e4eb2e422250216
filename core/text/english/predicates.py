"""The complements of the verbs of a sentence, and the verbs with the same complements that deny them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from core.text.english.dates import CALENDAR, TIME_WORDS
from core.text.english.inflection import VerbForm, inflect_verb
from core.text.english.syntax import Sentence, token_at
from core.text.english.verb_phrases import NOUN_TAGS, place_before, sentence_tags, verb_reading
from core.text.english.word_lists import BE, HAVE, NEGATIVES, OBJECTS, list_groups

Frame = str
"""Complement of a verb: np, to, clause, end, or +preposition; a passive has the object before it and is np as well."""


def verb_frames(sentence: Sentence, place: int) -> frozenset[Frame]:
    """The frames that the verb of a clause stands in; none for a participle that is no predicate, nor before a particle."""
    tags = sentence_tags(sentence)
    before = token_at(sentence, place_before(sentence, [*tags], place)).low
    if tags[place] in {"VBN", "VBG"} and before not in BE | HAVE:
        return frozenset()
    after, tag = token_at(sentence, place + 1), tags[place + 1] if place + 1 < len(tags) else "."
    passive = tags[place] == "VBN" and before in BE
    if tag == "RP" or after.text in _QUOTES or (passive and tag in {"JJ", "NN", "NNS", "NNP", "TO"}):
        return frozenset()
    return frozenset({"np"}) if passive else _active_frames(sentence, tags, place)


def _active_frames(sentence: Sentence, tags: tuple[str, ...], place: int) -> frozenset[Frame]:
    after, tag = token_at(sentence, place + 1), tags[place + 1] if place + 1 < len(tags) else "."
    if after.low == "to" and place + 2 < len(tags) and tags[place + 2] == "VB":
        return frozenset({"to"})
    if tag == "IN":
        return frozenset({"clause" if after.low == "that" else f"+{after.low}"})
    if not after.is_word:
        return frozenset({"end"} if after.text == "." else ())
    if _clause_follows(sentence, tags, place + 1):
        return frozenset({"clause"})
    if not _has_object(sentence, tags, place + 1):
        return frozenset()
    is_person = tags[place + 1] == "NNP" or after.low in OBJECTS - {"it"}
    return frozenset({"np", "np person" if is_person else "np thing"})


_QUOTES = frozenset("\"':‘“’”")
_MODIFIERS = frozenset("DT PRP$ CD JJ JJR JJS VBN $ PDT NN+POS NNP+POS NNS+POS".split())


def _has_object(sentence: Sentence, tags: tuple[str, ...], place: int) -> bool:
    """True if a noun phrase other than a time begins at a place, without a complement after it."""
    while place < len(tags) and (tags[place] in _MODIFIERS or tags[place] == "``"):
        place += 1
    token = token_at(sentence, place)
    if place >= len(tags) or tags[place] not in NOUN_TAGS | {"PRP"} or token.low in _TIMES:
        return False
    while place < len(tags) and tags[place] in NOUN_TAGS | {"PRP"}:
        place += 1
    after = tags[place] if place < len(tags) else "."
    return after not in {"JJ", "``", "TO", "VBN", "RP"} and token_at(sentence, place).text not in _QUOTES


_TIMES = TIME_WORDS | {day.lower() for day in CALENDAR}


def _clause_follows(sentence: Sentence, tags: tuple[str, ...], place: int) -> bool:
    """True if a finite verb comes after the noun phrase at a place and before any mark or relative pronoun."""
    for other in range(place, len(tags)):
        if (not sentence[other].is_word and sentence[other].text not in "$£€%'’.") or tags[other] in {
            "WDT",
            "WP",
            "CC",
            "TO",
        }:
            return False
        if tags[other].split("+")[0] in {"VBD", "VBZ", "VBP", "MD"}:
            return True
    return False


def contrary_verbs(sentence: Sentence, place: int) -> Iterator[str]:
    """The verbs that deny the verb at a place, in its form; none where it is denied already."""
    reading = None if sentence[place].is_capital else verb_reading(sentence, place)
    if reading is None or any(token.low in NEGATIVES for token in sentence[max(0, place - 3) : place]):
        return
    base, form = reading
    contraries = [
        word for frame in sorted(verb_frames(sentence, place)) for word in _contrary_table().get((base, frame), ())
    ]
    for contrary in contraries:
        verb, _, particle = contrary.partition(" ")
        if not particle or (form is not VerbForm.PARTICIPLE):
            yield f"{inflect_verb(verb, form)} {particle}".strip()


@cache
def _contrary_table() -> dict[tuple[str, Frame], tuple[str, ...]]:
    split = ([*head.split(), members] for head, members in list_groups("contrary_verbs"))
    return {(str(base), str(frame)): tuple(members) for base, frame, members in split}
