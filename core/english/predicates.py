"""Which word of a sentence is surely a verb or a predicative adjective, and which words say the contrary in its place."""

from __future__ import annotations

from collections.abc import Iterator

from core.english.closed import (
    ADVERBS,
    ARTICLES,
    BE,
    COORDINATORS,
    DETERMINERS,
    DO,
    FINITE_BE,
    HAVE,
    MODALS,
    NEGATIVES,
    OBJECTS,
    POSSESSIVES,
    PREPOSITIONS,
    SUBJECTS,
    SUBORDINATORS,
)
from core.english.lists import conditioned, mutual
from core.english.tokens import Sentence, at
from core.english.verbs import Form, forms_of, inflected, readings

_COPULAS = FINITE_BE | frozenset(
    "be been being become became becomes seem seems seemed remain remains remained stayed".split()
)
_DEGREES = frozenset(
    "very more less slightly somewhat still much far too quite rather considerably at admittedly".split()
)
_ENDS = frozenset(".,;:!?)")
_AFTER_ADJECTIVE = (
    _ENDS | COORDINATORS | frozenset("than at in for by on under when because if while after before".split())
)
_TO_DO = frozenset("likely unlikely easy difficult possible impossible".split())
_PARTICLES = frozenset("up out off down away back over around apart together all".split())
_BEFORE_NOUN = DETERMINERS | PREPOSITIONS | frozenset({"of"})
_AFTER_VERB = _ENDS | DETERMINERS | OBJECTS | PREPOSITIONS | SUBORDINATORS | ADVERBS
_MOST_ADVERBS = 3


def opposites(sentence: Sentence, place: int) -> list[str]:
    """The words that, put in this place, deny what the sentence says or say more, and leave it grammatical; often none, nor where it is denied."""
    if any(at(sentence, place - distance).low in NEGATIVES for distance in range(1, _MOST_ADVERBS + 1)):
        return []
    return [*dict.fromkeys([*_verbs(sentence, place), *_adjectives(sentence, place), *_modals(sentence, place)])]


def verb_forms(sentence: Sentence, place: int) -> list[tuple[str, Form]]:
    """The readings as a verb that the neighbours of a word allow, none where it may be a noun or an adjective."""
    known = readings(sentence[place].low)
    before = _before(sentence, place)
    after = at(sentence, place + 1)
    if (
        not known
        or after.low in _PARTICLES
        or not (after.low in _AFTER_VERB or after.text[0].isdigit() or _is_object(after.text))
    ):
        return []
    allowed = _allowed(before, sentence, place)
    return [reading for reading in known if reading[1] in allowed]


def _allowed(before: str, sentence: Sentence, place: int) -> frozenset[Form]:
    if before in MODALS | DO or before == "to":
        return frozenset({Form.BASE})
    if before in HAVE:
        return frozenset({Form.PARTICIPLE})
    if before in BE:
        return frozenset({Form.PARTICIPLE, Form.ING})
    if before in SUBJECTS - {"there"}:
        return frozenset({Form.PAST} | ({Form.BASE} if before in {"they", "we", "you", "i"} else {Form.THIRD}))
    if before in _BEFORE_NOUN | POSSESSIVES or not at(sentence, place - 1).is_word:
        return frozenset()
    return _after_noun(sentence[place].low, at(sentence, place + 1).low)


def _after_noun(word: str, after: str) -> frozenset[Form]:
    """After a noun, a word is surely a finite verb with an object after it, or as a form that is no participle."""
    if after in ARTICLES | POSSESSIVES:
        return frozenset({Form.PAST, Form.THIRD})
    return frozenset({Form.PAST}) if after in PREPOSITIONS and forms_of(word) == {Form.PAST} else frozenset()


def _before(sentence: Sentence, place: int) -> str:
    """The word before, adverbs and "not" left out."""
    for distance in range(1, _MOST_ADVERBS + 1):
        word = at(sentence, place - distance).low
        if word not in ADVERBS and not word.endswith("ly"):
            return word
    return ""


def _is_object(word: str) -> bool:
    return word[0].isupper() or word.endswith("ly")


def _verbs(sentence: Sentence, place: int) -> Iterator[str]:
    after = at(sentence, place + 1).low
    found = verb_forms(sentence, place)
    # a word that may be two forms of a verb, or two verbs, is replaced only where the neighbours decide
    if len({form for _, form in found}) == 1:
        for base, form in found:
            for contrary, needed, barred in conditioned("opposites").get(base, ()):
                if needed in ("", after) and barred != after:
                    yield inflected(contrary, form)


def _adjectives(sentence: Sentence, place: int) -> tuple[str, ...]:
    before, after = at(sentence, place - 1).low, at(sentence, place + 1).low
    if before in _DEGREES or before.endswith("ly"):
        before = at(sentence, place - 2).low
    word = sentence[place].low
    fits = after in _AFTER_ADJECTIVE or (after == "to" and word in _TO_DO)
    return mutual("contraries").get(word, ()) if before in _COPULAS and fits else ()


def _modals(sentence: Sentence, place: int) -> tuple[str, ...]:
    """What may be done must be done."""
    bare = Form.BASE in forms_of(at(sentence, place + 1).low) or at(sentence, place + 1).low == "be"
    return (
        ("must",) if place and sentence[place].text == "may" and bare and at(sentence, place + 1).low != "take" else ()
    )
