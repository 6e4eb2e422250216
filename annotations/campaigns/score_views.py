"""Pairs whose scores people saw on Probe: these people are not asked for an unaided label of them afterwards."""

from __future__ import annotations

from datetime import UTC, datetime

from sqlalchemy import bindparam, func
from sqlmodel import Session, col, exists, select

from annotations.campaigns.campaign import CampaignSettings
from annotations.store.campaign_tables import Task
from annotations.store.response_tables import ScoreView
from annotations.store.writes import insert_new

WAS_VIEWED = exists().where(
    col(ScoreView.item_id) == col(Task.item_id), col(ScoreView.person_id) == bindparam("person")
)
"""True of a task whose text the `person` opened on Probe."""


def save_view(session: Session, item_id: str, person_id: str) -> None:
    """Record, once, that a person saw scores of a summary, under the id that it has or would have in the store."""
    row = {"item_id": item_id, "person_id": person_id, "created_at": datetime.now(UTC)}
    insert_new(session, ScoreView, [row])


def count_views(session: Session, campaign: CampaignSettings) -> tuple[int, int]:
    """The number of items of work that somebody saw scores of, each person counted, and the number of these people."""
    counts = (
        select(func.count(), func.count(col(ScoreView.person_id).distinct()))
        .select_from(ScoreView)
        .join(Task, col(Task.item_id) == ScoreView.item_id)
        .where(Task.campaign_id == campaign.id, Task.part == "work")
    )
    return session.exec(counts).one()
