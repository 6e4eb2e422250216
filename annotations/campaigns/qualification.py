"""Training, qualification, and the right and wrong answers of a person to tasks with known answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import bindparam, func
from sqlalchemy import select as select_columns
from sqlmodel import Session, col, exists, select

from annotations.campaigns.campaign import CampaignSettings
from annotations.campaigns.questions import unswap_answers
from annotations.campaigns.withdrawals import IS_WITHDRAWN
from annotations.people.people import Member
from annotations.store.campaign_tables import AnswerKey, Campaign, Task
from annotations.store.response_tables import Reservation, Response

_FINISHED_STATES = ("answered", "skipped", "flagged", "late")


class Stage(StrEnum):
    """The stage of a person in a campaign."""

    TRAINING = "training"
    QUALIFICATION = "qualification"
    UNQUALIFIED = "unqualified"
    EXCLUDED = "excluded"
    WORK = "work"


@dataclass(frozen=True, slots=True)
class MarkedAnswer:
    """A person's answer to a task with known answers: right or wrong, the expected answers and the feedback.

    `expected` has the sides as that person saw them. `turn` counts how often they had the task, which is more than once in
    training only.
    """

    reservation: int
    part: str
    turn: int
    is_correct: bool
    expected: Mapping[str, Any]
    feedback: str
    answered_at: datetime


@dataclass(frozen=True, slots=True)
class TrainingRound:
    """One round of training of a person: `right` of `answered` items, the last of them at `last_at`."""

    number: int
    right: int
    answered: int
    last_at: datetime


def current_stage(session: Session, campaign: CampaignSettings, person: Member) -> Stage:
    """The stage of a person: training, qualification, then work for those who passed; none after a qualification that bars from this campaign."""
    if not campaign.rules.closed_to:
        sat_elsewhere = False
    else:
        sat = (
            select(Reservation.id)
            .join(Task, col(Task.id) == Reservation.task_id)
            .join(Campaign, col(Campaign.id) == Task.campaign_id)
            .where(
                Reservation.person_id == person.id,
                Reservation.state == "answered",
                Task.part == Stage.QUALIFICATION,
                col(Campaign.name).in_(campaign.rules.closed_to),
                Campaign.id != campaign.id,
            )
        )
        sat_elsewhere = session.exec(sat).first() is not None
    if sat_elsewhere:
        return Stage.EXCLUDED
    waiting = set(session.exec(_SELECT_UNFINISHED_PARTS, params={"campaign": campaign.id, "person": person.id}))
    for stage in (Stage.TRAINING, Stage.QUALIFICATION):
        if stage in waiting:
            return stage
    if not campaign.rules.pass_right:
        return Stage.WORK
    right = sum(marked.is_correct for marked in mark_answers(session, campaign, person, (Stage.QUALIFICATION,)))
    return Stage.WORK if right >= campaign.rules.pass_right else Stage.UNQUALIFIED


_SELECT_UNFINISHED_PARTS = (
    select(Task.part)
    .where(
        Task.campaign_id == bindparam("campaign"),
        col(Task.part).in_((Stage.TRAINING, Stage.QUALIFICATION)),
        ~exists().where(
            col(Reservation.task_id) == col(Task.id),
            col(Reservation.person_id) == bindparam("person"),
            col(Reservation.state).in_(_FINISHED_STATES),
        ),
    )
    .distinct()
)


def mark_answers(
    session: Session, campaign: CampaignSettings, person: Member, parts: Sequence[str]
) -> list[MarkedAnswer]:
    """The first answer of each turn to every task with known answers in some parts, in order."""
    tasks = session.exec(_SELECT_TASKS, params={"campaign": campaign.id, "parts": list(parts)}).all()
    if not tasks:
        return []
    rows = session.exec(_SELECT_KNOWN, params={"person": person.id, "tasks": list(tasks)})
    first: dict[int, MarkedAnswer] = {}
    for task, key, reservation, response in rows:
        if response.reservation_id in first:
            continue
        expected = unswap_answers(campaign.questions, key.answers, response.swapped)
        first[response.reservation_id] = MarkedAnswer(
            reservation=response.reservation_id,
            part=task.part,
            turn=reservation.turn,
            is_correct=is_correct(expected, response.answers),
            expected=expected,
            feedback=key.feedback,
            answered_at=response.created_at,
        )
    return list(first.values())


# tasks first: starting from the person's reservations, the database would read all of their work
_SELECT_TASKS = select(Task.id).where(
    Task.campaign_id == bindparam("campaign"), col(Task.part).in_(bindparam("parts", expanding=True))
)
_SELECT_KNOWN = (
    select(Task, AnswerKey, Reservation, Response)
    .join(AnswerKey, col(AnswerKey.task_id) == Task.id)
    .join(Reservation, col(Reservation.task_id) == Task.id)
    .join(Response, col(Response.reservation_id) == Reservation.id)
    .where(
        col(Task.id).in_(bindparam("tasks", expanding=True)),
        Reservation.person_id == bindparam("person"),
        ~col(Reservation.excluded),
        Response.act == "answer",
    )
    .order_by(col(Response.id))
)


def mark_gold(session: Session, campaign: CampaignSettings, tasks: Sequence[str]) -> list[tuple[str, str, bool]]:
    """The first answers to the gold tasks among some tasks: the task, the id of the person, and True if right."""
    first: dict[int, tuple[str, str, bool]] = {}
    for task, person, reservation, key, swapped, answers in session.connection().execute(
        _SELECT_GOLD, {"tasks": list(tasks)}
    ):
        if reservation not in first:
            expected = unswap_answers(campaign.questions, key, swapped)
            first[reservation] = (task, person, is_correct(expected, answers))
    return list(first.values())


_SELECT_GOLD = (
    select_columns(
        *(col(Task.id), col(Reservation.person_id), col(Reservation.id), col(AnswerKey.answers)),
        *(col(Response.swapped), col(Response.answers)),
    )
    .join(AnswerKey, col(AnswerKey.task_id) == col(Task.id))
    .join(Reservation, col(Reservation.task_id) == col(Task.id))
    .join(Response, col(Response.reservation_id) == col(Reservation.id))
    .where(
        *(col(Task.id).in_(bindparam("tasks", expanding=True)), col(Task.part) == "gold"),
        *(col(Response.act) == "answer", ~col(Reservation.excluded)),
    )
    .order_by(col(Response.id))
)


def training_rounds(marked: Iterable[MarkedAnswer]) -> tuple[TrainingRound, ...]:
    """The rounds of training of one person, the first one first; none without an answer."""
    rounds: dict[int, list[MarkedAnswer]] = {}
    for answer in marked:
        if answer.part == Stage.TRAINING:
            rounds.setdefault(answer.turn, []).append(answer)
    return tuple(
        TrainingRound(
            number,
            sum(answer.is_correct for answer in answers),
            len(answers),
            max(answer.answered_at for answer in answers),
        )
        for number, answers in sorted(rounds.items())
    )


def is_correct(key: Mapping[str, Any], answers: Mapping[str, Any]) -> bool:
    """True if the answers match all known ones."""
    return all(answers.get(name) == expected for name, expected in key.items())


def count_tasks(session: Session, campaign: CampaignSettings, part: str) -> int:
    """Number of tasks in a part of a campaign."""
    return session.exec(_COUNT_TASKS, params={"campaign": campaign.id, "part": part}).one()


def count_finished_tasks(session: Session, campaign: CampaignSettings, person: Member, part: str) -> int:
    """Number of tasks of a part that a person has answered or skipped."""
    params = {"campaign": campaign.id, "part": part, "person": person.id}
    return session.exec(_COUNT_FINISHED_TASKS, params=params).one()


_COUNT_TASKS = (
    select(func.count())
    .select_from(Task)
    .where(Task.campaign_id == bindparam("campaign"), Task.part == bindparam("part"), ~IS_WITHDRAWN)
)
_COUNT_FINISHED_TASKS = (
    select(func.count())
    .select_from(Reservation)
    .join(Task, col(Task.id) == Reservation.task_id)
    .where(
        Task.campaign_id == bindparam("campaign"),
        Task.part == bindparam("part"),
        Reservation.person_id == bindparam("person"),
        Reservation.turn == 1,
        col(Reservation.state).in_(_FINISHED_STATES),
    )
)
