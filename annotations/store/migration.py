"""Brings a database of an older version to that of this code, after a copy of it was made."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from itertools import chain, count
from pathlib import Path

from sqlalchemy import URL

from annotations.store.database import connect, database_path, is_in_memory, parse_url
from annotations.store.migrate import is_current, read_version, upgrade
from annotations.store.records import StoreError


def migrate(url: str, copy: Path | None = None) -> tuple[str, str, Path | None] | None:
    """Bring a database up in one transaction; None where there is none, or nothing to do.

    An SQLite file is copied first, byte for byte the older version, into `copy`, or beside it under its name and version.
    PostgreSQL is not copied. Gives the version before, that after, and the file of the copy.

    Raises StoreError for a database that is newer than this code or another program's, and for a copy that exists already or
    cannot be written; nothing is changed then.
    """
    parsed = parse_url(url)
    if is_in_memory(parsed) or (parsed.get_backend_name() == "sqlite" and not database_path(parsed).is_file()):
        return None
    engine = connect(parsed)
    try:
        before = read_version(engine)
        with engine.connect() as connection:
            if is_current(connection) or before is None:
                return None
        copied = _copy_file(parsed, before, copy) if parsed.get_backend_name() == "sqlite" else None
        upgrade(engine)
        return before, str(read_version(engine)), copied
    finally:
        engine.dispose()


def _copy_file(url: URL, version: str, target: Path | None) -> Path:
    file = database_path(url)
    copied = target or _free_name(file, version)
    if copied.exists():
        raise StoreError(
            f"{copied} exists already: the copy of the database needs a new file. Move that one away, or say --copy FILE."
        )
    part = copied.with_name(f"{copied.name}.part")  # one that is cut off has not the name of a copy to go back to
    try:
        part.unlink(missing_ok=True)
        part.touch(mode=0o600)  # it holds the names of people
    except OSError as error:
        raise StoreError(
            f"{copied} cannot be written: {error.strerror}. Nothing was changed; say --copy FILE."
        ) from error
    try:
        with closing(sqlite3.connect(file)) as source, closing(sqlite3.connect(part)) as written:
            source.backup(written)
        part.replace(copied)
    except (OSError, sqlite3.Error) as error:
        part.unlink(missing_ok=True)
        raise StoreError(
            f"The database could not be copied into {copied}: {error}. Nothing was changed; say --copy FILE."
        ) from error
    return copied


def _free_name(file: Path, version: str) -> Path:
    names = (
        file.with_name(f"{file.stem}-{version}{more}{file.suffix}") for more in chain([""], map("-{}".format, count(2)))
    )
    return next(name for name in names if not name.exists())
