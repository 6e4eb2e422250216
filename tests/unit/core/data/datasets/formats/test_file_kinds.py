"""Files that are something else than their names say, packed or not."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
from pathlib import Path
from zipfile import ZipFile

import pandas as pd
import pytest

from core.data.datasets.formats.table_files import table_notes, table_rows
from core.errors import TouchstoneError
from tests.unit.core.data.datasets.writing import put

FRAME = pd.DataFrame({"document": ["Rain fell, and hail."], "summary": ["It rained."]})
ROW = {"document": "Rain fell, and hail.", "summary": "It rained."}
COMMAS = FRAME.to_csv(index=False).encode()
LINES = (json.dumps(ROW) + "\n").encode()


def workbook(folder: Path) -> bytes:
    FRAME.to_excel(folder / "made.xlsx", index=False)
    return (folder / "made.xlsx").read_bytes()


def parquet(folder: Path) -> bytes:
    FRAME.to_parquet(folder / "made.parquet")
    return (folder / "made.parquet").read_bytes()


def zipped(folder: Path) -> bytes:
    FRAME.to_csv(folder / "made.zip", index=False, compression={"method": "zip", "archive_name": "inner.csv"})
    return (folder / "made.zip").read_bytes()


@pytest.mark.parametrize("name", ["t.csv", "t.txt", "t.xls", "t.xlsx", "t.json", "t.parquet", "t"])
@pytest.mark.parametrize(
    "content",
    [
        COMMAS,
        FRAME.to_csv(index=False, sep="\t").encode(),
        LINES,
        gzip.compress(COMMAS, mtime=0),
        gzip.compress(LINES, mtime=0),
        bz2.compress(COMMAS),
        lzma.compress(COMMAS),
        zipped,
        workbook,
        parquet,
    ],
    ids=["csv", "tabs", "lines", "csv.gz", "lines.gz", "csv.bz2", "csv.xz", "zip", "workbook", "parquet"],
)
def test_a_file_is_read_as_what_it_is(name: str, content: object, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(content(tmp_path) if callable(content) else content)  # type: ignore[arg-type]
    assert [row for _, row in table_rows(path)] == [ROW]


def test_an_ending_that_does_not_fit_is_said(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(workbook(tmp_path))
    assert table_notes(path) == ["the file is read as an Excel workbook, which it is by its content"]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 100, "is a workbook of Excel before 2007, or has a password"),
        (b"<html><table><tr><td>document</td></tr></table></html>", "is HTML or XML"),
        (b"%PDF-1.7\n", "is a PDF, and no table"),
        (
            b"It rained, and hailed.\nNobody came.\nThe road, a long one, was closed, they said.\n",
            "neither JSON nor a table",
        ),
        (gzip.compress(COMMAS, mtime=0)[:-12], "cannot be unpacked"),
    ],
)
def test_what_is_no_table_is_refused_with_the_way_out(content: bytes, says: str, tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_bytes(content)
    with pytest.raises(TouchstoneError, match=says):
        list(table_rows(tmp_path / "t.txt"))


def test_an_archive_of_several_files_is_refused_with_their_names(tmp_path: Path) -> None:
    with ZipFile(tmp_path / "t.zip", "w") as archive:
        archive.writestr("a.csv", COMMAS)
        archive.writestr("b.csv", COMMAS)
    with pytest.raises(TouchstoneError, match=r"zip archive of 2 files: a.csv, b.csv. Unpack it"):
        list(table_rows(tmp_path / "t.zip"))


def test_a_name_says_what_a_table_of_a_column_is(tmp_path: Path) -> None:
    assert [row for _, row in table_rows(put(tmp_path, "t.csv", "summary\nIt rained.\n"))] == [
        {"summary": "It rained."}
    ]
