"""The records of JSON: one object a line, a list of objects, or one object that holds them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import TextIO

from core.data.datasets.formats import text_files
from core.data.datasets.formats.json_tables import rows_of_columns
from core.data.datasets.formats.text_files import UTF8, NumberedRow, Row, bounded_lines, open_text
from core.errors import TouchstoneError

_CHUNK_CHARACTERS = 1 << 20  # characters
_NEAR_END = 1 << 12  # an error so near to the end of what was read may only mean that the rest is missing
_KEPT_BYTES = 1 << 24
_LIST_START = re.compile(r"\s*\[\s*[{\]]")
_SEPARATORS = re.compile(r"[\s,]*")
MOST_KEYS = 10_000  # of one record
_TOO_DEEP_MESSAGE = "This JSON is too deep or too long to be read. Write one flat JSON object a line."


def json_rows(source: Path, encoding: str = UTF8) -> Iterator[NumberedRow]:
    """The objects of a file. What is no object is a reason; a list that breaks off raises TouchstoneError."""
    with open_text(source, encoding) as file:
        head = file.read(_NEAR_END)
        file.seek(0)
        if (start := _LIST_START.match(head)) is not None:
            yield from _elements(file, source.name, start[0].index("[") + 1)
            return
        if not _are_lines(islice((line or "…" for line in bounded_lines(file) if line is None or line.strip()), 2)):
            file.seek(0)
            yield from _elements(file, source.name, 0)
            return
        file.seek(0)
        for number, line in enumerate(bounded_lines(file), start=1):
            if line is None:
                reason = f"This line has more than {text_files.MAX_LINE:,} characters. Write one JSON object a line."
                yield number, reason
            elif line.strip():
                yield number, _parse_line(line)


def records_of_object(source: Path, encoding: str = UTF8) -> list[NumberedRow]:
    """The records of a file that is one object: those of its one list where it has no text of its own, or its values, each with its name as `id`.

    Empty for any other file: lines of objects, an object that is itself a record.
    """
    with open_text(source, encoding) as file:
        first, second = next(bounded_lines(file), None) or "", ""
        if first.lstrip().startswith("{"):
            second = next((line or "…" for line in bounded_lines(file) if line is None or line.strip()), "")
        file.seek(0)
        if not (first.lstrip().startswith("{") and (not second or _breaks_off(first))):
            return []
        text = file.read()
    parsed = _parse_line(text)
    if isinstance(parsed, str):
        return []
    if (columns := rows_of_columns(parsed)) is not None:
        return list(enumerate(columns, start=1))
    values = list(parsed.values())
    texts = [value for value in values if isinstance(value, str) and " " in value.strip()]
    lists = [
        value
        for value in values
        if isinstance(value, list) and value and all(isinstance(entry, dict) for entry in value)
    ]
    if not texts and len(lists) == 1:
        return [(number, _object_or_reason(value)) for number, value in enumerate(lists[0], start=1)]
    named = [{"id": name, **value} for name, value in parsed.items() if isinstance(value, dict)]
    return list(enumerate(named, start=1)) if len(named) == len(values) > 1 else []


def _are_lines(first_lines: Iterable[str]) -> bool:
    """False where the first line is the beginning of an object of several lines, or several objects after each other."""
    first, second, *_ = (*first_lines, "", "")
    text = first.lstrip("\ufeff \t").rstrip()
    try:
        _, end = _DECODER.raw_decode(text)
    except json.JSONDecodeError as error:
        return error.pos < len(text) or not second or not isinstance(_parse_line(second), str)
    except (ValueError, RecursionError):
        return True
    return not text[end:].lstrip().startswith(("{", ","))


def _breaks_off(line: str) -> bool:
    """True if a line is the beginning of JSON, and nothing else is wrong with it."""
    try:
        json.loads(line)
    except json.JSONDecodeError as error:
        return error.pos >= len(line.rstrip())
    except (ValueError, RecursionError):
        return False
    return False


def json_object(source: Path) -> Row:
    """A file that is one object. Raises TouchstoneError where it is none."""
    with open_text(source) as file:
        parsed = _parse_line(file.read())
    if isinstance(parsed, str):
        raise TouchstoneError(f"{source.name} cannot be read. {parsed}")
    return parsed


def whole_object(source: Path) -> Row:
    """A file that is one object over one or more lines; empty for any other file, without reading more of it than its beginning.

    That of a small file is kept, as several readers look at it in turn.
    """
    with source.open("rb") as file:
        head = file.read(_NEAR_END).lstrip(b"\xef\xbb\xbf \t\r\n")
    if not head.startswith(b"{"):
        return {}
    status = source.stat()
    if status.st_size > _KEPT_BYTES:
        return _whole_object(source)
    return _small_object(source, status.st_size, status.st_mtime_ns)


@lru_cache(1)
def _small_object(source: Path, _size: int, _changed_ns: int) -> Row:
    return _whole_object(source)


def _whole_object(source: Path) -> Row:
    try:
        with open_text(source) as file:
            first = next(bounded_lines(file), None) or ""
            if not _breaks_off(first) and next(
                (line for line in bounded_lines(file) if line is None or line.strip()), ""
            ):
                return {}
            file.seek(0)
            parsed = _parse_line(file.read())
    except TouchstoneError:
        return {}
    return {} if isinstance(parsed, str) else parsed


def _parse_line(text: str) -> Row | str:
    try:
        return _object_or_reason(_DECODER.decode(text))
    except _RepeatedKeyError as error:
        return str(error)
    except json.JSONDecodeError as error:
        return f"This is not JSON: {error.msg} at column {error.colno}. Write one JSON object a line."
    except (ValueError, RecursionError):  # a number of thousands of digits, brackets in thousands
        return _TOO_DEEP_MESSAGE


class _RepeatedKeyError(ValueError):
    """An object has a key twice, with different values."""


def _object_of_pairs(pairs: list[tuple[str, object]]) -> dict[str, object]:
    values = dict(pairs)
    if len(values) < len(pairs):
        for key, value in pairs:
            if values[key] != value:
                shown = " and ".join(f"{str(other)[:40]!r}" for name, other in pairs if name == key)
                raise _RepeatedKeyError(
                    f"The key {key!r} stands in this object several times, with {shown}. Leave one."
                )
    return values


_DECODER = json.JSONDecoder(object_pairs_hook=_object_of_pairs)


def _object_or_reason(value: object) -> Row | str:
    if not isinstance(value, dict):
        return f"Expected a JSON object with its fields; got {json.dumps(value, ensure_ascii=False)[:60]}."
    if len(value) > MOST_KEYS:
        return f"This object has {len(value):,} keys; {MOST_KEYS:,} is the most. Write one JSON object a line."
    return value


def _elements(file: TextIO, name: str, place: int) -> Iterator[NumberedRow]:
    """The elements of a list that begins before `place`, or objects after each other from the start of a file.

    No more of the file is held than the element that is being read and a chunk.
    """
    file.seek(0)
    buffer, number, is_list = file.read(_CHUNK_CHARACTERS), 1, place > 0
    while True:
        match = _SEPARATORS.match(buffer, place)
        place = match.end() if match else place
        if is_list and buffer.startswith("]", place):
            return
        if not is_list and place == len(buffer):
            buffer, place = file.read(_CHUNK_CHARACTERS), 0
            if not buffer:
                return
            continue

        decoded = _decode_at(buffer, place, f"{name}, record {number}")
        if decoded is None:
            if len(buffer) - place > text_files.MAX_LINE:
                raise TouchstoneError(
                    f"{name}, record {number} has more than {text_files.MAX_LINE:,} characters. Check its brackets."
                )
            more = file.read(max(_CHUNK_CHARACTERS, len(buffer) - place))
            if not more:
                raise TouchstoneError(f"{name} breaks off in record {number}. Check that it was copied whole.")
            buffer, place = buffer[place:] + more, 0
            continue
        value, place = decoded
        yield number, _object_or_reason(value)
        number += 1


def _decode_at(buffer: str, place: int, where: str) -> tuple[object, int] | None:
    """The value at a place and its end; None where the rest may be missing. Raises TouchstoneError with what is wrong."""
    try:
        return _DECODER.raw_decode(buffer, place)
    except json.JSONDecodeError as error:
        if error.msg.startswith("Unterminated string") or error.pos > len(buffer) - _NEAR_END:
            return None
        raise TouchstoneError(f"{where} is not JSON: {error.msg}. Check that the file was copied whole.") from None
    except _RepeatedKeyError as error:
        raise TouchstoneError(f"{where}: {error}") from None
    except (ValueError, RecursionError):
        raise TouchstoneError(f"{where}: {_TOO_DEEP_MESSAGE}") from None
