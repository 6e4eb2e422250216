"""A summary with the numbers, amounts, dates and numbered names of its document as the document writes them."""

from __future__ import annotations

import re

from core.text.canonical import CanonicalText
from core.text.english.numbered_names import find_numbered_names
from core.text.english.quantities import Quantity, find_quantities
from core.text.markup import replace_parts
from core.text.segmentation import sentences
from core.types import Span


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
    """The summary with each quantity or numbered name that the document states in another form in the document's; None where there is none.

    A quantity that the document has in the same form, or does not have, stays.
    """
    changes = _names_in_other_form(summary, document)
    ends = {sentence.end for sentence in sentences(summary)}
    for quantity in find_quantities(summary):
        named = any(span.start < quantity.span.end and quantity.span.start < span.end for span, _ in changes)
        if named or _is_written(document, quantity.span.of(summary)):
            continue
        stated = next((other for other in find_quantities(document) if other.holds(quantity)), None)
        if stated is None:
            continue
        whole = bool(stated.measures) == bool(quantity.measures)
        old, new = (quantity.span, stated.span) if whole else (quantity.number, stated.number)
        if whole or not _is_written(document, old.of(summary)):
            is_last = old.end in ends and old.of(summary).endswith(".") and not new.of(document).endswith(".")
            changes.append(
                (old, f"{new.of(document)}." if is_last else new.of(document))
            )  # p.m. may end a sentence too
    if not changes:
        return None
    as_it_is = CanonicalText(summary, tuple(range(len(summary))), tuple(range(1, len(summary) + 1)))
    return replace_parts(as_it_is, sorted(changes))


def _names_in_other_form(summary: str, document: str) -> list[tuple[Span, str]]:
    """Chapter IV as Chapter 4, where the document has that alone."""
    forms: dict[tuple[str, int], list[str]] = {}
    for name in find_numbered_names(document):
        forms.setdefault((name.noun, name.value), []).append(name.number.of(document))
    return [
        (name.number, stated[0])
        for name in find_numbered_names(summary)
        if (stated := forms.get((name.noun, name.value)))
        and name.number.of(summary).lower() not in {form.lower() for form in stated}
    ]


def _is_written(document: str, form: str) -> bool:
    return re.search(rf"(?<![\w.,-]){re.escape(form)}(?![\w%]|[.,]\d)", document, re.IGNORECASE) is not None
