"""Backup and restore of a whole database, SQLite or PostgreSQL, through one file that is itself a SQLite database.

A backup is one state of the database, read while others write. It can be opened as it is, restored into either kind of
database, and into a newer version of Touchstone.
"""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing, nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory

from annotations.copying import copy_rows, counts, emptied
from annotations.database import in_memory, path_of, read, read_url
from annotations.errors import StoreError
from annotations.store import Store


def backup(url: str, file: Path) -> dict[str, int]:
    """Write a database into a new file, check it, and give the number of rows of each table.

    Raises StoreError where there is no database, where the file is there already, and where it cannot be written.
    """
    _require_database(url)
    if file.exists():
        raise StoreError(f"{file} exists already. Name another file, or move that one away.")
    part = file.with_name(f"{file.name}.part")
    try:
        part.unlink(missing_ok=True)
        part.touch(mode=0o600)  # it holds the names of people
    except OSError as error:
        raise StoreError(f"{part} cannot be written: {error.strerror}. Choose another folder.") from error
    found = _transfer(url, part)
    part.replace(file)
    return found


def restore(file: Path, url: str, replace: bool) -> dict[str, int]:
    """Put a backup into a database, which is made where there is none, and give the number of rows of each table.

    All of it or nothing. Raises StoreError for a file that is no whole backup, and for a database with rows unless they
    are to be replaced.
    """
    if not file.is_file():
        raise StoreError(f"There is no file {file}. Name the file that `cli.py backup` wrote.")
    with TemporaryDirectory() as folder:
        copy = Path(shutil.copyfile(file, Path(folder) / "backup.db"))
        _require_whole(copy, file)
        with closing(Store.open(_sqlite(copy))) as source, closing(Store.open(url)) as target:
            return _pour(source, target, replace)


def _transfer(url: str, part: Path) -> dict[str, int]:
    try:
        with closing(Store.open(url, read_only=True)) as source, closing(Store.open(_sqlite(part))) as target:
            found = _pour(source, target, replace=False)
        _require_whole(part, part)
    except StoreError:
        part.unlink()
        raise
    return found


def _pour(source: Store, target: Store, replace: bool) -> dict[str, int]:
    """Everything from one database into the other, in one transaction of each."""
    with read(source.engine) as reading, target.writing() as writing:
        here, there = writing.connection(), reading.connection()
        if not replace and (rows := sum(counts(here).values())):
            raise StoreError(
                f"The database has {rows} rows already. Nothing was restored. Restore into an empty one, or say --replace "
                "to lose what is in it."
            )
        with emptied(here) if replace else nullcontext():
            copy_rows(there, here)
        found, wanted = counts(here), counts(there)
        if found != wanted:
            raise StoreError("Not every row arrived. Nothing was changed; try again.")
    return found


def _require_database(url: str) -> None:
    parsed = read_url(url)
    if in_memory(parsed):
        raise StoreError("The database is in memory only: there is nothing to back up.")
    if parsed.get_backend_name() == "sqlite" and not path_of(parsed).exists():
        raise StoreError(f"There is no database at {path_of(parsed)}. Check TOUCHSTONE_DATABASE_URL.")


def _require_whole(file: Path, called: Path) -> None:
    """Raise StoreError unless SQLite finds the file whole, and every row that another names."""
    try:
        with closing(sqlite3.connect(file)) as connection:
            said = connection.execute("PRAGMA integrity_check").fetchone()[0]
            loose = connection.execute("PRAGMA foreign_key_check").fetchall()
    except sqlite3.DatabaseError as error:
        raise StoreError(f"{called} is no backup of Touchstone: {error}. Choose another file.") from error
    if said != "ok" or loose:
        raise StoreError(
            f"{called} is damaged: {said if said != 'ok' else f'{len(loose)} rows lack another'}. Choose an older backup."
        )


def _sqlite(file: Path) -> str:
    return f"sqlite:///{file.absolute()}"
