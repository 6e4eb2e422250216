"""Inflection of the verbs that our lists know, and which form of a verb a word is."""

from __future__ import annotations

from collections import defaultdict
from enum import StrEnum
from functools import cache

from core.english.lists import lines


class Form(StrEnum):
    """The five forms of a verb."""

    BASE = "base"
    THIRD = "third person"
    PAST = "past"
    PARTICIPLE = "past participle"
    ING = "present participle"


_VOWELS = "aeiou"


def inflected(base: str, form: Form) -> str:
    """A form of a verb of our lists. Raises KeyError for an unknown verb."""
    return _verbs()[base][form]


@cache
def readings(word: str) -> tuple[tuple[str, Form], ...]:
    """The verbs of our lists that a lower-case word may be a form of, with the form; several where it is ambiguous."""
    return _forms().get(word, ())


def forms_of(word: str) -> frozenset[Form]:
    """The forms that a lower-case word may have as a verb; empty where our lists know no such verb."""
    return frozenset(form for _, form in readings(word))


@cache
def _forms() -> dict[str, tuple[tuple[str, Form], ...]]:
    found: defaultdict[str, list[tuple[str, Form]]] = defaultdict(list)
    for base, forms in _verbs().items():
        for form, word in forms.items():
            found[word].append((base, form))
    return {word: tuple(known) for word, known in found.items()}


@cache
def _verbs() -> dict[str, dict[Form, str]]:
    irregular = {base: _table(base, past, participle) for base, past, participle in map(str.split, lines("irregular"))}
    return dict(map(_regular, " ".join(lines("regular")).split())) | irregular


def _regular(entry: str) -> tuple[str, dict[Form, str]]:
    base, doubled = entry.rstrip("*"), entry.endswith("*")
    past = _with_ending(base, doubled, "ed")
    return base, _table(base, past, past) | {Form.ING: _ing(base, doubled)}


def _table(base: str, past: str, participle: str) -> dict[Form, str]:
    return dict(zip(Form, (base, third_person(base), past, participle, _ing(base, base in _DOUBLING)), strict=True))


def _ing(base: str, doubled: bool) -> str:
    return base[:-2] + "ying" if base.endswith("ie") else _with_ending(base, doubled, "ing")


def third_person(base: str) -> str:
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


_DOUBLING = frozenset(
    "begin cut dig forbid forget get hit let put quit run set shut sit split spread swim win bet spin".split()
)
