"""The script that a text is written in, and the languages that are written in it."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from functools import lru_cache

_MOST_LETTERS = 500  # of the start of a text: more of it says nothing new
_LEAST_SHARE = 0.5  # of the letters
_LETTER = re.compile(r"[^\W\d_]")

SCRIPT_LANGUAGES = {
    "Arabic": "ar fa ur ps ug sd ku",
    "Armenian": "hy",
    "Bengali": "bn as",
    "Cyrillic": "ru uk bg sr mk be kk ky mn tg",
    "Devanagari": "hi mr ne sa",
    "Ethiopic": "am ti",
    "Georgian": "ka",
    "Greek": "el",
    "Gujarati": "gu",
    "Gurmukhi": "pa",
    "Hangul": "ko",
    "Hebrew": "he yi",
    "Hiragana": "ja",
    "Kannada": "kn",
    "Katakana": "ja",
    "Khmer": "km",
    "Lao": "lo",
    "Malayalam": "ml",
    "Myanmar": "my",
    "Oriya": "or",
    "Sinhala": "si",
    "Tamil": "ta",
    "Telugu": "te",
    "Thai": "th",
    "Tibetan": "bo dz",
    "Cjk": "zh ja",
}
"""Codes of ISO 639 by the first word of the Unicode names of a script's letters; Latin is none of them."""

UNSPACED_SCRIPTS = frozenset({"Cjk", "Hiragana", "Katakana", "Khmer", "Lao", "Myanmar", "Thai", "Tibetan"})
"""Scripts that put no blank between words."""


@lru_cache(10_000)
def script_of(text: str) -> str:
    """The script of at least half of the letters of a text's start; "" for Latin, another one, or no letter."""
    if text.isascii():
        return ""
    letters = _LETTER.findall(text[: 4 * _MOST_LETTERS])[:_MOST_LETTERS]
    scripts = Counter(unicodedata.name(letter, "").partition(" ")[0].title() for letter in letters)
    script, number = max(scripts.items(), key=lambda item: item[1], default=("", 0))
    return script if script in SCRIPT_LANGUAGES and number >= _LEAST_SHARE * len(letters) else ""
