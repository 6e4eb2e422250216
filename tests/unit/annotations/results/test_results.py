"""Labels, decisions and error types of some tasks cost the same however many the campaign has."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from sqlalchemy import event
from sqlmodel import Session, col, select

from annotations.campaigns.campaign import CampaignSettings
from annotations.campaigns.qualification import mark_gold
from annotations.results.results import given_error_types, latest_decisions, load_labels
from annotations.store.campaign_tables import Task
from annotations.store.database import read_session
from annotations.store.store import Store
from tests.unit.annotations.campaigns.actors import make_campaign

Read = Callable[[Session, CampaignSettings, Sequence[str]], Any]


@pytest.mark.parametrize(
    ("read", "of"),
    [(load_labels, Task.id), (latest_decisions, Task.id), (mark_gold, Task.id), (given_error_types, Task.item_id)],
)
def test_what_is_asked_of_some_tasks_reads_no_others(store: Store, read: Read, of: str) -> None:
    if store.engine.name != "sqlite":
        pytest.skip("PostgreSQL chooses its plans by statistics")
    opened = make_campaign(store, items=40)
    opened.label(opened.annotator("ben"), 3)
    sent = list[tuple[str, Any]]()
    with read_session(store.engine) as session:
        some = session.exec(select(col(of)).where(Task.campaign_id == opened.campaign.id).limit(30)).all()
        listen = (store.engine, "before_cursor_execute", lambda _c, _u, text, params, *_: sent.append((text, params)))
        event.listen(*listen)
        read(session, opened.campaign, some)
        event.remove(*listen)
    with store.engine.connect() as connection:
        plans = [
            str(row[3])
            for statement, params in sent
            for row in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", params)
        ]
    assert any("task" in plan for plan in plans)
    of_tasks = [plan for plan in plans if plan.startswith(("SCAN task", "SEARCH task "))]
    assert not [plan for plan in of_tasks if plan.startswith("SCAN") or plan.endswith(" (campaign_id=?)")]
