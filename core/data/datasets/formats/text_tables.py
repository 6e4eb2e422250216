"""Tables as text: the header, decimal commas, and rows whose cells are texts; with notes of what was decided on the way."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from pathlib import Path

from core.data.datasets.formats.header_rows import Header, check_column_count, find_header
from core.data.datasets.formats.quoting import Separation, best_delimiter, decide_separation, fits_width
from core.data.datasets.formats.text_files import UTF8, NumberedRow, bounded_text_lines, open_text
from core.errors import TouchstoneError

_DELIMITERS = ",\t;|"
_SAMPLE_LINES = 500
_SEPARATOR_LINE = re.compile(r'"?sep=(.)"?\s*', re.IGNORECASE)
_DECIMAL_COMMA = re.compile(r"[-+−]?(\d+|\d{1,3}([.'’ \u00a0\u202f]\d{3})+),\d+(e[-+]?\d+)? ?%?", re.IGNORECASE)
_WHOLE_NUMBER = re.compile(r"[-+−]?\d+ ?%?")
_DECIMAL_POINT = re.compile(r"[-+−]?\d*\.\d+(e[-+]?\d+)? ?%?", re.IGNORECASE)
_THOUSANDS = re.compile(r"[-+−]?[1-9]\d{0,2}(,\d{3})+ ?%?")
_THOUSANDS_MARK = re.compile(r"[.'’ \u00a0\u202f](?=\d{3})")
_INVISIBLE = "\u200b\u2060\ufeff"
_MIN_NUMBERS = 0.75  # share of a column's filled cells


@dataclass(frozen=True, slots=True)
class TextLayout:
    """The separation of a table's cells, its header, the places of columns with decimal commas, and what was decided."""

    separation: Separation
    header: Header
    decimal_commas: frozenset[int]
    notes: tuple[str, ...]


def csv_header(source: Path) -> list[str]:
    """The names of the columns. Raises TouchstoneError where they cannot be read."""
    return list(text_layout(source).header.names)


def csv_rows(source: Path, encoding: str = UTF8) -> Iterator[NumberedRow]:
    """The rows of a table, their cells as text; a row that does not fit the header is a reason, a blank one is passed over."""
    layout = text_layout(source, encoding)
    names = layout.header.names
    rows = layout.separation.rows(source, encoding)
    for number, row in islice(rows, layout.header.row + 1 + layout.header.label_rows, None):
        if isinstance(row, str):
            yield number, row
        elif not fits_width(row, len(names)):
            sizes = f"This row has {len(row)} cells and the header {len(names)}."
            yield number, f"{sizes} Quote cells that hold the separator."
        elif tuple(cell.strip() for cell in row[: len(names)]) != names:  # the header again, where files were joined
            cells = [
                with_point(cell) if place in layout.decimal_commas else _with_minus(cell)
                for place, cell in enumerate(row)
            ]
            yield number, dict(zip(names, cells, strict=False))


def is_text_table(source: Path, encoding: str = UTF8) -> bool:
    """True if nearly all lines of a file have as many cells, and two or more."""
    with open_text(source, encoding) as file:
        lines = list(islice(bounded_text_lines(file), _SAMPLE_LINES))
    if _separator_line(lines):
        return True
    _, share = best_delimiter(lines, _DELIMITERS)
    return len(lines) > 1 and share >= 0.9


def text_layout(source: Path, encoding: str = UTF8) -> TextLayout:
    """The form of a table, by all of its lines. Raises TouchstoneError where it has no header or too many columns."""
    open_text(source, encoding).close()
    status = source.stat()
    return _text_layout(source, encoding, status.st_size, status.st_mtime_ns)


@lru_cache(64)
def _text_layout(source: Path, encoding: str, _size: int, _changed_ns: int) -> TextLayout:
    with open_text(source, encoding) as file:
        lines = list(islice(bounded_text_lines(file), _SAMPLE_LINES))
    delimiters, first_line = _DELIMITERS, 0
    if declared := _separator_line(lines):
        delimiters, lines, first_line = declared, lines[1:], 1
    for delimiter in delimiters:
        check_column_count(1 + min((line.count(delimiter) for line in lines[:2]), default=0), source.name)
    separation = decide_separation(source, encoding, lines, first_line, delimiters)

    first_rows = [row for _, row in islice(separation.rows(source, encoding), _SAMPLE_LINES)]
    # a row that cannot be read has no cells, and keeps its place
    header = find_header([row if isinstance(row, list) else [] for row in first_rows], source.name)
    if first_rows and isinstance(error := first_rows[header.row], str):
        raise TouchstoneError(f"The header cannot be read. {error}")
    data = [row for row in first_rows[header.row + 1 + header.label_rows :] if isinstance(row, list)]
    columns = [[row[place].strip() for row in data if place < len(row)] for place in range(len(header.names))]
    commas = _decimal_commas(columns, separation.delimiter)
    notes = [separation.note] if separation.note else []
    notes += header.notes
    if commas:
        names = ", ".join(header.names[place] or "the column without a name" for place in sorted(commas))
        example = next(cell for place in sorted(commas) for cell in columns[place] if "," in cell)
        notes.append(f"decimal commas in {names}: {example} is {with_point(example)}")
    return TextLayout(separation, header, commas, tuple(notes))


def _separator_line(lines: Sequence[str]) -> str:
    """The separator that the first line declares, as Excel writes it; "" for none."""
    declared = _SEPARATOR_LINE.fullmatch(lines[0].lstrip("\ufeff")) if lines else None
    return declared[1] if declared else ""


def _decimal_commas(columns: Sequence[Sequence[str]], delimiter: str) -> frozenset[int]:
    """Columns of numbers with a decimal comma, by their first cells.

    A table with semicolons has them by that; in any other a number that cannot have a comma for thousands has to show it.
    """
    places, is_shown = [], delimiter == ";"
    for place, cells in enumerate(columns):
        filled = [cell for cell in cells if cell]
        decimals = [cell for cell in filled if _DECIMAL_COMMA.fullmatch(cell)]
        numbers = len(decimals) + sum(_WHOLE_NUMBER.fullmatch(cell) is not None for cell in filled)
        if not decimals or numbers < _MIN_NUMBERS * len(filled) or any(map(_DECIMAL_POINT.fullmatch, filled)):
            continue
        places.append(place)
        is_shown = is_shown or not all(map(_THOUSANDS.fullmatch, decimals))
    return frozenset(places) if is_shown else frozenset()


def with_point(cell: str) -> str:
    """A number with a decimal comma as one with a point and without marks of thousands; any other cell as it is."""
    text = cell.strip()
    if _DECIMAL_COMMA.fullmatch(text) is None:
        return cell
    return _THOUSANDS_MARK.sub("", text).replace(",", ".").replace("−", "-")


def _with_minus(cell: str) -> str:
    """A number after a typographic minus as one after a hyphen, without the invisible characters at the ends of a cell."""
    text = cell.strip(_INVISIBLE) if cell[-1:] in _INVISIBLE or cell[:1] in _INVISIBLE else cell
    return f"-{text[1:]}" if text[:1] == "−" and _DECIMAL_POINT.fullmatch(text) else text
