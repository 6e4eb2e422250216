"""The tasks of a campaign with their labels, and the reasons why items were skipped or flagged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlmodel import Session, col, func, select

from annotations.campaigns.campaign import CampaignSettings
from annotations.campaigns.withdrawals import load_withdrawals
from annotations.store.campaign_tables import AnswerKey, Task
from annotations.store.people_tables import Person
from annotations.store.response_tables import FlagResolution, Reservation, Response
from annotations.store.tables import ItemRow


@dataclass(frozen=True, slots=True)
class TaskRow:
    """One thing to label."""

    task: str
    """Id of the task."""
    part: str
    """Part of the campaign."""
    summary: str
    """Text of the summary."""
    asked: Mapping[str, Any]
    """Details that the questions need besides the texts."""
    key: Mapping[str, Any]
    """Known answers; empty where there are none."""
    labels: int
    """Number of labels that count."""
    columns: Mapping[str, str]
    """Cells of the owner's table, by column."""
    withdrawn: str = ""
    """Reason why it is withdrawn; "" where it is not."""


@dataclass(frozen=True, slots=True)
class TaskRemark:
    """Reason why an item was skipped or flagged; `is_open` until a flag is resolved."""

    task: str
    act: str
    person: str
    reason: str
    summary: str
    created_at: datetime
    is_open: bool


def load_tasks(session: Session, campaign: CampaignSettings) -> list[TaskRow]:
    """Every task of a campaign, in the order in which they were added."""
    rows = session.exec(
        select(Task, ItemRow.text)
        .join(ItemRow, col(ItemRow.id) == Task.item_id)
        .where(Task.campaign_id == campaign.id)
        .order_by(col(Task.position))
    ).all()
    ids = select(Task.id).where(Task.campaign_id == campaign.id)
    keys = dict(session.exec(select(AnswerKey.task_id, AnswerKey.answers).where(col(AnswerKey.task_id).in_(ids))).all())
    labels = dict(
        session.exec(
            select(Reservation.task_id, func.count())
            .where(Reservation.campaign_id == campaign.id, Reservation.state == "answered", ~col(Reservation.excluded))
            .group_by(col(Reservation.task_id))
        ).all()
    )
    withdrawn = load_withdrawals(session, campaign.id)
    return [
        TaskRow(
            task.id,
            task.part,
            text,
            task.asked,
            keys.get(task.id, {}),
            labels.get(task.id, 0),
            task.columns,
            withdrawn[task.id].reason if task.id in withdrawn else "",
        )
        for task, text in rows
    ]


def load_column_names(session: Session, campaign_id: str) -> list[str]:
    """Columns of the owners' tables, in the order in which the items brought them."""
    tasks = select(Task.columns).where(Task.campaign_id == campaign_id).order_by(col(Task.position), col(Task.id))
    return list(dict.fromkeys(name for columns in session.exec(tasks) for name in columns))


def load_remarks(session: Session, campaign: CampaignSettings) -> list[TaskRemark]:
    """Every skip and flag of a campaign, newest first."""
    resolutions = select(FlagResolution.response_id).join(Response, col(Response.id) == FlagResolution.response_id)
    resolutions = resolutions.join(Reservation, col(Reservation.id) == Response.reservation_id)
    resolved = set(session.exec(resolutions.where(Reservation.campaign_id == campaign.id)))
    rows = session.exec(
        select(Response, Task.id, Person.name, ItemRow.text)
        .join(Reservation, col(Reservation.id) == Response.reservation_id)
        .join(Person, col(Person.id) == Reservation.person_id)
        .join(Task, col(Task.id) == Reservation.task_id)
        .join(ItemRow, col(ItemRow.id) == Task.item_id)
        .where(Reservation.campaign_id == campaign.id, col(Response.act).in_(("skip", "flag")))
        .order_by(col(Response.id).desc())
    )
    return [
        TaskRemark(task, row.act, name, row.reason, text, row.created_at, row.act == "flag" and row.id not in resolved)
        for row, task, name, text in rows
    ]
