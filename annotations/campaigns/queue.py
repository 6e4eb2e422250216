"""Which task comes next for a person, reserved in the same transaction that chose it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal

from sqlalchemy import ColumnElement, Label, func, or_
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, exists, select
from sqlmodel.sql.expression import SelectOfScalar

from annotations.campaigns.campaign import SHUFFLE_PRIME, CampaignSettings, TaskPart, stable_number
from annotations.campaigns.people import Member, names_of
from annotations.campaigns.qualification import Stage, current_stage
from annotations.campaigns.tables import Person, Reservation, Task
from annotations.campaigns.work_plan import (
    calibration_tasks,
    count_work,
    has_free_place,
    is_handing_out,
    is_place_taken,
    lock_task,
    next_task_number,
)
from annotations.tables import Explanation, Origin

_MAX_CANDIDATES = 20  # candidates that others may be taking in the same moment
_MIN_REPEAT_DISTANCE = 10  # tasks between the first time and the second

_SECOND_TURN = aliased(Reservation)  # made once: it takes longer than the query

NoTaskReason = Literal[
    "closed", "deadline", "excluded", "unqualified", "calibrated", "limit", "apart", "reserved", "over"
]


@dataclass(frozen=True, slots=True)
class NoTask:
    """Why there is no task for a person now.

    closed: the campaign takes no labels; deadline: its last day is past; excluded: the person sat a qualification that closes
    this campaign; unqualified: too few right answers in the qualification; calibrated: the calibration round is done and the
    rest is not open yet; limit: this person has had as many items as the rules allow; apart: what is left is a version of what
    was just labelled; reserved: what is left is reserved by others; over: all is labelled.
    """

    reason: NoTaskReason


def reserve_next(
    session: Session, campaign: CampaignSettings, person: Member, now: datetime | None = None
) -> Reservation | NoTask:
    """The current task of a person, or else the next one.

    Training and qualification come first. Then known answers and repeats where it is their turn, and work: what was
    labelled least, in an order of the person's own unless the rules say otherwise. No task twice, none of one's own making, none beyond the overlap;
    but the calibration round, which everybody labels first.
    """
    now = now or datetime.now(UTC)
    if not is_handing_out(campaign, now):
        return NoTask("deadline" if campaign.is_open else "closed")
    # one tab at a time: a person's tasks are counted one after the other; on SQLite the transaction is alone already
    session.exec(select(Person.id).where(Person.id == person.id).with_for_update(key_share=True)).one()
    if reservation := _open_reservation(session, campaign, person, now):
        return reservation
    stage = current_stage(session, campaign, person)
    if stage is Stage.EXCLUDED:
        return NoTask("excluded")
    if stage is Stage.UNQUALIFIED:
        return NoTask("unqualified")
    if stage is not Stage.WORK:
        return _reserve(session, campaign, person, _first_unseen_task(session, campaign, person, stage.value), now)
    return _next_work(session, campaign, person, now)


def reserve_ahead(
    session: Session, campaign: CampaignSettings, person: Member, current: Reservation, now: datetime | None = None
) -> Reservation | NoTask:
    """The work that comes after the current task, reserved with it so that it can be shown without waiting.

    Training and qualification are given one by one: what comes next depends on the answers.
    """
    now = now or datetime.now(UTC)
    if not is_handing_out(campaign, now):
        return NoTask("closed")
    session.exec(select(Person.id).where(Person.id == person.id).with_for_update(key_share=True)).one()
    current.expires_at = _expiry(campaign, now)
    session.add(current)
    later = _reservations_of(campaign, person).where(
        Reservation.state == "open", col(Reservation.number) > current.number, col(Reservation.expires_at) > now
    )
    if found := session.exec(later.order_by(col(Reservation.number)).limit(1)).first():
        return found
    if current_stage(session, campaign, person) is not Stage.WORK:
        return NoTask("apart")
    return _next_work(session, campaign, person, now)


def _open_reservation(
    session: Session, campaign: CampaignSettings, person: Member, now: datetime
) -> Reservation | None:
    """The first open reservation, renewed; one that expired and whose place others took lapses."""
    own = _reservations_of(campaign, person).where(Reservation.state == "open").order_by(col(Reservation.number))
    for reservation in session.exec(own).all():
        if reservation.expires_at > now or reservation.turn > 1 or _has_place(session, campaign, reservation, now):
            reservation.expires_at = _expiry(campaign, now)
            session.add(reservation)
            return reservation
        reservation.state = "lapsed"
        session.add(reservation)
    return None


def _has_place(session: Session, campaign: CampaignSettings, reservation: Reservation, now: datetime) -> bool:
    lock_task(session, reservation.task_id, wait=True)
    if session.get_one(Task, reservation.task_id).part != "work":
        return True
    return has_free_place(session, campaign, reservation.task_id, now, exclude=reservation.id)


def _next_work(session: Session, campaign: CampaignSettings, person: Member, now: datetime) -> Reservation | NoTask:
    rules = campaign.rules
    if rules.most_per_person and count_work(session, campaign, person) >= rules.most_per_person:
        return NoTask("limit")
    calibrating = _next_calibration_task(session, campaign, person, now) if rules.calibration else None
    if calibrating or rules.calibration_pause:
        return _reserve(session, campaign, person, calibrating, now) if calibrating else NoTask("calibrated")
    if mixed_in := _next_mixed_in(session, campaign, person, now):
        return mixed_in
    for task_id in _candidate_tasks(session, campaign, person, now):
        if lock_task(session, task_id) and has_free_place(session, campaign, task_id, now):
            return _reserve(session, campaign, person, task_id, now)
    return NoTask(_no_task_reason(session, campaign, person, now))


def _next_mixed_in(
    session: Session, campaign: CampaignSettings, person: Member, now: datetime
) -> Reservation | NoTask | None:
    """A known answer or a repeat, where it is their turn and there is one."""
    number, rules = next_task_number(session, campaign, person), campaign.rules
    if _is_turn(number, rules.gold_every, rules.seed, person) and (
        gold := _first_unseen_task(session, campaign, person, "gold")
    ):
        return _reserve(session, campaign, person, gold, now)
    if _is_turn(number, rules.repeat_every, rules.seed + 1, person):
        repeated = _task_to_repeat(session, campaign, person, number)
        if repeated:
            return _reserve(session, campaign, person, repeated, now, turn=2)
    return None


def _candidate_tasks(session: Session, campaign: CampaignSettings, person: Member, now: datetime) -> Iterator[str]:
    recent = _recent_groups(session, campaign, person, now)
    yield from session.exec(_free_tasks(campaign, person, now, recent).limit(_MAX_CANDIDATES)).all()


def _next_calibration_task(session: Session, campaign: CampaignSettings, person: Member, now: datetime) -> str | None:
    """An item of the calibration round that the person has not had; what was just labelled in another version comes last."""
    waiting = session.exec(
        select(Task.id, Task.group)
        .where(col(Task.id).in_(calibration_tasks(campaign)), ~_was_reserved_by(person), ~_was_made_by(person))
        .order_by(col(Task.position))
    ).all()
    recent = _recent_groups(session, campaign, person, now) if waiting else []
    return next((id for id, group in waiting if group not in recent), waiting[0][0] if waiting else None)


def _free_tasks(
    campaign: CampaignSettings, person: Member, now: datetime, apart_from: Sequence[str] = ()
) -> SelectOfScalar[str]:
    """Work that the person may label and that is no version of some texts, what was labelled least first."""
    # counted task by task: both databases find the few reservations of one faster than they group all of a campaign
    places = (
        select(func.count())
        .where(Reservation.task_id == Task.id, is_place_taken(now))
        .correlate(Task)
        .scalar_subquery()
    )
    left = select(Task.id, places.label("places"), _place_in_order(campaign, person)).where(
        Task.campaign_id == campaign.id,
        Task.part == "work",
        ~_was_reserved_by(person),
        ~_was_made_by(person),
        col(Task.group).not_in(apart_from),
    )
    # materialized: the places would else be counted once to choose and once more to sort
    found = left.cte("left").prefix_with("MATERIALIZED")
    first = found.c.places.desc() if campaign.rules.early_overlap else found.c.places
    return select(found.c.id).where(found.c.places < campaign.rules.overlap).order_by(first, found.c.place)


def _place_in_order(campaign: CampaignSettings, person: Member) -> Label[int]:
    """The place of a task: in the list, or by chance in an order of the person's own."""
    if campaign.rules.order == "disagreement":
        return col(Task.position).label("place")
    factor = 1 + stable_number(campaign.rules.seed, person.id, "factor") % (SHUFFLE_PRIME - 1)
    offset = stable_number(campaign.rules.seed, person.id, "offset")
    return ((col(Task.shuffle) * factor + offset) % SHUFFLE_PRIME).label("place")


# Neither of the next two subqueries depends on the row of the task, so that a database evaluates them once and not once
# for each task, whatever its statistics are.


def _was_reserved_by(person: Member) -> ColumnElement[bool]:
    return col(Task.id).in_(select(Reservation.task_id).where(Reservation.person_id == person.id))


def _was_made_by(person: Member) -> ColumnElement[bool]:
    """Whether the person wrote the edit of a task, or the explanation to be judged."""
    edits = select(Origin.item_id).where(col(Origin.by).in_(names_of(person)))
    explanations = select(Explanation.id).where(col(Explanation.by).in_(names_of(person)))
    return or_(col(Task.item_id).in_(edits), col(Task.explanation_id).in_(explanations))


def _recent_groups(session: Session, campaign: CampaignSettings, person: Member, now: datetime) -> list[str]:
    """The texts of recent tasks, of which no other version may follow yet."""
    rules = campaign.rules
    since = now - timedelta(minutes=rules.apart_minutes)
    last = (
        select(Reservation.task_id, Reservation.reserved_at)
        .where(Reservation.campaign_id == campaign.id, Reservation.person_id == person.id)
        .order_by(col(Reservation.number).desc())
        .limit(rules.apart)
        .subquery()
    )
    found = select(Task.group).join(last, last.c.task_id == Task.id).where(last.c.reserved_at > since)
    return list(session.exec(found).all())


def _first_unseen_task(
    session: Session, campaign: CampaignSettings, person: Member, part: TaskPart | str
) -> str | None:
    """The first task of a part that the person has not had."""
    waiting = select(Task.id).where(Task.campaign_id == campaign.id, Task.part == part, ~_was_reserved_by(person))
    return session.exec(waiting.order_by(col(Task.position)).limit(1)).first()


def _task_to_repeat(session: Session, campaign: CampaignSettings, person: Member, number: int) -> str | None:
    """The oldest work that the person answered long enough ago and has had once."""
    had_twice = exists().where(
        col(_SECOND_TURN.task_id) == col(Reservation.task_id),
        col(_SECOND_TURN.person_id) == person.id,
        col(_SECOND_TURN.turn) == 2,
    )
    first = (
        select(Reservation.task_id)
        .join(Task, col(Task.id) == Reservation.task_id)
        .where(
            Task.campaign_id == campaign.id,
            Task.part == "work",
            Reservation.person_id == person.id,
            Reservation.state == "answered",
            col(Reservation.number) <= number - _MIN_REPEAT_DISTANCE,
            ~had_twice,
        )
        .order_by(col(Reservation.number))
    )
    return session.exec(first.limit(1)).first()


def _reserve(
    session: Session, campaign: CampaignSettings, person: Member, task_id: str | None, now: datetime, turn: int = 1
) -> Reservation | NoTask:
    if task_id is None:
        return NoTask("over")
    reservation = Reservation(
        campaign_id=campaign.id,
        task_id=task_id,
        person_id=person.id,
        turn=turn,
        number=next_task_number(session, campaign, person),
        swapped=campaign.questions.unit == "pair"
        and stable_number(campaign.rules.seed, person.id, task_id, turn) % 2 == 1,
        state="open",
        reserved_at=now,
        expires_at=_expiry(campaign, now),
    )
    session.add(reservation)
    session.flush()
    return reservation


def _no_task_reason(session: Session, campaign: CampaignSettings, person: Member, now: datetime) -> NoTaskReason:
    if session.exec(_free_tasks(campaign, person, now).limit(1)).first():
        return "apart"
    open_ones = (
        select(Reservation.id)
        .join(Task, col(Task.id) == Reservation.task_id)
        .where(
            Task.campaign_id == campaign.id,
            Task.part == "work",
            Reservation.state == "open",
            col(Reservation.expires_at) > now,
            Reservation.person_id != person.id,
            ~_was_reserved_by(person),
        )
    )
    return "reserved" if session.exec(open_ones.limit(1)).first() else "over"


def _reservations_of(campaign: CampaignSettings, person: Member) -> SelectOfScalar[Reservation]:
    return select(Reservation).where(Reservation.campaign_id == campaign.id, Reservation.person_id == person.id)


def _is_turn(number: int, every: int, seed: int, person: Member) -> bool:
    """One place of every so many, another for each person."""
    return bool(every) and number % every == stable_number(seed, person.id, "turn") % every


def _expiry(campaign: CampaignSettings, now: datetime) -> datetime:
    return now + timedelta(minutes=campaign.rules.expires_minutes)
