"""Labelled items of a campaign that are mixed in again as gold."""

from __future__ import annotations

from collections.abc import Sequence

from sqlmodel import Session, col, select

from annotations.campaigns.campaign import CampaignSettings, NewTask
from annotations.results.resolution import resolve_tasks
from annotations.store.campaign_tables import Task
from annotations.store.records import RecordError


def gold_of_decisions(session: Session, campaign: CampaignSettings, tasks: Sequence[str]) -> list[NewTask]:
    """Gold tasks of tasks of work, with their decided answer to the measured question as the right one.

    Raises RecordError for a task without a decided answer.
    """
    measure = campaign.questions.measure
    resolved = {task.task: task.answers for task in resolve_tasks(session, campaign)}
    if undecided := [task for task in tasks if measure not in resolved.get(task, {})]:
        raise RecordError(
            f"{len(undecided)} of {len(tasks)} items have no decided answer. Adjudicate them first, or leave them out."
        )
    return [
        NewTask(
            row.item_id,
            "gold",
            row.explanation_id,
            asked=row.asked,
            key={measure: resolved[row.id][measure]},
            columns=row.columns,
        )
        for row in session.exec(select(Task).where(col(Task.id).in_(tasks)).order_by(col(Task.position)))
    ]
