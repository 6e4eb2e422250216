"""Workbooks as people keep them: merged cells, formulas without values, escaped characters, a sheet before the table."""

from __future__ import annotations

from pathlib import Path

from openpyxl import Workbook

from core.data.datasets.formats.table_files import table_notes, table_rows
from core.data.datasets.formats.workbook_files import default_sheet


def saved(book: Workbook, path: Path) -> Path:
    book.save(path)
    book.close()
    return path


def test_merged_cells_are_filled_down_and_said(tmp_path: Path) -> None:
    book = Workbook()
    for row in (
        ["document", "summary", "label"],
        ["Rain.", "A.", 1],
        [None, "B.", 0],
        ["Snow.", "C.", None],
        [None, "D."],
    ):
        book.active.append(row)
    for cells in ("A2:A3", "A4:A5", "C4:C5"):
        book.active.merge_cells(cells)
    book.active["C4"] = 1
    path = saved(book, tmp_path / "t.xlsx")
    assert [row for _, row in table_rows(path)] == [
        {"document": "Rain.", "summary": "A.", "label": 1},
        {"document": "Rain.", "summary": "B.", "label": 0},
        {"document": "Snow.", "summary": "C.", "label": 1},
        {"document": "Snow.", "summary": "D.", "label": 1},
    ]
    assert table_notes(path) == ["merged cells are filled down in document, label"]


def test_blank_cells_that_are_not_merged_stay_blank(tmp_path: Path) -> None:
    book = Workbook()
    for row in (["document", "summary"], ["Rain.", "A."], [None, "B."]):
        book.active.append(row)
    (_, (_, second)) = table_rows(saved(book, tmp_path / "t.xlsx"))
    assert second == {"document": None, "summary": "B."}


def test_a_title_over_merged_cells_is_no_header(tmp_path: Path) -> None:
    book = Workbook()
    for row in (["Study of the spring"], ["document", "summary"], ["Rain.", "A."]):
        book.active.append(row)
    book.active.merge_cells("A1:B1")
    assert [row for _, row in table_rows(saved(book, tmp_path / "t.xlsx"))] == [{"document": "Rain.", "summary": "A."}]


def test_a_formula_that_was_never_computed_is_named_and_no_blank_label(tmp_path: Path) -> None:
    book = Workbook()
    for row in (["summary", "label"], ["A.", "=1=1"], ["B.", "no"]):
        book.active.append(row)
    (number, reason), good = table_rows(saved(book, tmp_path / "t.xlsx"))
    assert number == 2
    assert str(reason).startswith("B2 holds a formula whose value was never computed. Open the workbook in Excel")
    assert good == (3, {"summary": "B.", "label": "no"})


def test_characters_that_the_file_escapes_are_read_as_they_were_typed(tmp_path: Path) -> None:
    book = Workbook()
    for row in (["summary", "label"], ["One._x000D_\nTwo.", "yes\u200b"], ["A _x005F_x000D_ b.", "no"]):
        book.active.append(row)
    assert [row for _, row in table_rows(saved(book, tmp_path / "t.xlsx"))] == [
        {"summary": "One.\nTwo.", "label": "yes"},
        {"summary": "A _x000D_ b.", "label": "no"},
    ]


def test_the_first_sheet_with_a_table_is_read_and_said(tmp_path: Path) -> None:
    book = Workbook()
    book.active.title = "About"
    for row in (["Study of the spring"], ["by the lab"]):
        book.active.append(row)
    for row in (["document", "summary"], ["Rain.", "A."]):
        if "Data" not in book.sheetnames:
            book.create_sheet("Data")
        book["Data"].append(row)
    path = saved(book, tmp_path / "t.xlsx")
    assert default_sheet(path) == "Data"
    assert [row for _, row in table_rows(path)] == [{"document": "Rain.", "summary": "A."}]
    assert table_notes(path) == ["the sheet Data is read: those before it hold no table"]
