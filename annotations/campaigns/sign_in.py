"""Personal sign-in codes: shown once, stored as hashes, revocable, and safe against guessing."""

from __future__ import annotations

import hashlib
import secrets
import threading
import time
from collections import deque
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from uuid import uuid4

from sqlalchemy import ColumnElement
from sqlmodel import Session, col, exists, select

from annotations.campaigns.people import Member, Role, add_person, find_person
from annotations.campaigns.tables import Invite, Person, Revocation
from annotations.records import RecordError, RightsError

_MAX_WRONG_CODES = 10_000  # wrong codes
_CODE_BYTES = 18  # 144 bits: cannot be guessed, however fast the hash


@dataclass(frozen=True, slots=True)
class InviteRow:
    """One line of the list of invites; the code itself is nowhere."""

    id: str
    person: str
    by: str
    created_at: datetime
    expires_at: datetime | None
    revoked: bool

    @property
    def valid(self) -> bool:
        """Whether it can be used to sign in now."""
        return not self.revoked and (self.expires_at is None or self.expires_at > datetime.now(UTC))


def create_invite(session: Session, person_id: str, by: str, days: int | None = None) -> str:
    """Create a code for a person; it is never shown again. Raises RecordError for an unknown person."""
    if session.get(Person, person_id) is None:
        raise RecordError("There is nobody to invite under this id. Add the person first.")
    code, now = secrets.token_urlsafe(_CODE_BYTES), datetime.now(UTC)
    session.add(
        Invite(
            id=uuid4().hex,
            person_id=person_id,
            code_hash=_hash_code(code),
            by=by,
            expires_at=now + timedelta(days=days) if days else None,
            created_at=now,
        )
    )
    return code


def create_invite_by_name(session: Session, name: str, role: Role, by: str, days: int | None = None) -> str:
    """Create a code for the person of a name, who is added if there is none.

    Raises RecordError for an empty name, and for a person with another role.
    """
    person = find_person(session, name) or add_person(session, name, role)
    if person.role is not role:
        raise RecordError(
            f"{name!r} is here as {person.role.value}, not as {role.value}. Invite them as {person.role.value}, or "
            "choose another name."
        )
    return create_invite(session, person.id, by, days)


def revoke_invite(session: Session, invite_id: str, by: str) -> None:
    """Revoke an invite; it may be revoked already."""
    if session.get(Invite, invite_id) is None:
        raise RecordError("There is no such invite to revoke. Reload the page.")
    if session.get(Revocation, invite_id) is None:
        session.add(Revocation(invite_id=invite_id, by=by, created_at=datetime.now(UTC)))


class WrongCodeError(RightsError):
    """A sign-in code that is not valid."""


def member_by_code(session: Session, code: str, now: datetime | None = None) -> Member:
    """Whose code it is. Raises WrongCodeError for one that is unknown, revoked or expired; the message does not say which."""
    found = session.exec(
        select(Person, Invite)
        .join(Invite, col(Invite.person_id) == Person.id)
        .where(Invite.code_hash == _hash_code(code.strip()), ~_is_revoked())
    ).first()
    if found is None or (found[1].expires_at and found[1].expires_at <= (now or datetime.now(UTC))):
        raise WrongCodeError("This code is not valid. Ask a manager for a new one.")
    person = found[0]
    return Member(person.id, person.name, Role(person.role))


def load_invites(session: Session) -> list[InviteRow]:
    """Every invite, newest first."""
    found = session.exec(
        select(Invite, Person.name, _is_revoked())
        .join(Person, col(Person.id) == Invite.person_id)
        .order_by(col(Invite.created_at).desc())
    )
    return [
        InviteRow(invite.id, name, invite.by, invite.created_at, invite.expires_at, revoked)
        for invite, name, revoked in found
    ]


class WrongCodeLimiter:
    """Limits the number of wrong codes per minute from one source; thread-safe.

    Where sources cannot be distinguished, as behind a proxy that does not forward addresses, all of them are one.
    """

    def __init__(self, limit: int = 10, seconds: float = 60.0) -> None:
        self._limit, self._seconds = limit, seconds
        self._wrong: deque[tuple[float, str]] = deque(maxlen=_MAX_WRONG_CODES)
        self._lock = threading.Lock()

    def check(self, source: str) -> None:
        """Raise RightsError where too many recent codes from a source were wrong."""
        with self._lock:
            while self._wrong and self._wrong[0][0] < time.monotonic() - self._seconds:
                self._wrong.popleft()
            if sum(other == source for _, other in self._wrong) >= self._limit:
                raise RightsError("Too many wrong codes were tried. Wait a minute and try again.")

    def record_failure(self, source: str) -> None:
        with self._lock:
            self._wrong.append((time.monotonic(), source))


def _is_revoked() -> ColumnElement[bool]:
    return exists().where(col(Revocation.invite_id) == col(Invite.id))


def _hash_code(code: str) -> str:
    return hashlib.sha256(code.encode()).hexdigest()
