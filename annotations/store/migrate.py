"""Brings a database to the version of this code, or says why it cannot; and the triggers by which migrations make a table append-only."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urlsplit

from alembic import command, op
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.operations import Operations
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine, inspect, text
from sqlalchemy.exc import DatabaseError

from annotations.store.database import explain_database_error
from annotations.store.records import StoreError
from annotations.store.tables import CHANGEABLE, NEVER_DELETED, StoreTable
from annotations.store.trigger_counts import count_people, count_places, mark_changes

_POSTGRES_FUNCTION = """
CREATE OR REPLACE FUNCTION touchstone_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% only grows: % is refused', TG_TABLE_NAME, TG_OP;
END $$
"""


def protect(table: str, refused: Sequence[str] = ("UPDATE", "DELETE")) -> None:
    """Make a table append-only, or refuse only some changes of it; it may be so already.

    On SQLite a batch alteration recreates the table and drops its triggers: a later version that alters a protected
    table calls this again.
    """
    if op.get_bind().dialect.name == "postgresql":
        op.execute(_POSTGRES_FUNCTION)
        op.execute(
            f"CREATE OR REPLACE TRIGGER {table}_append_only BEFORE {' OR '.join(refused)} OR TRUNCATE ON {table} "
            "FOR EACH STATEMENT EXECUTE FUNCTION touchstone_append_only()"
        )
        return
    for change in refused:
        op.execute(
            f"CREATE TRIGGER IF NOT EXISTS {table}_refuses_{change.lower()} BEFORE {change} ON {table} "
            f"BEGIN SELECT RAISE(ABORT, '{table} only grows: {change} is refused'); END"
        )


MIGRATIONS_FOLDER = Path(__file__).parents[1] / "migrations"

# Alembic keeps its context in a module, so only one thread of a process may migrate at a time.
_MIGRATION_LOCK = threading.Lock()
_POSTGRES_LOCK = 7_046_029_254  # any number, the same in every process


def upgrade(engine: Engine, folder: Path = MIGRATIONS_FOLDER) -> None:
    """Run the missing versions of `folder` in one transaction, or make the tables of this code in a new database.

    Several processes may call this at once.
    Raises StoreError for a database that is newer than this code, belongs to something else or cannot be opened.
    """
    try:
        with engine.connect() as connection:
            if _is_at_head(connection, folder):  # as nearly always: no need to wait for a running write
                return
        with _MIGRATION_LOCK, _migration_transaction(engine) as connection:
            if is_current(connection, folder):
                return
            if folder == MIGRATIONS_FOLDER and MigrationContext.configure(connection).get_current_revision() is None:
                StoreTable.metadata.create_all(connection)
                with Operations.context(MigrationContext.configure(connection)):
                    for table in StoreTable.metadata.tables.keys() - CHANGEABLE:
                        protect(table, ("DELETE",) if table in NEVER_DELETED else ("UPDATE", "DELETE"))
                    count_places()
                    mark_changes()
                    count_people()
                command.stamp(_config(folder, connection), "head")
            else:
                command.upgrade(_config(folder, connection), "head")
    except (DatabaseError, sqlite3.Error) as error:
        raise StoreError(f"{_database_name(engine)} cannot be opened: {explain_database_error(error)}") from error


@contextmanager
def reading(engine: Engine) -> Iterator[Connection]:
    """A connection to look at the version of a database. Raises StoreError for one that cannot be opened or read."""
    try:
        with engine.connect() as connection:
            yield connection
    except DatabaseError as error:
        raise StoreError(f"{_database_name(engine)} cannot be opened: {explain_database_error(error)}") from error


def make_or_require_current(engine: Engine) -> None:
    """Make the tables in a new database. Raises StoreError for one that is not at the version of this code."""
    if read_version(engine) is None:
        upgrade(engine)
    else:
        require_current(engine)


def read_version(engine: Engine) -> str | None:
    """The version of the tables, as "0034"; None where there are none of ours. Raises StoreError."""
    with reading(engine) as connection:
        return MigrationContext.configure(connection).get_current_revision()


def require_current(engine: Engine) -> None:
    """Raise StoreError unless the database is at the version of this code."""
    with reading(engine) as connection:
        if is_current(connection):
            return
    if read_version(engine) is None:
        raise StoreError(
            f"{_database_name(engine)} is empty. Import something into it, or start the app, not as a demo."
        )
    raise StoreError(
        f"{_database_name(engine)} was made by an older Touchstone: it is at version {read_version(engine)}, this one's is "
        f"{newest_version()}. Run `python cli.py migrate`, which copies the database first."
    )


def is_current(connection: Connection, folder: Path = MIGRATIONS_FOLDER) -> bool:
    """True if no version is missing. Raises StoreError for a database that this code does not know."""
    if _is_at_head(connection, folder):
        return True
    versions = ScriptDirectory.from_config(_config(folder))
    revisions = {script.revision for script in versions.walk_revisions()}
    at = MigrationContext.configure(connection).get_current_revision()
    if at is None:
        taken = sorted(set(inspect(connection).get_table_names()) & set(StoreTable.metadata.tables))
        if taken:
            raise StoreError(
                f"{_database_name(connection.engine)} has tables of another program ({', '.join(taken)}). "
                "Name another database in TOUCHSTONE_DATABASE_URL."
            )
    elif at not in revisions:
        raise StoreError(
            f"{_database_name(connection.engine)} is at version {at}, which this Touchstone (up to {versions.get_current_head()}) "
            "does not know: it was made by a newer one. Update Touchstone, or name another database in "
            "TOUCHSTONE_DATABASE_URL."
        )
    return False


def newest_version() -> str | None:
    """The version of the tables of this code."""
    return _head(MIGRATIONS_FOLDER)


def _is_at_head(connection: Connection, folder: Path) -> bool:
    return MigrationContext.configure(connection).get_current_revision() == _head(folder)


@cache
def _head(folder: Path) -> str | None:
    # reading all versions takes longer than anything else that opening a database does
    return ScriptDirectory.from_config(_config(folder)).get_current_head()


@contextmanager
def _migration_transaction(engine: Engine) -> Iterator[Connection]:
    with (
        engine.connect().execution_options(write=True) as connection,
        _without_foreign_keys(connection),
        connection.begin(),
    ):
        if engine.dialect.name == "postgresql":
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _POSTGRES_LOCK})
        yield connection


@contextmanager
def _without_foreign_keys(connection: Connection) -> Iterator[None]:
    # A batch alteration on SQLite drops a table that others refer to; the setting only changes outside a transaction.
    if connection.dialect.name != "sqlite":
        yield
        return
    raw = connection.connection
    raw.cursor().execute("PRAGMA foreign_keys=OFF")
    try:
        yield
    finally:
        try:
            raw.cursor().execute("PRAGMA foreign_keys=ON")
        except sqlite3.Error:
            connection.invalidate()  # so that nobody gets a connection that checks no reference
            raise


def _config(folder: Path, connection: Connection | None = None) -> Config:
    config = Config(attributes={"connection": connection})
    config.set_main_option("script_location", str(folder).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    return config


def _database_name(engine: Engine) -> str:
    database = engine.url.database or ""
    if database.startswith("file:"):  # as SQLite wants it for reading alone
        return f"The database {unquote(urlsplit(database).path)}"
    return f"The database {engine.url.render_as_string(hide_password=True)}"
