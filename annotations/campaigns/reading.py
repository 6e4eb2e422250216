"""Responses as they are looked at afterwards: first and last of each person, sides put right."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, true
from sqlalchemy import select as select_columns
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, exists, select

from annotations.campaigns.qualifying import unswapped
from annotations.campaigns.questions import QuestionSet, read_questions
from annotations.campaigns.setup import Terms
from annotations.campaigns.tables import Correction, Person, Reservation, Response, Settlement, Task, Version
from annotations.tables import Item


@dataclass(frozen=True, slots=True)
class Said:
    """One answer of one person to one task; left is the original, however the sides stood."""

    response: int
    task: str
    item: str
    document: str
    part: str
    turn: int
    counts: bool
    person: str
    pseudonym: str
    answers: Mapping[str, Any]
    version: int
    revision: int
    blind: bool
    active_ms: int
    wall_ms: int
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Settled:
    """What an adjudicator decided of a task last."""

    task: str
    revision: int
    answers: Mapping[str, Any]
    cause: str
    note: str
    settles: tuple[int, ...]
    by: str
    created_at: datetime


# columns, not rows of four tables: making those would take most of the time
_COLUMNS = (
    *(col(Response.id), col(Task.id), col(Task.item_id), col(Task.part), col(Reservation.turn), col(Reservation.state)),
    *(col(Person.name), col(Person.pseudonym), col(Response.answers), col(Response.swapped), col(Response.version)),
    *(col(Response.revision), col(Response.blind), col(Response.active_ms), col(Response.wall_ms)),
    col(Response.created_at),
)


def first_blind(session: Session, campaign: Terms) -> list[Said]:
    """What each person said first of each task of work, before any score was seen; what agreement is reckoned from.

    What was taken back, came too late or is a second turn does not count.
    """
    first: dict[tuple[str, str], Said] = {}
    for said in _answers(session, campaign):
        if said.part == "work" and said.turn == 1 and said.blind and said.counts:
            first.setdefault((said.task, said.person), said)
    return list(first.values())


def last_words(session: Session, campaign: Terms) -> list[Said]:
    """What each person says of each task of work now."""
    last = {
        (said.task, said.person): said for said in _answers(session, campaign) if said.part == "work" and said.turn == 1
    }
    return [said for said in last.values() if said.counts]


def blind_words(session: Session, campaign: Terms, task: str | None = None) -> list[Said]:
    """What each person says of each task of work, or of one of them, now, without sight of a score."""
    last = {
        (said.task, said.person): said
        for said in _answers(session, campaign, task)
        if said.part == "work" and said.turn == 1 and said.blind
    }
    return [said for said in last.values() if said.counts]


def repeated(session: Session, campaign: Terms) -> list[tuple[Said, Said]]:
    """The first and the second turn of what somebody had twice."""
    turns: dict[tuple[str, str, int], Said] = {}
    for said in _answers(session, campaign):
        if said.counts:
            turns.setdefault((said.task, said.person, said.turn), said)
    twice = [(task, person) for task, person, turn in turns if turn == 2 and (task, person, 1) in turns]
    return [(turns[task, person, 1], turns[task, person, 2]) for task, person in twice]


def found_types(session: Session) -> dict[str, str]:
    """The error type that a curator found last in each written edit, by the item that it made."""
    found = session.exec(select(Correction.item_id, Correction.error_type).order_by(col(Correction.id)))
    return dict(found.all())


def settled(session: Session, campaign: Terms) -> dict[str, Settled]:
    """The newest decision of each task that has one."""
    found = session.exec(
        select(Settlement)
        .join(Task, col(Task.id) == Settlement.task_id)
        .where(Task.campaign_id == campaign.id)
        .order_by(col(Settlement.revision))
    )
    return {
        row.task_id: Settled(
            row.task_id,
            row.revision,
            row.answers,
            row.cause,
            row.note,
            tuple(row.settles),
            row.by,
            row.created_at,
        )
        for row in found
    }


def _answers(session: Session, campaign: Terms, task: str | None = None) -> Iterator[Said]:
    """Every answer, or those to one task, in the order in which it came."""
    asked = _questions_by_version(session, campaign)
    documents = _documents(session, campaign)
    wanted = true() if task is None else col(Task.id) == task
    found = session.connection().execute(
        select_columns(*_COLUMNS)
        .join(Reservation, col(Reservation.id) == Response.reservation_id)
        .join(Task, col(Task.id) == Reservation.task_id)
        .join(Person, col(Person.id) == Reservation.person_id)
        .where(col(Reservation.campaign_id) == campaign.id, col(Response.act) == "answer", ~_taken_back(), wanted)
        .order_by(col(Response.id))
    )
    for response, task, item, part, turn, state, person, pseudonym, answers, swapped, version, *rest in found:
        yield Said(
            response,
            task,
            item,
            documents[item],
            part,
            turn,
            state == "answered",
            person,
            pseudonym,
            unswapped(asked[version], answers, swapped),
            version,
            *rest,
        )


def _taken_back() -> ColumnElement[bool]:
    undo = aliased(Response)
    return exists().where(
        col(undo.reservation_id) == col(Response.reservation_id),
        col(undo.act) == "undo",
        col(undo.revision) > col(Response.revision),
    )


def _documents(session: Session, campaign: Terms) -> dict[str, str]:
    """The document of each item of a campaign."""
    items = select(Item.id, Item.document_id).join(Task, col(Task.item_id) == Item.id)
    return dict(session.exec(items.where(Task.campaign_id == campaign.id)).all())


def _questions_by_version(session: Session, campaign: Terms) -> dict[int, QuestionSet]:
    versions = session.exec(select(Version.version, Version.questions).where(Version.campaign_id == campaign.id))
    return {version: read_questions(questions) for version, questions in versions}
