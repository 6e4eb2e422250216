"""Parts of the day, weekdays, months, quarters and years in running text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from core.base import memoize
from core.types import Span

WEEKDAYS = tuple("Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split())
MONTHS = tuple("January February March April May June July August September October November December".split())
CALENDAR = frozenset({*WEEKDAYS, *MONTHS})
_DAYTIMES = ("morning", "afternoon", "evening")
TIME_WORDS = frozenset(
    "yesterday today tomorrow tonight ago am pm o'clock noon midday midnight dawn dusk night nights morning mornings afternoon "
    "afternoons evening evenings minute minutes hour hours day days week weeks weekend weekends fortnight month months season "
    "seasons year years decade decades century centuries spring summer autumn winter half-past hourly daily weekly fortnightly "
    "monthly quarterly yearly annually christmas easter halloween thanksgiving ramadan eve".split()
)
"""Words in small letters that say when or how often, besides the names of days and months."""
TIME_ORDER_WORDS = frozenset(
    "early earlier earliest mid late later latest previous following next last past coming this".split()
)
"""Words that place a time among others."""
_MONTH = "|".join(MONTHS)
_DATE = re.compile(
    rf"\b(?:(?P<month_day>(?:{_MONTH}) (?:3[01]|[12]\d|[1-9])\b)"
    rf"|(?P<day_month>\b(?:3[01]|[12]\d|[1-9]) (?:{_MONTH})\b)"
    rf"|(?<!Good )(?<!Black )(?<!Easter )(?<!Palm )(?<!Ash )(?P<weekday>{'|'.join(WEEKDAYS)})\b(?! [A-Z])"
    r"|(?<=\b[Ii]n )(?P<month>January|February|April|June|July|August|September|October|November|December)\b"
    r"|(?P<quarter>Q[1-4]\b|\b(?:[Ff]irst|[Ss]econd|[Tt]hird|[Ff]ourth)[- ]quarter\b(?! (?:finals?|of (?:the|all|an?|his|her|their|its) )))"
    r"|(?<![Gg]ood )(?<! in the )\b(?P<daytime>morning|afternoon|evening)\b|\b(?P<daytimes>mornings|afternoons|evenings)\b"
    r"|(?P<year>1[5-9]\d\d|20\d\d)\b(?![-–/,.:%'’]\w| [-–] \d| (?:people|men|women|euros|pounds|dollars|metres|miles|times|percent|per)\b))"
)
_YEAR = re.compile(r"1[5-9]\d\d|20\d\d")
_YEAR_BEFORE = re.compile(
    rf"(?:\b(?:in|since|until|by|before|after|during|from|of|early|late|summer|spring|autumn|winter)|\b(?:{_MONTH})(?: \d\d?,?)?) $",
    re.IGNORECASE,
)
_MAX_LEAD_CHARACTERS = 20  # characters: "September 30, "


class DateUnit(StrEnum):
    """Form of a date; only dates of one form can be exchanged."""

    WEEKDAY = "weekday"
    MONTH = "month"
    YEAR = "year"
    MONTH_DAY = "month_day"
    DAY_MONTH = "day_month"
    DAYTIME = "daytime"
    DAYTIMES = "daytimes"
    QUARTER = "quarter"


@dataclass(frozen=True, slots=True)
class Date:
    """A date in a text: where, as it is written, and of which unit."""

    span: Span
    text: str
    unit: DateUnit


@memoize(128)
def find_dates(text: str) -> tuple[Date, ...]:
    """The dates of a text in order; a number counts as a year only after a word that announces one."""
    dates = (Date(Span(*match.span()), match.group(), DateUnit(str(match.lastgroup))) for match in _DATE.finditer(text))
    leads = ((date, text[max(0, date.span.start - _MAX_LEAD_CHARACTERS) : date.span.start]) for date in dates)
    return tuple(date for date, lead in leads if date.unit is not DateUnit.YEAR or _YEAR_BEFORE.search(lead))


def is_year(word: str) -> bool:
    """True if a word by itself looks like a year."""
    return _YEAR.fullmatch(word) is not None


def other_dates(date: Date) -> list[str]:
    """Other dates of the same unit, written in the same way."""
    if date.unit is DateUnit.QUARTER:
        text = date.text
        if text[1].isdigit():  # Q3, or else "third quarter"
            return [f"Q{number}" for number in "1234" if number != text[1]]
        ordinal = text[: text.lower().index("quarter") - 1]
        return [f"{other}{text[len(ordinal) :]}" for other in _QUARTERS if other != ordinal.lower()]
    if date.unit is DateUnit.YEAR:
        return [str(int(date.text) + years) for years in (-7, -4, -3, 3, 4, 7)]
    for cycle in (WEEKDAYS, _DAYTIMES, tuple(f"{part}s" for part in _DAYTIMES)):
        if date.text in cycle:
            return [other for other in cycle if other != date.text]
    words = date.text.split()
    return [
        " ".join(month if word in MONTHS else word for word in words)
        for month in _LONG_MONTHS
        if month not in date.text
    ]


_QUARTERS = ("first", "second", "third", "fourth")


_LONG_MONTHS = tuple("January March May July August October December".split())
