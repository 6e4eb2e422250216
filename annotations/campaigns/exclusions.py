"""Labels that are left out with a reason: all of a person, those of a day, or the answers to a question; recorded, and reversible."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any
from uuid import uuid4

from sqlalchemy import bindparam, func, update
from sqlmodel import Session, col, select

from annotations.campaigns.campaign import CampaignSettings
from annotations.campaigns.questions import QuestionSet
from annotations.campaigns.withdrawals import is_withdrawn
from annotations.store.campaign_tables import Task
from annotations.store.people_tables import Person
from annotations.store.records import RecordError, require_text
from annotations.store.response_tables import Exclusion, Reinstatement, Reservation, Response


@dataclass(frozen=True, slots=True)
class WhatIsExcluded:
    """Existing labels of a person to leave out: those of one `day` (UTC), the answers to one `question`, or all if neither is set."""

    person_id: str
    day: date | None = None
    question: str = ""


@dataclass(frozen=True, slots=True)
class ExclusionRow:
    """An exclusion with the number of labels that it covers, and the reason for its end."""

    id: int
    """Number of the exclusion, by which it is reinstated."""
    person_id: str
    """Id of the person whose labels are left out."""
    person: str
    """Name of that person."""
    pseudonym: str
    """Pseudonym of that person in exports."""
    day: date | None
    """Day (UTC) of the labels; None covers all days."""
    question: str
    """Id of the question whose answers are left out; "" covers whole labels."""
    reason: str
    """Reason that the manager stated."""
    by: str
    """Name of the manager."""
    at: datetime
    """Time of the exclusion; later labels count."""
    labels: int
    """Number of labels that it covers."""
    reinstated: str
    """Reason for counting them again; "" while the exclusion is valid."""
    reinstated_by: str
    """Name of the manager who ended it; "" while it is valid."""
    reinstated_at: datetime | None
    """Time of its end; None while it is valid."""

    @property
    def valid(self) -> bool:
        return self.reinstated_at is None


def exclude(session: Session, campaign: CampaignSettings, what: WhatIsExcluded, reason: str, by: str) -> int:
    """Leave out labels that were given so far, and return how many. Their places become free for others.

    Without the answer to the measured question a label is left out whole; of any other question only the answers are, with
    those to questions that depend on it. The same exclusion again changes nothing. Raises RecordError for an empty reason, an unknown question, where there is no
    label, and where all are left out already for another reason.
    """
    require_text("reason", reason)
    if what.question and what.question not in campaign.questions.by_id:
        question_ids = ", ".join(campaign.questions.by_id)
        raise RecordError(f"There is no question {what.question!r} in {campaign.name!r}. There are: {question_ids}.")
    before = [
        row
        for row in _valid_exclusions(session, campaign.id)
        if row.person_id == what.person_id and (row.question in {what.question, ""}) and row.day in {what.day, None}
    ]
    row = Exclusion(
        campaign_id=campaign.id,
        person_id=what.person_id,
        day=what.day,
        question=what.question,
        reason=reason,
        by=by,
        event_id=uuid4().hex,
        created_at=datetime.now(UTC),
    )
    answers = _first_answers(session, campaign.id, what.person_id)
    covered = sum(_covers(row, at) for _, at in answers)
    if not covered:
        raise RecordError("This person has given no such label. Choose another day, or all of them.")
    if same := next(
        (other for other in before if all(_covers(other, at) for _, at in answers if _covers(row, at))), None
    ):
        if (same.reason, same.by, same.question, same.day) == (reason, by, what.question, what.day):
            return covered  # pressed twice
        raise RecordError(f"These labels are left out already: {same.reason}")
    session.add(row)
    session.flush()
    mark_reservations(session, campaign, what.person_id)
    return covered


def reinstate(session: Session, campaign: CampaignSettings, exclusion_id: int, reason: str, by: str) -> None:
    """Let labels that were left out count again, also beyond the overlap. Raises RecordError where they count already."""
    require_text("reason", reason)
    row, ended = session.get(Exclusion, exclusion_id), session.get(Reinstatement, exclusion_id)
    if row is None or row.campaign_id != campaign.id or ended is not None:
        raise RecordError("These labels are not left out. Reload the page.")
    session.add(Reinstatement(exclusion_id=exclusion_id, reason=reason, by=by, created_at=datetime.now(UTC)))
    session.flush()
    mark_reservations(session, campaign, row.person_id)


def mark_reservations(session: Session, campaign: CampaignSettings, person_id: str) -> None:
    """Mark the labels of a person that the valid exclusions leave out whole, and those of items that are withdrawn."""
    whole = [
        row
        for row in _valid_exclusions(session, campaign.id)
        if row.person_id == person_id and row.question in {"", campaign.questions.measure}
    ]
    answers = _first_answers(session, campaign.id, person_id)
    left_out = [id for id, at in answers if any(_covers(row, at) for row in whole)]
    own = update(Reservation).where(
        col(Reservation.campaign_id) == campaign.id, col(Reservation.person_id) == person_id
    )
    session.execute(own.where(col(Reservation.excluded)).values(excluded=False))
    session.execute(own.where(col(Reservation.id).in_(left_out)).values(excluded=True))
    session.execute(own.where(is_withdrawn(col(Reservation.task_id))).values(excluded=True))
    session.expire_all()


def _covers(row: Exclusion, answered_at: datetime) -> bool:
    """True if an exclusion covers a label that was first given at a time."""
    return answered_at <= row.created_at and row.day in {None, answered_at.date()}


def _first_answers(session: Session, campaign_id: str, person_id: str) -> Sequence[tuple[int, datetime]]:
    """A person's answered reservations of work, each with the time of its first answer."""
    statement = (
        select(Reservation.id, func.min(Response.created_at))
        .join(Response, col(Response.reservation_id) == Reservation.id)
        .join(Task, col(Task.id) == Reservation.task_id)
        .where(
            Reservation.campaign_id == campaign_id,
            Reservation.person_id == person_id,
            Task.part == "work",
            Response.act == "answer",
        )
        .group_by(col(Reservation.id))
    )
    return [(id, at) for id, at in session.exec(statement) if id]


def labelled_tasks(session: Session, campaign_id: str, person_id: str) -> Sequence[str]:
    """The tasks of work that a person has had in a campaign."""
    had = (
        select(Task.id)
        .join(Reservation, col(Reservation.task_id) == Task.id)
        .where(Reservation.campaign_id == campaign_id, Reservation.person_id == person_id, Task.part == "work")
    )
    return session.exec(had.distinct()).all()


_SELECT_VALID = (
    select(Exclusion)
    .where(Exclusion.campaign_id == bindparam("campaign"), col(Exclusion.id).not_in(select(Reinstatement.exclusion_id)))
    .order_by(col(Exclusion.id))
)


def _valid_exclusions(session: Session, campaign_id: str) -> Sequence[Exclusion]:
    return session.exec(_SELECT_VALID, params={"campaign": campaign_id}).all()


def without_excluded(
    exclusions: Iterable[Exclusion], questions: QuestionSet, at: datetime, answers: dict[str, Any]
) -> dict[str, Any]:
    """Answers of a label saved at a time, without those that the exclusions of its person cover and those that depend on them."""
    excluded = {row.question for row in exclusions if _covers(row, at)}
    if not excluded:
        return answers
    for question in questions.questions:
        if excluded.intersection(question.when):
            excluded.add(question.id)
    return {name: answer for name, answer in answers.items() if name not in excluded}


def load_excluded_questions(session: Session, campaign: CampaignSettings) -> dict[str, list[Exclusion]]:
    """Valid exclusions of single questions, which leave the rest of a label in, by the name of the person."""
    rows: dict[str, list[Exclusion]] = defaultdict(list)
    for row in _valid_exclusions(session, campaign.id):
        if row.question not in {"", campaign.questions.measure}:
            rows[session.get_one(Person, row.person_id).name].append(row)
    return dict(rows)


def load_exclusions(session: Session, campaign: CampaignSettings) -> list[ExclusionRow]:
    """Every exclusion of a campaign, reinstated ones too, newest first."""
    rows = session.exec(
        select(Exclusion, Reinstatement, Person.name, Person.pseudonym)
        .join(Person, col(Person.id) == Exclusion.person_id)
        .outerjoin(Reinstatement, col(Reinstatement.exclusion_id) == Exclusion.id)
        .where(Exclusion.campaign_id == campaign.id)
        .order_by(col(Exclusion.id).desc())
    ).all()
    answers = {row.person_id: _first_answers(session, campaign.id, row.person_id) for row, *_ in rows}
    return [
        ExclusionRow(
            id=row.id or 0,
            person_id=row.person_id,
            person=name,
            pseudonym=pseudonym,
            day=row.day,
            question=row.question,
            reason=row.reason,
            by=row.by,
            at=row.created_at,
            labels=sum(_covers(row, at) for _, at in answers[row.person_id]),
            reinstated=end.reason if end else "",
            reinstated_by=end.by if end else "",
            reinstated_at=end.created_at if end else None,
        )
        for row, end, name, pseudonym in rows
    ]


def count_left_out(session: Session, campaign: CampaignSettings) -> int:
    """Number of labels that valid exclusions cover, each once."""
    by_person: dict[str, list[Exclusion]] = defaultdict(list)
    for row in _valid_exclusions(session, campaign.id):
        by_person[row.person_id].append(row)
    return sum(
        any(_covers(row, at) for row in rows)
        for person_id, rows in by_person.items()
        for _, at in _first_answers(session, campaign.id, person_id)
    )


def describe_exclusion(row: ExclusionRow) -> str:
    """Coverage of an exclusion in words: "all labels", "labels of 2026-03-02", "answers to 'confidence'"."""
    what = f"answers to {row.question!r}" if row.question else "labels"
    return f"{row.labels} {what}" + (f" of {row.day}" if row.day else "")
