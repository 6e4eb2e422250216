"""Headers: titles and notes above, survey rows below, none at all, and too many columns."""

from __future__ import annotations

import csv
import json
from io import StringIO
from pathlib import Path

import pandas as pd
import pytest
from openpyxl import Workbook

from core.data.datasets.formats.table_files import table_notes, table_rows
from core.errors import TouchstoneError
from tests.unit.core.data.datasets.writing import put

ROWS = [["document", "summary", "label"], ["Rain fell all day.", "It rained.", "1"], ["It snowed.", "It rained.", "0"]]
QUESTIONS = ["Document", "Summary", "Is the summary right?"]
IDS = [json.dumps({"ImportId": f"QID{number}"}) for number in range(3)]


def comma(rows: list[list[str]]) -> str:
    file = StringIO()
    csv.writer(file).writerows(rows)
    return file.getvalue()


def sheet(path: Path, rows: list[list[str]]) -> Path:
    book = Workbook()
    for row in rows:
        book.active.append(row)
    book.save(path)
    book.close()
    return path


def read(path: Path) -> list[list[object]]:
    return [list(row.values()) for _, row in table_rows(path) if not isinstance(row, str)]


@pytest.mark.parametrize(
    ("above", "below", "note"),
    [
        ([["Study of the spring", "", ""]], [], "1 line above the header left out: “Study of the spring”"),
        ([["Study"], ["by the lab"]], [], "2 lines above the header left out: “Study”"),
        ([["# version 2, of May"]], [], "1 line above the header left out: “# version 2, of May”"),
        (
            [],
            [QUESTIONS, IDS],
            "2 rows of a survey tool below the header left out: “Document | Summary | Is the summary right?”",
        ),
        (
            [],
            [QUESTIONS],
            "1 row of a survey tool below the header left out: “Document | Summary | Is the summary right?”",
        ),
        ([], [IDS], "1 row of a survey tool below the header left out: "),
        ([], [["", "", "Response"]], "1 row of a survey tool below the header left out: “Response”"),
    ],
)
def test_what_is_no_data_around_a_header_is_left_out_and_said(
    above: list[list[str]], below: list[list[str]], note: str, tmp_path: Path
) -> None:
    rows = [*above, ROWS[0], *below, *ROWS[1:]]
    for path in (put(tmp_path, "t.csv", comma(rows)), sheet(tmp_path / "t.xlsx", rows)):
        assert read(path) == ROWS[1:]
        assert [said for said in table_notes(path) if note in said]


def test_a_separator_that_the_first_line_declares_is_used(tmp_path: Path) -> None:
    text = "sep=;\r\n" + "\r\n".join(";".join(row) for row in ROWS)
    assert read(put(tmp_path, "t.csv", text)) == ROWS[1:]


def test_a_header_that_stands_again_in_joined_files_is_no_row(tmp_path: Path) -> None:
    assert read(put(tmp_path, "t.csv", comma([*ROWS, *ROWS]))) == [*ROWS[1:], *ROWS[1:]]


def test_row_names_without_a_name_shift_no_column(tmp_path: Path) -> None:
    rows = [ROWS[0], *([str(number), *row] for number, row in enumerate(ROWS[1:]))]
    path = put(tmp_path, "t.tsv", "\n".join("\t".join(row) for row in rows))
    assert [row["summary"] for _, row in table_rows(path) if not isinstance(row, str)] == ["It rained."] * 2
    assert table_notes(path) == ["the first column has no name: row names"]


def test_a_separator_at_the_end_of_lines_shifts_no_column(tmp_path: Path) -> None:
    path = put(tmp_path, "t.csv", "\n".join(",".join(row) + "," for row in [*ROWS, ["", "", ""]]))
    assert read(path) == ROWS[1:]


@pytest.mark.parametrize(
    "first",
    [["Hail fell on the whole of the valley.", "It hailed.", "1"], ["The town council met on Monday.", "It met.", "0"]],
)
def test_a_table_without_a_header_is_refused(first: list[str], tmp_path: Path) -> None:
    rows = [first, *ROWS[1:], *ROWS[1:]]
    with pytest.raises(TouchstoneError, match=r"has no header: its first row reads “.*Add a first row with the names"):
        read(put(tmp_path, "t.csv", comma(rows)))


def test_a_table_of_more_columns_than_any_needs_is_refused_in_a_sentence(tmp_path: Path) -> None:
    names = [f"c{number}" for number in range(1500)]
    wide = [put(tmp_path, "t.csv", comma([names, names])), sheet(tmp_path / "t.xlsx", [names, names])]
    pd.DataFrame([names], columns=names).to_parquet(tmp_path / "t.parquet")
    for path in (*wide, tmp_path / "t.parquet"):
        with pytest.raises(TouchstoneError, match="has 1,500 columns; 1,000 is the most"):
            read(path)


LEVELS = [("text", "document"), ("text", "summary"), ("scores", "rouge2"), ("scores", "bleu"), ("human", "faithful")]
SPARSE = [("document", ""), ("summary", ""), ("scores", "rouge2"), ("scores", "bleu"), ("human", "faithful")]
CELLS = [["Rain fell all day.", "It rained.", 0.5, 0.25, 1], ["It snowed.", "It rained.", 0.125, 0.75, 0]]


@pytest.mark.parametrize("levels", [LEVELS, SPARSE])
@pytest.mark.parametrize("index", [None, "", "idx"])
@pytest.mark.parametrize("named", [False, True])
@pytest.mark.parametrize("ending", ["csv", "tsv", "xlsx"])
def test_columns_with_two_levels_as_pandas_writes_them(
    levels: list[tuple[str, str]], index: str | None, named: bool, ending: str, tmp_path: Path
) -> None:
    frame = pd.DataFrame(CELLS, columns=pd.MultiIndex.from_tuples(levels, names=["kind", "name"] if named else None))
    frame.index.name = index or None
    path = tmp_path / f"t.{ending}"
    if ending == "xlsx":
        frame.to_excel(path)  # pandas writes columns with two levels to a workbook with their index alone
    else:
        frame.to_csv(path, index=index is not None, sep="," if ending == "csv" else "\t")
    rows = [row for _, row in table_rows(path) if not isinstance(row, str)]
    names = ["document", "summary", "rouge2", "bleu", "faithful"]
    assert [[str(row[name]) for name in names] for row in rows] == [[str(cell) for cell in cells] for cells in CELLS]
    assert any("two rows" in note for note in table_notes(path))


def test_second_names_that_repeat_have_the_first_before_them(tmp_path: Path) -> None:
    levels = [("text", "document"), ("text", "summary"), ("rouge", "mean"), ("bleu", "mean")]
    frame = pd.DataFrame([cells[:4] for cells in CELLS], columns=pd.MultiIndex.from_tuples(levels))
    frame.to_csv(tmp_path / "t.csv", index=False)
    [(_, first), *_] = table_rows(tmp_path / "t.csv")
    assert [*first] == ["document", "summary", "rouge.mean", "bleu.mean"]


@pytest.mark.parametrize("label", ["yes", "faithful", "A"])
def test_a_first_row_of_short_words_is_data(label: str, tmp_path: Path) -> None:
    text = f"document,summary,label,score\nRain,Rain fell,{label},0.5\nSnow,Snow fell,{label},0.25\n"
    assert len(read(put(tmp_path, "t.csv", text))) == 2
