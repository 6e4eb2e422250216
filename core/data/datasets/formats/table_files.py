"""The records of a file, whatever its format: CSV, JSON and JSON lines, parquet, or an Excel workbook."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Mapping
from itertools import chain, count
from pathlib import Path
from types import MappingProxyType
from typing import TextIO

from core.data.datasets.formats.json_files import json_rows, records_of_object
from core.data.datasets.formats.text_files import (
    UTF8,
    NumberedRow,
    bounded_text_lines,
    distinct_columns,
    existing_file,
    open_text,
)
from core.data.datasets.formats.workbook_files import xlsx_rows
from core.errors import TouchstoneError

_MAX_CELL = 10_000_000  # characters; an unclosed quote would otherwise swallow the rest of the file


def csv_header(source: Path) -> list[str]:
    """The names of the columns. Raises TouchstoneError where they cannot be read."""
    with open_text(source) as file:
        lines, delimiter = _lines_and_delimiter(file)
        return _column_names(_readable_rows(csv.reader(lines, delimiter=delimiter, strict=True)))


def csv_rows(source: Path, encoding: str = UTF8) -> Iterator[NumberedRow]:
    """The rows of a table, their cells as text; a row that does not fit the header is a reason."""
    with open_text(source, encoding) as file:
        lines, delimiter = _lines_and_delimiter(file)
        reader = csv.reader(lines, delimiter=delimiter, strict=True)
        rows = _readable_rows(reader)
        names = _column_names(rows)
        begin = reader.line_num + 1
        for row in rows:
            if isinstance(row, str):
                yield begin, row
            elif len(row) == len(names):
                yield begin, dict(zip(names, row, strict=True))
            elif row:
                sizes = f"This row has {len(row)} cells and the header {len(names)}."
                yield begin, f"{sizes} Quote cells that hold the separator."
            begin = reader.line_num + 1


def _lines_and_delimiter(file: TextIO) -> tuple[Iterator[str], str]:
    """The lines of a file, and what parts their cells."""
    lines = bounded_text_lines(file)
    first = next(lines)
    csv.field_size_limit(_MAX_CELL)
    return chain([first], lines), max(",;\t", key=first.count)


def _column_names(rows: Iterator[list[str] | str]) -> list[str]:
    names = next(rows)
    if isinstance(names, str):
        raise TouchstoneError(f"The header cannot be read. {names}")
    return distinct_columns(names)


def _readable_rows(reader: Iterator[list[str]]) -> Iterator[list[str] | str]:
    """The rows of a reader; for a row that it cannot read, the reason."""
    while True:
        try:
            yield next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield f"This row is not CSV: {error}. Close every quote and double the quotes inside a cell."


_BATCH_ROWS = 512  # rows
_BUFFER_BYTES = 1 << 16  # bytes; without one a whole group of rows is read at once, which may be the whole file


def parquet_rows(source: Path) -> Iterator[NumberedRow]:
    """The rows in order, numbered from 1. Raises TouchstoneError for a file that is no parquet."""
    from pyarrow import ArrowInvalid  # listing the importers need not wait for it
    from pyarrow.parquet import ParquetFile

    numbers = count(1)
    try:
        with ParquetFile(existing_file(source), buffer_size=_BUFFER_BYTES, pre_buffer=False) as file:
            for batch in file.iter_batches(_BATCH_ROWS):
                yield from zip(numbers, batch.to_pylist(), strict=False)
    except ArrowInvalid as error:
        raise TouchstoneError(
            f"{source.name} is not a parquet file: {error}. Check that it was copied whole."
        ) from None


ROW_READERS: Mapping[str, Callable[[Path], Iterator[NumberedRow]]] = MappingProxyType(
    {".csv": csv_rows, ".tsv": csv_rows, ".xlsx": xlsx_rows, ".parquet": parquet_rows}
)
"""Every other file is JSON: one object a line, or a list of objects."""


def file_rows(source: Path) -> Iterator[NumberedRow]:
    """The records of a file in order. Raises TouchstoneError where the file as a whole cannot be read."""
    return ROW_READERS.get(source.suffix.lower(), json_rows)(source)


def table_rows(source: Path, encoding: str = UTF8, sheet: str = "") -> Iterator[NumberedRow]:
    """The records of any table, in another encoding or of another sheet too, and those of one object of records."""
    suffix = source.suffix.lower()
    if suffix == ".xlsx":
        return xlsx_rows(source, sheet)
    if suffix == ".parquet":
        return parquet_rows(source)
    if suffix in ROW_READERS:
        return csv_rows(source, encoding)
    records = records_of_object(source, encoding)
    return iter(records) if records else json_rows(source, encoding)
