"""Triggers by which the database itself refuses to change or delete a row; used by migrations."""

from __future__ import annotations

from alembic import op

_POSTGRES_FUNCTION = """
CREATE OR REPLACE FUNCTION touchstone_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% only grows: % is refused', TG_TABLE_NAME, TG_OP;
END $$
"""


def protect(table: str) -> None:
    """Make a table append-only; it may be so already.

    On SQLite a batch alteration makes the table anew and its triggers vanish: a later version that alters a protected
    table calls this again.
    """
    if op.get_bind().dialect.name == "postgresql":
        op.execute(_POSTGRES_FUNCTION)
        op.execute(
            f"CREATE OR REPLACE TRIGGER {table}_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON {table} "
            "FOR EACH STATEMENT EXECUTE FUNCTION touchstone_append_only()"
        )
        return
    for change in ("UPDATE", "DELETE"):
        op.execute(
            f"CREATE TRIGGER IF NOT EXISTS {table}_refuses_{change.lower()} BEFORE {change} ON {table} "
            f"BEGIN SELECT RAISE(ABORT, '{table} only grows: {change} is refused'); END"
        )
