"""The kind of a file by its first bytes, whatever its name ends in, and its bytes without the packing of gzip, bzip2, xz or zip."""

from __future__ import annotations

import bz2
import gzip
import lzma
from collections.abc import Iterator
from contextlib import contextmanager
from lzma import LZMAError
from pathlib import Path
from typing import IO, Literal, cast
from zipfile import BadZipFile, ZipFile, is_zipfile
from zlib import error as ZlibError

from core.errors import TouchstoneError

Kind = Literal["parquet", "workbook", "text"]

OWN_ENDINGS = frozenset({".arrow", ".dta", ".por", ".sas7bdat", ".sav", ".zsav"})
"""Endings of Arrow files and of files of Stata, SPSS and SAS, which libraries of their own read."""

_HEAD = 8  # bytes
_OLD_OFFICE = b"\xd0\xcf\x11\xe0"  # the container of .xls, and of a workbook with a password
_NAMES = {b"%PDF": "a PDF", b"\x89PNG": "an image", b"\xff\xd8\xff": "an image", b"SQLite f": "a database of SQLite"}
_MOST_UNPACKED = 2_000_000_000  # bytes


def file_kind(source: Path) -> Kind:
    """Parquet, an Excel workbook, or else text. Raises TouchstoneError for another known kind of file, with the way out."""
    with source.open("rb") as file:
        head = file.read(_HEAD)
    if head.startswith(b"PAR1"):
        return "parquet"
    if head.startswith(_OLD_OFFICE):
        raise TouchstoneError(
            f"{source.name} is a workbook of Excel before 2007, or has a password. Save it as .xlsx without one, or as CSV."
        )
    for magic, kind in _NAMES.items():
        if head.startswith(magic):
            raise TouchstoneError(f"{source.name} is {kind}, and no table. Export the table as CSV or JSON lines.")
    if head.startswith(b"PK") and is_zipfile(source):
        names = _members(source)
        if "xl/workbook.xml" in names:
            return "workbook"
        if "content.xml" in names:
            raise TouchstoneError(f"{source.name} is a document of OpenOffice (.ods). Save it as .xlsx or CSV.")
    return "text"


def is_packed_table(source: Path) -> bool:
    """True for parquet, workbooks and what libraries of its own read, which may unpack to anything."""
    return source.is_dir() or source.suffix.lower() in OWN_ENDINGS or file_kind(source) != "text"


def packing(source: Path) -> str:
    """gzip, bzip2, xz or zip for a file that is packed; "" for any other."""
    with source.open("rb") as file:
        head = file.read(_HEAD)
    if head.startswith(b"PK") and is_zipfile(source):
        return "zip"
    starts = {b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"\xfd7zXZ": "xz"}
    return next((name for start, name in starts.items() if head.startswith(start)), "")


def open_bytes(source: Path) -> IO[bytes]:
    """The bytes of a file, unpacked. Raises TouchstoneError for an archive with several files or another archive in it."""
    match packing(source):
        case "gzip":
            return cast(IO[bytes], gzip.open(source, "rb"))
        case "bzip2":
            return cast(IO[bytes], bz2.open(source, "rb"))
        case "xz":
            return cast(IO[bytes], lzma.open(source, "rb"))
        case "zip":
            return _only_member(source)
    return source.open("rb")


@contextmanager
def unpacking_errors(source: Path) -> Iterator[None]:
    """Raise a TouchstoneError for the errors of a packed file that is broken."""
    try:
        yield
    except (EOFError, OSError, LZMAError, ZlibError, BadZipFile) as error:
        if not packing(source):
            raise
        raise TouchstoneError(f"{source.name} cannot be unpacked: {error}. Check that it was copied whole.") from None


def check_unpacked_size(source: Path, size: int) -> None:
    """Raises TouchstoneError for a packed file that unpacks to more bytes than are read."""
    if size > _MOST_UNPACKED and packing(source):
        raise TouchstoneError(f"{source.name} unpacks to more than {_MOST_UNPACKED / 1e9:,.0f} GB. Unpack it by hand.")


def _members(source: Path) -> list[str]:
    """The names of the files of a zip archive, without those that a Mac adds."""
    try:
        with ZipFile(source) as archive:
            names = [member.filename for member in archive.infolist() if not member.is_dir()]
    except BadZipFile as error:
        raise TouchstoneError(
            f"{source.name} is a broken zip archive: {error}. Check that it was copied whole."
        ) from None
    return [name for name in names if not name.startswith("__MACOSX/") and not name.endswith(".DS_Store")]


def _only_member(source: Path) -> IO[bytes]:
    names = _members(source)
    if len(names) != 1:
        listed = ", ".join(names[:5]) or "none"
        raise TouchstoneError(
            f"{source.name} is a zip archive of {len(names)} files: {listed}{' …' if len(names) > 5 else ''}. "
            "Unpack it, and import the file with the table."
        )
    archive = ZipFile(source)
    try:
        return archive.open(names[0])
    except (RuntimeError, NotImplementedError) as error:  # a password, or a compression that zipfile does not know
        archive.close()
        raise TouchstoneError(f"{source.name} cannot be unpacked: {error}. Unpack it by hand.") from None
