"""Tests of texts as cells of a spreadsheet and as lines on a page."""

import csv

import pytest

from core.text.displayed_text import (
    NO_BLANK,
    csv_lines,
    records_csv,
    spreadsheet_safe,
    spreadsheet_text,
    with_even_blanks,
    with_visible_controls,
)


@pytest.mark.parametrize(
    "cell",
    [
        *("=1+1", "+1", "-1", "@x", "\t=1", " =1", "\u00a0=1", "\u3000=1", "\ufeff=1", "\u200b=1"),
        *("\uff1d1", "\uff0b1", "\uff0d1", "\uff20x", "\r", "\nx"),
    ],
)
def test_no_spreadsheet_takes_a_text_for_a_formula(cell: str) -> None:
    assert spreadsheet_safe(cell) == f"'{cell}"


@pytest.mark.parametrize("cell", ["", "word", " a = b", "é", "(1)"])
def test_other_cells_stay_as_they_are(cell: str) -> None:
    assert spreadsheet_safe(cell) == cell


def test_a_table_has_no_formula_and_every_digit() -> None:
    rows = [["=name", "b"], ["=HYPERLINK(1)", -0.1], ["+1", None], ["plain, text", float("nan")], ["@x", 1 / 3]]
    written = list(csv.reader(csv_lines(rows)))
    assert written == [
        ["'=name", "b"],
        ["'=HYPERLINK(1)", "-0.1"],
        ["'+1", ""],
        ["plain, text", ""],
        ["'@x", "0.3333333333333333"],
    ]


def test_a_field_that_a_record_lacks_is_an_empty_cell() -> None:
    assert records_csv([{"a": 1}, {"b": "=1"}]) == "a,b\r\n1,\r\n,'=1\r\n"
    assert records_csv([]) == "\r\n"


def test_characters_that_turn_the_direction_are_seen_and_places_stay() -> None:
    hidden = "It is \u202econsistent\u202c, \u2067no\u2069. \u200f\u05e9"
    shown = with_visible_controls(hidden)
    assert shown == "It is \u2426consistent\u2426, \u2426no\u2426. \u200f\u05e9"
    assert len(shown) == len(hidden)


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("It fell in 1990 . He sang", "It fell in 1990. He sang"),
        ("  It  fell\u00a0\u2009in\t1990. ", "It fell in 1990."),
        ("One line. \r\n \n Another ( tall ) one", "One line.\nAnother (tall) one"),
        ("3.4 % of \u201c it \u201d", "3.4% of \u201cit\u201d"),
        (" \n ", ""),
    ],
)
def test_even_blanks_are_seen_and_places_stay(text: str, seen: str) -> None:
    shown = with_even_blanks(text)
    assert shown.replace(NO_BLANK, "") == seen
    assert len(shown) == len(text)
    assert [at for at, letter in enumerate(text) if not letter.isspace()] == [
        at for at, letter in enumerate(shown) if not letter.isspace() and letter != NO_BLANK
    ]


@pytest.mark.parametrize("text", ["=1+1", "'=1+1", "''=1+1", "'tis so", "'", "", " =1", "'\ufeff-3", "-3", "plain"])
def test_the_text_of_a_cell_comes_back(text: str) -> None:
    assert spreadsheet_text(spreadsheet_safe(text)) == text
