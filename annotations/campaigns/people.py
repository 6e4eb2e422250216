"""Who works here, and what each may do. The store asks; pages only show what is allowed."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from uuid import uuid4

from sqlmodel import Session, col, select

from annotations.campaigns.tables import Person
from annotations.database import read
from annotations.errors import RecordError, RightsError
from annotations.records import require_text
from annotations.store import Store


class Right(StrEnum):
    """Something that a person may or may not do."""

    LABEL = "label"
    SETTLE = "adjudicate"
    EXPLORE = "see scores and edit pairs"
    MANAGE = "manage campaigns and people"


class Role(StrEnum):
    """What somebody does here."""

    MANAGER = "manager"
    RESEARCHER = "researcher"
    ADJUDICATOR = "adjudicator"
    ANNOTATOR = "annotator"


RIGHTS = {
    Role.MANAGER: frozenset(Right),
    Role.RESEARCHER: frozenset({Right.EXPLORE, Right.LABEL}),
    Role.ADJUDICATOR: frozenset({Right.SETTLE, Right.LABEL}),
    Role.ANNOTATOR: frozenset({Right.LABEL}),
}


@dataclass(frozen=True, slots=True)
class Member:
    """A person who is signed in."""

    id: str
    name: str
    role: Role

    def may(self, right: Right) -> bool:
        return right in RIGHTS[self.role]

    def require(self, right: Right) -> None:
        """Raise RightsError unless this person may do it."""
        if not self.may(right):
            raise RightsError(
                f"{self.name!r} is here as {self.role.value} and may not {right.value}. Ask a manager for another role."
            )


def add_person(session: Session, name: str, role: Role) -> Member:
    """Add somebody. Raises RecordError for a name that is empty or taken."""
    require_text("name", name)
    if session.exec(select(Person.id).where(Person.name == name)).first():
        raise RecordError(f"There is somebody called {name!r} already. Choose another name.")
    person = Person(
        id=uuid4().hex,
        name=name,
        pseudonym=f"p-{secrets.token_hex(4)}",
        role=role.value,
        created_at=datetime.now(UTC),
    )
    session.add(person)
    session.flush()
    return _member(person)


def local(store: Store, name: str) -> Member:
    """The one person of a local server, who may do everything; added at the first look."""
    with read(store.engine) as session:
        known = find_person(session, name)
    if known:
        return Member(known.id, known.name, Role.MANAGER)
    with store.writing() as session:
        return find_person(session, name) or add_person(session, name, Role.MANAGER)


def find_person(session: Session, name: str) -> Member | None:
    """The person of a name."""
    person = session.exec(select(Person).where(Person.name == name)).first()
    return _member(person) if person else None


def load_people(session: Session) -> list[Member]:
    """Everybody, by name."""
    return [_member(person) for person in session.exec(select(Person).order_by(col(Person.name)))]


def _member(person: Person) -> Member:
    return Member(person.id, person.name, Role(person.role))
