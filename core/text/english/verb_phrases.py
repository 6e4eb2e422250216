"""The verbs of a sentence by the tagger: which are finite, their lemmas, and their other forms.

Verbs are told apart by their complements, and denied by others with the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from core.base import memoize
from core.text.english.dates import CALENDAR, TIME_WORDS
from core.text.english.inflection import VerbForm, inflect_verb, inflections, lemmas_by_part
from core.text.english.syntax import Sentence, Token, token_at
from core.text.english.tagger import part_of_speech_tags
from core.text.english.word_lists import BE, HAVE, NEGATIVES, OBJECTS, list_groups
from core.types import Span

FINITE_TAGS = frozenset({"VBD", "VBZ", "VBP"})
NOUN_TAGS = frozenset({"NN", "NNS", "NNP", "NNPS"})
OBJECT_TAGS = frozenset({"DT", "PRP", "PRP$", "CD", "JJ", "NN", "NNS", "NNP", "NNPS", "$", "JJR", "JJS", "PDT", "WDT"})
_SUBJECT_PRONOUNS = frozenset("i you he she it we they who which that".split())
_NAMING = frozenset("called named dubbed titled known entitled nicknamed branded".split())
_GET = frozenset("get gets got getting gotten".split())
_MARKS = frozenset(".,;:()!?—–") | frozenset({"--", "-"})
_CLAUSE_OPENERS = frozenset(
    "and but or that if when while because as after before since although though where who which".split()
)


def sentence_tags(sentence: Sentence) -> tuple[str, ...]:
    """The tags of a sentence, with participles that can only be past forms corrected, and the reverse."""
    return _corrected_tags(tuple(token.text for token in sentence))


@memoize(1024)
def _corrected_tags(words: tuple[str, ...]) -> tuple[str, ...]:
    tags = [*part_of_speech_tags(words)]
    sentence = tuple(Token(Span(0, 0), word) for word in words)
    for place, tag in enumerate(tags):
        if tag in {"VBN", "VBD"}:
            before = place_before(sentence, tags, place)
            word = token_at(sentence, before).low
            if word in BE | HAVE | _GET or "n't" in word or "n’t" in word:
                tags[place] = "VBN"
            elif word in _SUBJECT_PRONOUNS:
                tags[place] = "VBD"
            elif before >= 0 and tags[before] in NOUN_TAGS and _is_participle_form(sentence[place].low):
                tags[place] = _past_tag_after_noun(sentence, tags, place)
    return tuple(tags)


def _past_tag_after_noun(sentence: Sentence, tags: list[str], place: int) -> str:
    after = tags[place + 1] if place + 1 < len(tags) else ""
    if sentence[place].low in _NAMING:
        return "VBN"
    if after in OBJECT_TAGS or token_at(sentence, place + 1).low == "that":
        return "VBD"
    if _stands_alone(sentence, tags, place) and token_at(sentence, place + 1).low != "by":
        return "VBD"
    word = sentence[place].low
    if after not in {"IN", "TO"} or not _is_participle_form(word):
        return tags[place]
    is_past = any(word in inflections(base).get("VBD", ()) for base in verb_bases(word))
    return "VBN" if is_past else tags[place]


def _stands_alone(sentence: Sentence, tags: list[str], place: int) -> bool:
    """True if no other word of the stretch without marks around a place is a finite verb, nor one before it a preposition or participle."""
    start = end = place
    while start > 0 and sentence[start - 1].text not in _MARKS and sentence[start - 1].low not in _CLAUSE_OPENERS:
        start -= 1
    while end + 1 < len(tags) and sentence[end + 1].text not in _MARKS and sentence[end + 1].low not in _CLAUSE_OPENERS:
        end += 1
    others = [tags[other].split("+")[0] for other in range(start, end + 1) if other != place]
    return not FINITE_TAGS & {*others} and "MD" not in others and not {"IN", "TO", "VBG"} & {*tags[start:place]}


def place_before(sentence: Sentence, tags: list[str], place: int) -> int:
    """The place of the word before, adverbs left out; -1 where there is none."""
    place -= 1
    while place >= 0 and (tags[place] in {"RB", "RBR", "RBS"} or sentence[place].low == "not"):
        place -= 1
    return place


def _is_participle_form(word: str) -> bool:
    return any(word in inflections(base).get("VBN", inflections(base).get("VBD", ())) for base in verb_bases(word))


@cache
def verb_bases(word: str) -> tuple[str, ...]:
    """The verbs that a lower-case word may be a form of, by lemminflect's dictionary."""
    return lemmas_by_part(word).get("VERB", ())


def verb_reading(sentence: Sentence, place: int) -> tuple[str, VerbForm] | None:
    """The verb that a word is a form of here, and the form; a finite present without ending is BASE. None for no verb."""
    tag = sentence_tags(sentence)[place]
    form = (
        VerbForm.BASE if tag == "VBP" else next((verb_form for verb_form in VerbForm if verb_form.value == tag), None)
    )
    if form is None or sentence[place].low in BE | HAVE:
        return None
    low = sentence[place].low
    bases = [
        base
        for base in verb_bases(low)
        if low in (base, *inflections(base).get(form.value, ()), *inflections(base).get("VBD", ()))
    ]
    return (bases[0], form) if bases else None


def finite_verb(sentence: Sentence, place: int) -> tuple[str, VerbForm] | None:
    """The reading of a full verb that is surely finite; None for any other word, auxiliaries among them."""
    tags = sentence_tags(sentence)
    if tags[place] not in FINITE_TAGS or sentence[place].is_capital:
        return None
    if tags[place] == "VBP" and not _has_plural_subject(sentence, tags, place):
        return None
    if tags[place] == "VBZ" and "NOUN" in lemmas_by_part(sentence[place].low):
        # a word as "fans" or "ties" may be a noun before a finite verb or "to be"
        after = tags[place + 1] if place + 1 < len(tags) else ""
        infinitive = after == "TO" and token_at(sentence, place + 2).low == "be"
        if after in FINITE_TAGS | {"MD", "VBN"} or infinitive:
            return None
    if token_at(sentence, place_before(sentence, [*tags], place)).low in BE | {"to"}:
        return None
    return verb_reading(sentence, place)


def _has_plural_subject(sentence: Sentence, tags: tuple[str, ...], place: int) -> bool:
    before = place_before(sentence, [*tags], place)
    # "expresses interest": the form of a verb with a noun after it rather than a plural with its verb
    if before > 0 and tags[before] == "NNS" and tags[before - 1] in {"NN", "NNP"}:
        verb, noun = lemmas_by_part(sentence[before].low), lemmas_by_part(sentence[place].low)
        if "VERB" in verb and "NOUN" in noun:
            return False
    return before >= 0 and (
        tags[before] in NOUN_TAGS
        or token_at(sentence, before).low in {"they", "we", "you", "i", "who", "that", "which"}
    )


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
