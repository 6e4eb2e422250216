"""A server counts labels of every campaign, and one that cannot be read holds up no other."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from annotations.results.progress_counts import changed_campaigns
from annotations.store.campaign_tables import VersionRow
from annotations.store.store import Store
from pages.server import counting_thread
from pages.server.counting_thread import count_all
from tests.unit.annotations.campaigns.actors import make_campaign


@pytest.fixture
def store(tmp_path: Path, migrated_database: Path) -> Iterator[Store]:
    file = tmp_path / "touchstone.db"
    file.write_bytes(migrated_database.read_bytes())
    store = Store.open(f"sqlite:///{file}")
    yield store
    store.close()


def test_a_campaign_that_cannot_be_read_holds_up_no_other(store: Store) -> None:
    broken, whole = make_campaign(store, items=1), make_campaign(store, items=2, called="Mills")
    broken.label(broken.annotator("ben"), 1)
    whole.events = broken.events
    whole.label(whole.annotator("cem"), 1)
    values = {"guidelines": "", "rules": "{}", "open": True, "by": "ada", "created_at": datetime.now(UTC)}
    with store.writing() as session:
        session.add(VersionRow(campaign_id=broken.campaign.id, version=2, questions="no questions", **values))
    assert count_all(replace(store, read_only=True)) == ""
    assert set(changed_campaigns(store)) == {broken.campaign.id, whole.campaign.id}
    assert "question" in count_all(store)
    assert changed_campaigns(store) == [broken.campaign.id]


def test_the_thread_counts_until_the_server_stops(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    opened, stopped = make_campaign(store, items=1), threading.Event()
    opened.label(opened.annotator("ben"), 1)

    def look(counted: Store) -> str:
        stopped.set()
        return count_all(counted)

    monkeypatch.setattr(counting_thread, "_EVERY_SECONDS", 0.0)
    monkeypatch.setattr(counting_thread, "_WAIT_FOR_PAGE_SECONDS", 0.0)
    monkeypatch.setattr(counting_thread.services, "store", lambda: store)
    monkeypatch.setattr(counting_thread, "count_all", look)
    counting_thread._count_until(stopped)
    assert changed_campaigns(store) == []
