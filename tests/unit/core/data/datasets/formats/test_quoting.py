"""Readings of the quotes of a table: each gives the rows that its writer meant, and what was decided is said."""

from __future__ import annotations

import csv
from pathlib import Path

import pandas as pd
import pytest

from core.data.datasets.formats.table_files import table_notes, table_rows
from tests.unit.core.data.datasets.writing import put


def cells(path: Path) -> list[list[object]]:
    return [list(row.values()) for _, row in table_rows(path) if not isinstance(row, str)]


def test_a_quote_in_a_table_with_tabs_is_text_where_quoting_would_swallow_rows(tmp_path: Path) -> None:
    lines = [
        "document\tsummary",
        '"Stay in port, they said.\tThey stayed.',
        'All is well"\tIt is well.',
        "Rain.\tIt rained.",
    ]
    path = put(tmp_path, "t.tsv", "\n".join(lines))
    assert cells(path) == [line.split("\t") for line in lines[1:]]
    assert table_notes(path) == [
        "quotes are text in this table with tabs: 4 rows with the header, which by quoting would be 3"
    ]


def test_a_quote_in_a_table_with_tabs_is_text_where_quoting_breaks(tmp_path: Path) -> None:
    path = put(tmp_path, "t.tsv", 'document\tsummary\n"Half a quote\tS one.\nThe "whole" of it\tS two.\n')
    assert cells(path) == [['"Half a quote', "S one."], ['The "whole" of it', "S two."]]
    assert "by quoting could not all be read" in table_notes(path)[0]


def test_a_title_in_quotes_keeps_them_in_a_table_with_tabs_and_that_is_said(tmp_path: Path) -> None:
    path = put(tmp_path, "t.tsv", 'document\tsummary\nRain fell.\t"Rain"\nSnow fell.\tSnow\n')
    assert cells(path) == [["Rain fell.", '"Rain"'], ["Snow fell.", "Snow"]]
    assert table_notes(path) == ["quotes are text in this table with tabs: they stay in the cells"]


TEXTS = [['She said "go", and went.', "She went."], ["Two\nlines, a\ttab.", 'A "b" c.'], ["Plain.", "Plain, too."]]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("quoting", [csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC])
def test_what_a_program_quoted_is_read_as_it_was(delimiter: str, quoting: int, tmp_path: Path) -> None:
    frame = pd.DataFrame(TEXTS, columns=["document", "summary"])
    frame.to_csv(tmp_path / "t.csv", sep=delimiter, quoting=quoting, index=False)
    assert cells(tmp_path / "t.csv") == TEXTS
    assert table_notes(tmp_path / "t.csv") == []


@pytest.mark.parametrize("delimiter", [",", "\t"])
def test_quotes_after_backslashes_are_read_without_them(delimiter: str, tmp_path: Path) -> None:
    frame = pd.DataFrame(TEXTS, columns=["document", "summary"])
    frame.to_csv(tmp_path / "t.csv", sep=delimiter, doublequote=False, escapechar="\\", index=False)
    assert cells(tmp_path / "t.csv") == TEXTS
    assert table_notes(tmp_path / "t.csv") == ["a backslash before a quote is no text"]


def test_cells_that_excel_quotes_for_a_comma_lose_their_quotes_in_a_table_with_tabs(tmp_path: Path) -> None:
    path = put(tmp_path, "t.tsv", 'document\tsummary\n"Rain, they said."\tIt rained.\n"Snow, too."\tIt snowed.\n')
    assert cells(path) == [["Rain, they said.", "It rained."], ["Snow, too.", "It snowed."]]


@pytest.mark.parametrize(
    "text", ['document, summary\n"Rain, hail.", "It rained."\n', "document, summary\nRain and hail., It rained.\n"]
)
def test_blanks_after_separators_are_no_text(text: str, tmp_path: Path) -> None:
    path = put(tmp_path, "t.csv", text)
    (row,) = cells(path)
    assert row[1] == "It rained."
    assert table_notes(path) == ["blanks after the separators are no text"]


def test_a_single_blank_after_a_comma_stays(tmp_path: Path) -> None:
    path = put(tmp_path, "t.csv", "document,summary\nRain., It rained.\nSnow.,It snowed.\n")
    assert cells(path) == [["Rain.", " It rained."], ["Snow.", "It snowed."]]


def test_rows_that_need_quoting_and_a_broken_one_are_read_but_for_that(tmp_path: Path) -> None:
    path = put(tmp_path, "t.csv", 'document,summary\n"Rain, hail.",It rained.\n"Snow" fell.,It snowed.\n')
    (_, good), (line, broken) = table_rows(path)
    assert good == {"document": "Rain, hail.", "summary": "It rained."}
    assert line == 3
    assert "This row is not CSV" in str(broken)


def test_a_line_break_in_a_quoted_name_of_a_column_stays_in_the_header(tmp_path: Path) -> None:
    text = 'document,"[m1] Document: {{document}}\nQuestion: {{question}}",Status,Named\nRain.,Wet.,PASS,"{""a"":1}"\nSnow.,Cold.,FAIL,"{""a"":0}"\n'
    path = put(tmp_path, "t.csv", text)
    assert cells(path) == [["Rain.", "Wet.", "PASS", '{"a":1}'], ["Snow.", "Cold.", "FAIL", '{"a":0}']]
    assert not table_notes(path)
