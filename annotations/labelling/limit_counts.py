"""Counts for limits: first answers of a person, updated with each response, and recounted from all labels after a change of rules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import and_, bindparam, delete, insert, inspect, or_
from sqlalchemy import select as select_columns
from sqlmodel import Session, col, select

from annotations.campaigns.campaign import CampaignSettings
from annotations.campaigns.qualification import is_correct
from annotations.campaigns.questions import Answer, unswap_answers
from annotations.store.campaign_tables import AnswerKey, Task
from annotations.store.response_tables import LimitCounts, LimitEvent, Reservation, Response


@dataclass(slots=True)
class SignalCounts:
    """First answers of a person since they were last let go on: `right` of `gold` and `same` of `repeated` ones, `read` of `first` ones not too fast.

    `answers` has how often each was given to work, in the order of their first time.
    """

    gold: int = 0
    right: int = 0
    repeated: int = 0
    same: int = 0
    read: int = 0
    first: int = 0
    answers: Counter[Answer] = field(default_factory=Counter)


_NUMBERS = ("gold", "right", "repeated", "same", "read", "first")


def newest_state(session: Session, campaign_id: str, person_id: str) -> LimitEvent | None:
    """The newest pause or resumption of a person; None for a person who never had one."""
    return session.exec(_SELECT_NEWEST_STATE, params={"campaign": campaign_id, "person": person_id}).first()


_SELECT_NEWEST_STATE = (
    select(LimitEvent)
    .where(
        LimitEvent.campaign_id == bindparam("campaign"),
        LimitEvent.person_id == bindparam("person"),
        LimitEvent.act != "warn",
    )
    .order_by(col(LimitEvent.id).desc())
    .limit(1)
)


def load_signal_counts(session: Session, campaign: CampaignSettings, person_id: str) -> SignalCounts:
    """The stored counts of a person; counted from all labels where none are stored under these rules."""
    resumption = _find_resumption(session, campaign.id, person_id)
    return _kept_counts(session, campaign, person_id, resumption) or _count_all(
        session, campaign, person_id, resumption
    )


def count_response(
    session: Session, campaign: CampaignSettings, person_id: str, first_of: Reservation | None
) -> SignalCounts:
    """Add a response that was just saved to the counts of its person, and store them; `first_of` is the reservation that it answers for the first time, None for any other response.

    The change of the reservation's state keeps other tabs of the person waiting until the transaction ends.
    """
    resumption = _find_resumption(session, campaign.id, person_id)
    counts = _kept_counts(session, campaign, person_id, resumption)
    if counts and first_of is None:
        return counts
    if counts and first_of:
        own = {"person": person_id, "task": first_of.task_id}
        answers = _read_answers(campaign, session.execute(_SELECT_OF_TASK, own).all())
        _add_answers(counts, campaign, answers, resumption, only=first_of.id)
    else:
        counts = _count_all(session, campaign, person_id, resumption)

    key = {"campaign_id": campaign.id, "person_id": person_id}
    values = {"version": campaign.version, "resumed": _resumed(resumption), "answers": list(counts.answers.items())}
    session.execute(_DELETE_KEPT, {"campaign": campaign.id, "person": person_id})
    session.execute(insert(LimitCounts), key | values | {name: getattr(counts, name) for name in _NUMBERS})
    return counts


def _find_resumption(session: Session, campaign_id: str, person_id: str) -> LimitEvent | None:
    newest = newest_state(session, campaign_id, person_id)
    return newest if newest and newest.act == "resume" else None


def _resumed(resumption: LimitEvent | None) -> int:
    return (resumption.id if resumption else None) or 0


def _kept_counts(
    session: Session, campaign: CampaignSettings, person_id: str, resumption: LimitEvent | None
) -> SignalCounts | None:
    """The counts stored under these rules since this resumption; None where there are none."""
    row = session.execute(_SELECT_KEPT, {"campaign": campaign.id, "person": person_id}).mappings().first()
    if row is None or (row["version"], row["resumed"]) != (campaign.version, _resumed(resumption)):
        return None
    return SignalCounts(**{name: row[name] for name in _NUMBERS}, answers=Counter(dict(row["answers"])))


_SELECT_KEPT = select_columns(*inspect(LimitCounts).columns).where(
    col(LimitCounts.campaign_id) == bindparam("campaign"), col(LimitCounts.person_id) == bindparam("person")
)
_DELETE_KEPT = delete(LimitCounts).where(
    col(LimitCounts.campaign_id) == bindparam("campaign"), col(LimitCounts.person_id) == bindparam("person")
)


def _count_all(
    session: Session, campaign: CampaignSettings, person_id: str, resumption: LimitEvent | None
) -> SignalCounts:
    own = {"campaign": campaign.id, "person": person_id}
    counts = SignalCounts()
    _add_answers(counts, campaign, _read_answers(campaign, session.execute(_SELECT_OWN, own).all()), resumption)
    return counts


@dataclass(frozen=True, slots=True)
class _OwnAnswer:
    """The first answer of a person to a reserved task."""

    reservation: int
    """Number of the reservation."""
    task: str
    """Id of the task."""
    part: str
    """Part of the campaign that the task belongs to."""
    turn: int
    """1 for the first time that the person had the task, 2 for a repeat."""
    answers: dict[str, Any]
    """Answers with the original on the left."""
    key: dict[str, Any] | None
    """Known answers; None where there are none."""
    active_ms: int
    """Milliseconds in which the person read or typed."""
    at: datetime
    """Time of the answer."""


_SELECT_ANSWERS = (
    select_columns(
        *(col(Response.reservation_id), col(Task.id), col(Task.part), col(Reservation.turn), col(Response.answers)),
        *(col(Response.swapped), col(AnswerKey.answers), col(Response.active_ms), col(Response.created_at)),
    )
    .join(Reservation, col(Reservation.id) == Response.reservation_id)
    .join(Task, col(Task.id) == Reservation.task_id)
    .outerjoin(AnswerKey, col(AnswerKey.task_id) == Task.id)
    .where(
        col(Reservation.person_id) == bindparam("person"),
        or_(col(Task.part) == "work", and_(col(Task.part) == "gold", ~col(Reservation.excluded))),
        *(col(Response.act) == "answer", col(Response.mode) != "imported"),
    )
    .order_by(col(Response.id))
)
_SELECT_OWN = _SELECT_ANSWERS.where(col(Reservation.campaign_id) == bindparam("campaign"))
# not by campaign: SQLite would choose that index and read all of the person's rows in it
_SELECT_OF_TASK = _SELECT_ANSWERS.where(col(Reservation.task_id) == bindparam("task"))


def _read_answers(campaign: CampaignSettings, rows: Sequence[tuple[Any, ...]]) -> list[_OwnAnswer]:
    """The first answer to each reserved task, in order."""
    first: dict[int, _OwnAnswer] = {}
    for reservation, task, part, turn, answers, swapped, key, active_ms, at in rows:
        if reservation not in first:
            own_answers = unswap_answers(campaign.questions, answers, swapped)
            first[reservation] = _OwnAnswer(reservation, task, part, turn, own_answers, key, active_ms, at)
    return list(first.values())


def _add_answers(
    counts: SignalCounts,
    campaign: CampaignSettings,
    every: Sequence[_OwnAnswer],
    resumption: LimitEvent | None,
    only: int | None = None,
) -> None:
    """Add a person's answers since the resumption to the counts, or only the answer to the reservation `only`."""
    measured, least_ms = campaign.questions.measured, 1000 * campaign.rules.least_seconds
    before = {answer.task: measured(answer.answers) for answer in every if answer.turn == 1}
    for answer in every:
        if (resumption and answer.at <= resumption.created_at) or only not in (None, answer.reservation):
            continue
        if answer.part == "gold" and answer.key:
            counts.gold += 1
            counts.right += is_correct(answer.key, answer.answers)
        if answer.turn == 2:
            counts.repeated += 1
            counts.same += measured(answer.answers) == before.get(answer.task)
        if answer.turn == 1:
            counts.first += 1
            counts.read += answer.active_ms >= least_ms
        if answer.part == "work" and answer.turn == 1:
            counts.answers[measured(answer.answers)] += 1
