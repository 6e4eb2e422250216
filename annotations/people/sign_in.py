"""Personal sign-in codes, shown once and revocable, and the browsers that are signed in by them.

Codes and sessions are stored as hashes, and who guesses one waits longer each time.
"""

from __future__ import annotations

import hashlib
import secrets
import threading
import time
from collections import deque
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from uuid import uuid4

from sqlalchemy import ColumnElement, delete
from sqlmodel import Session, col, exists, select

from annotations.people.people import Member, Role, add_person, find_person, member_of
from annotations.store.people_tables import Invite, Person, Revocation, SignIn
from annotations.store.records import RecordError, RightsError

_CODE_BYTES = 18  # 144 bits: cannot be guessed, however fast the hash
_SESSION_BYTES = 32
_SESSION_DAYS = 30
_MAX_WRONG_CODES = 10_000  # wrong codes
_SHORTEST_WAIT, _LONGEST_WAIT, _DOUBLINGS = 0.25, 8.0, 5  # seconds


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
        """True if it can be used to sign in now."""
        return not self.revoked and (self.expires_at is None or self.expires_at > datetime.now(UTC))


def create_invite(session: Session, person_id: str, by: str, days: int | None = None) -> str:
    """Create a code for a person; it is never shown again. Raises RecordError for one who is unknown or not active."""
    person = session.get(Person, person_id)
    if person is None:
        raise RecordError("There is nobody to invite under this id. Add the person first.")
    if not person.active:
        raise RecordError(f"{person.name!r} does not take part any more. Activate them first.")
    code, now = secrets.token_urlsafe(_CODE_BYTES), datetime.now(UTC)
    session.add(
        Invite(
            id=uuid4().hex,
            person_id=person_id,
            code_hash=hash_secret(code),
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
    """Person that a code belongs to. Raises WrongCodeError for an unknown, revoked or expired one, without saying which."""
    return _valid_invite(session, code, now or datetime.now(UTC))[0]


def _valid_invite(session: Session, code: str, now: datetime) -> tuple[Member, Invite]:
    row = session.exec(
        select(Person, Invite)
        .join(Invite, col(Invite.person_id) == Person.id)
        .where(Invite.code_hash == hash_secret(code.strip()), ~_is_revoked(), col(Person.active))
    ).first()
    if row is None or (row[1].expires_at and row[1].expires_at <= now):
        raise WrongCodeError("This code is not valid. Ask a manager for a new one.")
    person, invite = row
    return member_of(person), invite


@dataclass(frozen=True, slots=True)
class StartedSession:
    """Person who signed in, and the id that their browser keeps until it expires; only its hash is stored."""

    member: Member
    id: str
    expires_at: datetime


class SessionEndedError(RightsError):
    """A browser whose sign-in is over, though it did not sign out; the message says why."""


def start_session(session: Session, code: str, replaced: str = "", now: datetime | None = None) -> StartedSession:
    """Sign a browser in for 30 days, under a new id in place of the one that it had. Raises WrongCodeError."""
    now = now or datetime.now(UTC)
    member, invite = _valid_invite(session, code, now)
    id, expires_at = secrets.token_urlsafe(_SESSION_BYTES), now + timedelta(days=_SESSION_DAYS)
    end_session(session, replaced)
    session.execute(delete(SignIn).where(col(SignIn.expires_at) <= now - timedelta(days=_SESSION_DAYS)))
    session.add(SignIn(id_hash=hash_secret(id), invite_id=invite.id, created_at=now, expires_at=expires_at))
    return StartedSession(member, id, expires_at)


def member_by_session(session: Session, id: str, now: datetime | None = None) -> Member | None:
    """Person who is signed in under an id, or None. Raises SessionEndedError."""
    row = session.exec(
        select(Person, Invite, SignIn, _is_revoked())
        .join(Invite, col(Invite.person_id) == Person.id)
        .join(SignIn, col(SignIn.invite_id) == Invite.id)
        .where(SignIn.id_hash == hash_secret(id))
    ).first()
    if row is None:
        return None
    person, invite, sign_in, revoked = row
    now = now or datetime.now(UTC)
    if not person.active:
        raise SessionEndedError("You do not take part any more. Ask a manager if that is wrong.")
    if revoked:
        raise SessionEndedError("Your personal link was revoked. Ask a manager for a new one.")
    if invite.expires_at and invite.expires_at <= now:
        raise SessionEndedError("Your personal link has expired. Ask a manager for a new one.")
    if sign_in.expires_at <= now:
        raise SessionEndedError(f"You signed in more than {_SESSION_DAYS} days ago. Open your personal link again.")
    return member_of(person)


def end_session(session: Session, id: str) -> None:
    """Sign a browser out; it may be signed out already."""
    session.execute(delete(SignIn).where(col(SignIn.id_hash) == hash_secret(id)))


def load_invites(session: Session) -> list[InviteRow]:
    """Every invite, newest first."""
    rows = session.exec(
        select(Invite, Person.name, _is_revoked())
        .join(Person, col(Person.id) == Invite.person_id)
        .order_by(col(Invite.created_at).desc())
    )
    return [
        InviteRow(invite.id, name, invite.by, invite.created_at, invite.expires_at, revoked)
        for invite, name, revoked in rows
    ]


class GuessDelay:
    """Delay of the answer to a wrong code: longer with each from the same source, up to 8 s; thread-safe.

    A valid code never waits, whoever else guesses. Where sources cannot be distinguished, as behind a proxy that does not
    forward addresses, all of them are one.
    """

    def __init__(self, seconds: float = 60.0) -> None:
        self._seconds = seconds
        self._wrong: deque[tuple[float, str]] = deque(maxlen=_MAX_WRONG_CODES)
        self._lock = threading.Lock()

    def after_wrong(self, source: str) -> float:
        """Seconds to wait after one more wrong code from a source."""
        with self._lock:
            while self._wrong and self._wrong[0][0] < time.monotonic() - self._seconds:
                self._wrong.popleft()
            earlier = sum(other == source for _, other in self._wrong)
            self._wrong.append((time.monotonic(), source))
        return min(_LONGEST_WAIT, _SHORTEST_WAIT * 2.0 ** min(earlier, _DOUBLINGS))


def _is_revoked() -> ColumnElement[bool]:
    return exists().where(col(Revocation.invite_id) == col(Invite.id))


def hash_secret(secret: str) -> str:
    """Hash that is stored of a secret that is too long to be guessed."""
    return hashlib.sha256(secret.encode()).hexdigest()
