"""A text file as it is read from disk: its encoding, its lines within a bound, and what a record is."""

from __future__ import annotations

import codecs
import io
from collections.abc import Iterator, Mapping
from functools import lru_cache, partial
from pathlib import Path
from typing import TextIO

from core.data.datasets.formats.encodings import is_text_encoding, likely_encodings, text_encodings
from core.data.datasets.formats.file_kinds import check_unpacked_size, open_bytes, unpacking_errors
from core.errors import TouchstoneError

Row = Mapping[str, object]
NumberedRow = tuple[int, Row | str]
"""Start of a record (the line of a text file, the number of a list's element or of a table's row, from 1), and the
record or the reason why there is none."""


UTF8 = "utf-8"
_MARKS = '\n\t,;" '
_HEAD_CHARACTERS = 1 << 12


class EncodingError(TouchstoneError):
    """A text file is not in the encoding that it was read in."""


def open_text(source: Path, encoding: str = UTF8) -> TextIO:
    """The file as text without its byte-order mark, which says that it is UTF-16 where it is of that.

    Raises TouchstoneError where it is absent, empty or not in that encoding.
    """
    status = existing_file(source).stat()
    encoding = actual_encoding(source, encoding)
    _check_encoding(source, encoding, status.st_size, status.st_mtime_ns)
    return io.TextIOWrapper(open_bytes(source), encoding="utf-8-sig" if encoding == UTF8 else encoding, newline="")


def actual_encoding(source: Path, encoding: str = UTF8) -> str:
    """UTF-16 or UTF-32 where a file that should be UTF-8 is that by its first bytes; else the encoding."""
    if encoding != UTF8:
        return encoding
    status = source.stat()
    return _unicode_form(source, status.st_size, status.st_mtime_ns) or UTF8


@lru_cache(64)
def _unicode_form(source: Path, _size: int, _changed_ns: int) -> str:
    """UTF-16 or UTF-32 by its byte-order mark or its NUL bytes; "" for any other file."""
    with unpacking_errors(source), open_bytes(source) as file:
        head = file.read(1 << 16)
    if head.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        return "utf-32"
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    if b"\0" not in head:
        return ""
    head = head[: len(head) // 4 * 4]
    readings = {name: head.decode(name, "replace") for name in ("utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be")}
    # lines and separators are there as characters, and not only as bytes
    marks = {name: sum(map(text.count, _MARKS)) for name, text in readings.items() if "\0" not in text}
    best = max(marks, key=lambda name: marks[name], default="")
    bytes_of_marks = sum(head.count(mark.encode()) for mark in _MARKS)
    return best if best and 2 * marks[best] >= bytes_of_marks and readings[best].count("\ufffd") <= 1 else ""


def first_characters(source: Path, encoding: str = UTF8) -> str:
    """The beginning of a text file, read as `open_text` reads it."""
    with open_text(source, encoding) as file:
        return file.read(_HEAD_CHARACTERS)


def existing_file(source: Path) -> Path:
    """The file itself. Raises TouchstoneError where there is none or nothing is in it."""
    if not source.is_file():
        raise TouchstoneError(f"There is no file {source}. Check the path.")
    if source.stat().st_size == 0:
        raise TouchstoneError(f"{source.name} is empty. Check that it was copied whole.")
    return source


@lru_cache(64)
def _check_encoding(source: Path, encoding: str, _size: int, _changed_ns: int) -> None:
    """Read a file once through a decoder, and again when it changed: better a refusal now than after a million records."""
    _check_encoding_name(encoding)
    decoder, size = codecs.getincrementaldecoder(encoding)(), 0
    try:
        with unpacking_errors(source), open_bytes(source) as file:
            for chunk in iter(partial(file.read, 1 << 20), b""):
                decoder.decode(chunk)
                size += len(chunk)
                check_unpacked_size(source, size)
            decoder.decode(b"", final=True)
    except UnicodeError as error:
        byte = f"byte 0x{error.object[error.start]:02x}" if isinstance(error, UnicodeDecodeError) else str(error)
        readings = likely_encodings(source)
        if not readings:
            raise EncodingError(
                f"{source.name} is not {encoding.upper()} ({byte}), nor any other text. Is it a table?"
            ) from None
        listed = "; ".join(f"{name.upper()}: {excerpt}" for name, excerpt in readings)
        raise EncodingError(
            f"{source.name} is not {encoding.upper()} ({byte}). Read in other encodings its first lines are: {listed}. Take the one "
            f"whose letters are right, and import the file as a table with 'generic[encoding={readings[0][0]}]', or save it as UTF-8."
        ) from None


def _check_encoding_name(encoding: str) -> None:
    """Raises TouchstoneError where Python has no such encoding of text."""
    if encoding != UTF8 and not is_text_encoding(encoding):
        raise TouchstoneError(f"There is no encoding {encoding!r}. Known are {', '.join(text_encodings())}.")


def encoding_of(source: Path) -> str:
    """UTF-8 where a text file is that, or says that it is UTF-16; else what it most likely is."""
    try:
        open_text(source).close()
    except EncodingError:
        return next((name for name, _ in likely_encodings(source)), UTF8)
    return UTF8


MAX_LINE = 20_000_000  # characters, a library of books; a longer line is no record


def bounded_lines(file: TextIO) -> Iterator[str | None]:
    """The lines of a file; None for one that is too long to be held, the rest of which is passed over."""
    while line := file.readline(MAX_LINE):
        whole = len(line) < MAX_LINE or line.endswith("\n")
        while len(line) == MAX_LINE and not line.endswith("\n"):
            line = file.readline(MAX_LINE)
        yield line if whole else None


def bounded_text_lines(file: TextIO) -> Iterator[str]:
    """The lines of a table. Raises TouchstoneError with the number of a line that is too long."""
    for number, line in enumerate(bounded_lines(file), start=1):
        if line is None:
            raise TouchstoneError(f"Line {number} has more than {MAX_LINE:,} characters. Check that it is a table.")
        yield line


_SHOWN = 90  # characters of a text in a question


def shorten(text: object) -> str:
    """The beginning of a text in one line and quotes, as questions show it."""
    line = " ".join(str(text).split())
    return f"“{line[:_SHOWN]}…”" if len(line) > _SHOWN else f"“{line}”"
