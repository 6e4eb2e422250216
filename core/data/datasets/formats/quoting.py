"""Separators and quotes of a table of text: each reading is tried, and that by which the rows fit is taken."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

from core.data.datasets.formats.text_files import bounded_text_lines, open_text

_MAX_CELL = 10_000_000  # characters; an unclosed quote would otherwise swallow the rest of the file
_SAMPLE_ROWS = 500
_MOST_NOTES = 30  # lines above a header
_QUOTED_CELL = re.compile(r'"(?:[^"]|"")*"', re.DOTALL)
_NUMBER = re.compile(r"[-+\d.,]*")
_CELL_END = "\x1f"
_SPACED_QUOTE = re.compile(_CELL_END + ' +"')

Quoting = Literal["standard", "blanks", "backslash", "text"]
_READERS: Mapping[Quoting, Mapping[str, Any]] = MappingProxyType(
    {
        "standard": {"strict": True},
        "blanks": {"strict": True, "skipinitialspace": True},
        "backslash": {"strict": True, "escapechar": "\\"},
        "text": {"quoting": csv.QUOTE_NONE},
    }
)


@dataclass(frozen=True, slots=True)
class Separation:
    """Rule by which lines become cells: the lines to pass over first, the separator, and the meaning of a quote."""

    first_line: int
    delimiter: str
    quoting: Quoting
    note: str = ""

    def rows(self, source: Path, encoding: str) -> Iterator[tuple[int, list[str] | str]]:
        """The rows that are not blank with the line where they begin; for one that cannot be read, the reason."""
        csv.field_size_limit(_MAX_CELL)
        with open_text(source, encoding) as file:
            lines = islice(bounded_text_lines(file), self.first_line, None)
            reader = csv.reader(lines, delimiter=self.delimiter, **_READERS[self.quoting])
            begin = self.first_line + 1
            for row in _readable_rows(reader):
                if self.quoting == "blanks" and isinstance(row, list):
                    row = [cell.rstrip(" ") for cell in row]
                if isinstance(row, str) or any(cell.strip() for cell in row):
                    yield begin, row
                begin = self.first_line + reader.line_num + 1


def decide_separation(
    source: Path, encoding: str, lines: Sequence[str], first_line: int, delimiters: str
) -> Separation:
    """The separation of a file by its first lines and, where there are quotes in it, by all of its rows."""
    delimiter, _ = best_delimiter(lines, delimiters)
    surveys = _Surveys(source, encoding, Separation(first_line, delimiter, "standard"))
    quoting, note = _by_tabs(surveys) if delimiter == "\t" else _by_commas(surveys)
    return Separation(first_line, delimiter, quoting, note)


def best_delimiter(lines: Sequence[str], delimiters: str) -> tuple[str, float]:
    """The separator by which most of the first rows have as many cells, of two the one with more cells; and the share of those rows."""
    csv.field_size_limit(_MAX_CELL)
    best = (0.0, 1, delimiters[0])
    for delimiter in delimiters:
        for quoting in _READERS:
            reader = csv.reader(lines, delimiter=delimiter, **_READERS[quoting])
            rows = [row for row in _readable_rows(reader) if isinstance(row, str) or any(row)]
            sizes = Counter(len(row) for row in rows if isinstance(row, list))
            width, number = max(sizes.items(), key=lambda size: (size[1], size[0]), default=(1, 0))
            # a file of one column has no separator; what a quote swallowed counts by its lines
            share = number / max(len(rows), 1) if width > 1 else 0.0
            if (share, width) > best[:2]:
                best = (share, width, delimiter)
    return best[2], best[0]


@dataclass(slots=True)
class _Survey:
    """Rows of a file in one reading, and traces of the program that wrote them."""

    rows: int
    """Rows that are not blank."""

    broken: int
    """Rows that cannot be read or have another number of cells, without those above the header."""

    width: int
    """The most frequent number of cells."""

    above: int = 0
    """Rows of fewer cells above the header, which are notes."""

    is_spaced: bool = False
    """True if each cell but the first of a row begins with a blank."""

    has_spaced_quote: bool = False
    """True if a cell begins with a blank and a quote."""

    has_escaped_quotes: bool = False
    """True if there are quotes in the cells, each after a backslash."""

    has_line_breaks: bool = False
    """True if a cell has several lines."""

    is_of_program: bool = False
    """True if each quote is one that a program writes."""


class _Surveys(dict[Quoting, _Survey]):
    """The readings of a file, each read when it is asked for; without quotes they are the same."""

    def __init__(self, source: Path, encoding: str, separation: Separation) -> None:
        super().__init__()
        self._source, self._encoding, self._separation = source, encoding, separation
        with open_text(source, encoding) as file:
            self.has_quotes = any('"' in line for line in bounded_text_lines(file))

    def __missing__(self, quoting: Quoting) -> _Survey:
        if quoting != "standard" and not self.has_quotes:
            return self["standard"]
        self[quoting] = _survey(self._source, self._encoding, replace(self._separation, quoting=quoting))
        return self[quoting]


def _survey(source: Path, encoding: str, separation: Separation) -> _Survey:
    rows = separation.rows(source, encoding)
    first = list(islice(rows, _SAMPLE_ROWS))
    sizes = Counter(len(row) for _, row in first if isinstance(row, list))
    width = max(sizes.items(), key=lambda size: (size[1], size[0]))[0] if sizes else 0
    survey = _Survey(0, 0, width, is_spaced=width > 1)
    evidence, is_below_notes, quotes, escaped, above = _QuoteEvidence(), False, 0, 0, 0
    for _, row in chain(first, rows):
        survey.rows += 1
        fits = isinstance(row, list) and fits_width(row, width)
        is_below_notes = is_below_notes or len(row) >= width or isinstance(row, str) or survey.rows > _MOST_NOTES
        survey.broken += is_below_notes and not fits
        above += not is_below_notes
        if isinstance(row, str):
            continue
        survey.is_spaced = survey.is_spaced and all(cell[:1] == " " for cell in row[1:] if cell)
        text = _CELL_END.join(row)
        survey.has_line_breaks = survey.has_line_breaks or "\n" in text or "\r" in text
        if '"' not in text and separation.delimiter != "\t":
            continue
        survey.has_spaced_quote = survey.has_spaced_quote or _SPACED_QUOTE.search(text) is not None
        quotes += text.count('"')
        escaped += text.count('\\"')
        if separation.quoting == "text":
            evidence.add(row)
            # with commas this reading counts only where all rows have all cells
            if survey.broken and separation.delimiter != "\t" and survey.rows > _MOST_NOTES:
                break
    # what is above most rows is no note
    survey.broken += above if above * 2 > survey.rows else 0
    survey.above = above
    survey.has_escaped_quotes = quotes == escaped > 0
    survey.is_of_program = evidence.is_of_program()
    return survey


def fits_width(row: Sequence[str], width: int) -> bool:
    """True for a row of that many cells, or of more where the others are blank."""
    return len(row) == width or (len(row) > width and not any(cell.strip() for cell in row[width:]))


def _by_tabs(surveys: _Surveys) -> tuple[Quoting, str]:
    """A quote is text unless only quoting gives each row all cells, or the quotes are those that a program writes."""
    standard = surveys["standard"]
    if not surveys.has_quotes:
        return "standard", ""
    if standard.is_spaced and standard.has_spaced_quote and surveys["blanks"].broken <= standard.broken:
        return "blanks", _NO_BLANKS
    if _is_escaped(surveys):
        return "backslash", _NO_BACKSLASHES
    text = surveys["text"]
    is_of_program = text.is_of_program or text.width < standard.width
    if standard.broken < text.broken or (standard.broken == 0 and is_of_program):
        return "standard", ""
    if standard.broken == 0 and standard.rows == text.rows:
        return "text", "quotes are text in this table with tabs: they stay in the cells"
    other = "could not all be read" if standard.broken else f"would be {standard.rows}"
    return (
        "text",
        f"quotes are text in this table with tabs: {text.rows} rows with the header, which by quoting {other}",
    )


def _is_escaped(surveys: _Surveys) -> bool:
    """True if the quotes in cells are written with a backslash: each of them, or so that more rows have all cells."""
    standard = surveys["standard"]
    if not standard.broken and not standard.has_escaped_quotes:
        return False
    backslash = surveys["backslash"]
    if backslash.broken < standard.broken and backslash.width == standard.width:
        text = surveys["text"]
        return backslash.broken < text.broken or text.width != backslash.width
    return backslash.broken == standard.broken and standard.has_escaped_quotes


_NO_BLANKS = "blanks after the separators are no text"
_NO_BACKSLASHES = "a backslash before a quote is no text"


def _by_commas(surveys: _Surveys) -> tuple[Quoting, str]:
    """Quoting counts where each row has all cells by it; then blanks after separators, backslashes, or quotes as text."""
    standard = surveys["standard"]
    is_spaced = standard.has_spaced_quote and surveys["blanks"].broken <= standard.broken
    if is_spaced or (standard.broken == 0 and standard.is_spaced):
        return "blanks", _NO_BLANKS
    if _is_escaped(surveys):
        return "backslash", _NO_BACKSLASHES
    text = surveys["text"]
    # a header that only quoting makes whole has a line break in a name
    if not standard.broken and (not standard.has_line_breaks or text.above > standard.above):
        return "standard", ""
    # a line that has all cells by itself is hardly a part of a quoted cell, but where a single separator makes it so
    differs = text.rows != standard.rows and text.width > 2
    if text.broken or text.width < 2 or not (standard.broken or differs):
        return "standard", ""
    other = "could not all be read" if standard.broken else f"would be {standard.rows}"
    return "text", f"quotes are read as text: {text.rows} rows with the header, which by quoting {other}"


class _QuoteEvidence:
    """Quotes as they are written in cells: a program doubles them, or quotes a whole column, or each cell with a comma."""

    def __init__(self) -> None:
        self.has_other_quotes, self.plain_commas, self.unneeded_commas = False, False, True
        self.unneeded_columns, self.plain_columns = set[int](), set[int]()

    def add(self, row: Sequence[str]) -> None:
        for place, cell in enumerate(row):
            if '"' not in cell:
                self.plain_commas = self.plain_commas or "," in cell
                if _NUMBER.fullmatch(cell) is None:
                    self.plain_columns.add(place)
            elif _QUOTED_CELL.fullmatch(cell) is None:
                self.has_other_quotes = True
            elif '""' not in cell[1:-1]:
                self.unneeded_columns.add(place)
                self.unneeded_commas = self.unneeded_commas and "," in cell

    def is_of_program(self) -> bool:
        if self.has_other_quotes:
            return False
        return not self.unneeded_columns & self.plain_columns or (self.unneeded_commas and not self.plain_commas)


def _readable_rows(reader: Iterator[list[str]]) -> Iterator[list[str] | str]:
    """The rows of a reader; for a row that it cannot read, the reason."""
    while True:
        try:
            yield next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield f"This row is not CSV: {error}. Close every quote and double the quotes inside a cell."
