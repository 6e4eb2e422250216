"""Counts behind the progress figures: a changed task is recounted, and the difference added."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from enum import IntEnum
from typing import Any

from sqlalchemy import Row, and_, bindparam, func, text, update
from sqlalchemy import select as select_columns
from sqlmodel import Session, col, select

from annotations.campaigns.campaign import CampaignSettings, load_campaign
from annotations.campaigns.qualification import mark_gold
from annotations.campaigns.withdrawals import is_withdrawn
from annotations.results.results import (
    CampaignLabel,
    cases_of_labels,
    first_blind_labels,
    labels_by_task,
    latest_decisions,
    latest_labels,
    load_labels,
    repeated_labels,
    share_of_agreeing_pairs,
)
from annotations.store.campaign_tables import Task, WantedLabels
from annotations.store.database import read_session
from annotations.store.people_tables import Person
from annotations.store.records import ReadOnlyError
from annotations.store.response_tables import CountedPerson, Reservation, Response, TaskCounts
from annotations.store.store import Store
from annotations.store.writes import insert_new


class Kind(IntEnum):
    """Kind of a count; where no bucket is named, it is 0.

    Reservations of any part: ANSWERED to EXCLUDED. Labels of work: FLAGGED_WORK to SAME. Known answers: GOLD, RIGHT. Responses
    of any kind: EVENTS. Tasks: DECIDED, DISPUTED, and TASKS by `task_bucket`. First labels by their active time: ACTIVE by
    `active_bucket`, ACTIVE_MS by milliseconds; by when they came: HOUR by hours, MOMENT by microseconds since 1970.
    Those after ACTIVE have many buckets.
    """

    ANSWERED = 1
    SKIPPED = 2
    FLAGGED = 3
    EXCLUDED = 4
    FLAGGED_WORK = 5
    LABELS = 6
    FIRST = 7
    REVISED = 8
    REPEATED = 9
    SAME = 10
    GOLD = 11
    RIGHT = 12
    EVENTS = 13
    DECIDED = 14
    DISPUTED = 15
    ACTIVE = 16
    TASKS = 17
    ACTIVE_MS = 18
    HOUR = 19
    MOMENT = 20


Count = tuple[int, int, int]
"""The number of a counted person, a kind and a bucket."""

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
HOUR_US = 3_600_000_000
_MICROSECOND = timedelta(microseconds=1)
_STATES = {"answered": Kind.ANSWERED, "skipped": Kind.SKIPPED, "flagged": Kind.FLAGGED}
_WANTED_STEP = 1000  # more than an item has labels
_FINE_BITS = 6
_BATCH = 200  # tasks per transaction; other writers wait for it


def task_bucket(labels: int, target: int) -> int:
    """The bucket of tasks with this number of current labels and this target, 0 for the overlap."""
    return target * _WANTED_STEP + labels


def read_task_bucket(bucket: int) -> tuple[int, int]:
    """The current labels and the target of the tasks in a bucket."""
    target, labels = divmod(bucket, _WANTED_STEP)
    return labels, target


def active_bucket(milliseconds: int) -> int:
    """The bucket of a time, which is as wide as a 64th to a 128th of it; larger times have larger buckets."""
    shift = max(0, milliseconds.bit_length() - _FINE_BITS - 1)
    return (shift << _FINE_BITS) + (milliseconds >> shift)


def active_range(bucket: int) -> tuple[int, int]:
    """The first and the last millisecond of a bucket."""
    shift = max(0, (bucket >> _FINE_BITS) - 1)
    low = (bucket - (shift << _FINE_BITS)) << shift
    return low, low + (1 << shift) - 1


def changed_campaigns(store: Store) -> Sequence[str]:
    """The campaigns with a task that changed since it was counted."""
    with read_session(store.engine) as session:
        return session.exec(select(TaskCounts.campaign_id).where(col(TaskCounts.stale)).distinct()).all()


def count_changed(store: Store, campaign_id: str) -> None:
    """Count every task of a campaign that changed, some hundreds in each transaction; what another one holds is counted there.

    Raises ReadOnlyError where some changed in a store that keeps nothing.
    """
    with read_session(store.engine) as session:
        stale = len(session.connection().execute(_SELECT_STALE, {"campaign": campaign_id, "most": 1}).all())
    if stale and store.read_only:
        raise ReadOnlyError(
            "Some labels of this campaign are not counted yet. Start the app once (`make run`), not as a demo, to count them."
        )
    while stale:
        with store.writing_without_sync() as session:
            stale = _count_batch(session, campaign_id)


def _count_batch(session: Session, campaign_id: str) -> int:
    """Count some hundred tasks that changed, and return how many there were."""
    params = {"campaign": campaign_id, "most": _BATCH}
    stale: dict[str, list[list[int]]] = dict(session.connection().execute(_LOCK_STALE, params).all())
    if not stale:
        return 0
    # a version added meanwhile waits for these tasks and marks them again
    states = _count(session, load_campaign(session, campaign_id), list(stale))
    changes = Counter[Count]()
    for task, before in stale.items():
        changes.update(states[task].counts)
        changes.subtract({(person, kind, bucket): number for person, kind, bucket, number in before})
    # in key order, so that two transactions do not deadlock
    rows = [
        {"counted": person, "kind": kind, "bucket": bucket, "number": number}
        for (person, kind, bucket), number in sorted(changes.items())
        if number
    ]
    connection = session.connection()
    if rows:
        connection.execute(_ADD, rows)
    if less := [row for row in rows if row["number"] < 0]:
        connection.execute(_DELETE_NONE, less)
    connection.execute(_SAVE, [{"task": task, **state.values()} for task, state in states.items()])
    return len(stale)


_SELECT_STALE = (
    select_columns(col(TaskCounts.task_id), col(TaskCounts.counted))
    .where(col(TaskCounts.campaign_id) == bindparam("campaign"), col(TaskCounts.stale))
    .order_by(col(TaskCounts.task_id))
    .limit(bindparam("most"))
)
_LOCK_STALE = _SELECT_STALE.with_for_update(skip_locked=True)
_ADD = text(
    "INSERT INTO progresscount (counted_id, kind, bucket, number) VALUES (:counted, :kind, :bucket, :number) "
    "ON CONFLICT (counted_id, kind, bucket) DO UPDATE SET number = progresscount.number + excluded.number"
)
_DELETE_NONE = text(
    "DELETE FROM progresscount WHERE counted_id = :counted AND kind = :kind AND bucket = :bucket AND number = 0"
)
_SAVE = (
    update(TaskCounts)
    .where(col(TaskCounts.task_id) == bindparam("task"))
    .values(
        stale=False,
        labels=bindparam("now_labels"),
        wanted=bindparam("now_wanted"),
        disputed=bindparam("now_disputed"),
        provenance=bindparam("now_provenance"),
        agreement=bindparam("now_agreement"),
        counted=bindparam("now_counted"),
    )
)


@dataclass(slots=True)
class _CountedTask:
    """State of a task, and what it adds to the counts."""

    person: int = 0
    labels: int = 0
    wanted: int = 0
    disputed: bool = False
    provenance: str | None = None
    agreement: float = 1.0
    counts: Counter[Count] = field(default_factory=Counter)

    def add(self, person: int, *kinds: Kind, bucket: int = 0) -> None:
        for kind in kinds:
            self.counts[person, kind, bucket] += 1

    def values(self) -> dict[str, object]:
        counted = [[*count, number] for count, number in self.counts.items()]
        state = {"now_labels": self.labels, "now_wanted": self.wanted, "now_disputed": self.disputed}
        case = {"now_provenance": self.provenance, "now_agreement": self.agreement}
        return {**state, **case, "now_counted": counted}


def _count(session: Session, campaign: CampaignSettings, tasks: Sequence[str]) -> dict[str, _CountedTask]:
    """The state of each task, computed from its rows."""
    connection, params = session.connection(), {"tasks": list(tasks)}
    states = {task: _CountedTask() for task in tasks}
    reservations = connection.execute(_SELECT_RESERVATIONS, params).all()
    numbers = {row.person_id: row.number for row in reservations}
    if new := [person for person, number in numbers.items() if number is None]:
        numbers |= _number_people(session, campaign.id, new)
    for row in reservations:
        _count_reservation(states[row.task_id], numbers[row.person_id], row)
    if golds := list({row.task_id for row in reservations if row.part == "gold"}):
        for task, person, is_right in mark_gold(session, campaign, golds):
            states[task].add(numbers[person], Kind.GOLD, *([Kind.RIGHT] if is_right else []))
    labels = load_labels(session, campaign, tasks)
    _count_labels(campaign, labels, {row.name: numbers[row.person_id] for row in reservations}, states)
    current, decisions = labels_by_task(latest_labels(labels)), latest_decisions(session, campaign, tasks)
    for task, target, withdrawn in connection.execute(_SELECT_WANTED, params):
        if withdrawn:
            continue
        state, task_labels = states[task], current.get(task, [])
        state.labels, state.wanted = len(task_labels), target or 0
        state.disputed = (
            task not in decisions and len(task_labels) > 1 and share_of_agreeing_pairs(campaign, task_labels) < 1
        )
        somebody = state.person or _anybody(session, campaign.id)
        if state.labels or state.wanted:
            state.add(somebody, Kind.TASKS, bucket=task_bucket(state.labels, state.wanted))
        state.add(
            somebody, *([Kind.DECIDED] if task in decisions else []), *([Kind.DISPUTED] if state.disputed else [])
        )
    for case in cases_of_labels(campaign, labels, decisions):
        states[case.task].provenance, states[case.task].agreement = case.provenance.value, case.agreement
    return states


def _count_reservation(state: _CountedTask, number: int, row: Row[Any]) -> None:
    """Add what a person did with a task."""
    state.person = number  # sums over tasks do not depend on the person
    state.counts[number, Kind.EVENTS, 0] += row.events
    if row.state in _STATES:
        state.add(number, _STATES[row.state])
    if row.state == "flagged" and row.part == "work":
        state.add(number, Kind.FLAGGED_WORK)
    if row.excluded:
        state.add(number, Kind.EXCLUDED)


def _count_labels(
    campaign: CampaignSettings,
    labels: Sequence[CampaignLabel],
    number_of: Mapping[str, int],
    states: Mapping[str, _CountedTask],
) -> None:
    """Add the labels of each person: the current ones, the first ones with their times, and the repeated ones."""
    measured, latest = campaign.questions.measured, latest_labels(labels)
    now = {(label.task, label.person): measured(label.answers) for label in latest}
    for label in latest:
        states[label.task].add(number_of[label.person], Kind.LABELS)
    for label in first_blind_labels(labels):
        state, person = states[label.task], number_of[label.person]
        moment = (label.created_at - EPOCH) // _MICROSECOND
        state.add(person, Kind.FIRST)
        if measured(label.answers) != now[label.task, label.person]:
            state.add(person, Kind.REVISED)
        if label.mode == "imported":  # nobody knows how long it took, or when
            continue
        state.add(person, Kind.ACTIVE, bucket=active_bucket(label.active_ms))
        state.add(person, Kind.ACTIVE_MS, bucket=label.active_ms)
        state.add(person, Kind.HOUR, bucket=moment // HOUR_US)
        state.add(person, Kind.MOMENT, bucket=moment)
    for first, second in repeated_labels(labels):
        is_same = measured(first.answers) == measured(second.answers)
        states[first.task].add(number_of[first.person], Kind.REPEATED, *([Kind.SAME] if is_same else []))


_SELECT_RESERVATIONS = (
    select_columns(
        *(col(Reservation.task_id), col(Task.part), col(Reservation.person_id), col(Person.name)),
        *(col(CountedPerson.id).label("number"), col(Reservation.state), col(Reservation.excluded)),
        select(func.count())
        .where(col(Response.reservation_id) == col(Reservation.id))
        .correlate(Reservation)
        .scalar_subquery()
        .label("events"),
    )
    .join(Task, col(Task.id) == col(Reservation.task_id))
    .join(Person, col(Person.id) == col(Reservation.person_id))
    .outerjoin(
        CountedPerson,
        and_(
            col(CountedPerson.campaign_id) == col(Reservation.campaign_id),
            col(CountedPerson.person_id) == col(Reservation.person_id),
        ),
    )
    .where(col(Reservation.task_id).in_(bindparam("tasks", expanding=True)))
    .order_by(col(Reservation.id))
)
_SELECT_WANTED = select_columns(
    col(TaskCounts.task_id),
    select(WantedLabels.labels)
    .where(col(WantedLabels.task_id) == col(TaskCounts.task_id))
    .order_by(col(WantedLabels.id).desc())
    .limit(1)
    .correlate(TaskCounts)
    .scalar_subquery(),
    is_withdrawn(col(TaskCounts.task_id)),
).where(col(TaskCounts.task_id).in_(bindparam("tasks", expanding=True)))


def _number_people(session: Session, campaign_id: str, people: Sequence[str]) -> dict[str, int]:
    """The numbers of people in a campaign; people without a number get one."""
    rows = [{"campaign_id": campaign_id, "person_id": person} for person in sorted(people)]
    insert_new(session, CountedPerson, rows)
    result = session.connection().execute(_SELECT_NUMBERS, {"campaign": campaign_id})
    return {person: number for person, number in result if number is not None}


_SELECT_NUMBERS = select_columns(col(CountedPerson.person_id), col(CountedPerson.id)).where(
    col(CountedPerson.campaign_id) == bindparam("campaign")
)


def _anybody(session: Session, campaign_id: str) -> int:
    """The number of any person, for a task that nobody had."""
    person = session.exec(select(Person.id).order_by(col(Person.id)).limit(1)).one()
    return _number_people(session, campaign_id, [person])[person]
