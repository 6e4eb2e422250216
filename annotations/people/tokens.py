"""Tokens by which programs read campaigns: made by managers, shown once, stored as hashes, and valid as long as their owner manages."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from uuid import uuid4

from sqlmodel import Session, col, select

from annotations.people.people import Right, member_of
from annotations.people.sign_in import hash_secret
from annotations.store.campaign_tables import Campaign
from annotations.store.database import read_session
from annotations.store.people_tables import ApiToken, Person
from annotations.store.records import RecordError, RightsError, require_text
from annotations.store.store import Store

_TOKEN_BYTES = 32
_PREFIX = "touchstone_"  # by which a scanner of sources finds one that was published
_USE_IS_NOTED_EVERY = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class TokenRow:
    """One line of the list of tokens; the token itself is stored nowhere."""

    id: str
    """Id of the token, by which it is revoked."""
    name: str
    """Name that the manager gave it."""
    owner: str
    """Name of the person whose rights it has."""
    campaigns: tuple[str, ...]
    """Names of the campaigns that it opens; empty for all of the server."""
    created_at: datetime
    """Time at which it was created."""
    used_at: datetime | None
    """Time of its last use, to the minute; None before the first."""
    revoked_at: datetime | None
    """Time at which it was revoked; None while it is not."""
    valid: bool
    """True if it gives access now."""
    writes: bool
    """True if it may write."""


@dataclass(frozen=True, slots=True)
class TokenAccess:
    """Access that a valid token gives as its `owner`: the ids of the campaigns that it was made for, none means all, and whether it `writes`."""

    token_id: str
    campaigns: tuple[str, ...]
    used_at: datetime | None
    writes: bool
    owner: str

    def may_read(self, campaign_id: str) -> bool:
        return not self.campaigns or campaign_id in self.campaigns


class WrongTokenError(RightsError):
    """A token that is not valid."""


def create_token(  # what a token may do is said where it is made
    session: Session, name: str, owner_id: str, by: str, campaigns: Sequence[str] = (), *, writes: bool = False
) -> str:
    """Create a token for campaigns, by their ids, or all, to read or also to write; it is never shown again.

    Raises RecordError for a name that is empty or that a valid token has, for an owner who may not manage campaigns, and
    for campaigns that are not there.
    """
    require_text("name of the token", name)
    owner = session.get(Person, owner_id)
    if owner is None or not _may_own(owner):
        raise RecordError("A token belongs to a manager who takes part. Choose one of them as its owner.")
    if any(row.name == name and row.revoked_at is None for row in load_tokens(session)):
        raise RecordError(f"There is a token called {name!r}. Choose another name, or revoke that one first.")
    campaign_ids = [*dict.fromkeys(campaigns)]
    if len(session.exec(select(Campaign.id).where(col(Campaign.id).in_(campaign_ids))).all()) < len(campaign_ids):
        raise RecordError("One of the campaigns is not there. Choose them from the list.")
    token = f"{_PREFIX}{secrets.token_urlsafe(_TOKEN_BYTES)}"
    session.add(
        ApiToken(
            id=uuid4().hex,
            name=name,
            person_id=owner_id,
            token_hash=hash_secret(token),
            campaigns=campaign_ids,
            by=by,
            created_at=datetime.now(UTC),
            writes=writes,
        )
    )
    return token


def revoke_token(session: Session, token_id: str, by: str) -> None:
    """Revoke a token; it may be revoked already. Raises RecordError for one that is not there."""
    row = session.get(ApiToken, token_id)
    if row is None:
        raise RecordError("There is no such token to revoke. Reload the page.")
    if row.revoked_at is None:
        row.revoked_at, row.revoked_by = datetime.now(UTC), by


def load_tokens(session: Session) -> list[TokenRow]:
    """Every token, newest first, with the names of its campaigns."""
    names = dict(session.exec(select(Campaign.id, Campaign.name)).all())
    rows = session.exec(
        select(ApiToken, Person)
        .join(Person, col(Person.id) == ApiToken.person_id)
        .order_by(col(ApiToken.created_at).desc())
    )
    return [
        TokenRow(
            row.id,
            row.name,
            owner.name,
            tuple(names[id] for id in row.campaigns),
            row.created_at,
            row.used_at,
            row.revoked_at,
            valid=row.revoked_at is None and _may_own(owner),
            writes=row.writes,
        )
        for row, owner in rows
    ]


def use_token(store: Store, token: str) -> TokenAccess:
    """Return the access that a token gives now; the time of its use is kept to the minute.

    Raises WrongTokenError for one that is unknown or revoked, or whose owner is no manager any more; the message does not
    say which.
    """
    now = datetime.now(UTC)
    with read_session(store.engine) as session:
        # only hashes are compared, by the index of the database: the time says nothing about a token that is nearly right
        match = session.exec(
            select(ApiToken, Person)
            .join(Person, col(Person.id) == ApiToken.person_id)
            .where(ApiToken.token_hash == hash_secret(token), col(ApiToken.revoked_at).is_(None))
        ).first()
        if match is None or not _may_own(match[1]):
            raise WrongTokenError("This token is not valid. Ask a manager for a new one.")
        row = match[0]
        access = TokenAccess(row.id, tuple(row.campaigns), row.used_at, row.writes, match[1].name)
    is_recent = access.used_at is not None and access.used_at > now - _USE_IS_NOTED_EVERY
    if not (is_recent or store.read_only):
        with store.writing_without_sync() as session:
            session.get_one(ApiToken, access.token_id).used_at = now
    return access


def _may_own(person: Person) -> bool:
    return person.active and member_of(person).may(Right.MANAGE)
