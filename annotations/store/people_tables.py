"""The tables of people, their groups, and what they and their programs sign in with. Only `person`, `groupmember`, `signin` and `apitoken` do not only ever grow."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, CheckConstraint, UniqueConstraint, false, true
from sqlmodel import Field

from annotations.store.tables import StoreTable, UtcDateTime


class Person(StoreTable, table=True):
    """A registered person; exports have the `pseudonym` instead of the name. Who is not `active` cannot sign in."""

    __table_args__ = (
        UniqueConstraint("name"),
        UniqueConstraint("pseudonym"),
        CheckConstraint("role IN ('manager', 'researcher', 'adjudicator', 'annotator')", name="role"),
    )

    id: str = Field(primary_key=True)
    name: str
    pseudonym: str
    role: str
    active: bool = Field(sa_column_kwargs={"server_default": true()})
    created_at: datetime = Field(sa_type=UtcDateTime)


class PersonChange(StoreTable, table=True):
    """Name and role that a person had until this change; records keep the name that their author had."""

    id: int | None = Field(default=None, primary_key=True)
    person_id: str = Field(foreign_key="person.id", index=True)
    name: str
    role: str
    active: bool
    by: str
    created_at: datetime = Field(sa_type=UtcDateTime)


class GroupMember(StoreTable, table=True):
    """A person in a group."""

    group: str = Field(primary_key=True)
    person_id: str = Field(foreign_key="person.id", primary_key=True, index=True)


class Invite(StoreTable, table=True):
    """A personal sign-in code, stored as a hash."""

    __table_args__ = (UniqueConstraint("code_hash"),)

    id: str = Field(primary_key=True)
    person_id: str = Field(foreign_key="person.id", index=True)
    code_hash: str
    by: str
    expires_at: datetime | None = Field(sa_type=UtcDateTime)
    created_at: datetime = Field(sa_type=UtcDateTime)


class Revocation(StoreTable, table=True):
    """An invite that is not valid any more."""

    invite_id: str = Field(foreign_key="invite.id", primary_key=True)
    by: str
    created_at: datetime = Field(sa_type=UtcDateTime)


class SignIn(StoreTable, table=True):
    """A browser that is signed in by an invite, under the hash of the id in its cookie; deleted when it signs out."""

    id_hash: str = Field(primary_key=True)
    invite_id: str = Field(foreign_key="invite.id", index=True)
    created_at: datetime = Field(sa_type=UtcDateTime)
    expires_at: datetime = Field(sa_type=UtcDateTime, index=True)


class ApiToken(StoreTable, table=True):
    """A token by which a program reads campaigns, and may write them, with the rights of its owner."""

    __table_args__ = (UniqueConstraint("token_hash"),)

    id: str = Field(primary_key=True)
    """Id of the token."""
    name: str
    """Name that the manager gave it."""
    person_id: str = Field(foreign_key="person.id", index=True)
    """Owner of the token."""
    token_hash: str
    """Hash of the token, which itself is stored nowhere."""
    campaigns: list[str] = Field(sa_type=JSON)
    """Ids of the campaigns that it opens; empty for all."""
    by: str
    """Name of the manager who created it."""
    created_at: datetime = Field(sa_type=UtcDateTime)
    """Time at which it was created."""
    used_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    """Time of its last use, to the minute; None before the first."""
    revoked_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    """Time at which it was revoked; None while it is not."""
    revoked_by: str = ""
    """Name of the manager who revoked it; empty while it is valid."""
    writes: bool = Field(default=False, sa_column_kwargs={"server_default": false()})
    """True if it may write."""


class ApiRequest(StoreTable, table=True):
    """Request by which a program wrote something, under a key of its own, and the answer, which it gets again when it sends the same once more."""

    __tablename__ = "apirequest"
    __table_args__ = (UniqueConstraint("token_id", "key"),)

    id: int | None = Field(default=None, primary_key=True)
    token_id: str = Field(foreign_key="apitoken.id")
    key: str
    request_hash: str
    answer: dict[str, Any] = Field(sa_type=JSON)
    created_at: datetime = Field(sa_type=UtcDateTime)
