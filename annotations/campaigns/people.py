"""People, roles and rights."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from uuid import uuid4

from sqlmodel import Session, col, select

from annotations.campaigns.tables import Person
from annotations.records import RecordError, RightsError, require_text


class Right(StrEnum):
    """A permission."""

    LABEL = "label"
    ADJUDICATE = "adjudicate"
    EXPLORE = "see scores and edit pairs"
    MANAGE = "manage campaigns and people"


class Role(StrEnum):
    """The role of a person."""

    MANAGER = "manager"
    RESEARCHER = "researcher"
    ADJUDICATOR = "adjudicator"
    ANNOTATOR = "annotator"


RIGHTS = {
    Role.MANAGER: frozenset(Right),
    Role.RESEARCHER: frozenset({Right.EXPLORE, Right.LABEL}),
    Role.ADJUDICATOR: frozenset({Right.ADJUDICATE, Right.LABEL}),
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
    """Add a person. Raises RecordError for a name that is empty or taken."""
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


def find_person(session: Session, name: str) -> Member | None:
    """The person of a name."""
    person = session.exec(select(Person).where(Person.name == name)).first()
    return _member(person) if person else None


def load_people(session: Session) -> list[Member]:
    """Everybody, by name."""
    return [_member(person) for person in session.exec(select(Person).order_by(col(Person.name)))]


def _member(person: Person) -> Member:
    return Member(person.id, person.name, Role(person.role))
