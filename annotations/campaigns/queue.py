"""Which task comes next for a person, reserved in the same transaction that chose it; and the task as that person sees it: texts
and their own answers, no score, author, intention, answer key or other label."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

from sqlalchemy import ColumnElement, and_, func, or_
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, exists, select
from sqlmodel.sql.expression import SelectOfScalar

from annotations.campaigns.campaign import SHUFFLE_PRIME, CampaignSettings, TaskPart, stable_number
from annotations.campaigns.people import Member
from annotations.campaigns.qualification import Stage, current_stage
from annotations.campaigns.tables import Person, Reservation, Response, Task
from annotations.tables import Document, Explanation, Item, Origin

_MAX_CANDIDATES = 20  # candidates that others may be taking in the same moment
_MIN_REPEAT_DISTANCE = 10  # tasks between the first time and the second

_SECOND_TURN = aliased(Reservation)  # made once: it takes longer than the query

NoTaskReason = Literal["closed", "excluded", "unqualified", "apart", "reserved", "over"]


@dataclass(frozen=True, slots=True)
class NoTask:
    """Why there is no task for a person now.

    closed: the campaign takes no labels; excluded: the person sat a qualification that closes this campaign; unqualified: too
    few right answers in the qualification; apart: what is left is a version of what was just labelled; reserved: what is left is reserved by others; over: all is labelled.
    """

    reason: NoTaskReason


def reserve_next(
    session: Session, campaign: CampaignSettings, person: Member, now: datetime | None = None
) -> Reservation | NoTask:
    """The current task of a person, or else the next one.

    Training and qualification come first. Then known answers and repeats where it is their turn, and work: what was
    labelled least, in an order of the person's own. No task twice, none of one's own making, none beyond the overlap.
    """
    now = now or datetime.now(UTC)
    if not campaign.is_open:
        return NoTask("closed")
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


def is_place_taken(now: datetime) -> ColumnElement[bool]:
    """Whether a reservation uses up one of the places of its task."""
    in_progress = and_(col(Reservation.state) == "open", col(Reservation.expires_at) > now)
    return and_(col(Reservation.turn) == 1, or_(col(Reservation.state) == "answered", in_progress))


def count_taken_places(session: Session, task_id: str, now: datetime, exclude: int | None = None) -> int:
    """How many places of a task are used up, one reservation not counted."""
    counted = select(func.count()).select_from(Reservation).where(Reservation.task_id == task_id, is_place_taken(now))
    return session.exec(counted if exclude is None else counted.where(Reservation.id != exclude)).one()


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
    _lock_task(session, reservation.task_id, wait=True)
    if session.get_one(Task, reservation.task_id).part != "work":
        return True
    return count_taken_places(session, reservation.task_id, now, exclude=reservation.id) < campaign.rules.overlap


def _next_work(session: Session, campaign: CampaignSettings, person: Member, now: datetime) -> Reservation | NoTask:
    number, rules = _next_task_number(session, campaign, person), campaign.rules
    if _is_turn(number, rules.gold_every, rules.seed, person) and (
        gold := _first_unseen_task(session, campaign, person, "gold")
    ):
        return _reserve(session, campaign, person, gold, now)
    if _is_turn(number, rules.repeat_every, rules.seed + 1, person):
        repeated = _task_to_repeat(session, campaign, person, number)
        if repeated:
            return _reserve(session, campaign, person, repeated, now, turn=2)
    for task_id in _candidate_tasks(session, campaign, person, now):
        if _lock_task(session, task_id) and count_taken_places(session, task_id, now) < rules.overlap:
            return _reserve(session, campaign, person, task_id, now)
    return NoTask(_no_task_reason(session, campaign, person, now))


def _candidate_tasks(session: Session, campaign: CampaignSettings, person: Member, now: datetime) -> Iterator[str]:
    recent = _recent_groups(session, campaign, person, now)
    yield from session.exec(_free_tasks(campaign, person, now, recent).limit(_MAX_CANDIDATES)).all()


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
    factor = 1 + stable_number(campaign.rules.seed, person.id, "factor") % (SHUFFLE_PRIME - 1)
    offset = stable_number(campaign.rules.seed, person.id, "offset")
    left = select(
        Task.id, places.label("places"), ((col(Task.shuffle) * factor + offset) % SHUFFLE_PRIME).label("place")
    ).where(
        Task.campaign_id == campaign.id,
        Task.part == "work",
        ~_was_reserved_by(person),
        ~_was_made_by(person),
        col(Task.group).not_in(apart_from),
    )
    # materialized: the places would else be counted once to choose and once more to sort
    found = left.cte("left").prefix_with("MATERIALIZED")
    return select(found.c.id).where(found.c.places < campaign.rules.overlap).order_by(found.c.places, found.c.place)


# Neither of the next two subqueries depends on the row of the task, so that a database evaluates them once and not once
# for each task, whatever its statistics are.


def _was_reserved_by(person: Member) -> ColumnElement[bool]:
    return col(Task.id).in_(select(Reservation.task_id).where(Reservation.person_id == person.id))


def _was_made_by(person: Member) -> ColumnElement[bool]:
    """Whether the person wrote the edit of a task, or the explanation to be judged."""
    edits = select(Origin.item_id).where(Origin.by == person.name)
    explanations = select(Explanation.id).where(Explanation.by == person.name)
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
        number=_next_task_number(session, campaign, person),
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


def _next_task_number(session: Session, campaign: CampaignSettings, person: Member) -> int:
    last = select(func.max(Reservation.number)).where(
        Reservation.campaign_id == campaign.id, Reservation.person_id == person.id
    )
    return (session.exec(last).one() or 0) + 1


def _is_turn(number: int, every: int, seed: int, person: Member) -> bool:
    """One place of every so many, another for each person."""
    return bool(every) and number % every == stable_number(seed, person.id, "turn") % every


def _lock_task(session: Session, task_id: str, wait: bool = False) -> bool:
    """Keep others from taking places of a task until the transaction ends; False where another transaction holds the lock."""
    row = select(Task.id).where(Task.id == task_id).with_for_update(key_share=True, skip_locked=not wait)
    return session.exec(row).first() is not None


def _expiry(campaign: CampaignSettings, now: datetime) -> datetime:
    return now + timedelta(minutes=campaign.rules.expires_minutes)


@dataclass(frozen=True, slots=True)
class TaskTexts:
    """What a task is about; `original` is there where the questions compare a summary with what it was made from."""

    part: str
    document: str
    summary: str
    original: str | None
    explanation: str
    error_type: str

    def sides(self, swapped: bool) -> tuple[str, str | None]:
        """What is shown on the left and on the right: the original and the edited summary, or the summary alone."""
        if self.original is None:
            return self.summary, None
        return (self.summary, self.original) if swapped else (self.original, self.summary)


def load_task_texts(session: Session, campaign: CampaignSettings, task_id: str) -> TaskTexts:
    """The texts of a task, read in one query: this happens twice for every label."""
    task, item, document = session.exec(
        select(Task, Item, Document.text)
        .join(Item, col(Item.id) == Task.item_id)
        .join(Document, col(Document.id) == Item.document_id)
        .where(Task.id == task_id)
    ).one()
    parent = None if campaign.questions.unit == "summary" else item.parent_id
    explanation = session.get(Explanation, task.explanation_id) if task.explanation_id else None
    return TaskTexts(
        part=task.part,
        document=document,
        summary=item.text,
        original=session.get_one(Item, parent).text if parent else None,
        explanation=explanation.text if explanation else task.asked.get("explanation", ""),
        error_type=task.asked.get("error_type", ""),
    )


@dataclass(frozen=True, slots=True)
class ShownTask:
    """One thing to label, as it is shown: the sides of a pair are in the order of this person.

    `right` is there for pairs and explanations. `error_type` is the one to write. `answers` are those given before.
    """

    reservation: int
    number: int
    stage: Stage
    document: str
    left: str
    right: str | None
    explanation: str
    error_type: str
    answers: Mapping[str, Any]


def show_task(session: Session, campaign: CampaignSettings, reservation: Reservation) -> ShownTask:
    """A reserved task with the sides in the order of its person."""
    texts = load_task_texts(session, campaign, reservation.task_id)
    left, right = texts.sides(reservation.swapped)
    return ShownTask(
        reservation=reservation.id or 0,
        number=reservation.number,
        stage=Stage(texts.part) if texts.part in set(Stage) else Stage.WORK,
        document=texts.document,
        left=left,
        right=right,
        explanation=texts.explanation,
        error_type=texts.error_type,
        answers=_last_answers(session, reservation),
    )


def _last_answers(session: Session, reservation: Reservation) -> dict[str, Any]:
    """The valid answers: those of the last revision, or of the one before an undo."""
    last = (
        select(Response.answers)
        .where(Response.reservation_id == reservation.id, Response.act == "answer")
        .order_by(col(Response.revision).desc())
        .limit(1)
    )
    return dict(session.exec(last).first() or {})
