"""The units of a summary that no claim is of."""

from __future__ import annotations

from collections.abc import Iterable

from core.text.layout import layout_units
from core.text.segmentation import words
from core.types import Span, SummaryClaim


def units_without_claim(summary: str, claims: Iterable[SummaryClaim]) -> list[Span]:
    """The sentences and list items of a summary that have words, and that no claim is of."""
    places = [claim.span for claim in claims if claim.span]
    return [
        unit
        for unit in layout_units(summary)
        if words(unit.of(summary)) and not any(place.start < unit.end and unit.start < place.end for place in places)
    ]
