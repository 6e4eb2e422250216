"""Names with a number, as Chapter IV and World War Two, by the value of their number."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from core.text.english.numerals import words_value
from core.types import Span

_NOUNS = (
    "chapter|part|section|act|scene|book|volume|article|appendix|annex|schedule|phase|stage|level|tier|class|grade|type|title|"
    "table|figure|step|round|season|episode|world war|group|option|question|item|lot|zone"
)
_IN_WORDS = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
_ROMAN = {"I": 1, "V": 5, "X": 10}
_NUMBERED = re.compile(
    rf"\b(?P<noun>(?i:{_NOUNS}))[ \n](?P<number>X{{0,3}}(?:IX|IV|V?I{{1,3}}|V)|X{{1,3}}|\d{{1,2}}|(?i:{_IN_WORDS}))(?![\w%])(?![.,]\d)"
)


@dataclass(frozen=True, slots=True)
class NumberedName:
    """A noun in small letters with the number behind it, and where this stands."""

    noun: str
    value: int
    number: Span


def find_numbered_names(text: str) -> Iterator[NumberedName]:
    """The names of a text whose noun is usually numbered, in order: numbers up to 39 in Roman numerals, figures or words."""
    for match in _NUMBERED.finditer(text):
        yield NumberedName(match["noun"].lower(), _value(match["number"]), Span(*match.span("number")))


def _value(number: str) -> int:
    if number.isdigit():
        return int(number)
    if set(number) <= _ROMAN.keys():
        digits = [_ROMAN[letter] for letter in number]
        return sum(
            -digit if digit < following else digit for digit, following in zip(digits, [*digits[1:], 0], strict=True)
        )
    return int(words_value(number) or 0)
