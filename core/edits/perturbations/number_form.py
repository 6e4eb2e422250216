"""The same numbers in another form: grouped or not, with a scale in words, in words, and per cent by its sign."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from core.edits.perturbation import OUR_RULE, PERTURBATIONS, PerturbationCard, RulePerturbation
from core.text import (
    ENGLISH,
    FUNCTION_WORDS,
    Quantity,
    apply,
    find_numbers,
    find_quantities,
    layout_units,
    other_spelling,
    unverified_languages,
)
from core.types import Edit, Example, Span

_GROUPED = re.compile(r"\d{1,3}(?:,\d{3})+")
_UNGROUPED = re.compile(r"\d{5,15}")
_COUNTED = re.compile(r"[ \n](?:people|men|women|children|(?!(?:was|is|has|does|as|this|its|his)\b)[a-z]+s)\b")
_RANGE_BEFORE = re.compile(
    r"(?:\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve))(?: (?:and|or|to|vs\.?|versus) | ?[-–—,/] ?)$",
    re.IGNORECASE,
)
_SIGN_BEFORE, _SIGN_AFTER = re.compile(r"[-−–+±<>=≤≥~#$€£(\[]$"), re.compile(r" ?[€£$¥%‰°º#*/+=<>×÷]|['’′″](?!\w)")
_SCALED = re.compile(r"\d{1,3}(?:\.\d{1,3})? (?:million|billion)")
_SCALES = {"million": 10**6, "billion": 10**9}
_SCALE_AFTER = re.compile(r"[ -](?:hundred|thousand|million|billion|trillion|dozen)|-(?:first|second|third|[a-z]+th)\b")
_PER_CENT = re.compile(r"(?P<figures>\d+(?:\.\d+)?)(?P<unit>%| %| percent| per cent)(?!age)(?!\w)")
_MAX_LONG_DIGITS = 4  # of a number before its scale: 3.412 million


@PERTURBATIONS.add
@dataclass(frozen=True)
class NumberForm(RulePerturbation):
    """3,400,000 is 3400000 or 3.4 million, 5 % is 5 percent, and 7 is seven; the value with its unit stays, which is checked by reading it.

    Years, dates, identifiers, numbers of names and ranges, and numbers that may be read in two ways stay as they are.
    """

    name: ClassVar[str] = "number-form"
    card: ClassVar[PerturbationCard] = PerturbationCard(
        title="Numbers in another form",
        intent="preserving",
        does="Writes numbers of the same value in another form: 3,400,000 as 3.4 million, 7 as seven, 5 % as 5 percent.",
        paper=OUR_RULE,
    )
    no_proposals_message: ClassVar[str] = (
        "The summary has no number that surely says the same in another form, or is not in English: years, dates, identifiers, "
        "and parts of names and ranges have none."
    )

    most: int = 3

    def proposals(self, example: Example) -> list[Edit]:
        summary = example.summary
        if unverified_languages(ENGLISH, example):  # figures are grouped in another way, and the words are English
            return []
        values = _values(find_quantities(summary))
        units = layout_units(summary)
        proposed = [*_other_forms(summary), *_other_spellings(summary, {unit.start for unit in units})]
        return [
            edit
            for edit in proposed
            if any(unit.start <= edit.span.start < unit.end for unit in units)  # not the number of a list item
            and _values(find_quantities(apply(summary, [edit]))) == values
        ]


def _values(quantities: tuple[Quantity, ...]) -> list[tuple[object, ...]]:
    return [(quantity.amounts, quantity.measures) for quantity in quantities]


def _other_forms(summary: str) -> Iterator[Edit]:
    """Other forms of large numbers and of shares in per cent."""
    for quantity in find_quantities(summary):
        written = quantity.number.of(summary)
        is_range = _SCALED.fullmatch(written) and _RANGE_BEFORE.search(summary, 0, quantity.number.start)
        is_counted = quantity.measures or (
            _COUNTED.match(summary, quantity.number.end) and not _is_of_name(summary, quantity.number.start)
        )
        if is_range or (_UNGROUPED.fullmatch(written) and not is_counted):
            continue
        if len(quantity.amounts) == 1:
            [value] = quantity.amounts
            for new in _forms(written, value):
                yield Edit(quantity.number, new, f"{new} is {written}.")
    for share in _PER_CENT.finditer(summary):
        for unit in ("%", " percent", " per cent"):  # no set: its order is another one in each process
            new = share["figures"] + unit
            if unit != share["unit"].replace(" %", "%"):
                yield Edit(Span(*share.span()), new, f"{new} is {share.group()}.")


def _forms(written: str, value: Fraction) -> Iterator[str]:
    if _SCALED.fullmatch(written) and value.denominator == 1:
        yield f"{int(value):,}"
        return
    if _GROUPED.fullmatch(written):
        yield written.replace(",", "")
    elif _UNGROUPED.fullmatch(written):
        yield f"{int(value):,}"
    else:
        return
    for scale, factor in _SCALES.items():
        short = value / factor
        digits = f"{float(short):g}"
        if 1 <= short < 1000 and Fraction(digits) == short and len(digits.replace(".", "")) <= _MAX_LONG_DIGITS:
            yield f"{digits} {scale}"


def _other_spellings(summary: str, openings: set[int]) -> Iterator[Edit]:
    """Counted numbers in words for figures, and the other way round but where a sentence begins."""
    for number in find_numbers(summary):
        new, opens = other_spelling(number.text), number.span.start in openings
        if new == number.text or _is_of_name(summary, number.span.start) or (opens and new.isdigit()):
            continue
        is_beside_sign = _SIGN_BEFORE.search(summary, 0, number.span.start) or _SIGN_AFTER.match(
            summary, number.span.end
        )
        if is_beside_sign or _SCALE_AFTER.match(summary, number.span.end):
            continue
        yield Edit(number.span, new.capitalize() if opens else new, f"{new} is {number.text}.")


def _is_of_name(summary: str, start: int) -> bool:
    """True if the word before is a name, as in Apollo 13."""
    before = re.search(r"([\w’'-]+)\s$", summary[max(0, start - 40) : start])
    return before is not None and not before[1].islower() and before[1].lower() not in FUNCTION_WORDS
