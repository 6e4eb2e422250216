"""Sheets of an Excel workbook, each a table with a header."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from zipfile import BadZipFile

from core.datasets.reading.row import Line, distinct
from core.datasets.reading.textfile import there
from core.errors import TouchstoneError


def rows(source: Path) -> Iterator[Line]:
    """The rows of the first sheet; the first row that is not blank is the header."""
    for _, table in sheets(source):
        yield from table
        return


def sheets(source: Path) -> Iterator[tuple[str, Iterator[Line]]]:
    """The sheets by name with their rows, to be read in order. Raises TouchstoneError for a file that is no workbook."""
    from openpyxl import load_workbook  # listing the importers need not wait for it

    try:
        book = load_workbook(there(source), read_only=True, data_only=True)
    except (BadZipFile, KeyError) as error:
        raise TouchstoneError(f"{source.name} is not an Excel workbook (.xlsx): {error}. Save it as one.") from None
    try:
        for sheet in book:
            yield sheet.title, _table(sheet.iter_rows(values_only=True))
    finally:
        book.close()


def _table(cells: Iterable[tuple[object, ...]]) -> Iterator[Line]:
    filled = ((number, row) for number, row in enumerate(cells, start=1) if any(cell is not None for cell in row))
    names = distinct("" if cell is None else str(cell) for cell in next(filled, (0, ()))[1])
    for number, row in filled:
        yield number, dict(zip(names, row, strict=False))  # a reader drops empty cells at the end of a row
