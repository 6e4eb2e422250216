"""JSON records: one object a line, or one list of objects, which is read element by element."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

from core.datasets.reading.row import Line, Row
from core.datasets.reading.textfile import opened
from core.errors import TouchstoneError

_CHUNK = 1 << 20  # characters
_NEAR = 1 << 12  # an error so near to the end of what was read may only mean that the rest is missing
_LIST = re.compile(r"\s*\[\s*[{\]]")
_GAP = re.compile(r"[\s,]*")
_DECODER = json.JSONDecoder()
_TOO_DEEP = "This JSON is too deep or too long to be read. Write one flat JSON object a line."


def rows(source: Path) -> Iterator[Line]:
    """The objects of a file. What is no object is a reason; a list that breaks off raises TouchstoneError."""
    with opened(source) as file:
        yield from _elements(file, source.name) if _is_list(file) else _lines(file)


def whole(source: Path) -> Row:
    """A file that is one object. Raises TouchstoneError where it is none."""
    with opened(source) as file:
        found = _parsed(file.read())
    if isinstance(found, str):
        raise TouchstoneError(f"{source.name} cannot be read. {found}")
    return found


def _is_list(file: TextIO) -> bool:
    """Whether it begins as a list of objects; a line that is a list of something else is a broken line."""
    head = file.read(_NEAR)
    file.seek(0)
    return _LIST.match(head) is not None


def _lines(file: TextIO) -> Iterator[Line]:
    for number, line in enumerate(file, start=1):
        if line.strip():
            yield number, _parsed(line)


def _parsed(text: str) -> Row | str:
    try:
        return _object(json.loads(text))
    except json.JSONDecodeError as error:
        return f"This is not JSON: {error.msg} at column {error.colno}. Write one JSON object a line."
    except (ValueError, RecursionError):  # a number of thousands of digits, brackets in thousands
        return _TOO_DEEP


def _object(value: object) -> Row | str:
    if isinstance(value, dict):
        return value
    return f"Expected a JSON object with its fields; got {json.dumps(value, ensure_ascii=False)[:60]}."


def _elements(file: TextIO, name: str) -> Iterator[Line]:
    """The elements of a list; no more of the file is held than the element that is being read and a chunk."""
    buffer, number = file.read(_CHUNK), 1
    place = buffer.index("[") + 1
    while True:
        place = _after(_GAP, buffer, place)
        if buffer.startswith("]", place):
            return
        found = _decoded(buffer, place, f"{name}, record {number}")
        if found is None:
            more = file.read(max(_CHUNK, len(buffer) - place))
            if not more:
                raise TouchstoneError(f"{name} breaks off in record {number}. Check that it was copied whole.")
            buffer, place = buffer[place:] + more, 0
            continue
        value, place = found
        yield number, _object(value)
        number += 1


def _after(pattern: re.Pattern[str], text: str, place: int) -> int:
    match = pattern.match(text, place)
    return match.end() if match else place


def _decoded(buffer: str, place: int, where: str) -> tuple[object, int] | None:
    """The value that begins at a place and where it ends; None where it goes on beyond the buffer."""
    try:
        return _DECODER.raw_decode(buffer, place)
    except json.JSONDecodeError as error:
        if error.msg.startswith("Unterminated string") or error.pos > len(buffer) - _NEAR:
            return None
        raise TouchstoneError(f"{where} is not JSON: {error.msg}. Check that the file was copied whole.") from None
    except (ValueError, RecursionError):
        raise TouchstoneError(f"{where}: {_TOO_DEEP}") from None
