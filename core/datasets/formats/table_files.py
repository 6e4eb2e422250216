"""The records of a file, whatever its format: CSV, JSON and JSON lines, parquet, or an Excel workbook."""

from __future__ import annotations

import codecs
import csv
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache, partial
from itertools import chain, count
from pathlib import Path
from types import MappingProxyType
from typing import TextIO
from zipfile import BadZipFile

from core.errors import TouchstoneError

Row = Mapping[str, object]
NumberedRow = tuple[int, Row | str]
"""Where a record begins (the line of a text file, the number of a list's element or of a table's row, from 1), and the
record or the reason why there is none."""


def distinct_columns(names: Iterable[str]) -> list[str]:
    """The names of a table's columns; several may have none. Raises TouchstoneError where two bear the same name."""
    listed = list(names)
    twice = [name for name, number in Counter(listed).items() if name and number > 1]
    if twice:
        raise TouchstoneError(f"Two columns are called {twice[0]!r}. Give each column a name of its own.")
    return listed


def open_text(source: Path) -> TextIO:
    """The file as text without its byte-order mark. Raises TouchstoneError where it is absent, empty or not UTF-8."""
    found = existing_file(source).stat()
    _check_utf8(source, found.st_size, found.st_mtime_ns)
    return source.open(encoding="utf-8-sig", newline="")


def existing_file(source: Path) -> Path:
    """The file itself. Raises TouchstoneError where there is none or nothing is in it."""
    if not source.is_file():
        raise TouchstoneError(f"There is no file {source}. Check the path.")
    if source.stat().st_size == 0:
        raise TouchstoneError(f"{source.name} is empty. Check that it was copied whole.")
    return source


@lru_cache(64)
def _check_utf8(source: Path, _size: int, _changed_ns: int) -> None:
    """Read a file once through a decoder, and again when it changed: better a refusal now than after a million records."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    with source.open("rb") as file:
        try:
            for chunk in iter(partial(file.read, 1 << 20), b""):
                decoder.decode(chunk)
            decoder.decode(b"", final=True)
        except UnicodeDecodeError as error:
            raise TouchstoneError(
                f"{source.name} is not UTF-8 (byte 0x{error.object[error.start]:02x}). Save it as UTF-8 and read it again."
            ) from None


_MAX_CELL = 10_000_000  # characters; an unclosed quote would otherwise swallow the rest of the file


def csv_header(source: Path) -> list[str]:
    """The names of the columns. Raises TouchstoneError where they cannot be read."""
    with open_text(source) as file:
        lines, delimiter = _lines_and_delimiter(file)
        return _column_names(_readable_rows(csv.reader(lines, delimiter=delimiter, strict=True)))


def csv_rows(source: Path) -> Iterator[NumberedRow]:
    """The rows of a table, their cells as text; a row that does not fit the header is a reason."""
    with open_text(source) as file:
        lines, delimiter = _lines_and_delimiter(file)
        reader = csv.reader(lines, delimiter=delimiter, strict=True)
        found = _readable_rows(reader)
        names = _column_names(found)
        begin = reader.line_num + 1
        for row in found:
            if row:
                yield begin, row if isinstance(row, str) else _named_cells(names, row)
            begin = reader.line_num + 1


def _lines_and_delimiter(file: TextIO) -> tuple[Iterator[str], str]:
    """The lines of a file, and what parts their cells."""
    first = next(file)
    csv.field_size_limit(_MAX_CELL)
    return chain([first], file), max(",;\t", key=first.count)


def _column_names(found: Iterator[list[str] | str]) -> list[str]:
    names = next(found)
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


def _named_cells(names: list[str], row: list[str]) -> Row | str:
    if len(row) != len(names):
        return f"This row has {len(row)} cells and the header {len(names)}. Quote cells that hold the separator."
    return dict(zip(names, row, strict=True))


_CHUNK_CHARACTERS = 1 << 20  # characters
_NEAR_END = 1 << 12  # an error so near to the end of what was read may only mean that the rest is missing
_LIST_START = re.compile(r"\s*\[\s*[{\]]")
_SEPARATORS = re.compile(r"[\s,]*")
_DECODER = json.JSONDecoder()
_TOO_DEEP_MESSAGE = "This JSON is too deep or too long to be read. Write one flat JSON object a line."


def json_rows(source: Path) -> Iterator[NumberedRow]:
    """The objects of a file. What is no object is a reason; a list that breaks off raises TouchstoneError."""
    with open_text(source) as file:
        yield from _list_elements(file, source.name) if _is_json_list(file) else _json_lines(file)


def json_object(source: Path) -> Row:
    """A file that is one object. Raises TouchstoneError where it is none."""
    with open_text(source) as file:
        found = _parse_line(file.read())
    if isinstance(found, str):
        raise TouchstoneError(f"{source.name} cannot be read. {found}")
    return found


def _is_json_list(file: TextIO) -> bool:
    """Whether it begins as a list of objects; a line that is a list of something else is a broken line."""
    head = file.read(_NEAR_END)
    file.seek(0)
    return _LIST_START.match(head) is not None


def _json_lines(file: TextIO) -> Iterator[NumberedRow]:
    for number, line in enumerate(file, start=1):
        if line.strip():
            yield number, _parse_line(line)


def _parse_line(text: str) -> Row | str:
    try:
        return _object_or_reason(json.loads(text))
    except json.JSONDecodeError as error:
        return f"This is not JSON: {error.msg} at column {error.colno}. Write one JSON object a line."
    except (ValueError, RecursionError):  # a number of thousands of digits, brackets in thousands
        return _TOO_DEEP_MESSAGE


def _object_or_reason(value: object) -> Row | str:
    if isinstance(value, dict):
        return value
    return f"Expected a JSON object with its fields; got {json.dumps(value, ensure_ascii=False)[:60]}."


def _list_elements(file: TextIO, name: str) -> Iterator[NumberedRow]:
    """The elements of a list; no more of the file is held than the element that is being read and a chunk."""
    buffer, number = file.read(_CHUNK_CHARACTERS), 1
    place = buffer.index("[") + 1
    while True:
        place = _skip(_SEPARATORS, buffer, place)
        if buffer.startswith("]", place):
            return
        found = _decode_value(buffer, place, f"{name}, record {number}")
        if found is None:
            more = file.read(max(_CHUNK_CHARACTERS, len(buffer) - place))
            if not more:
                raise TouchstoneError(f"{name} breaks off in record {number}. Check that it was copied whole.")
            buffer, place = buffer[place:] + more, 0
            continue
        value, place = found
        yield number, _object_or_reason(value)
        number += 1


def _skip(pattern: re.Pattern[str], text: str, place: int) -> int:
    match = pattern.match(text, place)
    return match.end() if match else place


def _decode_value(buffer: str, place: int, where: str) -> tuple[object, int] | None:
    """The value that begins at a place and where it ends; None where it goes on beyond the buffer."""
    try:
        return _DECODER.raw_decode(buffer, place)
    except json.JSONDecodeError as error:
        if error.msg.startswith("Unterminated string") or error.pos > len(buffer) - _NEAR_END:
            return None
        raise TouchstoneError(f"{where} is not JSON: {error.msg}. Check that the file was copied whole.") from None
    except (ValueError, RecursionError):
        raise TouchstoneError(f"{where}: {_TOO_DEEP_MESSAGE}") from None


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


def xlsx_rows(source: Path) -> Iterator[NumberedRow]:
    """The rows of the first sheet; the first row that is not blank is the header."""
    for _, table in xlsx_sheets(source):
        yield from table
        return


def xlsx_sheets(source: Path) -> Iterator[tuple[str, Iterator[NumberedRow]]]:
    """The sheets by name with their rows, to be read in order. Raises TouchstoneError for a file that is no workbook."""
    from openpyxl import load_workbook  # listing the importers need not wait for it

    try:
        book = load_workbook(existing_file(source), read_only=True, data_only=True)
    except (BadZipFile, KeyError) as error:
        raise TouchstoneError(f"{source.name} is not an Excel workbook (.xlsx): {error}. Save it as one.") from None
    try:
        for sheet in book:
            yield sheet.title, _sheet_rows(sheet.iter_rows(values_only=True))
    finally:
        book.close()


def _sheet_rows(cells: Iterable[tuple[object, ...]]) -> Iterator[NumberedRow]:
    filled = ((number, row) for number, row in enumerate(cells, start=1) if any(cell is not None for cell in row))
    names = distinct_columns("" if cell is None else str(cell) for cell in next(filled, (0, ()))[1])
    for number, row in filled:
        yield number, dict(zip(names, row, strict=False))  # a reader drops empty cells at the end of a row


ROW_READERS: Mapping[str, Callable[[Path], Iterator[NumberedRow]]] = MappingProxyType(
    {".csv": csv_rows, ".tsv": csv_rows, ".xlsx": xlsx_rows, ".parquet": parquet_rows}
)
"""Every other file is JSON: one object a line, or a list of objects."""


def file_rows(source: Path) -> Iterator[NumberedRow]:
    """The records of a file in order. Raises TouchstoneError where the file as a whole cannot be read."""
    return ROW_READERS.get(source.suffix.lower(), json_rows)(source)
