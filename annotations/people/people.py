"""People, roles and rights: adding people one by one or from a list, changing them, and deactivating them."""

from __future__ import annotations

import csv
import secrets
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from uuid import uuid4

from sqlalchemy import String, bindparam, delete, union, update
from sqlmodel import Session, col, select

from annotations.store.people_tables import GroupMember, Person, PersonChange
from annotations.store.records import RecordError, RightsError, require_text
from annotations.store.response_tables import Reservation


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
    """A person who is registered; one who is not `active` is let in nowhere."""

    id: str
    name: str
    role: Role
    active: bool = True

    def may(self, right: Right) -> bool:
        return right in RIGHTS[self.role]

    def require(self, right: Right) -> None:
        """Raise RightsError unless this person may do it."""
        if not self.may(right):
            raise RightsError(
                f"{self.name!r} is here as {self.role.value} and may not {right.value}. Ask a manager for another role."
            )


def add_person(session: Session, name: str, role: Role) -> Member:
    """Add a person. Raises RecordError for a name that is empty, or that somebody has or had."""
    _require_free_name(session, name)
    person = Person(
        id=uuid4().hex,
        name=name,
        pseudonym=f"p-{secrets.token_hex(4)}",
        role=role.value,
        active=True,
        created_at=datetime.now(UTC),
    )
    session.add(person)
    session.flush()
    return member_of(person)


def change_person(session: Session, changed: Member, by: str) -> Member:
    """Give a person another name or role, or let them in no more, or again; what they were before is kept.

    Tasks that a person had open are free for others once the person is locked out.

    Raises RecordError for a name that is empty or another's, for an unknown person, and where no manager would be left.
    """
    person = session.get(Person, changed.id)
    if person is None:
        raise RecordError("There is nobody under this id. Reload the page.")
    before = member_of(person)
    if before == changed:
        return before
    if changed.name != before.name:
        _require_free_name(session, changed.name, of=person.id)
    if before.active and before.role is Role.MANAGER and not (changed.active and changed.role is Role.MANAGER):
        others = select(Person.id).where(Person.role == Role.MANAGER.value, col(Person.active), Person.id != person.id)
        if session.exec(others).first() is None:
            raise RecordError(f"{person.name!r} is the only manager. Make somebody else a manager first.")
    session.add(
        PersonChange(
            person_id=person.id,
            name=person.name,
            role=person.role,
            active=person.active,
            by=by,
            created_at=datetime.now(UTC),
        )
    )
    person.name, person.role, person.active = changed.name, changed.role.value, changed.active
    session.add(person)
    session.flush()
    if before.active and not changed.active:
        expire_open(session, person.id, datetime.now(UTC))
    return member_of(person)


def expire_open(session: Session, person_id: str, now: datetime, campaign_id: str = "") -> None:
    """Free the places of what a person has open, in one campaign or in all; it is theirs again if nobody took it meanwhile."""
    own = select(Reservation.id).where(Reservation.person_id == person_id, Reservation.state == "open")
    if campaign_id:
        own = own.where(Reservation.campaign_id == campaign_id)
    # what another tab is answering will have its answer; waiting for it, while it waits for this transaction, would never end
    free = own.with_for_update(skip_locked=True, key_share=True)
    session.execute(update(Reservation).where(col(Reservation.id).in_(free)).values(expires_at=now))


def find_person(session: Session, name: str) -> Member | None:
    """The person who has a name now."""
    person = session.exec(select(Person).where(Person.name == name)).first()
    return member_of(person) if person else None


def find_former_person(session: Session, name: str) -> Member | None:
    """The person who had this name before."""
    query = select(Person).join(PersonChange, col(PersonChange.person_id) == Person.id).where(PersonChange.name == name)
    person = session.exec(query).first()
    return member_of(person) if person else None


def load_people(session: Session) -> list[Member]:
    """Everybody, by name."""
    return [member_of(person) for person in session.exec(select(Person).order_by(col(Person.name)))]


def member_of(person: Person) -> Member:
    return Member(person.id, person.name, Role(person.role), person.active)


SELECT_NAMES = union(
    select(bindparam("name", type_=String)),
    select(PersonChange.name).where(PersonChange.person_id == bindparam("person")),
)
"""The names under which a `person` who has a `name` now has written records: that and those of before; a subquery for `in_`."""


def load_pseudonyms(session: Session) -> dict[str, str]:
    """The pseudonym of every name that a person has or had."""
    former = select(PersonChange.name, Person.pseudonym).join(Person, col(Person.id) == PersonChange.person_id)
    return dict(session.exec(former).all()) | dict(session.exec(select(Person.name, Person.pseudonym)).all())


def _require_free_name(session: Session, name: str, of: str = "") -> None:
    """Raise RecordError for a name that somebody has or had: records name their authors, who must not be mistaken for each other."""
    require_text("name", name)
    if session.exec(select(Person.id).where(Person.name == name, Person.id != of)).first():
        raise RecordError(f"There is somebody called {name!r} already. Choose another name.")
    if session.exec(select(PersonChange.id).where(PersonChange.name == name, PersonChange.person_id != of)).first():
        raise RecordError(f"Somebody was called {name!r} before, and their records are. Choose another name.")


def load_groups(session: Session) -> dict[str, tuple[str, ...]]:
    """The groups of each person who is in one, by the id of the person."""
    groups: dict[str, tuple[str, ...]] = {}
    for row in session.exec(select(GroupMember).order_by(col(GroupMember.group))):
        groups[row.person_id] = (*groups.get(row.person_id, ()), row.group)
    return groups


def set_groups(session: Session, person_id: str, groups: Sequence[str]) -> None:
    """Put a person into these groups and out of all others. Raises RecordError for an empty name of a group."""
    session.execute(delete(GroupMember).where(col(GroupMember.person_id) == person_id))
    for group in dict.fromkeys(group.strip() for group in groups):
        require_text("name of the group", group)
        session.add(GroupMember(group=group, person_id=person_id))
    session.flush()


@dataclass(frozen=True, slots=True)
class ListedPerson:
    """A person as a list names them."""

    name: str
    role: Role
    groups: tuple[str, ...]


_COLUMNS = {"name": "name", "email": "name", "e-mail": "name", "role": "role", "group": "groups", "groups": "groups"}


def read_people(content: bytes) -> list[ListedPerson]:
    """The people of a CSV file: a column `name` (or `email`), and where wanted `role` and `groups`, several with | between.

    Commas, semicolons or tabs are between its cells, as spreadsheets write them. Raises RecordError, which names every line
    that cannot be used.
    """
    lines = _decode(content).splitlines()
    header = next((line for line in lines if line.strip()), "")
    delimiter = max(",;\t", key=header.count)
    try:
        rows = [row for row in csv.reader(lines, delimiter=delimiter, strict=True) if any(cell.strip() for cell in row)]
    except csv.Error as error:
        raise RecordError(f"The list is no CSV: {error}. Close every quote.") from None
    columns = [_COLUMNS.get(cell.strip().lower(), "") for cell in rows[0]] if rows else []
    if "name" not in columns:
        raise RecordError("The list has no column 'name' in its first line. Columns: name, role, groups.")
    records = [{name: cell.strip() for name, cell in zip(columns, row, strict=False)} for row in rows[1:]]
    times = Counter(record.get("name") for record in records)
    wrong = [
        f"{number}: {line_error}"
        for number, record in enumerate(records, start=2)
        if (line_error := _record_error(record, times))
    ]
    if wrong:
        raise RecordError(f"Nobody was added. Correct these lines: {'; '.join(wrong[:10])}.")
    return [
        ListedPerson(
            record["name"],
            Role(record.get("role", "").lower() or Role.ANNOTATOR),
            tuple(filter(None, (group.strip() for group in record.get("groups", "").split("|")))),
        )
        for record in records
    ]


def _decode(content: bytes) -> str:
    """The text of a file that a spreadsheet wrote."""
    encoding = "utf-16" if content[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        return content.decode(encoding)
    except UnicodeDecodeError as error:
        raise RecordError(f"The list is no UTF-8 text at byte {error.start + 1}. Save it as CSV UTF-8.") from None


def _record_error(record: dict[str, str], times: Counter[str | None]) -> str:
    if not record.get("name"):
        return "no name"
    if record.get("role", "").lower() not in {"", *Role}:
        return f"no role is called {record['role']!r} (there are {', '.join(Role)})"
    return f"{record['name']!r} comes twice" if times[record["name"]] > 1 else ""


def add_listed_people(session: Session, listed: Sequence[ListedPerson]) -> list[Member]:
    """Add the listed people who are new, and return them; the others keep their role, and all join the groups of the list."""
    groups, new = load_groups(session), []
    for entry in listed:
        person = find_person(session, entry.name)
        if person is None:
            person = add_person(session, entry.name, entry.role)
            new.append(person)
        set_groups(session, person.id, (*groups.get(person.id, ()), *entry.groups))
    return new
