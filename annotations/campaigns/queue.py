"""Which task comes next for a person, reserved in the same transaction that chose it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal

from sqlalchemy import ColumnElement, and_, func, or_
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, exists, select
from sqlmodel.sql.expression import SelectOfScalar

from annotations.campaigns.people import Member
from annotations.campaigns.qualifying import Stage, stage_of
from annotations.campaigns.setup import MOST, Part, Terms, number_of
from annotations.campaigns.tables import Person, Reservation, Task
from annotations.tables import Explanation, Origin

_TRIED = 20  # candidates that others may be taking in the same moment
_REPEATED_AFTER = 10  # tasks between the first time and the second

_HAD = aliased(Reservation)  # made once: it takes longer to make than to ask with

Why = Literal["closed", "unqualified", "apart", "held", "over"]


@dataclass(frozen=True, slots=True)
class Nothing:
    """Why there is no task for somebody now.

    closed: the campaign takes no labels; unqualified: too few right answers in the qualification; apart: what is left is a
    version of what was just labelled; held: what is left is in the hands of others; over: all is labelled.
    """

    why: Why


def reserve_next(
    session: Session, campaign: Terms, person: Member, now: datetime | None = None
) -> Reservation | Nothing:
    """The task in a person's hands, or else the next one.

    Training and qualification come first. Then known answers and repeats where it is their turn, and work: what was
    labelled least, in an order of the person's own. No task twice, none of one's own making, none beyond the overlap.
    """
    now = now or datetime.now(UTC)
    if not campaign.is_open:
        return Nothing("closed")
    # one tab at a time: a person's tasks are counted one after the other; on SQLite the transaction is alone already
    session.exec(select(Person.id).where(Person.id == person.id).with_for_update(key_share=True)).one()
    if held := _in_hand(session, campaign, person, now):
        return held
    stage = stage_of(session, campaign, person)
    if stage is Stage.UNQUALIFIED:
        return Nothing("unqualified")
    if stage is not Stage.WORK:
        return _take(session, campaign, person, _first_of(session, campaign, person, stage.value), now)
    return _next_work(session, campaign, person, now)


def taken(now: datetime) -> ColumnElement[bool]:
    """Whether a reservation uses up one of the places of its task."""
    held = and_(col(Reservation.state) == "open", col(Reservation.expires_at) > now)
    return and_(col(Reservation.turn) == 1, or_(col(Reservation.state) == "answered", held))


def places_taken(session: Session, task_id: str, now: datetime, but: int | None = None) -> int:
    """How many places of a task are used up, one reservation not counted."""
    counted = select(func.count()).select_from(Reservation).where(Reservation.task_id == task_id, taken(now))
    return session.exec(counted if but is None else counted.where(Reservation.id != but)).one()


def _in_hand(session: Session, campaign: Terms, person: Member, now: datetime) -> Reservation | None:
    """The first open reservation, renewed; one that expired and whose place others took is let go."""
    mine = _mine(campaign, person).where(Reservation.state == "open").order_by(col(Reservation.number))
    for held in session.exec(mine).all():
        if held.expires_at > now or held.turn > 1 or _has_place(session, campaign, held, now):
            held.expires_at = _expiry(campaign, now)
            session.add(held)
            return held
        held.state = "lapsed"
        session.add(held)
    return None


def _has_place(session: Session, campaign: Terms, held: Reservation, now: datetime) -> bool:
    _lock(session, held.task_id, wait=True)
    if session.get_one(Task, held.task_id).part != "work":
        return True
    return places_taken(session, held.task_id, now, but=held.id) < campaign.rules.overlap


def _next_work(session: Session, campaign: Terms, person: Member, now: datetime) -> Reservation | Nothing:
    number, rules = _next_number(session, campaign, person), campaign.rules
    if _is_turn(number, rules.gold_every, rules.seed, person) and (
        gold := _first_of(session, campaign, person, "gold")
    ):
        return _take(session, campaign, person, gold, now)
    if _is_turn(number, rules.repeat_every, rules.seed + 1, person):
        again = _to_repeat(session, campaign, person, number)
        if again:
            return _take(session, campaign, person, again, now, turn=2)
    for task_id in _candidates(session, campaign, person, now):
        if _lock(session, task_id) and places_taken(session, task_id, now) < rules.overlap:
            return _take(session, campaign, person, task_id, now)
    return Nothing(_why(session, campaign, person, now))


def _candidates(session: Session, campaign: Terms, person: Member, now: datetime) -> Iterator[str]:
    recent = _recent_groups(session, campaign, person, now)
    yield from session.exec(_free(campaign, person, now, recent).limit(_TRIED)).all()


def _free(campaign: Terms, person: Member, now: datetime, apart_from: Sequence[str] = ()) -> SelectOfScalar[str]:
    """Work that the person may label and that is no version of some texts, what was labelled least first."""
    # counted task by task: both databases find the few reservations of one faster than they group all of a campaign
    places = select(func.count()).where(Reservation.task_id == Task.id, taken(now)).correlate(Task).scalar_subquery()
    factor = 1 + number_of(campaign.rules.seed, person.id, "factor") % (MOST - 1)
    offset = number_of(campaign.rules.seed, person.id, "offset")
    left = select(Task.id, places.label("places"), ((col(Task.shuffle) * factor + offset) % MOST).label("place")).where(
        Task.campaign_id == campaign.id,
        Task.part == "work",
        ~_had(person),
        ~_made(person),
        col(Task.group).not_in(apart_from),
    )
    # materialized: the places would else be counted once to choose and once more to sort
    found = left.cte("left").prefix_with("MATERIALIZED")
    return select(found.c.id).where(found.c.places < campaign.rules.overlap).order_by(found.c.places, found.c.place)


# None of the next two depends on the task that it is asked of: whatever a database believes of its tables, it looks them
# up once and not once for each task.


def _had(person: Member) -> ColumnElement[bool]:
    return col(Task.id).in_(select(Reservation.task_id).where(Reservation.person_id == person.id))


def _made(person: Member) -> ColumnElement[bool]:
    """Whether a task is of the person's own making: the edit, or the explanation to be judged."""
    edits = select(Origin.item_id).where(Origin.by == person.name)
    words = select(Explanation.id).where(Explanation.by == person.name)
    return or_(col(Task.item_id).in_(edits), col(Task.explanation_id).in_(words))


def _recent_groups(session: Session, campaign: Terms, person: Member, now: datetime) -> list[str]:
    """The texts that were had so lately that no other version of them may follow."""
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


def _first_of(session: Session, campaign: Terms, person: Member, part: Part | str) -> str | None:
    """The first task of a part that the person has not had."""
    waiting = select(Task.id).where(Task.campaign_id == campaign.id, Task.part == part, ~_had(person))
    return session.exec(waiting.order_by(col(Task.position)).limit(1)).first()


def _to_repeat(session: Session, campaign: Terms, person: Member, number: int) -> str | None:
    """The oldest work that the person answered long enough ago and has had once."""
    had_twice = exists().where(
        col(_HAD.task_id) == col(Reservation.task_id), col(_HAD.person_id) == person.id, col(_HAD.turn) == 2
    )
    first = (
        select(Reservation.task_id)
        .join(Task, col(Task.id) == Reservation.task_id)
        .where(
            Task.campaign_id == campaign.id,
            Task.part == "work",
            Reservation.person_id == person.id,
            Reservation.state == "answered",
            col(Reservation.number) <= number - _REPEATED_AFTER,
            ~had_twice,
        )
        .order_by(col(Reservation.number))
    )
    return session.exec(first.limit(1)).first()


def _take(
    session: Session, campaign: Terms, person: Member, task_id: str | None, now: datetime, turn: int = 1
) -> Reservation | Nothing:
    if task_id is None:
        return Nothing("over")
    taken_now = Reservation(
        campaign_id=campaign.id,
        task_id=task_id,
        person_id=person.id,
        turn=turn,
        number=_next_number(session, campaign, person),
        swapped=campaign.questions.unit == "pair" and number_of(campaign.rules.seed, person.id, task_id, turn) % 2 == 1,
        state="open",
        reserved_at=now,
        expires_at=_expiry(campaign, now),
    )
    session.add(taken_now)
    session.flush()
    return taken_now


def _why(session: Session, campaign: Terms, person: Member, now: datetime) -> Why:
    if session.exec(_free(campaign, person, now).limit(1)).first():
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
            ~_had(person),
        )
    )
    return "held" if session.exec(open_ones.limit(1)).first() else "over"


def _mine(campaign: Terms, person: Member) -> SelectOfScalar[Reservation]:
    return select(Reservation).where(Reservation.campaign_id == campaign.id, Reservation.person_id == person.id)


def _next_number(session: Session, campaign: Terms, person: Member) -> int:
    mine = select(func.max(Reservation.number)).where(
        Reservation.campaign_id == campaign.id, Reservation.person_id == person.id
    )
    return (session.exec(mine).one() or 0) + 1


def _is_turn(number: int, every: int, seed: int, person: Member) -> bool:
    """One place of every so many, another for each person."""
    return bool(every) and number % every == number_of(seed, person.id, "turn") % every


def _lock(session: Session, task_id: str, wait: bool = False) -> bool:
    """Keep others from taking places of a task until the transaction ends; False where somebody is at it."""
    row = select(Task.id).where(Task.id == task_id).with_for_update(key_share=True, skip_locked=not wait)
    return session.exec(row).first() is not None


def _expiry(campaign: Terms, now: datetime) -> datetime:
    return now + timedelta(minutes=campaign.rules.expires_minutes)
