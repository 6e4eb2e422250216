"""Brings a database of an older version to that of this code, after a copy of it was made."""

from __future__ import annotations

import filecmp
import sqlite3
from contextlib import closing
from itertools import chain, count
from pathlib import Path

from sqlalchemy import URL

from annotations.store.database import connect, database_path, is_in_memory, parse_url
from annotations.store.migrate import is_current, read_version, reading, upgrade
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
        with reading(engine) as connection:
            if is_current(connection) or before is None:
                return None
        copied = _copy_file(parsed, before, copy) if parsed.get_backend_name() == "sqlite" else None
        upgrade(engine)
        return before, str(read_version(engine)), copied
    finally:
        engine.dispose()


def _copy_file(url: URL, version: str, target: Path | None) -> Path:
    """Copy a database file, and give the file of the copy: a new one, or an equal one of a migration that was interrupted."""
    file = database_path(url)
    if target and target.exists():
        raise StoreError(
            f"{target} exists already: the copy of the database needs a new file. Move that one away, or say --copy FILE."
        )
    copied = target or file.with_name(f"{file.stem}-{version}{file.suffix}")
    part = copied.with_name(f"{copied.name}.part")  # whoever goes back to the copy needs all of it
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
        if target is None:
            copied = _name_for(part, copied)
        part.replace(copied)
    except (OSError, sqlite3.Error) as error:
        part.unlink(missing_ok=True)
        raise StoreError(
            f"The database could not be copied into {copied}: {error}. Nothing was changed; say --copy FILE."
        ) from error
    return copied


def _name_for(copy: Path, name: Path) -> Path:
    """The name, or with a number the first that no other content has: a server that cannot migrate and is started again and
    again does not fill the disk with copies."""
    numbered = (name.with_name(f"{name.stem}{more}{name.suffix}") for more in chain([""], map("-{}".format, count(2))))
    return next(free for free in numbered if not free.exists() or filecmp.cmp(copy, free, shallow=False))
