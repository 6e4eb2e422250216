"""The document pane: a long text that shows what a metric read of it and what it rested its score on."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal, get_args

from core.types import Span
from pages.ui.component import component

Kind = Literal["evidence", "piece", "unread"]

_mount = component("document")


@dataclass(frozen=True, slots=True)
class Highlight:
    """A stretch of the document: evidence of a score, a piece as the metric cut it, or what it did not read."""

    span: Span
    kind: Kind
    label: str


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch over which nothing changes: the kinds that cover it and the highlights that begin with it."""

    span: Span
    kinds: tuple[Kind, ...]
    begins: tuple[Highlight, ...]


def document_view(text: str, *, highlights: Sequence[Highlight], key: str, height: int) -> None:
    """Show `text` in a scrolling pane `height` pixels high; it scrolls to new evidence unless some of it can be seen."""
    cut = segments(len(text), highlights)
    starts = utf16(text, [segment.span.start for segment in cut])
    parts = [
        {"start": start, "kinds": segment.kinds, "labels": [(begun.kind, begun.label) for begun in segment.begins]}
        for start, segment in zip(starts, cut, strict=True)
    ]
    _mount(key=key, data={"text": text, "parts": parts, "height": height})


def segments(length: int, highlights: Sequence[Highlight]) -> list[Segment]:
    """Cut a text of `length` characters at every border of a highlight; what lies outside the text is left out."""
    begins, ends = defaultdict(list), defaultdict(list)
    for mark in highlights:
        span = Span(max(mark.span.start, 0), min(mark.span.end, length))
        if span.start < span.end:
            begins[span.start].append(replace(mark, span=span))
            ends[span.end].append(mark.kind)
    open_kinds: Counter[Kind] = Counter()
    cut = []
    for start, end in pairwise(sorted({0, length, *begins, *ends})):
        open_kinds.update(mark.kind for mark in begins[start])
        open_kinds.subtract(ends[start])
        kinds = tuple(kind for kind in get_args(Kind) if open_kinds[kind])
        cut.append(Segment(Span(start, end), kinds, tuple(begins[start])))
    return cut


def utf16(text: str, offsets: Sequence[int]) -> list[int]:
    """Ascending code-point offsets as the browser counts them, where a character beyond U+FFFF counts two."""
    if not text or max(text) <= "\uffff":
        return list(offsets)
    units, last, found = 0, 0, []
    for offset in offsets:
        units += sum(2 if character > "\uffff" else 1 for character in text[last:offset])
        last = offset
        found.append(units)
    return found
