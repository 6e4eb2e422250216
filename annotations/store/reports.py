"""Projects: a question, the work on it, and a report of pins; a person's own, changed by revisions, and those that others shared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Literal, get_args
from uuid import uuid4

from sqlalchemy import func
from sqlmodel import Session, col, select

from annotations.store.database import read_session
from annotations.store.people_tables import Person
from annotations.store.records import ChangedElsewhereError, RecordError, RightsError, require_storable, require_text
from annotations.store.report_tables import PinRow, ReportRevision
from annotations.store.store import Store

WorkKind = Literal["pair", "run", "campaign", "audit", "dataset"]
WORK_KINDS: tuple[WorkKind, ...] = get_args(WorkKind)
MAX_PARTS = 200
MAX_WORK = 500
MAX_PARAGRAPH = 20_000
_MAX_PIN = 20_000_000  # characters of JSON


@dataclass(frozen=True, slots=True)
class Work:
    """A thing that was kept or made here, by its kind and id: it is linked as it is now, while a pin keeps a result as it was.

    The id of an audit is its metric and the name of its data, with a line break between.
    """

    kind: WorkKind
    id: str


@dataclass(frozen=True, slots=True)
class ReportPart:
    """Markdown, and the id of the pin below it where there is one."""

    text: str = ""
    pin: str | None = None


@dataclass(frozen=True, slots=True)
class ReportRow:
    """A project with its report as it is now."""

    id: str
    """Id of the project."""
    revision: int
    """Number of its changes."""
    title: str
    """Title of the project."""
    owner_id: str
    """Id of its owner."""
    owner: str
    """Name of its owner."""
    parts: tuple[ReportPart, ...]
    """Parts of the report, in order."""
    shared: bool
    """True if others may read it."""
    changed_at: datetime
    """Time of the last change."""
    question: str = ""
    """Question that the project works on; "" for none."""
    work: tuple[Work, ...] = ()
    """Things that work on the question."""

    @property
    def pins(self) -> int:
        return sum(part.pin is not None for part in self.parts)


class PersonReports:
    """Reports of the person of this id, and those that others shared. Writes raise as those of the store do."""

    def __init__(self, store: Store, person_id: str) -> None:
        self._store = store
        self._person_id = person_id

    def own(self) -> list[ReportRow]:
        """The person's own reports, the one that was changed last first."""
        with read_session(self._store.engine) as session:
            return [row for row in _load_reports(session) if row.owner_id == self._person_id]

    def of_others(self) -> list[ReportRow]:
        """The reports that others shared, the one that was changed last first."""
        with read_session(self._store.engine) as session:
            return [row for row in _load_reports(session) if row.shared and row.owner_id != self._person_id]

    def report(self, id: str) -> ReportRow:
        """A report that the person may read. Raises RecordError for any other, whether it is there or not."""
        with read_session(self._store.engine) as session:
            return self._readable(session, id)

    def contents(self, row: ReportRow) -> dict[str, str]:
        """The pins of a report as JSON by their ids. Raises RecordError where the person may not read it."""
        with read_session(self._store.engine) as session:
            row = self._readable(session, row.id)
            pins = [part.pin for part in row.parts if part.pin]
            rows = session.exec(select(PinRow.id, PinRow.content).where(col(PinRow.id).in_(pins)))
            return dict(rows.all())

    def create(self, title: str, question: str = "", work: Sequence[Work] = ()) -> str:
        """Begin a project with an empty report; its id. Raises RecordError for an empty title."""
        now = datetime.now(UTC)
        row = ReportRow(uuid4().hex, 0, title.strip(), self._person_id, "", (), False, now, question, tuple(work))
        with self._store.writing() as session:
            _add_revision(session, row)
        return row.id

    def put(self, id: str, work: Work) -> None:
        """Put a thing into an own project, as the last; one that is there stays. Raises RecordError and RightsError."""
        with self._store.writing() as session:
            row = self._changeable(session, id)
            if work not in row.work:
                _add_revision(session, replace(row, work=(*row.work, work)))

    def take_out(self, id: str, work: Work) -> None:
        """Take a thing out of an own project; the thing itself stays. Raises RecordError and RightsError."""
        with self._store.writing() as session:
            row = self._changeable(session, id)
            if work in row.work:
                _add_revision(session, replace(row, work=tuple(other for other in row.work if other != work)))

    def pin(self, id: str, content: str, text: str = "") -> None:
        """Add a pin with a text above it at the end of an own report. Raises RecordError and RightsError."""
        require_storable("the pin", content, most=_MAX_PIN)
        with self._store.writing() as session:
            row = self._changeable(session, id)
            pin = PinRow(id=uuid4().hex, owner_id=self._person_id, content=content, created_at=datetime.now(UTC))
            session.add(pin)
            session.flush()
            _add_revision(session, replace(row, parts=(*row.parts, ReportPart(text, pin.id))))

    def revise(self, changed: ReportRow) -> None:
        """Save the title, question, parts and sharing of a project that was read before; its pins stay those that it had.

        Raises ChangedElsewhereError where it was changed since it was read, RightsError for a report of somebody else and
        RecordError for what cannot be kept.
        """
        with self._store.writing() as session:
            row = self._changeable(session, changed.id)
            if row.revision != changed.revision:
                raise ChangedElsewhereError(
                    "This report was changed in another window meanwhile, so that this change was NOT saved. Look at it and "
                    "make the change again."
                )
            had = {part.pin for part in row.parts}
            if any(part.pin not in had for part in changed.parts if part.pin):
                raise RecordError("A pin of this change is not in the report. Reload the page.")
            _add_revision(
                session,
                replace(
                    row, title=changed.title, question=changed.question, parts=changed.parts, shared=changed.shared
                ),
            )

    def remove(self, id: str) -> None:
        """Show a report to nobody any more. Raises RightsError for one of somebody else."""
        with self._store.writing() as session:
            _add_revision(session, self._changeable(session, id), removed=True)

    def _readable(self, session: Session, id: str) -> ReportRow:
        row = next(iter(_load_reports(session, id)), None)
        if row is None or not (row.shared or row.owner_id == self._person_id):
            raise RecordError("There is no such report, or it is not shared with you. Ask its author to share it.")
        return row

    def _changeable(self, session: Session, id: str) -> ReportRow:
        # SQLite writes one after the other; elsewhere two first changes of one number are refused by the unique constraint
        row = self._readable(session, id)
        if row.owner_id != self._person_id:
            raise RightsError(
                f"This report is {row.owner}'s, and only they change it. Copy what you need into your own."
            )
        return row


def _load_reports(session: Session, id: str = "") -> list[ReportRow]:
    """The last revision of every report that was not removed, or of one alone, the last changed first."""
    last = select(func.max(ReportRevision.id)).group_by(ReportRevision.report_id)
    if id:
        last = last.where(ReportRevision.report_id == id)
    rows = session.exec(
        select(ReportRevision, Person.name)
        .join(Person, col(Person.id) == ReportRevision.owner_id)
        .where(col(ReportRevision.id).in_(last), col(ReportRevision.removed).is_(False))
        .order_by(col(ReportRevision.id).desc())
    )
    return [
        ReportRow(
            row.report_id,
            row.revision,
            row.title,
            row.owner_id,
            owner,
            tuple(ReportPart(text, pin) for text, pin in row.parts),
            row.shared,
            row.created_at,
            row.question,
            tuple(Work(kind, id) for kind, id in row.work),
        )
        for row, owner in rows
    ]


def _add_revision(session: Session, row: ReportRow, *, removed: bool = False) -> None:
    require_text("title of the project", row.title)
    require_storable("the question of the project", row.question, most=MAX_PARAGRAPH)
    if len(row.parts) > MAX_PARTS:
        raise RecordError(
            f"A report has at most {MAX_PARTS} parts, and this one has {len(row.parts)}. Begin a second report."
        )
    require_storable("a text of the report", *(part.text for part in row.parts), most=MAX_PARAGRAPH)
    _require_work(row.work)
    session.add(
        ReportRevision(
            report_id=row.id,
            revision=row.revision + 1,
            owner_id=row.owner_id,
            title=row.title.strip(),
            parts=[[part.text, part.pin] for part in row.parts],
            question=row.question.strip(),
            work=[[entry.kind, entry.id] for entry in row.work],
            shared=row.shared,
            removed=removed,
            created_at=datetime.now(UTC),
        )
    )


def _require_work(work: Sequence[Work]) -> None:
    """Raise RecordError for too many things, a kind that there is none of, or an id that cannot be kept."""
    if len(work) > MAX_WORK:
        raise RecordError(
            f"A project holds at most {MAX_WORK} things, and this one has {len(work)}. Begin a second one."
        )
    for entry in work:
        if entry.kind not in WORK_KINDS:
            raise RecordError(f"A project holds no {entry.kind!r}, only: {', '.join(WORK_KINDS)}.")
    require_storable("the id of a thing", *(entry.id for entry in work), most=MAX_PARAGRAPH)
