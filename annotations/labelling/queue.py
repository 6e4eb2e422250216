"""Next task of a person, selected and reserved in one transaction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Literal

from sqlalchemy import bindparam, func, insert, inspect
from sqlalchemy import select as select_columns
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, exists, select

from annotations.campaigns.assignment import lock_queue
from annotations.campaigns.campaign import CampaignSettings, TaskPart, stable_number
from annotations.campaigns.qualification import Stage, current_stage
from annotations.campaigns.score_views import WAS_VIEWED
from annotations.campaigns.withdrawals import IS_WITHDRAWN, is_withdrawn
from annotations.campaigns.work_plan import (
    COUNT_PLACES,
    calibration_tasks,
    has_free_place,
    is_at_limit,
    is_handing_out,
    lock_task,
    wanted_labels,
)
from annotations.labelling.free_tasks import SCORES_WERE_SEEN, WAS_MADE, WAS_RESERVED, TaskSearch, free_tasks
from annotations.labelling.limits import find_pause
from annotations.people.people import Member
from annotations.results.drawn import find_stop
from annotations.store.campaign_tables import Task
from annotations.store.records import RecordError
from annotations.store.response_tables import Reservation

_MIN_REPEAT_DISTANCE = 10  # tasks between the first time and the second

NoTaskReason = Literal[
    "closed",
    "deadline",
    "paused",
    "stopped",
    "excluded",
    "unqualified",
    "calibrated",
    "limit",
    "skill",
    "apart",
    "reserved",
    "over",
]


@dataclass(frozen=True, slots=True)
class NoTask:
    """Reason why there is no task for a person now.

    closed: the campaign takes no labels; deadline: its last day is past; paused: the limits of the campaign, or its manager,
    stopped this person, by the `signal` that they fell short of; stopped: the labels of a drawn campaign are enough; excluded: the person sat a qualification that closes
    this campaign; unqualified: too few right answers in the qualification; calibrated: the calibration round is done and the
    rest is not open yet; limit: this person has had as many items as the rules allow; skill: what is left asks for a skill that this person has not;
    apart: what is left is a version of what was just labelled; reserved: what is left is reserved by others; over: all is labelled.
    """

    reason: NoTaskReason
    signal: str = ""


@dataclass(frozen=True, slots=True)
class _Queue:
    """Snapshot of a person's queue: open reservations, texts whose other versions must wait, and the next number."""

    session: Session
    campaign: CampaignSettings
    person: Member
    now: datetime
    open: Sequence[Reservation]
    recent_groups: Sequence[str]
    next_number: int

    def params(self, **others: object) -> dict[str, object]:
        """Parameters that most statements take."""
        return {"campaign": self.campaign.id, "person": self.person.id, "now": self.now, **others}

    def search(self) -> TaskSearch:
        return TaskSearch(self.session, self.campaign, self.person, self.now, self.next_number, self.recent_groups)

    def expiry(self) -> datetime:
        return self.now + timedelta(minutes=self.campaign.rules.expires_minutes)


def reserve_next(
    session: Session, campaign: CampaignSettings, person: Member, now: datetime | None = None
) -> Reservation | NoTask:
    """The current task of a person, or else the next one; under `lock_queue`, which keeps their other tabs waiting.

    Training and qualification come first. Then known answers and repeats where it is their turn, and work: what was
    labelled least, in an order of the person's own unless the rules say otherwise. No task twice, none of one's own making or whose scores one saw with a label on Probe, or for an unaided label at all, none beyond the overlap;
    but the calibration round, which everybody labels first.
    """
    now = now or datetime.now(UTC)
    if not is_handing_out(campaign, now):
        return NoTask("deadline" if campaign.is_open else "closed")
    if pause := find_pause(session, campaign.id, person.id):
        return NoTask("paused", pause.signal)
    queue = _load_queue(session, campaign, person, now)
    if reservation := _renew_open(queue):
        return reservation
    stage = current_stage(session, campaign, person)
    if stage in {Stage.EXCLUDED, Stage.UNQUALIFIED}:
        return NoTask("excluded" if stage is Stage.EXCLUDED else "unqualified")
    if stage is not Stage.WORK:
        task_id = _first_unseen_task(queue, stage.value)
        return _reserve(queue, task_id) if task_id else NoTask("over")
    return _next_work(queue)


def reserve_ahead(
    session: Session, campaign: CampaignSettings, person: Member, current: Reservation, now: datetime | None = None
) -> Reservation | NoTask:
    """The work that comes after the current task, reserved with it so that it can be shown without waiting; under `lock_queue`.

    Training and qualification are handed out one task at a time: the next one depends on the answers.
    """
    now = now or datetime.now(UTC)
    if not is_handing_out(campaign, now):
        return NoTask("closed")
    if pause := find_pause(session, campaign.id, person.id):
        return NoTask("paused", pause.signal)
    queue = _load_queue(session, campaign, person, now)
    current.expires_at = queue.expiry()
    session.add(current)
    later = (
        reservation
        for reservation in queue.open
        if reservation.number > current.number and reservation.expires_at > now
    )
    if next_reservation := next(later, None):
        return next_reservation
    if current_stage(session, campaign, person) is not Stage.WORK:
        return NoTask("apart")
    return _next_work(queue)


def reserve_training(session: Session, campaign: CampaignSettings, person: Member, now: datetime | None = None) -> None:
    """Reserve all training items once more, in their order, for a person who has had them; under `lock_queue`.

    Nothing is reserved while a round is under way. Raises RecordError for a person who has not had them all, or more.
    """
    now = now or datetime.now(UTC)
    queue = _load_queue(session, campaign, person, now)
    had = session.exec(_SELECT_HAD, params=queue.params()).all()
    if any(part != "training" for part, _ in had):
        raise RecordError("Training comes before the first item, and you have begun with the items. Go on with them.")
    if current_stage(session, campaign, person) is Stage.TRAINING or not had:
        raise RecordError("The training is not finished. Label what is left of it first.")
    if queue.open:
        return
    turn = 1 + max(turn for _, turn in had)
    for place, task in enumerate(session.exec(_SELECT_TRAINING, params=queue.params()).all()):
        reservation = _new_reservation(queue, task, turn)
        reservation.number += place
        session.add(reservation)


def reserve_for(session: Session, campaign_id: str, person: Member, tasks: Sequence[str], held: timedelta) -> int:
    """Reserve tasks of work for one person for a time, before all else that they would get; return how many.

    Where no place is free, the one of somebody who has the task open becomes theirs. Left out is what the person had, wrote or saw
    scores of, what is withdrawn, and what has all its labels. Raises RightsError for a person who does not label the campaign, and
    RecordError for a campaign that hands out nothing.
    """
    now = datetime.now(UTC)
    campaign = lock_queue(session, campaign_id, person)
    if not is_handing_out(campaign, now):
        raise RecordError(f"{campaign.name!r} is closed or past its deadline, and hands out nothing. Open it first.")
    queue = _load_queue(session, campaign, person, now)
    blind = [~SCORES_WERE_SEEN, *([~WAS_VIEWED] if campaign.rules.mode == "unaided" else [])]
    statement = (
        select(Task.id)
        .where(Task.campaign_id == campaign.id, Task.part == "work", col(Task.id).in_(tasks))
        .where(~WAS_RESERVED, ~WAS_MADE, ~IS_WITHDRAWN, *blind)
        .order_by(col(Task.position))
    )
    number = 0
    for task in session.exec(statement, params=queue.params(name=person.name)).all():
        lock_task(session, task, wait=True)
        if not has_free_place(session, campaign, task, now):
            holders = select(Reservation).where(
                Reservation.task_id == task,
                Reservation.turn == 1,
                Reservation.state == "open",
                col(Reservation.expires_at) > now,
            )
            holder = session.exec(holders.order_by(col(Reservation.id).desc())).first()
            if holder is None or not has_free_place(session, campaign, task, now, exclude=holder.id):
                continue
            holder.state = "lapsed"
            session.add(holder)
            session.flush()
        reservation = _new_reservation(replace(queue, next_number=queue.next_number + number), task, turn=1)
        reservation.expires_at = now + held
        session.add(reservation)
        session.flush()
        number += 1
    return number


_SELECT_HAD = (
    select(Task.part, Reservation.turn)
    .join(Task, col(Task.id) == Reservation.task_id)
    .where(Reservation.campaign_id == bindparam("campaign"), Reservation.person_id == bindparam("person"))
)
_SELECT_TRAINING = (
    select(Task.id)
    .where(Task.campaign_id == bindparam("campaign"), Task.part == "training")
    .order_by(col(Task.position))
)


_OWN = aliased(Reservation)
_OF_OWN = select(_OWN.id).where(_OWN.campaign_id == bindparam("campaign"), _OWN.person_id == bindparam("person"))
_LAST = _OF_OWN.order_by(col(_OWN.number).desc()).limit(bindparam("last")).subquery()
# two index lookups: with one condition for both, databases read all of the person's reservations
_SELECT_OPEN_AND_LAST = (
    select(Reservation, Task.group)
    .join(Task, col(Task.id) == Reservation.task_id)
    .where(col(Reservation.id).in_(_OF_OWN.where(_OWN.state == "open").union_all(select(_LAST.c.id))))
    .order_by(col(Reservation.number))
)


def _load_queue(session: Session, campaign: CampaignSettings, person: Member, now: datetime) -> _Queue:
    rules = campaign.rules
    params = {"campaign": campaign.id, "person": person.id, "last": max(1, rules.apart)}
    rows = session.exec(_SELECT_OPEN_AND_LAST, params=params).all()
    since = now - timedelta(minutes=rules.apart_minutes)
    return _Queue(
        session,
        campaign,
        person,
        now,
        open=[reservation for reservation, _ in rows if reservation.state == "open"],
        recent_groups=[group for last, group in rows[::-1][: rules.apart] if last.reserved_at > since],
        next_number=rows[-1][0].number + 1 if rows else 1,
    )


def _renew_open(queue: _Queue) -> Reservation | None:
    """Renew and return the first open reservation; an expired one whose place is taken lapses."""
    for reservation in queue.open:
        queue.session.add(reservation)
        if reservation.expires_at > queue.now or reservation.turn > 1 or _has_place(queue, reservation):
            reservation.expires_at = queue.expiry()
            return reservation
        reservation.state = "lapsed"
    return None


def _has_place(queue: _Queue, reservation: Reservation) -> bool:
    session = queue.session
    lock_task(session, reservation.task_id, wait=True)
    if session.get_one(Task, reservation.task_id).part != "work":
        return True
    return has_free_place(session, queue.campaign, reservation.task_id, queue.now, exclude=reservation.id)


def _next_work(queue: _Queue) -> Reservation | NoTask:
    session, rules = queue.session, queue.campaign.rules
    if end := _early_end(queue):
        return NoTask(end)
    if _is_early_gold(queue) and (gold := _first_unseen_task(queue, "gold")):
        return _reserve(queue, gold)
    calibrating = _next_calibration_task(queue) if rules.calibration else None
    if calibrating or rules.calibration_pause:
        return _reserve(queue, calibrating) if calibrating else NoTask("calibrated")
    if mixed_in := _next_mixed_in(queue):
        return mixed_in
    for task_id in free_tasks(queue.search()):
        if lock_task(session, task_id) and (reserved := _reserve_place(queue, task_id)):
            return reserved
    return NoTask(_no_task_reason(queue))


def _early_end(queue: _Queue) -> NoTaskReason | None:
    """Reason to stop handing out tasks while work remains: enough labels of the campaign or of the person."""
    if find_stop(queue.session, queue.campaign):
        return "stopped"
    return "limit" if is_at_limit(queue.session, queue.campaign, queue.person) else None


def _next_mixed_in(queue: _Queue) -> Reservation | None:
    """A task with known answers, or a repeat, if one is due."""
    number, rules = queue.next_number, queue.campaign.rules
    if _is_turn(number, rules.gold_every, rules.seed, queue.person) and (gold := _first_unseen_task(queue, "gold")):
        return _reserve(queue, gold)
    if _is_turn(number, rules.repeat_every, rules.seed + 1, queue.person) and (repeated := _task_to_repeat(queue)):
        return _reserve(queue, repeated, turn=2)
    return None


_EARLY_ITEMS = 7
EARLY_GOLD = 4  # fewest wrong answers that are evidence of being below a limit of 70 %
_COUNT_FIRST_HAD = select(func.count()).select_from(
    select(Reservation.id)
    .join(Task, col(Task.id) == Reservation.task_id)
    .where(
        Reservation.campaign_id == bindparam("campaign"),
        Reservation.person_id == bindparam("person"),
        col(Task.part).in_(("work", "gold")),
    )
    .limit(_EARLY_ITEMS)
    .subquery()
)


def _is_early_gold(queue: _Queue) -> bool:
    """True if the next item is an early one with known answers: under `least_gold` most of a person's first items are, at places that differ by person."""
    if not queue.campaign.rules.least_gold:
        return False
    place = queue.session.exec(_COUNT_FIRST_HAD, params=queue.params()).one()
    seed, person = queue.campaign.rules.seed, queue.person.id
    # not the first: a person who is paused after these has labelled something
    order = sorted(range(1, _EARLY_ITEMS), key=lambda position: stable_number(seed, person, "early gold", position))
    return place in order[:EARLY_GOLD]


def _next_calibration_task(queue: _Queue) -> str | None:
    """An item of the calibration round that the person has not had; versions of a text that was just labelled come last."""
    blind = [~SCORES_WERE_SEEN, *([~WAS_VIEWED] if queue.campaign.rules.mode == "unaided" else [])]
    waiting = queue.session.exec(
        select(Task.id, Task.group)
        .where(col(Task.id).in_(calibration_tasks(queue.campaign)), ~WAS_RESERVED, ~WAS_MADE, *blind)
        .order_by(col(Task.position)),
        params=queue.params(name=queue.person.name),
    ).all()
    return next((id for id, group in waiting if group not in queue.recent_groups), waiting[0][0] if waiting else None)


_SELECT_FIRST_UNSEEN = (
    select(Task.id)
    .where(Task.campaign_id == bindparam("campaign"), Task.part == bindparam("part"), ~WAS_RESERVED, ~IS_WITHDRAWN)
    .order_by(col(Task.position))
    .limit(1)
)


def _first_unseen_task(queue: _Queue, part: TaskPart | str) -> str | None:
    """The first task of a part that the person has not had."""
    return queue.session.exec(_SELECT_FIRST_UNSEEN, params=queue.params(part=part)).first()


_SECOND_TURN = aliased(Reservation)
_SELECT_TO_REPEAT = (
    select(Reservation.task_id)
    .join(Task, col(Task.id) == Reservation.task_id)
    .where(
        Reservation.campaign_id == bindparam("campaign"),
        Task.part == "work",
        Reservation.person_id == bindparam("person"),
        Reservation.state == "answered",
        ~IS_WITHDRAWN,
        col(Reservation.number) <= bindparam("until"),
        ~exists().where(
            col(_SECOND_TURN.task_id) == col(Reservation.task_id),
            col(_SECOND_TURN.person_id) == bindparam("person"),
            col(_SECOND_TURN.turn) == 2,
        ),
    )
    .order_by(col(Reservation.number))
    .limit(1)
)


def _task_to_repeat(queue: _Queue) -> str | None:
    """Oldest task of work that the person has answered once, long enough ago."""
    until = queue.next_number - _MIN_REPEAT_DISTANCE
    return queue.session.exec(_SELECT_TO_REPEAT, params=queue.params(until=until)).first()


_COLUMNS = [column for column in inspect(Reservation).columns if not column.primary_key]
_INSERT_WHERE_FREE = (
    insert(Reservation)
    .from_select(
        _COLUMNS,
        select_columns(*(bindparam(f"new_{column.name}", type_=column.type) for column in _COLUMNS)).where(
            COUNT_PLACES.scalar_subquery() < bindparam("overlap"), ~is_withdrawn(bindparam("task"))
        ),
    )
    .returning(col(Reservation.id))
)


def _reserve(queue: _Queue, task_id: str, turn: int = 1) -> Reservation:
    reservation = _new_reservation(queue, task_id, turn)
    queue.session.add(reservation)
    queue.session.flush()
    return reservation


def _reserve_place(queue: _Queue, task_id: str) -> Reservation | None:
    """Reserve a locked task if it has a free place. One statement counts the places and takes one, so that it sees changes made before the lock."""
    reservation = _new_reservation(queue, task_id, turn=1)
    overlap = wanted_labels(queue.session, queue.campaign, task_id)
    values = {f"new_{column.key}": getattr(reservation, column.key) for column in _COLUMNS}
    params = {**values, "task": task_id, "now": queue.now, "exclude": None, "overlap": overlap}
    reservation.id = queue.session.connection().execute(_INSERT_WHERE_FREE, params).scalar()
    return reservation if reservation.id else None


def _new_reservation(queue: _Queue, task_id: str, turn: int) -> Reservation:
    seed = queue.campaign.rules.seed
    return Reservation(
        campaign_id=queue.campaign.id,
        task_id=task_id,
        person_id=queue.person.id,
        turn=turn,
        number=queue.next_number,
        swapped=queue.campaign.questions.unit == "pair"
        and stable_number(seed, queue.person.id, task_id, turn) % 2 == 1,
        state="open",
        reserved_at=queue.now,
        expires_at=queue.expiry(),
    )


def _no_task_reason(queue: _Queue) -> NoTaskReason:
    anywhere = replace(queue.search(), apart_from=())
    if next(free_tasks(anywhere), None):
        return "apart"
    if queue.campaign.rules.skills and next(free_tasks(replace(anywhere, any_skill=True)), None):
        return "skill"
    open_ones = (
        select(Reservation.id)
        .join(Task, col(Task.id) == Reservation.task_id)
        .where(
            Task.campaign_id == bindparam("campaign"),
            Task.part == "work",
            Reservation.state == "open",
            col(Reservation.expires_at) > bindparam("now"),
            Reservation.person_id != bindparam("person"),
            ~WAS_RESERVED,
        )
    )
    return "reserved" if queue.session.exec(open_ones.limit(1), params=queue.params()).first() else "over"


def _is_turn(number: int, every: int, seed: int, person: Member) -> bool:
    """True at one place in every group of that size; which one differs by person."""
    return bool(every) and number % every == stable_number(seed, person.id, "turn") % every
