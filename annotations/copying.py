"""All rows from one database into another at the same version."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection, Select, func, insert, literal, select, text
from sqlalchemy import Table as SqlTable

from annotations.tables import Item, Table

_CHUNK = 1000  # rows held in memory at a time


def counts(connection: Connection) -> dict[str, int]:
    """The number of rows of every table by its name."""
    tables = Table.metadata.tables.values()
    return {table.name: connection.scalar(select(func.count()).select_from(table)) or 0 for table in tables}


def copy_rows(source: Connection, target: Connection) -> None:
    """Insert every row of a database into an empty one, what is referred to before what refers to it."""
    for table in Table.metadata.sorted_tables:
        found = source.execution_options(yield_per=_CHUNK).execute(_in_order(table))
        for chunk in found.mappings().partitions():
            target.execute(insert(table), [dict(row) for row in chunk])
        if target.dialect.name == "postgresql" and table.autoincrement_column is not None:
            _set_sequence(target, table, table.autoincrement_column.name)


@contextmanager
def emptied(connection: Connection) -> Iterator[None]:
    """Delete every row, for a restore only; until the block ends the tables accept that, in this transaction alone."""
    with _unprotected(connection):
        for table in reversed(Table.metadata.sorted_tables):
            connection.execute(table.delete())
        yield


@contextmanager
def _unprotected(connection: Connection) -> Iterator[None]:
    """Without the triggers that make tables append-only."""
    if connection.dialect.name == "postgresql":
        tables = [table.name for table in Table.metadata.sorted_tables]
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


def _in_order(table: SqlTable) -> Select[Any]:
    """The rows by their key; items behind what they were made from."""
    if table.name != Item.__tablename__:
        return select(table).order_by(*table.primary_key.columns)
    roots = select(table.c.id, literal(0).label("depth")).where(table.c.parent_id.is_(None)).cte(recursive=True)
    tree = roots.union_all(select(table.c.id, roots.c.depth + 1).join(roots, table.c.parent_id == roots.c.id))
    return select(table).join(tree, tree.c.id == table.c.id).order_by(tree.c.depth, table.c.id)


def _set_sequence(target: Connection, table: SqlTable, column: str) -> None:
    """Let PostgreSQL go on counting behind the highest number that was copied."""
    last = f'SELECT coalesce(max("{column}"), 1), max("{column}") IS NOT NULL FROM "{table.name}"'
    highest, used = target.execute(text(last)).one()
    sequence = text("SELECT setval(pg_get_serial_sequence(:table, :column), :highest, :used)")
    target.execute(sequence, {"table": table.name, "column": column, "highest": highest, "used": used})
