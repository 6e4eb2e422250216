"""Database files of caches, which threads and processes of this machine share; a damaged one is set aside and begun again."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable
from contextlib import closing
from itertools import count
from pathlib import Path

from core.errors import TouchstoneError

_DAMAGE = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
_SMALL_BYTES = 4_000_000  # of a file that is read whole when it is opened, in milliseconds
_FILES = ("", "-wal", "-shm")  # a database, its log, the index of its log

_LOG = logging.getLogger(__name__)


def open_database(
    file: Path, what: str, table: str, salvage: Callable[[Path, sqlite3.Connection], None] | None = None
) -> sqlite3.Connection:
    """A connection to the file, with its table; raises TouchstoneError where the file cannot be used.

    A file of which a part is missing, or which is no database, is set aside with a warning in the log; `salvage` is given
    its new place, and the new database.
    """
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        aside = set_aside_if_damaged(file, what) if _looks_damaged(file) else None
        try:
            database = _connect(file, table)
        except sqlite3.DatabaseError as error:
            if not is_damage(error):
                raise
            aside = set_aside_if_damaged(file, what)
            database = _connect(file, table)
        if aside and salvage:
            salvage(aside, database)
    except (OSError, sqlite3.Error) as error:
        raise TouchstoneError(
            f"The {what} {file} cannot be used: {error}. Set TOUCHSTONE_CACHE_DIR to a folder that can be written."
        ) from error
    return database


def is_damage(error: sqlite3.Error) -> bool:
    """True if the bytes of the file are at fault, and not the disk, a lock or the statement."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in _DAMAGE


def set_aside_if_damaged(file: Path, what: str) -> Path | None:
    """Rename a file that SQLite cannot read to the end, with its log, and return where it is; None where it is sound.

    Another process may have replaced it meanwhile: then the new one is sound.
    """
    if not file.exists() or not _problem(file):
        return None
    aside = next(path for n in count(1) if not (path := file.with_name(f"{file.name}.damaged-{n}")).exists())
    for end in _FILES:
        part = file.with_name(file.name + end)
        if part.exists():
            part.rename(aside.with_name(aside.name + end))
    _LOG.warning("The %s %s is damaged. It was renamed to %s, and a new one is begun.", what, file, aside.name)
    return aside


def _connect(file: Path, table: str) -> sqlite3.Connection:
    database = sqlite3.connect(file, timeout=30, check_same_thread=False)
    try:
        database.execute("PRAGMA auto_vacuum=INCREMENTAL")  # in a new file: one that must shrink gives pages back
        database.execute("PRAGMA journal_mode=WAL")
        database.execute("PRAGMA synchronous=NORMAL")  # losing the last rows to a power cut costs only computing again
        database.execute(table)
    except sqlite3.Error:
        database.close()
        raise
    return database


def _looks_damaged(file: Path) -> bool:
    """True if a part is missing, or if a small file cannot be read to its end; one that is being written may look so, too.

    Only SQLite may open the file: closing it otherwise gives up the locks that this process holds on it, and another
    process would then write over it (sqlite.org/howtocorrupt, section 2.2). "Immutable" leaves the log out.
    """
    if not file.is_file():
        return False
    try:
        with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro&immutable=1", uri=True)) as database:
            database.execute("PRAGMA schema_version")
            if file.stat().st_size > _SMALL_BYTES:
                return False
            [first] = database.execute("PRAGMA quick_check(1)").fetchone()
            return bool(first != "ok")
    except sqlite3.DatabaseError as error:
        return is_damage(error)


def _problem(file: Path) -> str:
    """The first thing wrong in a file, by reading all of it; empty where nothing is."""
    try:
        with closing(sqlite3.connect(file, timeout=30)) as database:
            [first, *_] = database.execute("PRAGMA integrity_check(1)").fetchone()
            return "" if first == "ok" else str(first)
    except sqlite3.DatabaseError as error:
        if not is_damage(error):
            raise
        return str(error)
