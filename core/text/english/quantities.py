"""Numbers, amounts, dates and times of a text by value: 3.4 million is 3,400,000, and 15:00 is 3 p.m."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from core.base import memoize
from core.text.english.dates import MONTHS
from core.text.english.numerals import (
    AFTER,
    BEFORE,
    NUMERAL,
    SCALES,
    WORDS,
    Measure,
    measure,
    numeral_values,
    words_value,
)
from core.types import Span

_SCALE = "|".join(sorted((rf"{word}s?" if len(word) > 3 else word for word in SCALES), key=len, reverse=True))
_AMOUNT = re.compile(
    rf"(?P<sign>(?<![\w)\]][-−–])(?<![\w)])[-−]|\bminus )?(?P<before>{BEFORE})?"
    rf"(?:(?<![\w.,:/’'])(?<![A-Z]-)(?P<figures>{NUMERAL})(?:[ -]?(?P<scale>(?:{_SCALE})(?!\w)|[mMbB](?![\w²2/]))(?P<more> (?:{_SCALE})(?!\w))?)?|(?<![\w-])(?P<words>(?ai:{WORDS}))(?!\w))"
    rf"(?:(?P<ordinal>st|nd|rd|th)(?!\w)|(?P<decade>s)(?!\w)|[ -]?(?P<after>(?i:{AFTER})(?![\w²])))?(?![\d:]|[.,]\d)"
)
# the end of a line that goes on in small letters, or of one as long as those that are broken at a width
_WITHIN_SENTENCE = re.compile(r"(?<=\w)\n(?=[a-z])|(?<=[^\n]{40})(?<=\w)\n(?=\w)")
_MILLION, _BILLION = 10**6, 10**9


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number, amount, date or time of a text.

    `number` is the part without its unit. `amounts` are the values that this may have, empty for dates and times; `measures`
    those with a unit, and `implied` these with what they say less exactly, as the month of a day.
    """

    span: Span
    number: Span
    amounts: frozenset[Fraction]
    measures: frozenset[Measure]
    implied: frozenset[Measure]

    def holds(self, other: Quantity) -> bool:
        """True if what states this quantity states the other one too: units count where both have one."""
        if other.measures and self.implied:
            return bool(other.measures & self.implied)
        years = {value for unit, value in self.implied if unit == "year"}
        return bool(other.amounts & (self.amounts | years))


@memoize(128)
def find_quantities(text: str) -> tuple[Quantity, ...]:
    """The numbers, amounts, dates and times of a text in order; "one" alone is a pronoun as well, and is none.

    A unit may stand on the next line.
    """
    text = _WITHIN_SENTENCE.sub(" ", text)
    dates = [
        Quantity(date.span, date.span, frozenset(), frozenset(date.exact), frozenset(date.exact | date.implied))
        for date in find_calendar_dates(text)
    ]
    taken = [date.span for date in dates]
    amounts = (
        amount
        for amount in _amounts(text)
        if not any(amount.span.start < span.end and span.start < amount.span.end for span in taken)
    )
    return tuple(sorted([*dates, *amounts], key=lambda quantity: quantity.span))


def _amounts(text: str) -> Iterator[Quantity]:
    for match in _AMOUNT.finditer(text):
        if match["words"]:
            in_words = words_value(match["words"])
            if in_words is None or (match["words"].lower() in {"one", "zero"} and not match["after"]):
                continue
            values = {in_words}
        else:
            values = _scaled(match)
        if match["sign"]:
            values = {-value for value in values}
        span = Span(*match.span())
        if match["ordinal"] or match["decade"]:
            kind = "ordinal" if match["ordinal"] else "decade"
            measures = frozenset((kind, value) for value in values)
            yield Quantity(span, span, frozenset(), measures, measures)
            continue
        names = [name for name in (match["before"], match["after"]) if name]
        if match["scale"] == "m" and not match["before"]:
            names.append("m")
            lengths = {value / _MILLION for value in values}
            measures = frozenset(("metre", value) for value in lengths)
            yield Quantity(span, span, frozenset(values | lengths), measures, measures)
            continue
        measures = frozenset(stated for name in names for value in values if (stated := measure(value, name)))
        if match["words"] and not names and all(abs(value) < 1 for value in values):  # half of it is 50 percent
            measures = frozenset(("share", value) for value in values)
        start = match.end("before") if match["before"] else span.start
        number = Span(start, span.end - len(match["after"] or "")) if names else span
        number = Span(number.start, number.start + len(number.of(text).rstrip(" -")))
        yield Quantity(span, number, frozenset(values), measures, measures)


def _scaled(match: re.Match[str]) -> set[Fraction]:
    values = set(numeral_values(match["figures"]))
    for name in (match["scale"], match["more"]):
        if name:
            word = name.strip()
            small = word.lower().removesuffix("s") if len(word) > 3 else word.lower()
            factor = SCALES.get(small) or (_MILLION if small == "m" else _BILLION)
            values = {value * factor for value in values}
    return values


_MONTH_NUMBERS = {month.lower()[:3]: number for number, month in enumerate(MONTHS, 1)}
_MONTH = (
    r"(?:(?:January|February|March|April|May|June|July|August|September|October|November|December)\b"
    r"|(?:Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\b\.?)"
)
_DAY = r"(?:3[01]|[12]\d|0?[1-9])(?:st|nd|rd|th)?"
_YEAR = r"(?:1[0-9]|20|21)\d\d"
_DATE = re.compile(
    rf"\b(?:(?P<d1>{_DAY})(?: of)? (?P<m1>{_MONTH})(?:,? (?P<y1>{_YEAR})\b)?"
    rf"|(?P<m2>{_MONTH}) (?:the )?(?P<d2>{_DAY})\b(?![:.,]\d|\d)(?:,? (?P<y2>{_YEAR})\b)?"
    rf"|(?P<m3>{_MONTH}),? (?P<y3>{_YEAR})\b"
    rf"|(?P<y4>{_YEAR})[-/.](?P<m4>0?[1-9]|1[0-2])[-/.](?P<d4>3[01]|[12]\d|0?[1-9])\b"
    rf"|(?P<a>3[01]|[12]\d|0?[1-9])(?P<mark>[-/.])(?P<b>3[01]|[12]\d|0?[1-9])(?P=mark)(?P<y5>{_YEAR}|\d\d)\b)(?![-/]\d)"
)
_HOURS = "one two three four five six seven eight nine ten eleven twelve".split()
_HOUR_WORDS = f"(?ai:{'|'.join(_HOURS)})"  # without regard to case in ASCII alone: "ſix" is none of them
_TIME = re.compile(
    r"\b(?:(?P<noon>noon|midday|12 noon)|(?P<midnight>midnight)"
    rf"|(?P<part>(?ai:half|(?:a )?quarter)) (?P<side>(?ai:past|to)) (?P<hour_word>{_HOUR_WORDS}|1[0-2]|[1-9])\b"
    rf"|(?P<hour>[01]?\d|2[0-3]|{_HOUR_WORDS})(?:[:.h](?P<minute>[0-5]\d))?(?: ?(?P<half>[ap])\.? ?m\b\.?| ?o[’']clock)"
    r"|(?P<full_hour>[01]?\d|2[0-3])[:h](?P<full_minute>[0-5]\d)(?::[0-5]\d)?(?: ?(?:hrs|hours))?|(?P<military>[01]\d[0-5]\d|2[0-3][0-5]\d) (?:hrs|hours))(?![\w:])",
    re.IGNORECASE,
)
_HALF_DAY = 720

Timed = tuple[str, Fraction]


@dataclass(frozen=True, slots=True)
class CalendarDate:
    """A date or time: the readings of what it states, and those that they imply."""

    span: Span
    exact: frozenset[Timed]
    implied: frozenset[Timed]


def find_calendar_dates(text: str) -> list[CalendarDate]:
    """The dates with a day or a month and year, and the times of day, of a text."""
    return [
        *(_date(match) for match in _DATE.finditer(text)),
        *(_time(match) for match in _TIME.finditer(text)),
    ]


def _date(match: re.Match[str]) -> CalendarDate:
    span = Span(*match.span())
    if match["a"]:
        first, second, year = int(match["a"]), int(match["b"]), int(match["y5"])
        year += 0 if year > 99 else 2000 if year < 70 else 1900
        orders = [(day, month) for day, month in ((first, second), (second, first)) if month <= 12]
        return _readings(span, [(year, month, day) for day, month in orders])
    number = next(digit for digit in "1234" if match[f"m{digit}"])
    month = match[f"m{number}"]
    day = match[f"d{number}"] if number != "3" else None
    year_text = match[f"y{number}"]
    return _readings(
        span,
        [
            (
                int(year_text) if year_text else 0,
                int(month) if month.isdigit() else _MONTH_NUMBERS[month.lower()[:3]],
                int(re.sub(r"\D", "", day)) if day else 0,
            )
        ],
    )


def _readings(span: Span, dates: list[tuple[int, int, int]]) -> CalendarDate:
    exact: set[Timed] = set()
    implied: set[Timed] = set()
    for year, month, day in dates:
        stated = (
            ("day", year * 10000 + month * 100 + day)
            if year and day
            else ("month", year * 100 + month)
            if year
            else ("day of year", month * 100 + day)
        )
        exact.add((stated[0], Fraction(stated[1])))
        if year:
            implied.add(("year", Fraction(year)))
        if year and day:
            implied |= {("month", Fraction(year * 100 + month)), ("day of year", Fraction(month * 100 + day))}
    return CalendarDate(span, frozenset(exact), frozenset(implied))


def _time(match: re.Match[str]) -> CalendarDate:
    span = Span(*match.span())
    if match["noon"] or match["midnight"]:
        return _at(span, _HALF_DAY if match["noon"] else 0, is_certain=True)
    if match["part"]:
        minutes = 30 if match["part"].lower() == "half" else 15
        return _at(
            span,
            _hour(match["hour_word"]) * 60 + (minutes if match["side"].lower() == "past" else -minutes),
            is_certain=False,
        )
    if match["military"]:
        return _at(span, int(match["military"][:2]) * 60 + int(match["military"][2:]), is_certain=True)
    if match["full_hour"]:
        hour = int(match["full_hour"])
        is_certain = hour >= 12 or hour == 0 or match["full_hour"].startswith("0")
        return _at(span, hour * 60 + int(match["full_minute"]), is_certain=is_certain)
    hour, minute = _hour(match["hour"]), int(match["minute"] or 0)
    if match["half"]:
        return _at(span, (hour % 12 + (12 if match["half"].lower() == "p" else 0)) * 60 + minute, is_certain=True)
    return _at(span, hour * 60 + minute, is_certain=hour > 12)


def _hour(text: str) -> int:
    return int(text) if text.isdigit() else _HOURS.index(text.lower()) + 1


def _at(span: Span, minutes: int, *, is_certain: bool) -> CalendarDate:
    on_clock = ("on the clock", Fraction(minutes % _HALF_DAY))
    if is_certain:
        return CalendarDate(span, frozenset({("time", Fraction(minutes % 1440))}), frozenset({on_clock}))
    return CalendarDate(span, frozenset({on_clock}), frozenset())
