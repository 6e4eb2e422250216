"""Words that are forms of one another."""

from __future__ import annotations

from functools import cache

from core.english.verbs import readings
from core.remember import remembered
from core.text import words

_LEAST = 3


@cache
def stems(word: str) -> frozenset[str]:
    """What a lower-case word may be a form of: itself, the verbs of our lists, and the word without a plural ending."""
    verbs = {base for base, _ in readings(word)}
    return frozenset({word, *verbs, *_singular(word)})


@remembered(64)
def stems_of(text: str) -> frozenset[str]:
    """The stems of all words of a text."""
    return frozenset().union(*(stems(word) for word in set(words(text))))


def _singular(word: str) -> tuple[str, ...]:
    if len(word) <= _LEAST or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return ()
    if word.endswith("ies"):
        return (word[:-3] + "y",)
    return (word[:-2], word[:-1]) if word.endswith("es") else (word[:-1],)
