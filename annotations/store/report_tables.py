"""The tables of reports of pins. Both only ever grow: a change of a report is its next revision."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, CheckConstraint, UniqueConstraint
from sqlmodel import Field

from annotations.store.tables import Table, UtcDateTime


class PinRow(Table, table=True):
    """A pinned result: `content` is the whole of it as JSON."""

    __tablename__ = "pin"

    id: str = Field(primary_key=True)
    owner_id: str = Field(foreign_key="person.id", index=True)
    content: str
    created_at: datetime = Field(sa_type=UtcDateTime)


class ReportRevision(Table, table=True):
    """State of a report from one change to the next: `parts` are texts, each with the id of the pin below it or None.

    Others read one that is `shared`; the last revision of one that was `removed` is shown to nobody.
    """

    __table_args__ = (
        UniqueConstraint("report_id", "revision"),
        CheckConstraint("revision >= 1", name="revision"),
    )

    id: int | None = Field(default=None, primary_key=True)
    report_id: str
    revision: int
    owner_id: str = Field(foreign_key="person.id", index=True)
    title: str
    parts: list[Any] = Field(sa_type=JSON)
    shared: bool
    removed: bool
    created_at: datetime = Field(sa_type=UtcDateTime)
