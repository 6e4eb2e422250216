"""Another date than the document gives."""

from __future__ import annotations

from typing import ClassVar

from core.edits.perturbation import MAX_MENTIONS, PERTURBATIONS, PerturbationCard, RulePerturbation, replacement
from core.text import Date, apply, find_dates, other_dates, padded_words, states_quantities_at, words
from core.types import Edit, ErrorType, Example, Span


@PERTURBATIONS.add
class DateChanged(RulePerturbation):
    """A part of the day, weekday, month, day, quarter or year of the document becomes one that the document does not hold."""

    name: ClassVar[str] = "date"
    card: ClassVar[PerturbationCard] = PerturbationCard(
        title="Change a date",
        intent="breaking",
        does="Replaces a part of the day, weekday, month, day, quarter or year by one that the document does not mention.",
        paper="Ma et al. 2023, BUMP; a trivial edit in Thorat et al. 2024, SummExecEdit",
        error_type=ErrorType.EXTRINSIC_CIRCUMSTANCE,
    )
    no_proposals_message: ClassVar[str] = (
        "The summary holds no date that is recognised and that the document holds as well. A month is recognised after “in” or "
        "beside its day, and March and May only beside their day, as “3 March”: alone they may be a walk or a verb."
    )

    def proposals(self, example: Example) -> list[Edit]:
        dates = [
            date
            for date in find_dates(example.summary)[:MAX_MENTIONS]
            if _is_given(example.document, date.text)
            or states_quantities_at(example.document, example.summary, date.span)
        ]
        return [edit for date in dates for edit in _changed_dates(example, date)]


def _changed_dates(example: Example, date: Date) -> list[Edit]:
    fresh = [
        other
        for other in other_dates(date)
        if not _is_given(example.document, other) and not _is_stated(example, date, other)
    ]
    return [
        replacement(
            example.summary, date.span, other, f"The document says {date.text} here; it never mentions {other}."
        )
        for other in fresh
        if not _is_given(example.summary, other)
    ]


def _is_stated(example: Example, date: Date, other: str) -> bool:
    """True if the document states another date in any form."""
    changed = apply(example.summary, [Edit(date.span, other)])
    place = Span(date.span.start, date.span.start + len(other))
    return states_quantities_at(example.document, changed, place)


def _is_given(text: str, date: str) -> bool:
    """True if a text holds a date in any case and with any hyphens."""
    return f" {' '.join(words(date))} " in padded_words(text)
