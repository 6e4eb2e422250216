"""Tables with a header as text: separated by commas, semicolons or tabs, whichever the header has most of."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import TextIO

from core.datasets.reading.row import Line, Row, distinct
from core.datasets.reading.textfile import opened
from core.errors import TouchstoneError

_LONGEST = 10_000_000  # characters; an unclosed quote would otherwise swallow the rest of the file


def header(source: Path) -> list[str]:
    """The names of the columns. Raises TouchstoneError where they cannot be read."""
    with opened(source) as file:
        lines, delimiter = _parted(file)
        return _header(_surviving(csv.reader(lines, delimiter=delimiter, strict=True)))


def rows(source: Path) -> Iterator[Line]:
    """The rows of a table, their cells as text; a row that does not fit the header is a reason."""
    with opened(source) as file:
        lines, delimiter = _parted(file)
        reader = csv.reader(lines, delimiter=delimiter, strict=True)
        found = _surviving(reader)
        names = _header(found)
        begin = reader.line_num + 1
        for row in found:
            if row:
                yield begin, row if isinstance(row, str) else _named(names, row)
            begin = reader.line_num + 1


def _parted(file: TextIO) -> tuple[Iterator[str], str]:
    """The lines of a file, and what parts their cells."""
    first = next(file)
    csv.field_size_limit(_LONGEST)
    return chain([first], file), max(",;\t", key=first.count)


def _header(found: Iterator[list[str] | str]) -> list[str]:
    names = next(found)
    if isinstance(names, str):
        raise TouchstoneError(f"The header cannot be read. {names}")
    return distinct(names)


def _surviving(reader: Iterator[list[str]]) -> Iterator[list[str] | str]:
    """The rows of a reader; for a row that it cannot read, the reason."""
    while True:
        try:
            yield next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield f"This row is not CSV: {error}. Close every quote and double the quotes inside a cell."


def _named(names: list[str], row: list[str]) -> Row | str:
    if len(row) != len(names):
        return f"This row has {len(row)} cells and the header {len(names)}. Quote cells that hold the separator."
    return dict(zip(names, row, strict=True))
