"""Forms of English words: verbs, plurals, the base forms of a word, and the indefinite article."""

from __future__ import annotations

import re
from collections import defaultdict
from enum import StrEnum
from functools import cache

from core.english.word_lists import list_lines
from core.memoize import memoize
from core.text import words


class VerbForm(StrEnum):
    """The five forms of a verb."""

    BASE = "base"
    THIRD = "third person"
    PAST = "past"
    PARTICIPLE = "past participle"
    ING = "present participle"


_VOWELS = "aeiou"


def inflect(base: str, form: VerbForm) -> str:
    """A form of a verb of our lists. Raises KeyError for an unknown verb."""
    return _verb_tables()[base][form]


@cache
def verb_readings(word: str) -> tuple[tuple[str, VerbForm], ...]:
    """The verbs of our lists that a lower-case word may be a form of, with the form; several where it is ambiguous."""
    return _readings_by_word().get(word, ())


def possible_verb_forms(word: str) -> frozenset[VerbForm]:
    """The forms that a lower-case word may have as a verb; empty where our lists know no such verb."""
    return frozenset(form for _, form in verb_readings(word))


@cache
def _readings_by_word() -> dict[str, tuple[tuple[str, VerbForm], ...]]:
    found: defaultdict[str, list[tuple[str, VerbForm]]] = defaultdict(list)
    for base, forms in _verb_tables().items():
        for form, word in forms.items():
            found[word].append((base, form))
    return {word: tuple(known) for word, known in found.items()}


@cache
def _verb_tables() -> dict[str, dict[VerbForm, str]]:
    irregular = {
        base: _verb_table(base, past, participle) for base, past, participle in map(str.split, list_lines("irregular"))
    }
    return dict(map(_regular_verb, " ".join(list_lines("regular")).split())) | irregular


def _regular_verb(entry: str) -> tuple[str, dict[VerbForm, str]]:
    base, doubled = entry.rstrip("*"), entry.endswith("*")
    past = _with_ending(base, doubled, "ed")
    return base, _verb_table(base, past, past) | {VerbForm.ING: _ing_form(base, doubled)}


def _verb_table(base: str, past: str, participle: str) -> dict[VerbForm, str]:
    return dict(
        zip(
            VerbForm,
            (base, third_person_form(base), past, participle, _ing_form(base, base in _DOUBLED_CONSONANT)),
            strict=True,
        )
    )


def _ing_form(base: str, doubled: bool) -> str:
    return base[:-2] + "ying" if base.endswith("ie") else _with_ending(base, doubled, "ing")


def third_person_form(base: str) -> str:
    """Also the plural of a noun: cry, cries; pass, passes; rise, rises."""
    if base.endswith("y") and base[-2] not in _VOWELS:
        return base[:-1] + "ies"
    if base.endswith(("s", "sh", "ch", "x", "z", "o")):
        return base + "es"
    return base + "s"


def _with_ending(base: str, doubled: bool, ending: str) -> str:
    if doubled:
        return base + base[-1] + ending
    if base.endswith("e") and not base.endswith(("ee", "ye", "oe")):
        return base[:-1] + ending
    if ending == "ed" and base.endswith("y") and base[-2] not in _VOWELS:
        return base[:-1] + "ied"
    if base.endswith("ee") and ending == "ed":
        return base + "d"
    return base + ending


_DOUBLED_CONSONANT = frozenset(
    "begin cut dig forbid forget get hit let put quit run set shut sit split spread swim win bet spin".split()
)


_MAX_BARE_LETTERS = 3


@cache
def base_forms(word: str) -> frozenset[str]:
    """What a lower-case word may be a form of: itself, the verbs of our lists, and the word without a plural ending."""
    verbs = {base for base, _ in verb_readings(word)}
    return frozenset({word, *verbs, *_singular_forms(word)})


@memoize(64)
def base_forms_in(text: str) -> frozenset[str]:
    """The stems of all words of a text."""
    return frozenset().union(*(base_forms(word) for word in set(words(text))))


def _singular_forms(word: str) -> tuple[str, ...]:
    if len(word) <= _MAX_BARE_LETTERS or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return ()
    if word.endswith("ies"):
        return (word[:-3] + "y",)
    return (word[:-2], word[:-1]) if word.endswith("es") else (word[:-1],)


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
