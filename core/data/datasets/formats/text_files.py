"""A text file as it is read from disk: its encoding, its lines within a bound, and what a record is."""

from __future__ import annotations

import codecs
import io
from collections.abc import Iterator, Mapping
from functools import lru_cache, partial
from pathlib import Path
from typing import TextIO

from core.data.datasets.formats.file_kinds import open_bytes
from core.errors import TouchstoneError

Row = Mapping[str, object]
NumberedRow = tuple[int, Row | str]
"""Start of a record (the line of a text file, the number of a list's element or of a table's row, from 1), and the
record or the reason why there is none."""


UTF8 = "utf-8"
_HEAD_CHARACTERS = 1 << 12


class EncodingError(TouchstoneError):
    """A text file is not in the encoding that it was read in."""


def open_text(source: Path, encoding: str = UTF8) -> TextIO:
    """The file as text without its byte-order mark, which says that it is UTF-16 where it is of that.

    Raises TouchstoneError where it is absent, empty or not in that encoding.
    """
    status = existing_file(source).stat()
    if encoding == UTF8 and has_utf16_mark(source):
        encoding = "utf-16"
    _check_encoding(source, encoding, status.st_size, status.st_mtime_ns)
    return io.TextIOWrapper(open_bytes(source), encoding="utf-8-sig" if encoding == UTF8 else encoding, newline="")


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
    try:
        decoder = codecs.getincrementaldecoder(encoding)()
    except LookupError:
        raise TouchstoneError(
            f"There is no encoding {encoding!r}. Known are utf-8, utf-16, cp1252, latin-1 …"
        ) from None
    with open_bytes(source) as file:
        try:
            for chunk in iter(partial(file.read, 1 << 20), b""):
                decoder.decode(chunk)
            decoder.decode(b"", final=True)
        except UnicodeError as error:
            byte = f"byte 0x{error.object[error.start]:02x}" if isinstance(error, UnicodeDecodeError) else str(error)
            offered = likely_encoding(source)
            raise EncodingError(
                f"{source.name} is not {encoding.upper()} ({byte}). It may be {offered.upper()}: save it as UTF-8, or import "
                f"it as a table with 'generic[encoding={offered}]'."
            ) from None


def encoding_of(source: Path) -> str:
    """UTF-8 where a text file is that, else what it most likely is."""
    try:
        open_text(source).close()
    except EncodingError:
        return likely_encoding(source)
    return UTF8


def has_utf16_mark(source: Path) -> bool:
    with open_bytes(source) as file:
        return file.read(2) in {codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE}


def likely_encoding(source: Path) -> str:
    """Most likely encoding of a text file that is not UTF-8: utf-16 by its NUL bytes, else cp1252 or latin-1."""
    with open_bytes(source) as file:
        head = file.read(1 << 16)
    if head.count(0) * 4 > len(head):
        return "utf-16-le" if head[1::2].count(0) >= head[::2].count(0) else "utf-16-be"
    return "cp1252" if any(0x80 <= byte < 0xA0 for byte in head) else "latin-1"


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
