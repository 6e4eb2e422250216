"""Files of text: UTF-8, or refused as a whole with the reason."""

from __future__ import annotations

import codecs
from functools import lru_cache, partial
from pathlib import Path
from typing import TextIO

from core.errors import TouchstoneError


def opened(source: Path) -> TextIO:
    """The file as text without its byte-order mark. Raises TouchstoneError where it is absent, empty or not UTF-8."""
    found = there(source).stat()
    _check(source, found.st_size, found.st_mtime_ns)
    return source.open(encoding="utf-8-sig", newline="")


def there(source: Path) -> Path:
    """The file itself. Raises TouchstoneError where there is none or nothing is in it."""
    if not source.is_file():
        raise TouchstoneError(f"There is no file {source}. Check the path.")
    if source.stat().st_size == 0:
        raise TouchstoneError(f"{source.name} is empty. Check that it was copied whole.")
    return source


@lru_cache(64)
def _check(source: Path, _size: int, _changed_ns: int) -> None:
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
