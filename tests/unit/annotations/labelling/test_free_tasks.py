"""Free tasks: places are counted as they are taken, and found by an index."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import event
from sqlmodel import col, select

from annotations.campaigns.exclusions import WhatIsExcluded, exclude
from annotations.labelling.queue import reserve_next
from annotations.store.campaign_tables import TaskPlaces, WantedLabels
from annotations.store.response_tables import Reservation
from annotations.store.store import Store
from annotations.store.trigger_counts import recount_places
from tests.unit.annotations.campaigns.actors import make_campaign


def places(store: Store, recount: bool = False) -> dict[str, tuple[int, int]]:
    """The places taken and the labels wanted of each task."""
    with store.writing() as session:
        if recount:
            recount_places(session.connection())
        found = session.exec(select(TaskPlaces.task_id, TaskPlaces.taken, TaskPlaces.wanted))
        return {task: (taken, wanted) for task, taken, wanted in found}


def test_places_are_counted_as_they_are_taken_and_freed(store: Store) -> None:
    opened = make_campaign(store, items=4, overlap=2, repeat_every=2)
    ben, cem = opened.person("ben"), opened.person("cem")
    opened.label(opened.annotator_of(ben), 3)
    skipped = opened.next_task(opened.annotator_of(cem))
    opened.send(opened.annotator_of(cem), skipped, "skip")
    opened.label(opened.annotator_of(cem), 1)
    opened.next_task(opened.annotator_of(cem))
    assert sorted(taken for taken, _ in places(store).values()) == [0, 1, 2, 2]
    with store.writing() as session:
        exclude(session, opened.campaign, WhatIsExcluded(ben.id), "Too fast.", "ada")
        [first, *_] = session.exec(select(TaskPlaces.task_id).order_by(col(TaskPlaces.position)))
        session.add(WantedLabels(task_id=first, labels=3, probability=0.7, created_at=datetime.now(UTC)))
    assert sorted(taken for taken, _ in places(store).values()) == [0, 0, 1, 1]
    assert places(store) == places(store, recount=True)
    assert places(store)[first][1] == 3


def test_what_an_expired_reservation_frees_comes_before_what_was_labelled_once(store: Store) -> None:
    opened = make_campaign(store, items=3, overlap=2, expires_minutes=60)
    ben, cem = opened.person("ben"), opened.person("cem")
    opened.label(opened.annotator_of(ben), 2)
    left = opened.next_task(opened.annotator_of(ben))
    with store.writing() as session:
        later = datetime.now(UTC) + timedelta(hours=2)
        reserved = reserve_next(session, opened.campaign, cem, later)
        assert isinstance(reserved, Reservation)
        assert reserved.task_id == session.get_one(Reservation, left.reservation).task_id


@pytest.mark.parametrize("rules", [{}, {"order": "disagreement"}, {"most_overlap": 5}], ids=str)
def test_the_next_item_is_found_by_an_index_and_nothing_is_sorted(store: Store, rules: dict[str, object]) -> None:
    if store.engine.name != "sqlite":
        pytest.skip("PostgreSQL chooses its plans by statistics")
    opened = make_campaign(store, items=3, overlap=2, **rules)
    annotator, sent = opened.annotator("ben"), list[tuple[str, object]]()
    listen = (store.engine, "before_cursor_execute", lambda _c, _u, text, params, *_: sent.append((text, params)))
    event.listen(*listen)
    opened.next_task(annotator)
    event.remove(*listen)
    statement, params = next(one for one in sent if one[0].startswith("SELECT taskplaces.task_id"))
    with store.engine.connect() as connection:
        steps = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", params).all()
    # those within another step belong to the names of a person, which a newer SQLite sorts
    plan = " ".join(detail for _, parent, _, detail in steps if parent == 0)
    assert "taskplaces USING INDEX ix_taskplaces_" in plan
    assert "(campaign_id=? AND taken=?" in plan
    assert "TEMP B-TREE FOR ORDER BY" not in plan
