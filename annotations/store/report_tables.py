"""The tables of projects, the results pinned in their reports, and the links to them. The first two only ever grow: a change is the next revision."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, CheckConstraint, UniqueConstraint
from sqlmodel import Field

from annotations.store.tables import StoreTable, UtcDateTime


class PinRow(StoreTable, table=True):
    """A pinned result: `content` is the whole of it as JSON."""

    __tablename__ = "pin"

    id: str = Field(primary_key=True)
    owner_id: str = Field(foreign_key="person.id", index=True)
    content: str
    created_at: datetime = Field(sa_type=UtcDateTime)


class ReportRevision(StoreTable, table=True):
    """State of a project from one change to the next."""

    __table_args__ = (
        UniqueConstraint("report_id", "revision"),
        CheckConstraint("revision >= 1", name="revision"),
    )

    id: int | None = Field(default=None, primary_key=True)
    """Number of the row; the newest of a project counts."""
    report_id: str
    """Id of the project."""
    revision: int
    """Number of the change, from 1."""
    owner_id: str = Field(foreign_key="person.id", index=True)
    """Person whom the project belongs to."""
    title: str
    """Title of the project."""
    parts: list[Any] = Field(sa_type=JSON)
    """Parts of its report: texts, each with the id of the pin below it or None."""
    question: str = Field(default="", sa_column_kwargs={"server_default": ""})
    """Question that the project works on; empty for none."""
    work: list[Any] = Field(default_factory=list, sa_type=JSON, sa_column_kwargs={"server_default": "[]"})
    """Kinds and ids of the things that work on the question."""
    shared: bool
    """True if others may read it."""
    removed: bool
    """True if it is shown to nobody."""
    created_at: datetime = Field(sa_type=UtcDateTime)
    """Time of the change."""


class ProjectLink(StoreTable, table=True):
    """A link by which whoever has it reads one project, until a day."""

    __table_args__ = (UniqueConstraint("token_hash"),)

    id: str = Field(primary_key=True)
    report_id: str = Field(index=True)
    owner_id: str = Field(foreign_key="person.id")
    token_hash: str
    expires_at: datetime = Field(sa_type=UtcDateTime)
    created_at: datetime = Field(sa_type=UtcDateTime)
    revoked_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
