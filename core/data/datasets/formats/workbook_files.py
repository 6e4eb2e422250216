"""The records of an Excel workbook, which is unpacked within a bound and whose XML may declare nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO
from xml.parsers import expat
from xml.parsers.expat import ExpatError
from zipfile import BadZipFile, ZipFile

from core.data.datasets.formats.text_files import NumberedRow, distinct_columns, existing_file
from core.errors import TouchstoneError

_PROLOG = 1 << 12  # bytes read at a time before the first element
_MAX_WORKBOOK = 500_000_000  # bytes when unpacked; a workbook is packed XML, which shrinks to a thousandth


def xlsx_rows(source: Path, sheet: str = "") -> Iterator[NumberedRow]:
    """The rows of a sheet, by default of the first; the first row that is not blank is the header."""
    for name, table in xlsx_sheets(source):
        if sheet in ("", name):
            yield from table
            return
    raise TouchstoneError(f"{source.name} has no sheet {sheet!r}. Its sheets are {', '.join(sheet_names(source))}.")


def sheet_names(source: Path) -> list[str]:
    """The names of the sheets of a workbook in order; none for any other file."""
    return [name for name, _ in xlsx_sheets(source)] if source.suffix.lower() == ".xlsx" else []


def xlsx_sheets(source: Path) -> Iterator[tuple[str, Iterator[NumberedRow]]]:
    """The sheets by name with their rows, to be read in order.

    Raises TouchstoneError for a file that is no workbook, is too large unpacked, or declares entities in its XML.
    """
    from openpyxl import load_workbook  # listing the importers need not wait for it

    existing_file(source)
    with _workbook_errors(source), ZipFile(source) as archive:
        # a member never unpacks to more than it declares
        size = sum(member.file_size for member in archive.infolist())
        if size > _MAX_WORKBOOK:
            raise TouchstoneError(
                f"{source.name} unpacks to {size / 1e6:,.0f} MB; {_MAX_WORKBOOK / 1e6:,.0f} MB is the most. "
                "Save it as CSV or parquet."
            )
        for member in archive.infolist():
            with archive.open(member) as file:
                if member.filename.endswith((".xml", ".rels")) and _has_doctype(file):
                    raise TouchstoneError(
                        f"{source.name} declares entities in its XML ({member.filename}), which is refused. Save it as CSV."
                    )
    with _workbook_errors(source):
        book = load_workbook(source, read_only=True, data_only=True)
    try:
        for sheet in book.worksheets:
            sheet.reset_dimensions()  # what a file says of its size need not be true
            yield sheet.title, _sheet_rows(source, sheet.iter_rows(values_only=True))
    finally:
        book.close()


@contextmanager
def _workbook_errors(source: Path) -> Iterator[None]:
    """Raise a TouchstoneError for the errors of a broken workbook."""
    try:
        yield
    except (
        BadZipFile,
        KeyError,
        ValueError,
        SyntaxError,
        ExpatError,
    ) as error:  # XML that does not parse is a SyntaxError
        raise TouchstoneError(f"{source.name} is not an Excel workbook (.xlsx): {error}. Save it as one.") from None


def _has_doctype(file: IO[bytes]) -> bool:
    """True if a document type, where entities are declared, comes before the first element."""
    parser, seen = expat.ParserCreate(), list[bool]()
    parser.StartDoctypeDeclHandler = lambda *_: seen.append(True)
    parser.StartElementHandler = lambda *_: seen.append(False)
    while not seen and (chunk := file.read(_PROLOG)):
        parser.Parse(chunk)
    return seen[:1] == [True]


def _sheet_rows(source: Path, cells: Iterable[tuple[object, ...]]) -> Iterator[NumberedRow]:
    with _workbook_errors(source):
        filled = ((number, row) for number, row in enumerate(cells, start=1) if any(cell is not None for cell in row))
        names = distinct_columns("" if cell is None else str(cell) for cell in next(filled, (0, ()))[1])
        for number, row in filled:
            yield number, dict(zip(names, row, strict=False))  # a reader drops empty cells at the end of a row
