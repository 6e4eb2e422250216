"""What was said in a campaign, as rows of its export: tasks in hand, labels, decisions and corrections."""

from __future__ import annotations

from collections.abc import Iterator

from sqlmodel import Session, col, select

from annotations.campaigns.exported import Known
from annotations.campaigns.longform import (
    CorrectionLine,
    DecisionLine,
    LabelLine,
    Line,
    TurnLine,
)
from annotations.campaigns.qualifying import unswapped
from annotations.campaigns.questions import read_questions
from annotations.campaigns.setup import Terms
from annotations.campaigns.tables import (
    Correction,
    Person,
    Reservation,
    Response,
    Settlement,
    Task,
    Version,
)

_CHUNK = 500  # rows held in memory at a time


def turns_of(session: Session, known: Known) -> Iterator[Line]:
    found = session.exec(
        select(Reservation, Person.pseudonym)
        .join(Person, col(Person.id) == Reservation.person_id)
        .where(Reservation.campaign_id == known.campaign.id)
        .order_by(col(Reservation.id)),
        execution_options={"yield_per": _CHUNK},
    )
    for held, pseudonym in found:
        yield TurnLine(
            **held.model_dump(include={"turn", "swapped", "state", "reserved_at", "expires_at"}),
            task=known.numbers[held.task_id],
            person=pseudonym,
            order=held.number,
        )


def labels_of(session: Session, known: Known) -> Iterator[Line]:
    versions = session.exec(select(Version).where(Version.campaign_id == known.campaign.id))
    asked = {version.version: read_questions(version.questions) for version in versions}
    found = session.exec(
        select(Response, Reservation, Task, Person.pseudonym)
        .join(Reservation, col(Reservation.id) == Response.reservation_id)
        .join(Task, col(Task.id) == Reservation.task_id)
        .join(Person, col(Person.id) == Reservation.person_id)
        .where(Reservation.campaign_id == known.campaign.id)
        .order_by(col(Response.id)),
        execution_options={"yield_per": _CHUNK},
    )
    for response, held, task, pseudonym in found:
        yield LabelLine(
            **response.model_dump(exclude={"id", "reservation_id", "answers", "number"}),
            answers=unswapped(asked[response.version], response.answers, response.swapped),
            order=response.number,
            task=known.numbers[task.id],
            item_id=task.item_id,
            part=task.part,
            person=pseudonym,
            turn=held.turn,
            provenance=known.provenance.get(task.id),
        )


def decisions_of(session: Session, known: Known) -> Iterator[Line]:
    events = _events(session, known.campaign)
    found = session.exec(
        select(Settlement, Task)
        .join(Task, col(Task.id) == Settlement.task_id)
        .where(Task.campaign_id == known.campaign.id)
        .order_by(col(Settlement.id))
    )
    for row, task in found:
        yield DecisionLine(
            **row.model_dump(exclude={"id", "task_id", "settles", "by"}),
            task=known.numbers[task.id],
            item_id=task.item_id,
            person=known.who(row.by),
            settles=tuple(events[response] for response in row.settles),
        )


def corrections_of(session: Session, known: Known) -> Iterator[Line]:
    found = session.exec(
        select(Correction, Response.event_id)
        .join(Response, col(Response.id) == Correction.response_id)
        .join(Reservation, col(Reservation.id) == Response.reservation_id)
        .where(Reservation.campaign_id == known.campaign.id)
        .order_by(col(Correction.id))
    )
    for row, label in found:
        yield CorrectionLine(
            **row.model_dump(exclude={"id", "response_id", "by"}), label=label, person=known.who(row.by)
        )


def _events(session: Session, campaign: Terms) -> dict[int, str]:
    """The event of each response of a campaign."""
    given = select(Response.id, Response.event_id).join(Reservation, col(Reservation.id) == Response.reservation_id)
    return {id: event for id, event in session.exec(given.where(Reservation.campaign_id == campaign.id)) if id}
