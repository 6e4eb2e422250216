"""Figures of a campaign as they follow from its counts, at the same cost however many labels there are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from sqlalchemy import bindparam, func
from sqlalchemy import select as select_columns
from sqlmodel import Session, col

from annotations.results.progress_counts import (
    EPOCH,
    HOUR_US,
    Kind,
    active_range,
    read_task_bucket,
)
from annotations.store.records import StoreError
from annotations.store.response_tables import CountedPerson, ProgressCount

_MICROSECOND = timedelta(microseconds=1)
_LAST = 2**62  # after every hour


@dataclass(slots=True)
class PersonCounts:
    """Counts of one person, by kind; the buckets of their active times, and the times of their first and their last label."""

    number: int
    sums: Counter[Kind] = field(default_factory=Counter)
    active: Counter[int] = field(default_factory=Counter)
    first_at: datetime | None = None
    last_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class CampaignCounts:
    """Counts of a campaign: of each person by their id, and of tasks by their labels and wanted labels, where one is not 0."""

    people: dict[str, PersonCounts]
    groups: dict[tuple[int, int], int]

    def total(self, kind: Kind) -> int:
        return sum(person.sums[kind] for person in self.people.values())

    @property
    def first_at(self) -> datetime | None:
        return min((person.first_at for person in self.people.values() if person.first_at), default=None)


def load_counts(session: Session, campaign_id: str) -> CampaignCounts:
    """The counts of a campaign, but for times that are finer than a bucket."""
    connection, params = session.connection(), {"campaign": campaign_id}
    people: dict[int, tuple[str, PersonCounts]] = {}
    for number, person, first, last in connection.execute(_SELECT_PEOPLE, params):
        people[number] = (person, PersonCounts(number, first_at=_moment(first), last_at=_moment(last)))
    for number, kind, bucket, count in connection.execute(_SELECT_SUMS, params):
        if kind == Kind.ACTIVE:
            people[number][1].active[bucket] = count
        else:
            people[number][1].sums[Kind(kind)] = count
    groups = {read_task_bucket(bucket): tasks for bucket, tasks in connection.execute(_SELECT_TASKS, params) if tasks}
    return CampaignCounts(dict(people.values()), groups)


def count_responses(session: Session, campaign_id: str) -> int:
    """Number of responses of any kind that were counted."""
    return session.connection().execute(_COUNT_RESPONSES, {"campaign": campaign_id}).scalar_one()


def count_first_labels(session: Session, campaign_id: str, since: datetime) -> int:
    """Number of first labels from a time on."""
    start = (since - EPOCH) // _MICROSECOND
    hour = start // HOUR_US + 1
    connection, hours = session.connection(), {"kind": Kind.HOUR, "first": hour, "last": _LAST}
    rest = {"kind": Kind.MOMENT, "first": start, "last": hour * HOUR_US - 1}
    return sum(
        connection.execute(_COUNT_RANGE, {"campaign": campaign_id, **interval}).scalar_one() or 0
        for interval in (hours, rest)
    )


def median_active_s(session: Session, people: Sequence[PersonCounts]) -> float | None:
    """The median active time of the first labels of some people together, in seconds; None without a label."""
    buckets = Counter[int]()
    for person in people:
        buckets.update(person.active)
    total = buckets.total()
    if not total:
        return None
    numbers = [person.number for person in people if person.active]
    low, high = (
        _time_at(session, numbers, sorted(buckets.items()), place) / 1000 for place in ((total - 1) // 2, total // 2)
    )
    return low if total % 2 else (low + high) / 2


def _time_at(session: Session, numbers: Sequence[int], buckets: Sequence[tuple[int, int]], place: int) -> int:
    """The active time at a place of the sorted times, in milliseconds; within its bucket the times are searched one by one."""
    bucket, before = _find_place(buckets, place)
    first, last = active_range(bucket)
    params = {"numbers": list(numbers), "first": first, "last": last}
    times = session.connection().execute(_SELECT_TIMES, params).all()
    return _find_place(times, place - before)[0]


def _find_place(counts: Sequence[tuple[int, int]], place: int) -> tuple[int, int]:
    """The value at a place of sorted values, each of which occurs a number of times, and the number of smaller ones."""
    before = 0
    for value, number in counts:
        if place < before + number:
            return value, before
        before += number
    raise StoreError(
        "The counts of a campaign do not add up. Run `python cli.py campaign recount`, which counts all labels again."
    )


_OF_CAMPAIGN = col(CountedPerson.campaign_id) == bindparam("campaign")
_MOMENTS = select_columns(col(ProgressCount.bucket)).where(
    col(ProgressCount.counted_id) == col(CountedPerson.id), col(ProgressCount.kind) == Kind.MOMENT
)
_SELECT_PEOPLE = select_columns(
    col(CountedPerson.id),
    col(CountedPerson.person_id),
    _MOMENTS.order_by(col(ProgressCount.bucket)).limit(1).scalar_subquery(),
    _MOMENTS.order_by(col(ProgressCount.bucket).desc()).limit(1).scalar_subquery(),
).where(_OF_CAMPAIGN)
_OF_COUNTED = col(ProgressCount.counted_id) == col(CountedPerson.id)
_SELECT_SUMS = (
    select_columns(
        col(ProgressCount.counted_id), col(ProgressCount.kind), col(ProgressCount.bucket), col(ProgressCount.number)
    )
    .join(CountedPerson, _OF_COUNTED)
    .where(_OF_CAMPAIGN, col(ProgressCount.kind) <= Kind.ACTIVE)
)
_SELECT_TASKS = (
    select_columns(col(ProgressCount.bucket), func.sum(ProgressCount.number))
    .join(CountedPerson, _OF_COUNTED)
    .where(_OF_CAMPAIGN, col(ProgressCount.kind) == Kind.TASKS)
    .group_by(col(ProgressCount.bucket))
)
_COUNT_RESPONSES = (
    select_columns(func.coalesce(func.sum(ProgressCount.number), 0))
    .join(CountedPerson, _OF_COUNTED)
    .where(_OF_CAMPAIGN, col(ProgressCount.kind) == Kind.EVENTS)
)
_COUNT_RANGE = (
    select_columns(func.sum(ProgressCount.number))
    .join(CountedPerson, _OF_COUNTED)
    .where(
        _OF_CAMPAIGN,
        col(ProgressCount.kind) == bindparam("kind"),
        col(ProgressCount.bucket).between(bindparam("first"), bindparam("last")),
    )
)
_SELECT_TIMES = (
    select_columns(col(ProgressCount.bucket), func.sum(ProgressCount.number))
    .where(
        col(ProgressCount.counted_id).in_(bindparam("numbers", expanding=True)),
        col(ProgressCount.kind) == Kind.ACTIVE_MS,
        col(ProgressCount.bucket).between(bindparam("first"), bindparam("last")),
    )
    .group_by(col(ProgressCount.bucket))
    .order_by(col(ProgressCount.bucket))
)


def _moment(microseconds: int | None) -> datetime | None:
    return None if microseconds is None else EPOCH + timedelta(microseconds=microseconds)
