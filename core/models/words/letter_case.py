"""Capitals of the words of a sentence: its own or, where its letters were made small or large, those of its document."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache

from core.models.words.word_states import Places, WordStates
from core.text import FUNCTION_WORDS, base_forms, is_dictionary_word

_POSSESSIVE = re.compile(r"[’']s?\Z")


def capitals(forms: Sequence[str], document: WordStates, places: Mapping[str, Places]) -> list[bool]:
    """Mask of the words of a sentence that begin with a capital, by the places of each word in the document, in small letters.

    The document tells where all words begin alike, or where only the first has a capital and one of the others is a name there.
    """
    own, names = [form[0].isupper() for form in forms], [form[0].isupper() and not form.isupper() for form in forms]
    there = [_has_capital(document, places, form.lower()) for form in forms]
    if len({form[0].isupper() for form in forms if form[0].isalpha()}) < 2:
        return there
    if any(names[1:]) or not any(_is_name(document, places, form.lower()) for form in forms[1:]):
        return own
    return [written or in_document for written, in_document in zip(own, there, strict=True)]


def _has_capital(document: WordStates, places: Mapping[str, Places], word: str) -> bool:
    """True if a document writes a word with a capital more often than not, a word of a dictionary in running text."""
    occurrences = _places_of(places, word)
    if _is_common(word):
        occurrences = _in_running_text(document, occurrences)
    return _mostly_capital(document, occurrences)


def _is_name(document: WordStates, places: Mapping[str, Places], word: str) -> bool:
    """True if no dictionary has a word, and a document writes it several times with a capital in running text."""
    occurrences = [] if _is_common(word) else _in_running_text(document, _places_of(places, word))
    return len(occurrences) > 1 and _mostly_capital(document, occurrences)


def _places_of(places: Mapping[str, Places], word: str) -> list[int]:
    return [int(place) for place in places.get(word, places.get(_POSSESSIVE.sub("", word), ()))]


def _mostly_capital(document: WordStates, places: Sequence[int]) -> bool:
    return 2 * sum(document.forms[place][0].isupper() for place in places) > len(places)


def _in_running_text(document: WordStates, places: Sequence[int]) -> list[int]:
    """The places that open no sentence and have a small letter behind them: headings and speakers have capitals that are no names'."""
    inside = [place for place in places if 0 < place < len(document.forms) - 1]
    return [
        place
        for place in inside
        if document.sentence[place - 1] == document.sentence[place + 1] and document.forms[place + 1][0].islower()
    ]


@cache
def _is_common(word: str) -> bool:
    """True for a word that is, or is a form of, one of a dictionary."""
    return word in FUNCTION_WORDS or any(map(is_dictionary_word, base_forms(word)))
