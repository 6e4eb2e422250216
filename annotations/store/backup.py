"""Backup and restore of a whole database, SQLite or PostgreSQL, through one file that is itself a SQLite database.

A backup is one state of the database, read while others write. It can be opened as it is, restored into either kind of
database, and into a newer version of Touchstone."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory

from sqlalchemy import Connection, insert, literal, select, text

from annotations.store.database import database_path, is_in_memory, parse_url, read_session
from annotations.store.migration import migrate
from annotations.store.reads import count_rows
from annotations.store.records import StoreError
from annotations.store.store import Store
from annotations.store.tables import COUNTED, ItemRow, StoreTable
from annotations.store.trigger_counts import drop_withdrawn_places, mark_all, recount_people, recount_places

_CHUNK = 1000  # rows held in memory at a time


def copy_rows(source: Connection, target: Connection) -> None:
    """Copy every row of a database into an empty one, referenced rows first."""
    for table in StoreTable.metadata.sorted_tables:
        if table.name in COUNTED:
            continue
        if table.name != ItemRow.__tablename__:
            rows = select(table).order_by(*table.primary_key.columns)
        else:
            roots = select(table.c.id, literal(0).label("depth")).where(table.c.parent_id.is_(None)).cte(recursive=True)
            tree = roots.union_all(select(table.c.id, roots.c.depth + 1).join(roots, table.c.parent_id == roots.c.id))
            rows = select(table).join(tree, tree.c.id == table.c.id).order_by(tree.c.depth, table.c.id)
        result = source.execution_options(yield_per=_CHUNK).execute(rows)
        for chunk in result.mappings().partitions():
            target.execute(insert(table), [dict(row) for row in chunk])
        if target.dialect.name == "postgresql" and table.autoincrement_column is not None:
            # PostgreSQL continues numbering after the highest copied number
            last = f'SELECT coalesce(max("{table.autoincrement_column.name}"), 1), max("{table.autoincrement_column.name}") IS NOT NULL FROM "{table.name}"'
            highest, used = target.execute(text(last)).one()
            sequence = text("SELECT setval(pg_get_serial_sequence(:table, :column), :highest, :used)")
            target.execute(
                sequence,
                {"table": table.name, "column": table.autoincrement_column.name, "highest": highest, "used": used},
            )
    recount_places(target)
    drop_withdrawn_places(target)
    recount_people(target)
    mark_all(target)


@contextmanager
def cleared_tables(connection: Connection) -> Iterator[None]:
    """Delete every row, for a restore; the tables accept deletions in this transaction until the block ends."""
    with _without_triggers(connection):
        for table in reversed(StoreTable.metadata.sorted_tables):
            connection.execute(table.delete())
        yield


@contextmanager
def _without_triggers(connection: Connection) -> Iterator[None]:
    """Drop the triggers that make tables append-only for the time of the block."""
    if connection.dialect.name == "postgresql":
        tables = [table.name for table in StoreTable.metadata.sorted_tables]
        for name in tables:
            connection.execute(text(f'ALTER TABLE "{name}" DISABLE TRIGGER USER'))
        yield
        for name in tables:
            connection.execute(text(f'ALTER TABLE "{name}" ENABLE TRIGGER USER'))
        return
    triggers = connection.execute(text("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")).all()
    for name, _ in triggers:
        connection.execute(text(f'DROP TRIGGER "{name}"'))
    yield
    for _, sql in triggers:
        connection.exec_driver_sql(sql)


def backup(url: str, file: Path) -> dict[str, int]:
    """Write a database into a new file, check it, and give the number of rows of each table.

    Raises StoreError where there is no database, where the file is there already, and where it cannot be written.
    """
    parsed = parse_url(url)
    if is_in_memory(parsed):
        raise StoreError("The database is in memory only: there is nothing to back up.")
    if parsed.get_backend_name() == "sqlite" and not database_path(parsed).exists():
        raise StoreError(f"There is no database at {database_path(parsed)}. Check TOUCHSTONE_DATABASE_URL.")

    if file.exists():
        raise StoreError(f"{file} exists already. Name another file, or move that one away.")
    part = file.with_name(f"{file.name}.part")
    try:
        part.unlink(missing_ok=True)
        part.touch(mode=0o600)  # it holds the names of people
    except OSError as error:
        raise StoreError(f"{part} cannot be written: {error.strerror}. Choose another folder.") from error

    try:
        with closing(Store.open(url, read_only=True)) as source, closing(Store.open(_sqlite_url(part))) as target:
            counts = _copy_database(source, target, replace=False)
        _require_intact(part, part)
    except StoreError:
        part.unlink()
        raise

    part.replace(file)
    return counts


def backup_bytes(url: str) -> bytes:
    """A backup as the bytes of its file, for a download. Raises StoreError as `backup` does."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "backup.db"
        backup(url, file)
        return file.read_bytes()


def restore(file: Path, url: str, replace: bool) -> dict[str, int]:
    """Put a backup into a database, which is made where there is none, and give the number of rows of each table.

    All of it or nothing. Raises StoreError for a file that is no whole backup, and for a database with rows unless they
    are to be replaced.
    """
    if not file.is_file():
        raise StoreError(f"There is no file {file}. Name the file that `cli.py backup` wrote.")
    with TemporaryDirectory() as folder:
        copy = Path(shutil.copyfile(file, Path(folder) / "backup.db"))
        _require_intact(copy, file)
        migrate(_sqlite_url(copy))
        with closing(Store.open(_sqlite_url(copy))) as source, closing(Store.open(url)) as target:
            return _copy_database(source, target, replace)


def _copy_database(source: Store, target: Store, replace: bool) -> dict[str, int]:
    """Everything from one database into the other, in one transaction of each."""
    with read_session(source.engine) as reading, target.writing() as writing:
        target_connection, source_connection = writing.connection(), reading.connection()
        if not replace and (rows := sum(count_rows(target_connection).values())):
            raise StoreError(
                f"The database has {rows} rows already. Nothing was restored. Restore into an empty one, or say --replace "
                "to lose what is in it."
            )
        with cleared_tables(target_connection) if replace else nullcontext():
            copy_rows(source_connection, target_connection)
        tables = [table for table in StoreTable.metadata.tables if table not in COUNTED]
        counts, expected = count_rows(target_connection, tables), count_rows(source_connection, tables)
        if counts != expected:
            raise StoreError("Not every row arrived. Nothing was changed; try again.")
    return counts


def _require_intact(file: Path, named: Path) -> None:
    """Raise StoreError if SQLite's integrity check or foreign key check of the file fails."""
    try:
        with closing(sqlite3.connect(file)) as connection:
            verdict = connection.execute("PRAGMA integrity_check").fetchone()[0]
            dangling = connection.execute("PRAGMA foreign_key_check").fetchall()
    except sqlite3.DatabaseError as error:
        raise StoreError(f"{named} is no backup of Touchstone: {error}. Choose another file.") from error
    if verdict != "ok" or dangling:
        raise StoreError(
            f"{named} is damaged: {verdict if verdict != 'ok' else f'{len(dangling)} rows lack another'}. Choose an older backup."
        )


def _sqlite_url(file: Path) -> str:
    return f"sqlite:///{file.absolute()}"
