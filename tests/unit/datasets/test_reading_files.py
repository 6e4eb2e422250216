"""Files of records: formats, what breaks a file, what breaks a record, and how much is held at a time."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path

import pytest
from openpyxl import Workbook

from core.dataset import Refusal
from core.datasets.formats import table_files
from core.datasets.formats.item_stream import items_of_files, matching_files
from core.datasets.formats.table_files import NumberedRow
from core.errors import TouchstoneError
from core.types import Example, Item
from tests.unit.datasets.writing import Write, book, lines, listed, parquet, put, table

ROWS = [{"id": "a", "text": "One, two.\nThree."}, {"id": "b", "text": "„Vier“ – 'fünf'"}]


def read(path: Path) -> list[NumberedRow]:
    return list(table_files.file_rows(path))


@pytest.mark.parametrize(
    ("name", "write"), [("r.json", listed), ("r.jsonl", lines), ("r.csv", table), ("r.parquet", parquet)]
)
def test_the_same_records_come_from_every_format(name: str, write: Write, tmp_path: Path) -> None:
    write(name)(tmp_path, ROWS)
    assert [row for _, row in read(tmp_path / name)] == ROWS


def test_the_first_sheet_of_a_workbook_is_a_table_and_the_others_have_names(tmp_path: Path) -> None:
    book(tmp_path / "r.xlsx", {"one": ROWS, "two": ROWS[:1]})
    assert read(tmp_path / "r.xlsx") == [(2, ROWS[0]), (3, ROWS[1])]
    assert [title for title, rows in table_files.xlsx_sheets(tmp_path / "r.xlsx") if list(rows)] == ["one", "two"]


def test_blank_rows_above_the_header_of_a_sheet_do_not_count(tmp_path: Path) -> None:
    workbook = Workbook()
    for row in ([None], [], ["id", "text"], [None, None], ["a", "One."]):
        workbook.active.append(row)
    workbook.save(tmp_path / "r.xlsx")
    workbook.close()
    assert read(tmp_path / "r.xlsx") == [(5, {"id": "a", "text": "One."})]


def test_two_columns_of_one_name_are_refused_and_two_without_a_name_are_not(tmp_path: Path) -> None:
    with pytest.raises(TouchstoneError, match="Two columns are called 'text'"):
        read(put(tmp_path, "r.csv", "id,text,text\na,b,c\n"))
    assert read(put(tmp_path, "r.csv", ",text,\na,b,\n")) == [(2, {"": "", "text": "b"})]


def test_a_file_that_was_mended_is_read_anew(tmp_path: Path) -> None:
    path = put(tmp_path, "r.jsonl", '{"text": "a"}')
    assert read(path) == [(1, {"text": "a"})]
    path.write_bytes('{"text": "é"}'.encode("latin-1"))
    with pytest.raises(TouchstoneError, match="not UTF-8"):
        read(path)


def test_a_list_is_read_over_any_layout(tmp_path: Path) -> None:
    path = put(tmp_path, "r.json", "\ufeff \n" + json.dumps(ROWS, indent=4))
    assert [row for _, row in read(path)] == ROWS


def test_an_empty_list_has_no_records(tmp_path: Path) -> None:
    assert read(put(tmp_path, "r.json", "[]")) == []


def test_an_element_that_is_no_object_is_refused_and_the_rest_goes_on(tmp_path: Path) -> None:
    first, second, third = read(put(tmp_path, "r.json", '[{"a": 1}, 7, {"a": 2}]'))
    assert (first, third) == ((1, {"a": 1}), (3, {"a": 2}))
    assert "Expected a JSON object" in str(second[1])


@pytest.mark.parametrize("cut", [1, 2, 20, 70])
def test_a_list_that_breaks_off_is_refused_with_the_record(cut: int, tmp_path: Path) -> None:
    text = json.dumps(ROWS)
    with pytest.raises(TouchstoneError, match=r"r\.json breaks off in record \d"):
        read(put(tmp_path, "r.json", text[:-cut]))


def test_a_list_with_a_mistake_in_it_is_refused_before_all_of_it_is_read(tmp_path: Path) -> None:
    text = '[{"a": 1}, {"a" 2}, ' + ", ".join(['{"a": 3}'] * 1000) + "]"
    with pytest.raises(TouchstoneError, match=r"r\.json, record 2 is not JSON: Expecting ':'"):
        read(put(tmp_path, "r.json", text))


def test_an_element_may_be_longer_than_what_is_read_at_once(tmp_path: Path) -> None:
    long = {"text": "word " * 500_000}
    assert [row for _, row in read(put(tmp_path, "r.json", json.dumps([long, ROWS[0]])))] == [long, ROWS[0]]


def test_of_a_long_list_only_a_part_is_in_memory(tmp_path: Path) -> None:
    path = put(tmp_path, "r.json", json.dumps([{"id": number, "text": "word " * 2000} for number in range(1600)]))
    tracemalloc.start()
    count = sum(1 for _ in table_files.file_rows(path))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert count == 1600
    assert peak < path.stat().st_size / 2


@pytest.mark.parametrize("name", ["r.xlsx", "r.parquet"])
def test_a_file_that_is_not_what_its_name_says_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(TouchstoneError, match=r"is not (an Excel workbook|a parquet file)"):
        read(put(tmp_path, name, "Not at all. " * 10))


@pytest.mark.parametrize("name", ["r.json", "r.jsonl", "r.csv", "r.xlsx", "r.parquet"])
def test_an_empty_file_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(TouchstoneError, match=f"{name} is empty"):
        read(put(tmp_path, name, ""))


def test_a_folder_gives_its_files_in_order_and_none_twice(tmp_path: Path) -> None:
    for name in ("b/test.json", "a/test.json", "a/other.json"):
        put(tmp_path, name, "[]")
    assert matching_files(tmp_path, "test.json", "t*.json") == [tmp_path / "a/test.json", tmp_path / "b/test.json"]


def test_files_of_one_name_in_two_folders_are_told_apart(tmp_path: Path) -> None:
    for folder in ("html", "txt"):
        put(tmp_path, f"{folder}/dev.jsonl", '{"id": "a"}\n')
    _, refusal = items_of_files(
        matching_files(tmp_path, "dev.jsonl"), lambda row, _: [Item(Example(str(row["id"]), "D.", "S."))]
    )
    assert isinstance(refusal, Refusal)
    assert "'a' is on line 1 of html/dev.jsonl already" in refusal.reason


def test_a_file_that_is_named_is_read_whatever_it_is_called(tmp_path: Path) -> None:
    path = put(tmp_path, "mine.txt", "[]")
    assert matching_files(path, "task*.json") == [path]
