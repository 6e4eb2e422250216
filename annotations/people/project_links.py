"""Read-only links to one project: made by its author, shown once, stored as hashes, and valid until a day."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from uuid import uuid4

from sqlmodel import col, select

from annotations.people.sign_in import hash_secret
from annotations.store.database import read_session
from annotations.store.people_tables import Person
from annotations.store.records import RecordError, RightsError, StoredPair
from annotations.store.report_tables import ProjectLink
from annotations.store.reports import PersonReports, ReportRow
from annotations.store.store import Store

MOST_DAYS = 365
_TOKEN_BYTES = 32


class WrongLinkError(RightsError):
    """A link that does not open a project now."""


@dataclass(frozen=True, slots=True)
class LinkedProject:
    """All that a link shows: the project, its pins as JSON by their ids, the pairs among its work, and the end of the link."""

    row: ReportRow
    pins: Mapping[str, str]
    pairs: tuple[StoredPair, ...]
    expires_at: datetime


class ProjectLinks:
    """The links to projects of one person. Writes raise as those of the store do."""

    def __init__(self, store: Store, person_id: str) -> None:
        self._store = store
        self._person_id = person_id

    def create(self, report_id: str, days: int, now: datetime | None = None) -> str:
        """Make a link to an own project; its token, which is never shown again. Raises RightsError and RecordError."""
        if not 1 <= days <= MOST_DAYS:
            raise RecordError(f"A link lasts 1 to {MOST_DAYS} days; got {days}.")
        self._require_own(report_id)
        now, token = now or datetime.now(UTC), secrets.token_urlsafe(_TOKEN_BYTES)
        with self._store.writing() as session:
            session.add(
                ProjectLink(
                    id=uuid4().hex,
                    report_id=report_id,
                    owner_id=self._person_id,
                    token_hash=hash_secret(token),
                    expires_at=now + timedelta(days=days),
                    created_at=now,
                )
            )
        return token

    def ends(self, report_id: str, now: datetime | None = None) -> dict[str, datetime]:
        """The ends of the links to an own project that are valid now, by their ids."""
        self._require_own(report_id)
        with read_session(self._store.engine) as session:
            rows = session.exec(
                select(ProjectLink)
                .where(
                    ProjectLink.report_id == report_id,
                    col(ProjectLink.revoked_at).is_(None),
                    ProjectLink.expires_at > (now or datetime.now(UTC)),
                )
                .order_by(col(ProjectLink.expires_at))
            )
            return {row.id: row.expires_at for row in rows}

    def revoke(self, id: str) -> None:
        """End a link now. Raises RightsError for one of somebody else."""
        with self._store.writing() as session:
            row = session.get(ProjectLink, id)
            if row is None or row.owner_id != self._person_id:
                raise RightsError("This link is not yours to revoke. Reload the page.")
            row.revoked_at = row.revoked_at or datetime.now(UTC)

    def _require_own(self, report_id: str) -> None:
        row = PersonReports(self._store, self._person_id).report(report_id)
        if row.owner_id != self._person_id:
            raise RightsError(f"This project is {row.owner}'s, and only they make links to it.")


def read_project(store: Store, token: str, now: datetime | None = None) -> LinkedProject:
    """The project that a link opens now.

    Raises WrongLinkError for one that is unknown, revoked or over, or whose project or author is gone; the message does not
    say which.
    """
    with read_session(store.engine) as session:
        # only hashes are compared, by the index of the database: the time says nothing about a token that is nearly right
        row = session.exec(
            select(ProjectLink)
            .join(Person, col(Person.id) == ProjectLink.owner_id)
            .where(
                ProjectLink.token_hash == hash_secret(token),
                col(ProjectLink.revoked_at).is_(None),
                ProjectLink.expires_at > (now or datetime.now(UTC)),
                col(Person.active),
            )
        ).first()
        link = (row.report_id, row.owner_id, row.expires_at) if row else None
    if link is None:
        raise WrongLinkError("This link does not open a project any more. Ask its author for a new one.")
    report_id, owner_id, expires_at = link
    reports = PersonReports(store, owner_id)
    try:
        project = reports.report(report_id)
    except RecordError:
        raise WrongLinkError("This link does not open a project any more. Ask its author for a new one.") from None
    pairs = (store.pair(work.id) for work in project.work if work.kind == "pair")
    return LinkedProject(project, reports.contents(project), tuple(pair for pair in pairs if pair), expires_at)
