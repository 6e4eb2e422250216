"""Texts as cells and tables of a spreadsheet and as lines on a page: no formula, no hidden direction, even blanks."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import isnan

_FORMULA = re.compile(r"[\s\u200b\ufeff]*[=+\-@\uff1d\uff0b\uff0d\uff20]|[\t\r\n]")


def spreadsheet_safe(text: str) -> str:
    """The text as a cell that no spreadsheet takes for a formula, full-width signs and blanks before it included."""
    return f"'{text}" if _FORMULA.match(text.lstrip("'")) else text


def spreadsheet_text(cell: str) -> str:
    """The text of which `spreadsheet_safe` made a cell."""
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell.lstrip("'")) else cell


def csv_lines(rows: Iterable[Sequence[object]]) -> Iterator[str]:
    """Lines of CSV (RFC 4180) in full precision: None and NaN are empty cells, and no spreadsheet takes a text for a formula."""
    line = io.StringIO()
    writer = csv.writer(line)
    for row in rows:
        writer.writerow(map(_cell, row))
        yield line.getvalue()
        line.seek(0)
        line.truncate()


def _cell(value: object) -> object:
    if isinstance(value, str):
        return spreadsheet_safe(value)
    return None if isinstance(value, float) and isnan(value) else value


def records_csv(records: Sequence[Mapping[str, object]]) -> str:
    """Records as CSV under the names of all their fields; a field that a record lacks is an empty cell."""
    names = [*dict.fromkeys(name for record in records for name in record)]
    return "".join(csv_lines([names, *([record.get(name) for name in names] for record in records)]))


BYTE_ORDER_MARK = "\ufeff"
"""Opens a CSV file that Excel reads as UTF-8: without it letters beyond ASCII are garbled there."""


_BIDI_CONTROLS = {ord(control): "\u2426" for control in "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"}


def with_visible_controls(text: str) -> str:
    """The text with ␦ for each character that changes the direction of others; offsets stay the same."""
    return text.translate(_BIDI_CONTROLS)


NO_BLANK = "\u2060"
"""Stands where a blank is not shown: it has no width and breaks no line."""

_BLANKS = re.compile(r"\s+")
_OPENING, _CLOSING = frozenset("([{\u2018\u201c"), frozenset(".,;:!?%)]}\u2019\u201d")


def with_even_blanks(text: str) -> str:
    """The text with blanks as a careful writer sets them, each character in its place.

    One blank or line end between words, none before a full stop or at the ends: how a text was typed, or taken apart into
    tokens, tells nothing any more.
    """
    return _BLANKS.sub(_even_blank, text)


def _even_blank(match: re.Match[str]) -> str:
    run, (start, end) = match[0], match.span()
    before, after = match.string[max(start - 1, 0) : start], match.string[end : end + 1]
    if not before or not after or ("\n" not in run and (after in _CLOSING or before in _OPENING)):
        return NO_BLANK * len(run)
    at = max(run.find("\n"), 0)
    return NO_BLANK * at + ("\n" if "\n" in run else " ") + NO_BLANK * (len(run) - at - 1)
