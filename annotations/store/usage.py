"""Use that each person makes of a shared database: their stress runs, and the disk that these and their pins take."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import func
from sqlmodel import Session, col, select

from annotations.store.people_tables import Person
from annotations.store.records import RecordError
from annotations.store.report_tables import PinRow
from annotations.store.tables import RunLine, StressRunRow

_MB = 1_000_000


@dataclass(frozen=True, slots=True)
class PersonUsage:
    """Use of one person so far."""

    runs: int = 0
    """Stress runs."""
    characters: int = 0
    """Characters of their plans, lines and pins."""

    @property
    def megabytes(self) -> float:
        return self.characters / _MB


def load_usage(session: Session) -> Mapping[str, PersonUsage]:
    """By the name of the person; people who have used nothing are left out."""
    plans = select(StressRunRow.owner, func.count(), func.sum(func.length(StressRunRow.plan))).group_by(
        StressRunRow.owner
    )
    lines = (
        select(StressRunRow.owner, func.sum(func.length(RunLine.line)))
        .join(RunLine, col(RunLine.run_id) == col(StressRunRow.id))
        .group_by(StressRunRow.owner)
    )
    pins = (
        select(Person.name, func.sum(func.length(PinRow.content)))
        .join(PinRow, col(PinRow.owner_id) == col(Person.id))
        .group_by(Person.name)
    )
    usage = {owner: PersonUsage(runs, characters) for owner, runs, characters in session.exec(plans)}
    for owner, characters in [*session.exec(lines), *session.exec(pins)]:
        before = usage.get(owner, PersonUsage())
        usage[owner] = PersonUsage(before.runs, before.characters + characters)
    return usage


def require_room(session: Session, person: str, runs: int | None, megabytes: float | None) -> None:
    """Refuse another stress run to who has as many, or holds as much, as a person may; None is no limit. Raises RecordError."""
    if runs is None and megabytes is None:
        return
    own = load_usage(session).get(person, PersonUsage())
    if runs is not None and own.runs >= runs:
        raise RecordError(
            f"{person} has {own.runs} stress runs, and a person of this server may have {runs} (TOUCHSTONE_PERSON_RUNS). "
            "Open one of them, or ask the operator for more."
        )
    if megabytes is not None and own.megabytes >= megabytes:
        raise RecordError(
            f"The runs and pins of {person} take {own.megabytes:.1f} MB, and those of a person of this server may take {megabytes:g} MB "
            "(TOUCHSTONE_PERSON_DISK_MB). Ask the operator for more."
        )
