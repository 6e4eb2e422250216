"""Which indefinite article a word asks for."""

from __future__ import annotations

import re

_LIKE_YOU = re.compile(r"(?:uni(?!n|m)|us[aeu]|eu|ubiq|one\b|once\b|u[sk]\b|ut[ei])", re.IGNORECASE)
_SILENT_H = re.compile(r"(?:hour|honest|honou?r|heir)", re.IGNORECASE)
_LETTERS = re.compile(r"[A-Z](?:[A-Z]|\b)")
_NUMBER = re.compile(r"(?:8|1[18](?!\d)|1[18](?=,\d{3}(?!,)))")


def article(word: str) -> str:
    """ "a" or "an", as it sounds: an hour, a unit, an 81-year-old, an MP."""
    if word[:1].isdigit():
        return "an" if _NUMBER.match(word) else "a"
    if _LETTERS.match(word):
        return "an" if word[0] in "AEFHILMNORSX" else "a"
    if _SILENT_H.match(word):
        return "an"
    return "an" if word[:1].lower() in set("aeiou") and not _LIKE_YOU.match(word) else "a"
