"""The tables of projects and the results pinned in their reports. Both only ever grow: a change is the next revision."""

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
    """State of a project from one change to the next: `parts` of its report are texts, each with the id of the pin below it or None.

    `work` are the kinds and ids of what works on its `question`. Others read one that is `shared`; the last revision of one that
    was `removed` is shown to nobody.
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
    question: str = Field(default="", sa_column_kwargs={"server_default": ""})
    work: list[Any] = Field(default_factory=list, sa_type=JSON, sa_column_kwargs={"server_default": "[]"})
    shared: bool
    removed: bool
    created_at: datetime = Field(sa_type=UtcDateTime)
