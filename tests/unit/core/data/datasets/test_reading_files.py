"""Files of records: formats, what breaks a file, what breaks a record, and how much is held at a time."""

from __future__ import annotations

import json
import re
import tracemalloc
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import pytest
from openpyxl import Workbook

from core.data.dataset import Refusal
from core.data.datasets.formats import table_files, text_files, workbook_files
from core.data.datasets.formats.item_stream import items_of_files, matching_files
from core.data.datasets.formats.text_files import NumberedRow
from core.errors import TouchstoneError
from core.types import Example, Item
from tests.unit.core.data.datasets.writing import Write, book, lines, listed, parquet, put, table

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
    assert [title for title, rows in workbook_files.xlsx_sheets(tmp_path / "r.xlsx") if list(rows)] == ["one", "two"]


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
    assert read(put(tmp_path, "r.csv", ",text,\na,b,\n")) == [(2, {"": "a", "text": "b"})]


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
    path = put(tmp_path, "r.json", json.dumps([{"id": number, "text": "word " * 2000} for number in range(4000)]))
    tracemalloc.start()
    count = sum(1 for _ in table_files.file_rows(path))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert count == 4000
    assert peak < path.stat().st_size / 3


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
    assert "'a' is on line 1 of html/dev.jsonl already" in refusal.error


def test_a_file_that_is_named_is_read_whatever_it_is_called(tmp_path: Path) -> None:
    path = put(tmp_path, "mine.txt", "[]")
    assert matching_files(path, "task*.json") == [path]


def rewritten(source: Path, member: str, old: bytes, new: bytes) -> Path:
    """A copy of a workbook in which one of its files has something replaced."""
    target = source.with_name(f"changed-{source.name}")
    with ZipFile(source) as before, ZipFile(target, "w", ZIP_DEFLATED) as after:
        assert member in before.namelist()
        for name in before.namelist():
            content = before.read(name)
            assert name != member or old in content
            after.writestr(name, content.replace(old, new, 1) if name == member else content)
    return target


ENTITY = b'<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]><'


@pytest.mark.parametrize(
    ("member", "old", "new", "says"),
    [
        ("xl/worksheets/sheet1.xml", b"<", ENTITY, r"declares entities in its XML \(xl/.*\), which is refused"),
        ("xl/workbook.xml", b"<", ENTITY, r"declares entities in its XML \(xl/.*\), which is refused"),
        ("xl/worksheets/sheet1.xml", b"</row>", b"</rows>", "is not an Excel workbook.*mismatched tag"),
    ],
)
def test_a_workbook_with_entities_or_broken_xml_is_refused(
    member: str, old: bytes, new: bytes, says: str, tmp_path: Path
) -> None:
    book(tmp_path / "r.xlsx", {"one": ROWS})
    with pytest.raises(TouchstoneError, match=says):
        read(rewritten(tmp_path / "r.xlsx", member, old, new))


def test_a_workbook_that_unpacks_too_large_is_refused_before_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workbook_files, "_MAX_WORKBOOK", 3_000_000)
    book(tmp_path / "r.xlsx", {"one": ROWS})
    grown = b" " * 4_000_000 + b"</worksheet>"
    large = rewritten(tmp_path / "r.xlsx", "xl/worksheets/sheet1.xml", b"</worksheet>", grown)
    assert large.stat().st_size < 20_000
    with pytest.raises(TouchstoneError, match=r"unpacks to 4 MB; 3 MB is the most. Save it as CSV or parquet"):
        read(large)


def test_a_sheet_that_claims_a_million_columns_is_read_as_it_is(tmp_path: Path) -> None:
    book(tmp_path / "r.xlsx", {"one": ROWS})
    with ZipFile(tmp_path / "r.xlsx") as archive:
        said = re.search(rb'<dimension ref="[^"]*"', archive.read("xl/worksheets/sheet1.xml"))
    assert said
    changed = rewritten(tmp_path / "r.xlsx", "xl/worksheets/sheet1.xml", said[0], b'<dimension ref="A1:XFD1048576"')
    assert read(changed) == [(2, ROWS[0]), (3, ROWS[1])]


@pytest.mark.parametrize(
    ("encoding", "text", "offered"),
    [
        ("latin-1", "é", "cp1252"),
        ("cp1252", "“a”", "cp1252"),
        ("gb18030", "周一，港口委员会开会并投票决定疏浚北航道。", "gb18030"),
        ("cp932", "港湾委員会は月曜日に会合を開いた。", "cp932"),
        ("cp1251", "Совет порта собрался в понедельник и проголосовал.", "cp1251"),
        ("cp1250", "Rada portu zebrała się w poniedziałek i zagłosowała.", "cp1250"),
    ],
)
def test_a_file_in_another_encoding_is_refused_with_the_encoding_to_read_it_in(
    encoding: str, text: str, offered: str, tmp_path: Path
) -> None:
    path = tmp_path / "r.csv"
    path.write_bytes(f"id,text\na,{text}\n".encode(encoding))
    with pytest.raises(
        TouchstoneError, match=rf"not UTF-8.*{offered.upper()}: a,{text}.*generic\[encoding={offered}\]"
    ):
        read(path)
    assert list(table_files.table_rows(path, offered)) == [(2, {"id": "a", "text": text})]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le"])
@pytest.mark.parametrize("text", ["é", "周一，港口委员会开会。", "plain"])
def test_utf_16_and_utf_32_are_read_with_and_without_a_mark_and_said(encoding: str, text: str, tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    path.write_bytes(f"id,text\na,{text}\n".encode(encoding))
    assert read(path) == [(2, {"id": "a", "text": text})]
    assert (
        f"{encoding.upper()}: the first rows, with other letters than ASCII where there are such, are"
        in table_files.table_notes(path)[0]
    )


def test_an_encoding_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TouchstoneError, match="There is no encoding 'klingon'"):
        list(table_files.table_rows(put(tmp_path, "r.csv", "id\na\n"), "klingon"))


def test_a_line_without_end_is_refused_and_the_others_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_files, "MAX_LINE", 50)
    long = json.dumps({"text": "a" * 120})
    (first, broken, last) = read(put(tmp_path, "r.jsonl", f'{{"text": "a"}}\n{long}\n{{"text": "b"}}\n'))
    assert (first, last) == ((1, {"text": "a"}), (3, {"text": "b"}))
    assert "This line has more than 50 characters" in str(broken[1])
    with pytest.raises(TouchstoneError, match="Line 2 has more than 50 characters"):
        read(put(tmp_path, "r.csv", f"text\n{'a' * 60}\n"))


@pytest.mark.parametrize(
    "text",
    [
        '{"samples": [{"text": "a"}, {"text": "b"}], "version": 3}',
        '{\n "samples": [\n  {"text": "a"},\n  {"text": "b"}\n ]\n}\n',
    ],
)
def test_the_records_of_an_object_with_one_list_are_its_elements(text: str, tmp_path: Path) -> None:
    assert list(table_files.table_rows(put(tmp_path, "r.json", text))) == [(1, {"text": "a"}), (2, {"text": "b"})]


def test_the_records_of_an_object_by_name_have_their_name_as_id(tmp_path: Path) -> None:
    path = put(tmp_path, "r.json", '{"d-1": {"text": "a"}, "d-2": {"text": "b"}}')
    assert list(table_files.table_rows(path)) == [(1, {"id": "d-1", "text": "a"}), (2, {"id": "d-2", "text": "b"})]


@pytest.mark.parametrize("text", ['{"text": "a"}\n{"text": "b"}\n', '{"text": "a"\n{"text": "b"}\n', '{"text": "a"}'])
def test_lines_of_objects_stay_records_of_their_own(text: str, tmp_path: Path) -> None:
    path = put(tmp_path, "r.jsonl", text)
    assert list(table_files.table_rows(path)) == read(path)
