"""Another date than the document gives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from core.english.standing import mentions
from core.english.times import Date, dates, others
from core.perturbation import PERTURBATIONS, PerturbationCard
from core.rewriting import MOST_PLACES, Rewriting, replacement
from core.types import Edit, ErrorType, Example


@PERTURBATIONS.add
@dataclass(frozen=True)
class DateChanged(Rewriting):
    """A part of the day, weekday, month, day or year of the document becomes one that the document does not hold."""

    name: ClassVar[str] = "date"
    card: ClassVar[PerturbationCard] = PerturbationCard(
        title="Change a date",
        intent="breaking",
        does="Replaces a part of the day, weekday, month, day or year by one that the document does not mention.",
        paper="Ma et al. 2023, BUMP; a trivial edit in Thorat et al. 2024, SummExecEdit",
        error_type=ErrorType.EXTRINSIC_CIRCUMSTANCE,
    )
    lacking: ClassVar[str] = (
        "The summary holds no part of the day, weekday, month, day or year that the document holds as well."
    )

    def proposals(self, example: Example) -> list[Edit]:
        given = [date for date in dates(example.summary)[:MOST_PLACES] if mentions(example.document, date.text)]
        return [edit for date in given[:MOST_PLACES] for edit in _changed(example, date)]


def _changed(example: Example, date: Date) -> list[Edit]:
    fresh = [other for other in others(date) if not mentions(example.document, other)]
    return [
        replacement(
            example.summary, date.span, other, f"The document says {date.text} here; it never mentions {other}."
        )
        for other in fresh
        if not mentions(example.summary, other)
    ]
