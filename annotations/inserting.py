"""Many rows at once, without those that are there."""

from __future__ import annotations

from typing import Any

from sqlalchemy.dialects import postgresql, sqlite
from sqlmodel import Session

from annotations.tables import Table


def insert_new(session: Session, table: type[Table], rows: list[dict[str, Any]]) -> None:
    """Insert the rows whose key is not taken; rows of one table have the same columns."""
    if rows:
        insert = sqlite.insert if session.get_bind().dialect.name == "sqlite" else postgresql.insert
        session.connection().execute(insert(table).on_conflict_do_nothing(), rows)
