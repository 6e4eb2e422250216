"""Numbers, amounts, dates and times of a text by value: 3.4 million is 3,400,000, and 15:00 is 3 p.m.

A summary can be written with those of its document, as the document writes them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from core.base import memoize
from core.text.canonical import CanonicalText
from core.text.english.calendar_dates import find_calendar_dates
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
from core.text.markup import replace_parts
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


def states_quantity(document: str, quantity: Quantity) -> bool:
    """True if a document states a quantity, in whatever form."""
    return any(stated.holds(quantity) for stated in find_quantities(document))


def states_quantities_at(document: str, summary: str, place: Span) -> bool:
    """True if a document states each quantity that touches a place of the summary, with its unit if it has one, and there is one."""
    inside = [
        quantity
        for quantity in find_quantities(summary)
        if quantity.span.start < place.end and place.start < quantity.span.end
    ]
    return bool(inside) and all(
        any(
            bool(stated.measures) == bool(quantity.measures) and stated.holds(quantity)
            for stated in find_quantities(document)
        )
        for quantity in inside
    )


def read_quantities(summary: str, document: str) -> CanonicalText | None:
    """The summary with each quantity that the document states in another form in the document's; None where there is none.

    A quantity that the document has in the same form, or does not have, stays.
    """
    changes: list[tuple[Span, str]] = []
    for quantity in find_quantities(summary):
        if _is_written(document, quantity.span.of(summary)):
            continue
        stated = next((other for other in find_quantities(document) if other.holds(quantity)), None)
        if stated is None:
            continue
        whole = bool(stated.measures) == bool(quantity.measures)
        old, new = (quantity.span, stated.span) if whole else (quantity.number, stated.number)
        if whole or not _is_written(document, old.of(summary)):
            changes.append((old, new.of(document)))
    if not changes:
        return None
    as_it_is = CanonicalText(summary, tuple(range(len(summary))), tuple(range(1, len(summary) + 1)))
    return replace_parts(as_it_is, changes)


def _is_written(document: str, form: str) -> bool:
    return re.search(rf"(?<![\w.,-]){re.escape(form)}(?![\w%]|[.,]\d)", document, re.IGNORECASE) is not None
