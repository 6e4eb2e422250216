"""Forms of English words by lemminflect: verbs, plurals and base forms; and the indefinite article."""

from __future__ import annotations

import re
from collections import defaultdict
from enum import StrEnum
from functools import cache
from importlib import import_module
from types import ModuleType

from core.base import memoize
from core.text.english.word_lists import list_lines
from core.text.segmentation import words


class VerbForm(StrEnum):
    """The five forms of a verb, each with its Penn Treebank tag."""

    BASE = "VB"
    THIRD = "VBZ"
    PAST = "VBD"
    PARTICIPLE = "VBN"
    ING = "VBG"


_PREFERRED = {
    ("cancel", VerbForm.PAST): "cancelled",
    ("cancel", VerbForm.PARTICIPLE): "cancelled",
    ("cancel", VerbForm.ING): "cancelling",
    ("get", VerbForm.PARTICIPLE): "got",
    ("lie", VerbForm.PARTICIPLE): "lain",
    ("quit", VerbForm.PARTICIPLE): "quit",
    ("wake", VerbForm.PARTICIPLE): "woken",
    ("spoil", VerbForm.PARTICIPLE): "spoiled",
}
"""The commonest British form where lemminflect puts another one first."""


def inflect(base: str, form: VerbForm) -> str:
    """A form of a verb of our list. Raises KeyError for a verb that is not in it."""
    return _verb_tables()[base][form][0]


@cache
def verb_readings(word: str) -> tuple[tuple[str, VerbForm], ...]:
    """The verbs of our list that a lower-case word may be a form of, with the form; several where it is ambiguous."""
    return _readings_by_word().get(word, ())


def possible_verb_forms(word: str) -> frozenset[VerbForm]:
    """The forms that a lower-case word may have as a verb; empty where our list has no such verb."""
    return frozenset(form for _, form in verb_readings(word))


@cache
def _readings_by_word() -> dict[str, tuple[tuple[str, VerbForm], ...]]:
    readings_by_word: defaultdict[str, list[tuple[str, VerbForm]]] = defaultdict(list)
    for base, forms in _verb_tables().items():
        for form, spellings in forms.items():
            for word in spellings:
                readings_by_word[word].append((base, form))
    return {word: tuple(readings) for word, readings in readings_by_word.items()}


@cache
def _verb_tables() -> dict[str, dict[VerbForm, tuple[str, ...]]]:
    """The spellings of every form of every verb of our list, the preferred one first.

    lemminflect knows nearly every noun as a verb too ("police", "plan"): only the verbs of the list are certain enough.
    """
    tables: dict[str, dict[VerbForm, tuple[str, ...]]] = {}
    for base in " ".join(list_lines("verbs")).split():
        forms: dict[str, tuple[str, ...]] = _lemminflect().getAllInflections(base, "VERB")
        tables[base] = {}
        for form in VerbForm:
            # lemminflect leaves the participle out where it is the past form
            spellings = forms.get(form) or forms[VerbForm.PAST]
            preferred = _PREFERRED.get((base, form), spellings[0])
            tables[base][form] = (preferred, *(other for other in spellings if other != preferred))
    return tables


def plural(noun: str) -> str:
    """The plural of a noun: cry, cries; piano, pianos."""
    spellings: tuple[str, ...] = _lemminflect().getInflection(noun, "NNS")
    return spellings[0]


_MAX_BARE_LETTERS = 3  # an unknown word this short is taken as it is: Mrs, 70s, MPs


@cache
def base_forms(word: str) -> frozenset[str]:
    """Base forms of a lower-case word: itself, and the nouns and verbs that it may be a form of."""
    lemmas: dict[str, tuple[str, ...]] = _lemminflect().getAllLemmas(word)
    if not lemmas and word.isalpha() and len(word) > _MAX_BARE_LETTERS:
        lemmas = _lemminflect().getAllLemmasOOV(word, "NOUN")
    return frozenset({word, *lemmas.get("NOUN", ()), *lemmas.get("VERB", ())})


@cache
def lemmas_by_part(word: str) -> dict[str, tuple[str, ...]]:
    """The base forms of a lower-case word in lemminflect's dictionary, by part of speech as NOUN, VERB, ADJ, ADV."""
    lemmas: dict[str, tuple[str, ...]] = _lemminflect().getAllLemmas(word)
    return lemmas


@cache
def inflections(base: str) -> dict[str, tuple[str, ...]]:
    """The forms of a verb by Penn Treebank tag, the commonest spelling first."""
    forms: dict[str, tuple[str, ...]] = _lemminflect().getAllInflections(base, "VERB")
    return forms


def inflect_verb(base: str, form: VerbForm) -> str:
    """A form of any verb of lemminflect's dictionary; a verb that it does not know is inflected by rule."""
    if form is VerbForm.BASE:
        return base
    if (base, form) in _PREFERRED:
        return _PREFERRED[base, form]
    forms = inflections(base)
    if form is VerbForm.PARTICIPLE and form.value not in forms:
        form = VerbForm.PAST
    spellings: tuple[str, ...] = forms.get(form.value) or _lemminflect().getInflection(base, form.value)
    return spellings[0]


@cache
def is_dictionary_word(word: str) -> bool:
    """True if a lower-case word is in lemminflect's dictionary of nouns, verbs, adjectives and adverbs, which has few names."""
    return bool(_lemminflect().getAllLemmas(word))


@memoize(64)
def base_forms_in(text: str) -> frozenset[str]:
    """The base forms of all words of a text."""
    return frozenset().union(*(base_forms(word) for word in set(words(text))))


@cache
def _lemminflect() -> ModuleType:
    # not at the top of the file: it imports spaCy where that is installed, which takes seconds
    return import_module("lemminflect")


_SOUNDS_LIKE_YOU = re.compile(r"(?:uni(?!n|m)|us[aeu]|eu|ubiq|one\b|once\b|u[sk]\b|ut[ei])", re.IGNORECASE)
_SILENT_H = re.compile(r"(?:hour|honest|honou?r|heir)", re.IGNORECASE)
_ABBREVIATION = re.compile(r"[A-Z](?:[A-Z]|\b)")
_NUMBER_AFTER_AN = re.compile(r"(?:8|1[18](?!\d)|1[18](?=,\d{3}(?!,)))")


def indefinite_article(word: str) -> str:
    """ "a" or "an", as it sounds: an hour, a unit, an 81-year-old, an MP."""
    if word[:1].isdigit():
        return "an" if _NUMBER_AFTER_AN.match(word) else "a"
    if _ABBREVIATION.match(word):
        return "an" if word[0] in "AEFHILMNORSX" else "a"
    if _SILENT_H.match(word):
        return "an"
    return "an" if word[:1].lower() in set("aeiou") and not _SOUNDS_LIKE_YOU.match(word) else "a"
