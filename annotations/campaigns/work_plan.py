"""How many people label which item: the places of an item, the calibration round, and the limit of each person."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ColumnElement, and_, func, or_
from sqlmodel import Session, col, select
from sqlmodel.sql.expression import SelectOfScalar

from annotations.campaigns.campaign import CampaignSettings
from annotations.campaigns.people import Member
from annotations.campaigns.tables import Reservation, Task


def is_handing_out(campaign: CampaignSettings, now: datetime) -> bool:
    """Whether a campaign is open and its last day not past."""
    return campaign.is_open and (campaign.rules.deadline is None or now.date() <= campaign.rules.deadline)


def is_place_taken(now: datetime) -> ColumnElement[bool]:
    """Whether a reservation uses up one of the places of its task."""
    in_progress = and_(col(Reservation.state) == "open", col(Reservation.expires_at) > now)
    return and_(col(Reservation.turn) == 1, or_(col(Reservation.state) == "answered", in_progress))


def calibration_tasks(campaign: CampaignSettings) -> SelectOfScalar[str]:
    """The ids of the items that everybody labels."""
    work = select(Task.id).where(Task.campaign_id == campaign.id, Task.part == "work")
    return work.order_by(col(Task.position), col(Task.id)).limit(campaign.rules.calibration)


def has_free_place(
    session: Session, campaign: CampaignSettings, task_id: str, now: datetime, exclude: int | None = None
) -> bool:
    """Whether one more person may label a task of work, one reservation not counted."""
    if count_taken_places(session, task_id, now, exclude) < campaign.rules.overlap:
        return True
    return bool(campaign.rules.calibration) and task_id in session.exec(calibration_tasks(campaign)).all()


def count_taken_places(session: Session, task_id: str, now: datetime, exclude: int | None = None) -> int:
    """How many places of a task are used up, one reservation not counted."""
    counted = select(func.count()).select_from(Reservation).where(Reservation.task_id == task_id, is_place_taken(now))
    return session.exec(counted if exclude is None else counted.where(Reservation.id != exclude)).one()


def count_work(session: Session, campaign: CampaignSettings, person: Member) -> int:
    """How many items of work a person has answered or has open."""
    had = (
        select(func.count())
        .select_from(Reservation)
        .join(Task, col(Task.id) == Reservation.task_id)
        .where(
            Reservation.campaign_id == campaign.id,
            Reservation.person_id == person.id,
            Reservation.turn == 1,
            Task.part == "work",
            col(Reservation.state).in_(("open", "answered", "late")),
        )
    )
    return session.exec(had).one()


def next_task_number(session: Session, campaign: CampaignSettings, person: Member) -> int:
    """The number of the next task of a person in a campaign, from 1."""
    last = select(func.max(Reservation.number)).where(
        Reservation.campaign_id == campaign.id, Reservation.person_id == person.id
    )
    return (session.exec(last).one() or 0) + 1


def lock_task(session: Session, task_id: str, wait: bool = False) -> bool:
    """Keep others from taking places of a task until the transaction ends; False where another transaction holds the lock."""
    row = select(Task.id).where(Task.id == task_id).with_for_update(key_share=True, skip_locked=not wait)
    return session.exec(row).first() is not None
