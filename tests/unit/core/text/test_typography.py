"""Quotes and dashes of typographers read as those of a keyboard."""

from __future__ import annotations

import pytest

from core.text.typography import plain_typography


@pytest.mark.parametrize(
    ("typographic", "plain"),
    [
        ("the ship’s “pilot”", 'the ship\'s "pilot"'),
        ("1990–1995", "1990-1995"),
        ("well‑known", "well-known"),
        ("noon — then", "noon - then"),
        ("noon – then", "noon -- then"),
        ("noon—then", "noon--then"),
    ],
)
def test_typographic_marks_read_as_plain_ones(typographic: str, plain: str) -> None:
    readings = [plain_typography(text).replace("—", " — ").split() for text in (typographic, plain)]
    assert readings[0] == readings[1]


@pytest.mark.parametrize("text", ["one — two\n- item", "x--y", "“a” ‘b’", "It’s\n\ntext", ""])
def test_every_character_keeps_its_place(text: str) -> None:
    reading = plain_typography(text)
    assert len(reading) == len(text)
    assert [place for place, char in enumerate(reading) if char.isalnum()] == [
        place for place, char in enumerate(text) if char.isalnum()
    ]
