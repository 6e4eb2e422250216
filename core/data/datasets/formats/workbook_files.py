"""The records of an Excel workbook, which is unpacked within a bound and whose XML may declare nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from io import BytesIO
from itertools import chain, islice
from pathlib import Path
from typing import IO
from xml.parsers import expat
from xml.parsers.expat import ExpatError
from zipfile import BadZipFile, ZipFile

from core.data.datasets.formats.file_kinds import file_kind
from core.data.datasets.formats.header_rows import MOST_COLUMNS, check_column_count, find_header
from core.data.datasets.formats.text_files import NumberedRow, existing_file
from core.errors import TouchstoneError

_SAMPLE_ROWS = 500
_PROLOG = 1 << 12  # bytes read at a time before the first element
_MAX_WORKBOOK = 500_000_000  # bytes when unpacked; a workbook is packed XML, which shrinks to a thousandth


def xlsx_rows(source: Path, sheet: str = "") -> Iterator[NumberedRow]:
    """The rows of a sheet, by default of the first that holds a table."""
    title = sheet or default_sheet(source)
    for name, table in xlsx_sheets(source):
        if title in ("", name):
            yield from table
            return
    raise TouchstoneError(f"{source.name} has no sheet {sheet!r}. Its sheets are {', '.join(sheet_names(source))}.")


def sheet_names(source: Path) -> list[str]:
    """The names of the sheets of a workbook in order; none for any other file."""
    return [name for name, _ in xlsx_sheets(source)] if is_workbook(source) else []


def is_workbook(source: Path) -> bool:
    """True for an Excel workbook, whatever its name ends in."""
    return source.is_file() and file_kind(source) == "workbook"


def default_sheet(source: Path) -> str:
    """The first sheet with two named columns or more and a row; the first where there is no such."""
    status = existing_file(source).stat()
    return _default_sheet(source, status.st_size, status.st_mtime_ns)


@lru_cache(64)
def _default_sheet(source: Path, _size: int, _changed_ns: int) -> str:
    titles = list[str]()
    for title, table in xlsx_sheets(source):
        titles.append(title)
        first = next((row for _, row in table if not isinstance(row, str)), {})
        if len([name for name in first if name]) >= 2:
            return title
    return next(iter(titles), "")


def workbook_notes(source: Path, sheet: str = "") -> list[str]:
    """Decisions on the sheet that is read: the header, cells that were filled down."""
    title, names, notes = sheet or default_sheet(source), sheet_names(source), list[str]()
    if not sheet and title != next(iter(names), ""):
        notes.append(f"the sheet {title} is read: those before it hold no table")
    for name, place, filled in sheet_tables(source):
        if name == title:
            marks = _sheet_marks(source, place)
            rows = list(islice(filled, _SAMPLE_ROWS))
            header = find_header([cells for _, cells in rows], source.name)
            columns = [header.names[column] for column in sorted(marks.merged_columns()) if column < len(header.names)]
            notes += header.notes
            if columns:
                notes.append(
                    f"merged cells are filled down in {', '.join(name or 'a column without a name' for name in columns)}"
                )
            break
    return notes


def xlsx_sheets(source: Path) -> Iterator[tuple[str, Iterator[NumberedRow]]]:
    """The sheets by name with their rows, to be read in order.

    Raises TouchstoneError for a file that is no workbook, is too large unpacked, or declares entities in its XML.
    """
    for title, place, cells in _sheet_cells(source):
        yield title, _sheet_rows(source, place, cells)


def sheet_tables(source: Path) -> Iterator[tuple[str, str, Iterator[tuple[int, list[object]]]]]:
    """The title of each sheet, its place in the archive, and its rows that are not blank, with their numbers."""
    for title, place, cells in _sheet_cells(source):
        yield title, place, _filled_rows(source, cells, _sheet_marks(source, place))


def _sheet_cells(source: Path) -> Iterator[tuple[str, str, Iterator[tuple[object, ...]]]]:
    """The title of each sheet, its place in the archive, and its cells."""
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
        # by its content: openpyxl refuses some endings of names
        book = load_workbook(BytesIO(source.read_bytes()), read_only=True, data_only=True)
    try:
        for sheet in book.worksheets:
            sheet.reset_dimensions()  # what a file says of its size need not be true
            yield sheet.title, sheet._worksheet_path, sheet.iter_rows(values_only=True)
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


def _sheet_rows(source: Path, place: str, cells: Iterable[tuple[object, ...]]) -> Iterator[NumberedRow]:
    with _workbook_errors(source):
        marks = _sheet_marks(source, place)
        rows = _filled_rows(source, cells, marks)
        first = list(islice(rows, _SAMPLE_ROWS))
        if not first:
            return
        header = find_header([cells for _, cells in first], source.name)
        for number, row in chain(first[header.row + 1 + header.label_rows :], rows):
            formulas = marks.formulas.get(number, [])
            if formulas:
                yield (
                    number,
                    (
                        f"{', '.join(formulas[:5])} {'hold formulas' if len(formulas) > 1 else 'holds a formula'} whose value was never "
                        "computed. Open the workbook in Excel or LibreOffice and save it."
                    ),
                )
            else:
                yield (
                    number,
                    dict(zip(header.names, row, strict=False)),
                )  # a reader drops empty cells at the end of a row


@dataclass(frozen=True, slots=True)
class _SheetMarks:
    """Ranges of merged cells with several rows, by their first row as column and last row; and cells with uncomputed formulas by row."""

    merged: dict[int, list[tuple[int, int]]]
    formulas: dict[int, list[str]]

    def merged_columns(self) -> set[int]:
        return {column for ranges in self.merged.values() for column, _ in ranges}


def _filled_rows(
    source: Path, cells: Iterable[tuple[object, ...]], marks: _SheetMarks
) -> Iterator[tuple[int, list[object]]]:
    """The rows that are not blank, numbered from 1, with merged cells filled down and characters as they were typed."""
    open_ranges = dict[int, tuple[int, object]]()  # column → last row and value
    for number, values in enumerate(cells, start=1):
        if len(values) > MOST_COLUMNS:
            check_column_count(sum(value is not None for value in values), source.name)
        row = [_unescape(value) if isinstance(value, str) else value for value in values]
        for column, last in marks.merged.get(number, ()):
            open_ranges[column] = (last, row[column] if column < len(row) else None)
        if all(cell is None for cell in row) and number not in marks.formulas:
            continue
        for column, (last, value) in open_ranges.items():
            if number <= last and value is not None:
                row += [None] * (column + 1 - len(row))
                row[column] = value
        yield number, row


def _unescape(text: str) -> str:
    """The characters of a cell that the file writes as _x000D_, line ends as one character, and no invisible ones at its ends."""
    from openpyxl.utils.escape import unescape

    text = text.strip("\u200b\u2060\ufeff")
    return str(unescape(text)).replace("\r\n", "\n").replace("\r", "\n") if "_x" in text or "\r" in text else text


def _sheet_marks(source: Path, place: str) -> _SheetMarks:
    """The merged ranges of a sheet, and its formulas without a value, from its XML."""
    status = source.stat()
    return _read_marks(source, place, status.st_size, status.st_mtime_ns)


@lru_cache(64)
def _read_marks(source: Path, place: str, _size: int, _changed_ns: int) -> _SheetMarks:
    from openpyxl.utils.cell import coordinate_to_tuple, range_boundaries

    marks = _SheetMarks({}, {})
    cell, text = dict[str, str](), list[str]()
    parser = expat.ParserCreate(namespace_separator=" ")

    def start(name: str, attributes: dict[str, str]) -> None:
        match name.rpartition(" ")[2]:
            case "c":
                cell.clear()
                cell.update(attributes)
            case "f":
                cell["formula"] = "1"
            case "v":
                text.clear()
                parser.CharacterDataHandler = text.append
            case "mergeCell":
                first_column, first_row, _, last_row = range_boundaries(attributes["ref"])
                if last_row > first_row:
                    marks.merged.setdefault(first_row, []).append((first_column - 1, last_row))

    def end(name: str) -> None:
        match name.rpartition(" ")[2]:
            case "v":
                parser.CharacterDataHandler = None
                cell["value"] = "".join(text)
            # a formula whose value is the empty text is of the type str
            case "c" if "formula" in cell and not cell.get("value") and cell.get("t") != "str" and "r" in cell:
                marks.formulas.setdefault(coordinate_to_tuple(cell["r"])[0], []).append(cell["r"])

    parser.StartElementHandler, parser.EndElementHandler = start, end
    with ZipFile(source) as archive, archive.open(place.lstrip("/")) as file:
        parser.ParseFile(file)
    return marks
