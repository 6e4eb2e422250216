"""Items that are withdrawn: handed out no more, their labels kept and counted nowhere."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Exists
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, exists, select

from annotations.store.campaign_tables import Task, TaskWithdrawal

_LATER = aliased(TaskWithdrawal)
_IS_NEWEST = ~exists().where(
    col(_LATER.task_id) == col(TaskWithdrawal.task_id), col(_LATER.id) > col(TaskWithdrawal.id)
)


def is_withdrawn(task_id: Any) -> Exists:
    """SQL that is true where the newest row of a task withdraws it; `task_id` is a column or a parameter."""
    return exists().where(col(TaskWithdrawal.task_id) == task_id, col(TaskWithdrawal.withdrawn), _IS_NEWEST)


IS_WITHDRAWN = is_withdrawn(col(Task.id))
"""True of a task that is withdrawn."""


def load_withdrawals(session: Session, campaign_id: str) -> dict[str, TaskWithdrawal]:
    """By task of a campaign that is withdrawn, the row that says why."""
    rows = session.exec(
        select(TaskWithdrawal)
        .join(Task, col(Task.id) == TaskWithdrawal.task_id)
        .where(Task.campaign_id == campaign_id, TaskWithdrawal.withdrawn, _IS_NEWEST)
    )
    return {row.task_id: row for row in rows}
