"""The records of a file, whatever its format: CSV, JSON and JSON lines, parquet, or an Excel workbook."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Literal

from core.data.datasets.formats.encodings import first_letters
from core.data.datasets.formats.file_kinds import OWN_ENDINGS, file_kind
from core.data.datasets.formats.header_rows import check_column_count
from core.data.datasets.formats.json_files import json_rows, records_of_object
from core.data.datasets.formats.text_files import UTF8, NumberedRow, actual_encoding, existing_file, first_characters
from core.data.datasets.formats.text_tables import csv_rows, is_text_table, text_layout
from core.data.datasets.formats.workbook_files import workbook_notes, xlsx_rows
from core.errors import TouchstoneError

_BATCH_ROWS = 512  # rows
_BUFFER_BYTES = 1 << 16  # bytes; without one a whole group of rows is read at once, which may be the whole file


def parquet_rows(source: Path) -> Iterator[NumberedRow]:
    """The rows in order, numbered from 1. Raises TouchstoneError for a file that is no parquet."""
    from pyarrow import ArrowInvalid  # listing the importers need not wait for it
    from pyarrow.parquet import ParquetFile

    numbers = count(1)
    try:
        with ParquetFile(existing_file(source), buffer_size=_BUFFER_BYTES, pre_buffer=False) as file:
            check_column_count(len(file.schema_arrow.names), source.name)
            for batch in file.iter_batches(_BATCH_ROWS):
                yield from zip(numbers, batch.to_pylist(), strict=False)
    except ArrowInvalid as error:
        raise TouchstoneError(
            f"{source.name} is not a parquet file: {error}. Check that it was copied whole."
        ) from None


_TABLE_ENDINGS = {".csv", ".tsv", ".tab", ".psv"}
_JSON_ENDINGS = {".json", ".jsonl", ".ndjson"}
_JSON_START = re.compile(r"(\{\s*[\"'}]|\[\s*[{\[\]\"])")


def file_rows(source: Path) -> Iterator[NumberedRow]:
    """The records of a file in order. Raises TouchstoneError where the file as a whole cannot be read."""
    form = table_form(source)
    if form == "json":
        return json_rows(source)
    if form == "csv":
        return csv_rows(source)
    return parquet_rows(source) if form == "parquet" else xlsx_rows(source)


def table_rows(source: Path, encoding: str = UTF8, sheet: str = "") -> Iterator[NumberedRow]:
    """The records of any table, in another encoding or of another sheet too, and those of one object of records."""
    form = table_form(source, encoding)
    if form == "workbook":
        return xlsx_rows(source, sheet)
    if form == "parquet":
        return parquet_rows(source)
    if form == "csv":
        return csv_rows(source, encoding)
    records = records_of_object(source, encoding)
    return iter(records) if records else json_rows(source, encoding)


def table_paths(source: Path) -> list[Path]:
    """The file itself, or the files of a folder in order of their names, hidden ones aside; a folder that `datasets` saved is one table.

    Raises TouchstoneError where there is none.
    """
    if not source.is_dir():
        return [existing_file(source)]
    if is_saved_folder(source):
        return [source]
    paths = sorted(path for path in source.iterdir() if path.is_file() and not path.name.startswith("."))
    if not paths:
        raise TouchstoneError(f"No file is in {source}. Check the path.")
    return paths


SAVED_RECORD = "dataset_info.json"
"""The file beside the Arrow files of a folder that `datasets` saved."""


def is_saved_folder(source: Path) -> bool:
    """True for a folder that `datasets` saved."""
    return source.is_dir() and (source / SAVED_RECORD).is_file()


def table_form(source: Path, encoding: str = UTF8) -> Literal["csv", "json", "parquet", "workbook"]:
    """The form of a file by what is in it, and by its ending where that does not tell.

    Raises TouchstoneError where it is neither JSON nor a table, or is another known kind of file.
    """
    existing_file(source)
    kind, suffixes = file_kind(source), {suffix.lower() for suffix in source.suffixes[-2:]}
    if kind != "text":
        return kind
    head = first_characters(source, encoding).lstrip("\ufeff").lstrip()
    if head[:1] == "<":
        raise TouchstoneError(
            f"{source.name} is HTML or XML. Open it in Excel or LibreOffice and save it as .xlsx or CSV."
        )
    if _JSON_START.match(head):
        return "json"
    if suffixes & _TABLE_ENDINGS or is_text_table(source, encoding):
        return "csv"
    if ".parquet" in suffixes:
        return "parquet"  # which says what is wrong with it
    if suffixes & {".xlsx", ".xlsm"}:
        return "workbook"  # likewise
    if head and head[0] not in '{["' and not suffixes & _JSON_ENDINGS:
        raise TouchstoneError(
            f"{source.name} is neither JSON nor a table: its lines do not have as many cells. Give it a header, and one separator."
        )
    return "json"


def table_notes(source: Path, encoding: str = UTF8, sheet: str = "") -> list[str]:
    """Decisions on the form of a file that a person has to know of: how quotes, header and numbers are read."""
    if source.is_dir() or source.suffix.lower() in OWN_ENDINGS:
        return []
    form = table_form(source, encoding)
    endings = {"csv": _TABLE_ENDINGS, "json": _JSON_ENDINGS, "parquet": {".parquet"}, "workbook": {".xlsx", ".xlsm"}}
    suffixes = {suffix.lower() for suffix in source.suffixes[-2:]}
    is_named_otherwise = suffixes & set().union(*endings.values()) and not suffixes & endings[form]
    notes = [f"the file is read as {_FORM_NAMES[form]}, which it is by its content"] if is_named_otherwise else []
    if form in ("csv", "json") and (read_as := actual_encoding(source, encoding)) != UTF8:
        notes.append(
            f"{read_as.upper()}: the first rows, with other letters than ASCII where there are such, are {first_letters(source, read_as)}"
        )
    if form == "csv":
        notes += text_layout(source, encoding).notes
    return notes + (workbook_notes(source, sheet) if form == "workbook" else [])


_FORM_NAMES = {"csv": "a table of text", "json": "JSON", "parquet": "parquet", "workbook": "an Excel workbook"}
