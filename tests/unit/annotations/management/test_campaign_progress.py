"""Figures of progress are counted as labels come, and equal those that are computed from all labels."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlmodel import Session, col, delete, select

from annotations.campaigns.campaign import load_campaign
from annotations.management import campaign_progress
from annotations.management.manage import ManagerActions
from annotations.people.people import Role
from annotations.results.progress_counts import active_bucket, active_range, changed_campaigns, count_changed
from annotations.store.database import read_session
from annotations.store.records import ReadOnlyError
from annotations.store.response_tables import ProgressCount, Reservation, Response
from annotations.store.store import Store
from annotations.store.trigger_counts import mark_all
from tests.unit.annotations.campaigns.actors import CampaignFixture, make_campaign
from tests.unit.annotations.campaigns.progress_definition import progress_by_definition
from tests.unit.annotations.campaigns.random_campaign import ANSWERS, RandomCampaign


def figures(manager: ManagerActions, opened: CampaignFixture, monkeypatch: pytest.MonkeyPatch) -> tuple[Any, Any]:
    """The progress as it is counted, and by its definition, at one moment."""
    now = datetime.now(UTC)
    monkeypatch.setattr(campaign_progress, "datetime", type("Still", (datetime,), {"now": lambda _=None: now}))
    counted = manager.progress(opened.campaign.id)
    with read_session(opened.store.engine) as session:
        return counted, progress_by_definition(session, load_campaign(session, opened.campaign.id), now)


@pytest.mark.parametrize(
    ("questions", "seed"),
    [
        ("label-summaries", 1),
        *[pytest.param(name, seed, marks=pytest.mark.slow) for name in ANSWERS for seed in (2, 3, 4, 5)],
    ],
)
def test_counted_figures_equal_those_computed_from_all_labels(
    store: Store, questions: str, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    campaign = RandomCampaign(store, questions, seed)
    for _ in range(12):
        for _ in range(6):
            campaign.step()
        counted, expected = figures(campaign.manager, campaign.opened, monkeypatch)
        assert counted == expected
    assert expected.answered
    assert expected.active_s is not None


def counts(session: Session) -> list[tuple[int, int, int]]:
    """Sums of all counts by kind and bucket."""
    rows = session.exec(select(ProgressCount.kind, ProgressCount.bucket, ProgressCount.number))
    sums: dict[tuple[int, int], int] = {}
    for kind, bucket, number in rows:
        sums[kind, bucket] = sums.get((kind, bucket), 0) + number
    return sorted((*key, number) for key, number in sums.items() if number)


def test_counts_are_the_same_when_all_is_counted_again(store: Store) -> None:
    campaign = RandomCampaign(store, "label-summaries", 6)
    for _ in range(40):
        campaign.step()
    campaign.manager.progress(campaign.opened.campaign.id)
    with store.writing() as session:
        before = counts(session)
        mark_all(session.connection())
        assert counts(session) == []
    campaign.manager.progress(campaign.opened.campaign.id)
    with read_session(store.engine) as session:
        assert counts(session) == before


def test_what_changed_by_whatever_way_is_marked_until_somebody_looks(store: Store) -> None:
    opened = make_campaign(store, items=3, overlap=2)
    opened.label(opened.annotator("ben"), 2)
    assert changed_campaigns(store) == [opened.campaign.id]
    manager = ManagerActions(store, opened.person("ada", Role.MANAGER))
    assert manager.count_events(opened.campaign.id) == 2
    assert changed_campaigns(store) == []
    with store.writing() as session:
        [first, *_] = session.exec(select(Response).order_by(col(Response.id))).all()
        values = first.model_dump(exclude={"id"}) | {"revision": 2, "event_id": "by hand", "active_ms": 7_000}
        session.add(Response(**values))
    assert len(changed_campaigns(store)) == 1
    assert manager.count_events(opened.campaign.id) == 3
    with store.writing() as session:
        session.execute(delete(Reservation).where(col(Reservation.state) == "lapsed"))
    assert changed_campaigns(store) == []


def test_a_store_that_keeps_nothing_says_that_labels_are_not_counted(store: Store) -> None:
    opened = make_campaign(store, items=1)
    opened.label(opened.annotator("ben"), 1)
    shown = replace(store, read_only=True)
    with pytest.raises(ReadOnlyError, match="not counted yet"):
        count_changed(shown, opened.campaign.id)
    count_changed(store, opened.campaign.id)
    count_changed(shown, opened.campaign.id)


def test_tasks_that_nobody_had_are_part_of_what_is_required(store: Store) -> None:
    opened = make_campaign(store, items=5, overlap=2)
    progress = ManagerActions(store, opened.person("ada", Role.MANAGER)).progress(opened.campaign.id)
    assert (progress.tasks, progress.required, progress.answered, progress.people) == (5, 10, 0, ())


@given(st.integers(min_value=0, max_value=2**31 - 1))
def test_each_time_has_one_bucket_as_wide_as_a_64th_of_it_at_most(time: int) -> None:
    first, last = active_range(active_bucket(time))
    assert first <= time <= last
    assert last - first <= time / 64
    assert active_bucket(last + 1) == active_bucket(first) + 1
    assert timedelta(milliseconds=last) >= timedelta(milliseconds=first)
