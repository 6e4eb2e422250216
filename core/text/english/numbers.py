"""Counted numbers of a text, in figures or in words, that can be changed alone."""

from __future__ import annotations

import re
from dataclasses import dataclass

from core.base.memoization import memoize
from core.text.english.dates import MONTHS, find_dates
from core.types import Span

_UNITS = tuple(
    "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split()
)
_TENS = tuple("twenty thirty forty fifty sixty seventy eighty ninety".split())
NUMBER_WORDS = dict(zip(_UNITS, range(2, 20), strict=True)) | dict(zip(_TENS, range(20, 100, 10), strict=True))
_SPELLED = {value: word for word, value in NUMBER_WORDS.items()}
ORDINALS = frozenset(
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth twentieth hundredth st nd rd th".split()
)
AMOUNTS = frozenset(
    "one zero nought single once twice thrice double doubled triple tripled quadrupled halved half halves quarter quarters "
    "thirds three-quarters two-thirds pair pairs couple dozen dozens score scores several hundred hundreds thousand thousands "
    "million millions billion billions trillion trillions".split()
)
"""Words that say how many or how much, besides those of `NUMBER_WORDS`."""
_UNITS_AFTER = r"(?:m|bn|k|p|g|kg|km|cm|mm|ft|lbs?|mph|million|billion)?(?![\w:/])"
_NUMBER = re.compile(
    rf"(?<![\w.,:/'’-])(?:\d{{1,3}}(?:,\d{{3}})+|\d+)(?:\.\d+)?(?={_UNITS_AFTER})(?![.,-]\d|-\w+-\d)|(?<![\w-])(?:{'|'.join(NUMBER_WORDS)})(?!\w)",
    re.IGNORECASE,
)
# a ratio, a range, a time of day, a share of a known whole, the number of a name: a change would not stand alone
_NOT_AFTER = re.compile(
    r"(?:\b(?:at|between|past|until|till|by|in|from|or|than one|out of|no|number|phase|type|world war|section|article|chapter|page|"
    rf"per|half|one in|grade|level|under-|over-|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|{'|'.join(MONTHS)})[ -]|[-–—/+*=:#(]\s?|\.|\bNo\. |\d,? )$",
    re.IGNORECASE,
)
_NOT_BEFORE = re.compile(
    r"(?:[ -](?:(?:thousand |million |billion )?to|or|and|in|of|out of|per cent of the|dozen|hundred|o'clock|o’clock|a\.?m|p\.?m|by|more|fewer|less|percentage|halves|thirds|quarters|fifths|tenths)\b|\s?[–—/×*+=%]|[-]\d"
    rf"|(?:st|nd|rd|th)\b|,? \d| (?:{'|'.join(MONTHS)}|one|two|three|four|five|six|seven|eight|nine|ten)\b|[-](?:one|two|three|four|five|six|seven|eight|nine)\b)",
    re.IGNORECASE,
)
_RANGE_BEFORE = re.compile(
    rf"(?:\d\S*|\b(?:from|one|half|most|some|all|{'|'.join(NUMBER_WORDS)}))(?: \w+)? (?:to|of the) [$£€]?$|\bbetween \S+(?: \w+)? and [$£€]?$",
    re.IGNORECASE,
)
_MARGIN = 24  # characters looked at on either side


@dataclass(frozen=True, slots=True)
class Number:
    """A number above one: where, and as it is written."""

    span: Span
    text: str


@memoize(128)
def find_numbers(text: str) -> tuple[Number, ...]:
    """The numbers of a text that nothing else in their phrase depends on."""
    taken = {place for date in find_dates(text) for place in range(date.span.start, date.span.end)}
    numbers = []
    for match in _NUMBER.finditer(text):
        number = Number(Span(*match.span()), match.group())
        before = text[max(0, number.span.start - _MARGIN) : number.span.start]
        after = text[number.span.end : number.span.end + _MARGIN]
        # "Four" inside of a sentence is a name
        named = number.text[0].isupper() and re.search(r"[^\s.!?:“\"'‘]\s*$", before)
        depends = named or _NOT_AFTER.search(before) or _RANGE_BEFORE.search(before) or _NOT_BEFORE.match(after)
        if number.span.start in taken or depends:
            continue
        # nought and one have other grammar; four figures without a comma may be a year
        if number.text.lower() in NUMBER_WORDS or (
            float(number.text.replace(",", "")) >= 2 and not re.fullmatch(r"[12]\d{3}", number.text)
        ):
            numbers.append(number)
    return tuple(numbers)


def other_numbers(number: str) -> list[str]:
    """Numbers of about the same size, written in the same way, that are clearly different and never one."""
    value = NUMBER_WORDS.get(number.lower())
    if value is not None:
        near = [
            other
            for other in _SPELLED
            if other != value and value / 3 <= other <= value * 3 and (other > 19) == (value > 19)
        ]
        return [_SPELLED[other] for other in near if abs(other - value) > value / 5]
    places = len(number.partition(".")[2])
    return [
        f"{float(number.replace(',', '')) * factor:{',' if ',' in number else ''}.{places}f}" for factor in _FACTORS
    ]


def other_spelling(number: str) -> str:
    """The same number in words where it is in figures, and the other way round; itself where there is no other."""
    value = NUMBER_WORDS.get(number.lower())
    if value is not None:
        return str(value)
    return _SPELLED.get(int(number), number) if number.isdigit() else number


def numeric_value(number: str) -> float:
    """The value of a number as it is written here."""
    return float(NUMBER_WORDS.get(number.lower()) or number.replace(",", ""))


_FACTORS = (0.4, 0.6, 0.7, 1.4, 1.6, 1.9)
