"""Triggers of the database, on SQLite and PostgreSQL alike."""

from __future__ import annotations

from collections.abc import Iterable

from alembic import op

Trigger = tuple[str, str, str, str]
"""A name, an event such as INSERT ON task, the condition of a row, and the statement that is executed for each."""


def create_triggers(triggers: Iterable[Trigger]) -> None:
    """Make those that are not there, after each row's change."""
    postgres = op.get_bind().dialect.name == "postgresql"
    for name, event, condition, statement in triggers:
        if postgres:
            op.execute(
                f"CREATE OR REPLACE FUNCTION touchstone_{name}() RETURNS trigger LANGUAGE plpgsql AS "
                f"$$ BEGIN {statement}; RETURN NULL; END $$"
            )
            op.execute(
                f"CREATE OR REPLACE TRIGGER {name} AFTER {event} FOR EACH ROW WHEN ({condition}) "
                f"EXECUTE FUNCTION touchstone_{name}()"
            )
        else:
            op.execute(f"CREATE TRIGGER IF NOT EXISTS {name} AFTER {event} WHEN {condition} BEGIN {statement}; END")
