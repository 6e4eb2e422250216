"""Another number than the document gives."""

from __future__ import annotations

import re
from typing import ClassVar

from core.edits.perturbation import MAX_MENTIONS, PERTURBATIONS, PerturbationCard, RulePerturbation, replacement
from core.text import (
    Number,
    apply,
    find_numbers,
    mentions,
    numeric_value,
    other_numbers,
    other_spelling,
    states_quantities_at,
)
from core.types import Edit, ErrorType, Example, Span

_AT_MOST_100 = re.compile(r"%|per ?cent|-?years?[- ]old|, ")
_LOWER_BOUND = re.compile(
    r"\b(?:more|greater|longer|older|larger) than \W?$|\b(?:least|over|above|exceeding|beyond) \W?$", re.I
)
_UPPER_BOUND = re.compile(
    r"\b(?:less|fewer|shorter|younger|smaller) than \W?$|\b(?:most|under|below|within|up to) \W?$", re.I
)
_MARGIN = 16  # characters looked at on either side


@PERTURBATIONS.add
class NumberChanged(RulePerturbation):
    """A number of the document becomes one of about the same size that the document does not hold."""

    name: ClassVar[str] = "number"
    card: ClassVar[PerturbationCard] = PerturbationCard(
        title="Change a number",
        intent="breaking",
        does="Replaces a number by one of about the same size that the document does not give.",
        paper="Ma et al. 2023, BUMP; a trivial edit in Thorat et al. 2024, SummExecEdit",
        error_type=ErrorType.EXTRINSIC_ENTITY,
    )
    no_proposals_message: ClassVar[str] = (
        "No number of the summary can be changed alone: it must stand in the document as well, exceed one, and be no part "
        "of a date, range or ratio."
    )

    def proposals(self, example: Example) -> list[Edit]:
        numbers = [
            number
            for number in find_numbers(example.summary)[:MAX_MENTIONS]
            if _is_given(example.document, number)
            or states_quantities_at(example.document, example.summary, number.span)
        ]
        return [edit for number in numbers for edit in _changed_numbers(example, number)]


def _is_given(document: str, number: Number) -> bool:
    """True if a document has a number, in figures or in words, also with its unit as in 20m."""
    spellings = (number.text, number.text.lower(), other_spelling(number.text))
    return any(
        mentions(document, spelling) or re.search(rf"(?<![\w.,]){re.escape(spelling)}[a-z]{{1,7}}\b", document)
        for spelling in spellings
    )


def _changed_numbers(example: Example, number: Number) -> list[Edit]:
    fresh = [other for other in other_numbers(number.text) if _fits(example, number, other)]
    why = "By the document it is {old}, not {new}."
    return [replacement(example.summary, number.span, other, why.format(old=number.text, new=other)) for other in fresh]


def _fits(example: Example, number: Number, other: str) -> bool:
    """True if another number is possible there, and not entailed: more than nine is more than six."""
    after = example.summary[number.span.end : number.span.end + _MARGIN].lstrip()
    value, old = numeric_value(other), numeric_value(number.text)
    if (
        any(mentions(text, other) for text in (example.document, example.summary))
        or value < 2
        or (_AT_MOST_100.match(after) and value > 99)
    ):
        return False
    changed = apply(example.summary, [Edit(number.span, other)])
    place = Span(number.span.start, number.span.start + len(other))
    if any(states_quantities_at(text, changed, place) for text in (example.document, example.summary)):
        return False
    before = example.summary[max(0, number.span.start - _MARGIN) : number.span.start]
    return not (_LOWER_BOUND.search(before) and value < old) and not (_UPPER_BOUND.search(before) and value > old)
