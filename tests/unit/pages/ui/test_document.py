"""How the document is cut at the borders of its highlights."""

from __future__ import annotations

import random

from hypothesis import given

from core.types import Span
from pages.ui.probe.text_panes import Highlight, HighlightKind, cut_at_highlights, utf16_offsets
from tests.doubles.texts import RANDOM

TEXT = "The council met on Monday 😀 and approved twelve plans."


def mark(start: int, end: int, kind: HighlightKind = "evidence") -> Highlight:
    return Highlight(Span(start, end), kind, kind)


def test_a_text_without_highlights_is_one_segment() -> None:
    [only] = cut_at_highlights(10, [])
    assert (only.span, only.kinds, only.begins) == (Span(0, 10), (), ())


def test_overlapping_highlights_are_cut_at_all_borders() -> None:
    cut = cut_at_highlights(10, [mark(2, 6), mark(4, 8, "unread")])
    assert [(segment.span.start, segment.kinds) for segment in cut] == [
        (0, ()),
        (2, ("evidence",)),
        (4, ("evidence", "unread")),
        (6, ("unread",)),
        (8, ()),
    ]


def test_a_label_stands_where_its_highlight_begins() -> None:
    cut = cut_at_highlights(10, [mark(0, 5, "piece"), mark(5, 10, "piece")])
    assert [len(segment.begins) for segment in cut] == [1, 1]


def test_what_lies_outside_the_text_is_left_out() -> None:
    cut = cut_at_highlights(10, [mark(-5, 3), mark(8, 99), mark(20, 30), mark(4, 4)])
    assert [(segment.span, segment.kinds) for segment in cut] == [
        (Span(0, 3), ("evidence",)),
        (Span(3, 8), ()),
        (Span(8, 10), ("evidence",)),
    ]


def test_an_empty_text_has_no_segments() -> None:
    assert cut_at_highlights(0, [mark(0, 5)]) == []


@given(RANDOM)
def test_segments_cover_the_text_once_and_know_what_covers_them(rng: random.Random) -> None:
    kinds: list[HighlightKind] = ["evidence", "piece", "unread"]
    marks = [mark(*sorted(rng.sample(range(51), 2)), rng.choice(kinds)) for _ in range(12)]
    cut = cut_at_highlights(50, marks)
    assert [position for segment in cut for position in range(segment.span.start, segment.span.end)] == list(range(50))
    for segment in cut:
        covering = {m.kind for m in marks if m.span.start <= segment.span.start and segment.span.end <= m.span.end}
        assert set(segment.kinds) == covering


def test_offsets_are_counted_as_the_browser_counts_them() -> None:
    offsets = [0, 26, 27, len(TEXT)]
    assert utf16_offsets(TEXT, offsets) == [len(TEXT[:offset].encode("utf-16-le")) // 2 for offset in offsets]


def test_offsets_of_a_text_without_rare_characters_stay() -> None:
    assert utf16_offsets("naïve Ελλάδα", [0, 5, 12]) == [0, 5, 12]
