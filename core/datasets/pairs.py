"""A file of document-summary pairs: one JSON object a line, or a table with a header.

Fields: `id`, `document`, `summary`, and where there is one, `edited` (a summary) or `edits` (executable edits), `label`,
`error_type`, `domain`, `title`, `group`. core/datasets/record.py lists the other names under which they are known,
such as doc, article, source and text for the document, claim and hypothesis for the summary.
"""

from __future__ import annotations

import codecs
import csv
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import ClassVar

from core.dataset import DATASETS, Importer, Refusal
from core.datasets import record
from core.errors import TouchstoneError
from core.types import Item

_TABLES = {".csv", ".tsv"}
_LONGEST = 10_000_000  # characters; an unclosed quote would otherwise swallow the rest of the file

Line = tuple[int, dict[str, object] | str]
"""The line on which a record begins, and the record or the reason why there is none."""


@DATASETS.add
@dataclass(frozen=True)
class Pairs(Importer):
    """`.csv` and `.tsv` are tables, everything else is JSONL; UTF-8 with or without a byte-order mark.

    A record without an id is called `line-<number>`. Raises TouchstoneError where the file as a whole cannot be read:
    absent, empty, not UTF-8, a table without a document or summary column.
    """

    name: ClassVar[str] = "pairs"
    title: ClassVar[str] = "Pairs (JSONL or CSV)"
    licence: ClassVar[str] = "your own"

    def read(self, source: Path) -> Iterator[Item | Refusal]:
        _check(source)
        with source.open(encoding="utf-8-sig", newline="") as file:
            lines = _rows(file) if source.suffix.lower() in _TABLES else _objects(file)
            yield from _items(lines)


def _items(lines: Iterable[Line]) -> Iterator[Item | Refusal]:
    seen: dict[str, int] = {}
    for number, found in lines:
        try:
            yield from _fresh(number, found, seen)
        except TouchstoneError as error:
            yield Refusal(number, str(error))


def _fresh(number: int, found: dict[str, object] | str, seen: dict[str, int]) -> list[Item]:
    """The items of a record; TouchstoneError where it is broken or an id of it stands on an earlier line."""
    if isinstance(found, str):
        raise TouchstoneError(found)
    items = record.items(found, f"line-{number}")
    for item in items:
        if item.example.id in seen:
            raise TouchstoneError(
                f"The id {item.example.id!r} stands on line {seen[item.example.id]} already. Give line {number} another."
            )
    seen |= {item.example.id: number for item in items}
    return items


def _objects(file: Iterable[str]) -> Iterator[Line]:
    for number, line in enumerate(file, start=1):
        if line.strip():
            yield number, _object(line)


def _object(line: str) -> dict[str, object] | str:
    try:
        value = json.loads(line)
    except json.JSONDecodeError as error:
        return f"This is not JSON: {error.msg} at column {error.colno}. Write one JSON object a line."
    except (ValueError, RecursionError):  # a number of thousands of digits, brackets in thousands
        return "This JSON is too deep or too long to be read. Write one flat JSON object a line."
    if not isinstance(value, dict):
        return f"Expected a JSON object with document and summary; got {line.strip()[:60]}."
    return value


def _rows(file: Iterable[str]) -> Iterator[Line]:
    lines = iter(file)
    first = next(lines)
    csv.field_size_limit(_LONGEST)
    reader = csv.reader(chain([first], lines), delimiter=max(",;\t", key=first.count), strict=True)
    rows = _surviving(reader)
    header = next(rows)
    if isinstance(header, str):
        raise TouchstoneError(f"The header cannot be read. {header}")
    record.columns(header)
    begin = reader.line_num + 1
    for row in rows:
        if row:
            yield begin, row if isinstance(row, str) else _named(header, row)
        begin = reader.line_num + 1


def _surviving(reader: Iterator[list[str]]) -> Iterator[list[str] | str]:
    """The rows of a reader; for a row that it cannot read, the reason."""
    while True:
        try:
            yield next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield f"This row is not CSV: {error}. Close every quote and double the quotes inside a cell."


def _named(header: list[str], row: list[str]) -> dict[str, object] | str:
    if len(row) != len(header):
        return f"This row has {len(row)} cells and the header {len(header)}. Quote cells that hold the separator."
    return dict(zip(header, row, strict=True))


def _check(source: Path) -> None:
    """Read the file once through a decoder: better a refusal now than after a million pairs."""
    if not source.is_file():
        raise TouchstoneError(f"There is no file {source}. Check the path.")
    if source.stat().st_size == 0:
        raise TouchstoneError(f"{source.name} is empty. Write one JSON object with document and summary a line.")
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
