"""Free tasks of a campaign for one person, by the count of places that are taken: the cost does not grow with the number of items."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import Boolean, ColumnElement, Select, and_, bindparam, func, or_
from sqlalchemy import select as select_columns
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, exists, select

from annotations.campaigns.campaign import SHUFFLE_PRIME, SKILL, CampaignSettings, stable_number
from annotations.campaigns.score_views import WAS_VIEWED
from annotations.campaigns.work_plan import IS_PLACE_TAKEN
from annotations.people.people import SELECT_NAMES, Member
from annotations.store.campaign_tables import Task, TaskPlaces
from annotations.store.people_tables import GroupMember
from annotations.store.response_tables import Reservation
from annotations.store.tables import Explanation, Label, Origin, UtcDateTime

_AT_ONCE = 20  # tasks: others may be taking some in the same moment


@dataclass(frozen=True, slots=True)
class TaskSearch:
    """Search for the item of a `number` of a person: no version of some texts, and nothing that they lack the skill for."""

    session: Session
    campaign: CampaignSettings
    person: Member
    now: datetime
    number: int
    apart_from: Sequence[str]
    any_skill: bool = False

    def params(self) -> dict[str, Any]:
        rules = self.campaign.rules
        # always the same number of texts, so that the database prepares one statement
        padding = [""] * (rules.apart - len(self.apart_from))
        return {
            "campaign": self.campaign.id,
            "person": self.person.id,
            "name": self.person.name,
            "now": self.now,
            "overlap": rules.overlap,
            "unaided": rules.mode == "unaided",
            "apart_from": [*self.apart_from, *padding],
        }


def free_tasks(search: TaskSearch) -> Iterator[str]:
    """Ids of free tasks: the least labelled first, or, in a drawn campaign, in the order of the draw.

    In a random order these are the tasks that come after a place by chance, another for each person and number, shuffled.
    Some may be given away meanwhile.
    """
    rules = search.campaign.rules
    levels = range(max(rules.overlap, rules.most_overlap))
    if rules.order == "drawn":
        # one after the other: the sample ends at the first task that is not done
        every = [task for tasks in _levels(search, levels) for task in tasks]
        yield from (id for id, _ in sorted(every, key=lambda task: task[1]))
        return
    for tasks in _levels(search, levels[::-1] if rules.early_overlap else levels):
        if rules.order == "random":
            tasks.sort(key=lambda task: stable_number(rules.seed, search.person.id, task[0]))
        yield from (id for id, _ in tasks)


def _levels(search: TaskSearch, levels: Sequence[int]) -> Iterator[list[tuple[str, int]]]:
    """Ids of the first free tasks of each level, the number of taken places, with their places in the order; a level is read when it is needed."""
    session, rules, params = search.session, search.campaign.rules, search.params()
    skills = rules.skills and not search.any_skill
    least, least_further, is_any_expired = session.execute(_SELECT_OPEN_LEVELS, params).one()
    freed = defaultdict[int, list[tuple[str, int]]](list)
    if is_any_expired:
        for taken, id, place in session.execute(_select_freed(skills), params):
            freed[taken].append((id, place))
    start = stable_number(rules.seed, search.person.id, "start", search.number) if rules.order == "random" else 0
    for taken in levels:
        yield freed[taken]
        further = taken >= rules.overlap
        lowest = least_further if further else least
        if lowest is None or taken < lowest:
            continue
        statement = _select_level(rules.order == "random", further, skills)
        # the order is a ring that each person enters at another place; the index knows only ranges
        for low, high in ((start, SHUFFLE_PRIME), (0, start)):
            if low < high:
                rows = session.execute(statement, {**params, "taken": taken, "low": low, "high": high})
                yield [(id, place) for id, place in rows]


# Index lookups for the few candidate tasks, independent of the number of tasks and records.

_HAD = aliased(Reservation)
WAS_RESERVED = exists().where(col(_HAD.task_id) == col(Task.id), col(_HAD.person_id) == bindparam("person"))
"""True of a task that the `person` has had."""

WAS_MADE = or_(
    exists().where(col(Origin.item_id) == col(Task.item_id), col(Origin.by).in_(SELECT_NAMES)),
    exists().where(col(Explanation.id) == col(Task.explanation_id), col(Explanation.by).in_(SELECT_NAMES)),
)
"""True of a task whose edit the `person` wrote, or the explanation to be judged."""

SCORES_WERE_SEEN = exists().where(
    col(Label.item_id) == col(Task.item_id), col(Label.annotator).in_(SELECT_NAMES), ~col(Label.blind)
)
"""True of a task whose text the `person` labelled on Probe with its scores shown."""

# not a skill, or one of a group of the person
_HAS_SKILL = or_(
    col(Task.asked)[SKILL].as_string().is_(None),
    col(Task.asked)[SKILL]
    .as_string()
    .in_(select(GroupMember.group).where(col(GroupMember.person_id) == bindparam("person"))),
)

_OF_CAMPAIGN = col(TaskPlaces.campaign_id) == bindparam("campaign")
_IS_FURTHER = col(TaskPlaces.wanted) > col(TaskPlaces.taken)
_IS_EXPIRED = (
    col(Reservation.campaign_id) == bindparam("campaign"),
    col(Reservation.state) == "open",
    col(Reservation.expires_at) <= bindparam("now", type_=UtcDateTime),
)
_LEAST_TAKEN = select(func.min(TaskPlaces.taken))

_SELECT_OPEN_LEVELS = select_columns(
    _LEAST_TAKEN.where(_OF_CAMPAIGN, col(TaskPlaces.taken) < bindparam("overlap")).scalar_subquery(),
    _LEAST_TAKEN.where(_OF_CAMPAIGN, col(TaskPlaces.taken) >= bindparam("overlap"), _IS_FURTHER).scalar_subquery(),
    exists().where(*_IS_EXPIRED),
)
"""Smallest number of taken places among tasks below the overlap and among tasks that want further labels; and True if a reservation expired."""


def _allowed(skills: bool) -> list[ColumnElement[bool]]:
    is_apart = col(Task.group).not_in(bindparam("apart_from", expanding=True))
    is_blind = [~SCORES_WERE_SEEN, ~and_(bindparam("unaided", type_=Boolean), WAS_VIEWED)]
    return [_OF_CAMPAIGN, ~WAS_RESERVED, ~WAS_MADE, *is_blind, is_apart, *([_HAS_SKILL] if skills else [])]


@cache
def _select_level(shuffled: bool, further: bool, skills: bool) -> Select[str, int]:
    """The first tasks with `taken` taken places in a range of the order, read from an index."""
    place = col(TaskPlaces.shuffle) if shuffled else col(TaskPlaces.position)
    return (
        select_columns(col(TaskPlaces.task_id), place)
        .join(Task, col(Task.id) == col(TaskPlaces.task_id))
        .where(col(TaskPlaces.taken) == bindparam("taken"), *([_IS_FURTHER] if further else []))
        .where(place >= bindparam("low"), place < bindparam("high"), *_allowed(skills))
        .order_by(place)
        .limit(_AT_ONCE)
    )


@cache
def _select_freed(skills: bool) -> Select[int, str, int]:
    """Tasks with a place freed by an expired reservation, each with the number of places that are taken."""
    counted = (
        select(func.count())
        .select_from(Reservation)
        .where(col(Reservation.task_id) == col(TaskPlaces.task_id), IS_PLACE_TAKEN)
        .scalar_subquery()
    )
    is_free = or_(counted < bindparam("overlap"), counted < col(TaskPlaces.wanted))
    expired = select(Reservation.task_id).where(*_IS_EXPIRED)
    return (
        select_columns(counted, col(TaskPlaces.task_id), col(TaskPlaces.position))
        .join(Task, col(Task.id) == col(TaskPlaces.task_id))
        .where(col(TaskPlaces.task_id).in_(expired), is_free, *_allowed(skills))
        .order_by(col(TaskPlaces.position))
    )
