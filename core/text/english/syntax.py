"""The syntax of a sentence by rule: its tokens, its main clauses and finite verbs, its predicates and their opposites."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from core.base import memoize
from core.text.english.inflection import VerbForm, inflect, possible_verb_forms, verb_readings
from core.text.english.word_lists import (
    ADVERBS,
    ARTICLES,
    AUXILIARIES,
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
    conditional_words,
    mutual_words,
)
from core.text.segmentation import sentences
from core.types import Span

_TOKEN = re.compile(r"\d+(?:[.,:]\d+)*(?:[-'’]\w+)*|\w+(?:[-'’]\w+)*|--|[^\w\s]")


@dataclass(frozen=True, slots=True)
class Token:
    """A word with its inner hyphens and apostrophes, a number, or one mark."""

    span: Span
    text: str

    @property
    def low(self) -> str:
        return self.text.lower()

    @property
    def is_word(self) -> bool:
        return self.text[0].isalnum()

    @property
    def is_capital(self) -> bool:
        return self.text[0].isupper()


Sentence = tuple[Token, ...]
Replacement = tuple[Span, str]
"""(place in the summary, what may stand there)"""

_NO_TOKEN = Token(Span(0, 0), "\0")


MAX_TOKENS = 150
"""A longer sentence is cut: what looks at all of it for each of its words stays linear in the text."""


@memoize(256)
def tokenize(text: str) -> tuple[Sentence, ...]:
    """The tokens of every sentence of a text, in order; no sentence is empty."""
    tokenized = (_tokenize_span(text, span) for span in sentences(text))
    return tuple(
        tokens[start : start + MAX_TOKENS] for tokens in tokenized for start in range(0, len(tokens), MAX_TOKENS)
    )


def token_at(sentence: Sentence, place: int) -> Token:
    """The token at a place; beyond the ends one that equals no word and no mark."""
    return sentence[place] if 0 <= place < len(sentence) else _NO_TOKEN


def split_tokens(text: str) -> Sentence:
    """The tokens of a text that is one sentence."""
    return _tokenize_span(text, Span(0, len(text)))


def _tokenize_span(text: str, span: Span) -> Sentence:
    return tuple(Token(Span(*match.span()), match.group()) for match in _TOKEN.finditer(text, span.start, span.end))


PERSONAL_SUBJECTS = frozenset("he she it they we there".split())


def is_finite(word: str) -> bool:
    """True if a lower-case word is an auxiliary or a form that only a finite verb of our lists has."""
    if word in AUXILIARIES or (word.endswith(("n't", "n’t")) and word in NEGATIVES):
        return True
    forms = possible_verb_forms(word)
    return bool(forms & {VerbForm.PAST, VerbForm.THIRD})


_COPULAS = FINITE_BE | frozenset(
    "be been being become became becomes seem seems seemed remain remains remained stayed".split()
)
_DEGREES = frozenset(
    "very more less slightly somewhat still much far too quite rather considerably at admittedly".split()
)
_END_MARKS = frozenset(".,;:!?)")
_AFTER_ADJECTIVE = (
    _END_MARKS | COORDINATORS | frozenset("than at in for by on under when because if while after before".split())
)
_BEFORE_INFINITIVE = frozenset("likely unlikely easy difficult possible impossible".split())
_PARTICLES = frozenset("up out off down away back over around apart together all".split())
_BEFORE_NOUN = DETERMINERS | PREPOSITIONS | frozenset({"of"})
_AFTER_VERB = _END_MARKS | DETERMINERS | OBJECTS | PREPOSITIONS | SUBORDINATORS | ADVERBS
_MAX_ADVERBS = 3
_CONVERSES = frozenset({"buy", "purchase", "sell"})
"""Verbs of one event, seen from its two sides: what was sold was bought."""
_THREATS = frozenset("threaten threatens threatened threatening".split())
"""Nobody threatens to do the contrary of what is feared."""


def opposites(sentence: Sentence, place: int) -> list[str]:
    """The words that, put in this place, deny what the sentence says or say more, and leave it grammatical; often none, nor where it is denied."""
    if any(token_at(sentence, place - distance).low in NEGATIVES for distance in range(1, _MAX_ADVERBS + 1)):
        return []
    if place and sentence[place].is_capital:
        return []
    before, after = token_at(sentence, place - 1).low, token_at(sentence, place + 1).low
    verbs = [*_opposite_verbs(sentence, place)]
    bare = after == "be" or VerbForm.BASE in possible_verb_forms(after)
    if place and sentence[place].text == "may" and bare and after != "take":
        verbs.append("must")
    if before in _DEGREES or before.endswith("ly"):
        before = token_at(sentence, place - 2).low
    word = sentence[place].low
    fits = after in _AFTER_ADJECTIVE or (after == "to" and word in _BEFORE_INFINITIVE)
    adjectives = mutual_words("contraries").get(word, ()) if before in _COPULAS and fits else ()
    # "was closed by the mayor" is surely a verb, and "was closed." more likely an adjective
    replacements = verbs if verbs and after == "by" else adjectives or verbs
    return [*dict.fromkeys(replacements)]


def contextual_verb_readings(sentence: Sentence, place: int) -> list[tuple[str, VerbForm]]:
    """The readings as a verb that the neighbours of a word allow, none where it may be a noun or an adjective."""
    readings = verb_readings(sentence[place].low)
    before = _word_before(sentence, place)
    after = token_at(sentence, place + 1)
    if (
        not readings
        or after.low in _PARTICLES
        or not (
            after.low in _AFTER_VERB or after.text[0].isdigit() or after.text[0].isupper() or after.text.endswith("ly")
        )
    ):
        return []
    if before in MODALS | DO or before == "to":
        allowed = frozenset({VerbForm.BASE})
    elif before in HAVE:
        allowed = frozenset({VerbForm.PARTICIPLE})
    elif before in BE:
        allowed = frozenset({VerbForm.PARTICIPLE, VerbForm.ING})
    elif before in SUBJECTS - {"there"}:
        allowed = frozenset(
            {VerbForm.PAST} | ({VerbForm.BASE} if before in {"they", "we", "you", "i"} else {VerbForm.THIRD})
        )
    elif before in _BEFORE_NOUN | POSSESSIVES or not token_at(sentence, place - 1).is_word:
        allowed = frozenset()
    elif after.low in ARTICLES | POSSESSIVES:
        # after a noun, a word is surely a finite verb with an object after it, or as a form that is no participle
        allowed = frozenset({VerbForm.PAST, VerbForm.THIRD})
    elif after.low in PREPOSITIONS and possible_verb_forms(sentence[place].low) == {VerbForm.PAST}:
        allowed = frozenset({VerbForm.PAST})
    else:
        allowed = frozenset()
    return [reading for reading in readings if reading[1] in allowed]


def _word_before(sentence: Sentence, place: int) -> str:
    """The word before, adverbs and "not" left out."""
    for distance in range(1, _MAX_ADVERBS + 1):
        word = token_at(sentence, place - distance).low
        if word not in ADVERBS and not word.endswith("ly"):
            return word
    return ""


def _opposite_verbs(sentence: Sentence, place: int) -> Iterator[str]:
    after = token_at(sentence, place + 1).low
    readings = contextual_verb_readings(sentence, place)
    # a word that may be two forms of a verb, or two verbs, is replaced only where the neighbours decide
    if len({form for _, form in readings}) == 1:
        for base, form in readings:
            if base in _CONVERSES and form is VerbForm.PARTICIPLE and _word_before(sentence, place) in BE:
                continue
            if form is VerbForm.BASE and token_at(sentence, place - 2).low in _THREATS:
                continue
            for contrary, needed, barred in conditional_words("opposites").get(base, ()):
                if needed in ("", after) and barred != after:
                    yield inflect(contrary, form)
