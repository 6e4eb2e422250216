"""Marks of Markdown, lists and typography carry no word, and each list item is a unit of its own."""

from __future__ import annotations

import pytest

from core.text.layout import layout_units, plain_reading
from core.text.segmentation import sentences

PROSE = "The harbour closed at noon. A ship waited outside. The pilot came at two."
UNITS = ["The harbour closed at noon.", "A ship waited outside.", "The pilot came at two."]


def units(text: str) -> list[str]:
    reading = plain_reading(text)
    return [" ".join(span.of(reading).split()) for span in layout_units(text)]


@pytest.mark.parametrize(
    "text",
    [
        PROSE,
        "\n".join(f"- {unit}" for unit in UNITS),
        "\n".join(f"• {unit}" for unit in UNITS),
        "\n".join(f"{number}. {unit}" for number, unit in enumerate(UNITS, 1)),
        "\n".join(f"{letter}) {unit}" for letter, unit in zip("abc", UNITS, strict=True)),
        "\n\n".join(UNITS),
        f"## Summary\n\n{PROSE}",
        "The harbour closed\nat noon. A ship waited outside.\nThe pilot came at two.",
        "**The** harbour closed at noon. A *ship* waited outside. The `pilot` came at two.",
        "- [x] The harbour closed at noon.\n- [ ] A ship waited outside.\n- [ ] The pilot came at two.",
        "> The harbour closed at noon. A [ship](https://example.org/ship) waited outside.\n> The pilot came at two.",
        "<p>The harbour closed at noon. <b>A ship</b> waited outside.</p>The pilot came at two.",
    ],
)
def test_every_layout_has_the_same_units(text: str) -> None:
    assert [" ".join(unit.split()) for unit in units(text)] == UNITS


def test_an_item_without_a_full_stop_is_a_unit() -> None:
    assert units("Findings\n- the harbour closed\n- a ship waited\n") == [
        "Findings",
        "the harbour closed",
        "a ship waited",
    ]


def test_rows_of_a_table_are_units_and_its_rule_is_none() -> None:
    assert units("| Port | Depth |\n|---|---|\n| Ostrava | 12 m |\n| Harwick | 9 m |") == [
        "Port Depth",
        "Ostrava 12 m",
        "Harwick 9 m",
    ]


def test_a_text_of_headings_alone_keeps_them() -> None:
    assert units("# The harbour closed at noon") == ["The harbour closed at noon"]


@pytest.mark.parametrize(
    "text", [PROSE, "He paid 3 - 4 pounds.", "A well-known rule: 2 * 3 is 6, and x_1 is none.", ""]
)
def test_plain_prose_has_the_units_of_its_sentences(text: str) -> None:
    assert layout_units(text) == sentences(text)


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
    readings = [plain_reading(text).replace("—", " — ").split() for text in (typographic, plain)]
    assert readings[0] == readings[1]


@pytest.mark.parametrize(
    "text", ["**bold** — a [link](x) and <i>tag</i>\n- item", "x--y", "“a” ‘b’", "## Head\n\ntext"]
)
def test_the_reading_has_the_length_and_the_lines_of_the_text(text: str) -> None:
    reading = plain_reading(text)
    assert len(reading) == len(text)
    assert [place for place, char in enumerate(reading) if char == "\n"] == [
        place for place, char in enumerate(text) if char == "\n"
    ]
