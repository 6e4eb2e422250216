"""The canonical reading of a text: equal texts are equal, and each character has its place in the original."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis.strategies import integers, text

from core.text.canonical import canonical, is_canonical, read_again, read_canonical, read_example
from core.types import Context, Example, Span

NFC = "Zoë Brekke met Café Skarv in Malmö, said 각 한국."
NFD = unicodedata.normalize("NFD", NFC)


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (NFD, NFC),
        ("co\u00adoperate", "cooperate"),
        ("3\u00a0400\u202f000", "3 400 000"),
        ("１２３ ＡＢＣ！", "123 ABC!"),
        ("\ufb01nal \ufb02at", "final flat"),
        ("a\u200bb\ufeff", "ab"),
        ("“plain” – text", "“plain” – text"),
        ("10² m", "10² m"),
    ],
)
def test_what_nobody_sees_does_not_count(written: str, read: str) -> None:
    assert canonical(written) == read == read_canonical(written).text


@given(text(max_size=60))
def test_a_reading_is_read_as_itself(written: str) -> None:
    reading = read_canonical(written).text
    assert reading == canonical(written)
    assert unicodedata.is_normalized("NFC", reading)
    assert is_canonical(written) == (reading == written)


@given(text(max_size=60), integers(0, 60), integers(0, 60))
def test_a_part_of_the_reading_has_its_place_in_the_original(written: str, first: int, second: int) -> None:
    reading = read_canonical(written)
    start, end = sorted((min(first, len(reading.text)), min(second, len(reading.text))))
    original = reading.original_span(Span(start, end))
    assert 0 <= original.start <= original.end <= len(written)
    if start < end:
        assert reading.text[start:end] in canonical(original.of(written))


def test_contexts_move_with_the_document() -> None:
    document = f"{NFD}\n\nTwo tugs came."
    place = document.index("Two")
    example = Example(
        "a", document, "Two tugs.", (Context("1", Span(0, len(NFD))), Context("2", Span(place, len(document))))
    )
    reading = read_example(example, read_again(document, lambda _: None), None)
    assert reading is not None
    assert [context.span.of(reading.example.document) for context in reading.example.contexts] == [
        NFC,
        "Two tugs came.",
    ]
    assert read_example(Example("b", NFC, "Two tugs."), read_again(NFC, lambda _: None), None) is None
