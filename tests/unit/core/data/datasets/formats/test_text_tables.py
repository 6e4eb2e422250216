"""Numbers of tables as people write them, and what else a table of text may hold."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.data.datasets.formats.table_files import table_notes, table_rows
from core.errors import TouchstoneError
from tests.unit.core.data.datasets.writing import put


def column(path: Path, name: str) -> list[object]:
    return [row[name] for _, row in table_rows(path) if not isinstance(row, str)]


@pytest.mark.parametrize(
    ("cells", "numbers"),
    [
        (["-2,412", "-3,449"], ["-2.412", "-3.449"]),
        (["−2,412", "−3,449"], ["-2.412", "-3.449"]),
        (["1,0", "0,0"], ["1.0", "0.0"]),
        (["1.234,5", "2,5"], ["1234.5", "2.5"]),
        (["85,5%", "7"], ["85.5%", "7"]),
        (["1,5e-3", ""], ["1.5e-3", ""]),
        (["1.5", "2,5"], ["1.5", "2,5"]),
        (["a,b", "1,2"], ["a,b", "1,2"]),
    ],
)
def test_a_comma_in_the_numbers_of_a_table_with_semicolons_is_decimal(
    cells: list[str], numbers: list[str], tmp_path: Path
) -> None:
    path = put(tmp_path, "t.csv", "text;number\n" + "".join(f"One, two.;{cell}\n" for cell in cells))
    assert column(path, "number") == numbers
    assert bool(table_notes(path)) == (cells != numbers)


@pytest.mark.parametrize(("cell", "number"), [("1,234", "1,234"), ("0,25", "0.25"), ("-2,5", "-2.5")])
def test_elsewhere_a_number_has_to_show_that_its_comma_is_decimal(cell: str, number: str, tmp_path: Path) -> None:
    assert column(put(tmp_path, "t.csv", f'text,number\nOne.,"{cell}"\nTwo.,"{cell}"\n'), "number") == [number] * 2


def test_decimal_commas_are_said_with_an_example(tmp_path: Path) -> None:
    path = put(tmp_path, "t.csv", "text;bleu\nOne.;-2,412\n")
    assert table_notes(path) == ["decimal commas in bleu: -2,412 is -2.412"]


def test_invisible_characters_at_the_ends_of_a_cell_are_left_out(tmp_path: Path) -> None:
    assert column(put(tmp_path, "t.csv", "text,label\nOne.,Yes\u200b\n"), "label") == ["Yes"]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", "\r\r\n"])
def test_lines_may_end_in_any_way(end: str, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(end.join(["text,label", "One.,1", "Two.,0", ""]).encode())
    assert column(path, "label") == ["1", "0"]


def test_a_column_that_is_there_twice_with_the_same_cells_counts_once(tmp_path: Path) -> None:
    path = put(tmp_path, "t.csv", "span,text,span\na,One.,a\nb,Two.,b\n")
    assert column(path, "span") == ["a", "b"]
    assert table_notes(path) == [
        "the column span is there twice with the same cells: the second is left out",
    ]
    other = put(tmp_path, "u.csv", "span,text,span\na,One.,a\nb,Two.,c\n")
    with pytest.raises(TouchstoneError, match="Two columns are called 'span'"):
        list(table_rows(other))
