"""Number of people per item: places of an item, the calibration round, and the limit of each person."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Integer, and_, bindparam, func, or_
from sqlmodel import Session, col, select
from sqlmodel.sql.expression import SelectOfScalar

from annotations.campaigns.campaign import CampaignSettings
from annotations.campaigns.withdrawals import IS_WITHDRAWN
from annotations.people.people import Member
from annotations.store.campaign_tables import Task, WantedLabels
from annotations.store.response_tables import PersonTasks, Reservation
from annotations.store.tables import UtcDateTime


def is_handing_out(campaign: CampaignSettings, now: datetime) -> bool:
    """True if a campaign is open and its deadline has not passed."""
    return campaign.is_open and (campaign.rules.deadline is None or now.date() <= campaign.rules.deadline)


IS_PLACE_TAKEN = and_(
    col(Reservation.turn) == 1,
    ~col(Reservation.excluded),
    or_(
        col(Reservation.state) == "answered",
        and_(col(Reservation.state) == "open", col(Reservation.expires_at) > bindparam("now", type_=UtcDateTime)),
    ),
)
"""True where a reservation uses up one of the places of its task `now`."""

COUNT_PLACES = (
    select(func.count())
    .select_from(Reservation)
    .where(
        Reservation.task_id == bindparam("task"),
        IS_PLACE_TAKEN,
        col(Reservation.id).is_distinct_from(bindparam("exclude", type_=Integer)),
    )
    .correlate(None)
)
"""Number of places of a `task` that are used up `now`, one reservation not counted."""


SELECT_WANTED = (
    select(WantedLabels.labels)
    .where(WantedLabels.task_id == bindparam("task"))
    .order_by(col(WantedLabels.id).desc())
    .limit(1)
)
"""The number of labels that a `task` wants, where that is not the overlap."""


def wanted_labels(session: Session, campaign: CampaignSettings, task_id: str) -> int:
    """Number of people who may label a task of work."""
    if campaign.rules.most_overlap <= campaign.rules.overlap:
        return campaign.rules.overlap
    target = session.exec(SELECT_WANTED, params={"task": task_id}).first()
    return max(campaign.rules.overlap, target or 0)


def calibration_tasks(campaign: CampaignSettings) -> SelectOfScalar[str]:
    """The ids of the items that everybody labels."""
    work = select(Task.id).where(Task.campaign_id == campaign.id, Task.part == "work", ~IS_WITHDRAWN)
    return work.order_by(col(Task.position), col(Task.id)).limit(campaign.rules.calibration)


def has_free_place(
    session: Session, campaign: CampaignSettings, task_id: str, now: datetime, exclude: int | None = None
) -> bool:
    """True if one more person may label a task of work, not counting the reservation `exclude`."""
    taken = session.exec(COUNT_PLACES, params={"task": task_id, "now": now, "exclude": exclude}).one()
    return taken < wanted_labels(session, campaign, task_id) or is_for_everybody(session, campaign, task_id)


def is_for_everybody(session: Session, campaign: CampaignSettings, task_id: str) -> bool:
    """True if a task is in the calibration round."""
    return bool(campaign.rules.calibration) and task_id in session.exec(calibration_tasks(campaign)).all()


def load_person_tasks(session: Session, campaign_id: str, person_id: str) -> PersonTasks:
    """Counts of the tasks of a person in a campaign; all 0 before the first."""
    counts = session.exec(_SELECT_PERSON_TASKS, params={"campaign": campaign_id, "person": person_id}).first()
    return counts or PersonTasks(campaign_id=campaign_id, person_id=person_id, answered=0, finished=0, had=0, version=0)


_SELECT_PERSON_TASKS = (
    select(PersonTasks)
    .where(PersonTasks.campaign_id == bindparam("campaign"), PersonTasks.person_id == bindparam("person"))
    .execution_options(populate_existing=True)
)


def is_at_limit(session: Session, campaign: CampaignSettings, person: Member) -> bool:
    """True if a person's answered and open tasks of work reach the limit of the rules."""
    most = campaign.rules.most_per_person
    return bool(most) and load_person_tasks(session, campaign.id, person.id).had >= most


def lock_task(session: Session, task_id: str, wait: bool = False) -> bool:
    """Lock the places of a task until the transaction ends; False if another transaction holds the lock."""
    return session.exec(_LOCK_TASK if wait else _LOCK_FREE_TASK, params={"task": task_id}).first() is not None


_SELECT_TASK = select(Task.id).where(Task.id == bindparam("task"))
_LOCK_TASK = _SELECT_TASK.with_for_update(key_share=True)
_LOCK_FREE_TASK = _SELECT_TASK.with_for_update(key_share=True, skip_locked=True)
