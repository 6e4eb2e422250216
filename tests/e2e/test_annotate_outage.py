"""Labelling goes on when the database comes back: the labeller stays, says so, keeps what is typed, and sends each press once."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from sqlmodel import col, select

from annotations.campaigns.campaign import CampaignSettings
from annotations.store.database import read_session
from annotations.store.response_tables import Reservation, Response
from annotations.store.store import Store
from tests.e2e.cluster import PROGRAMS, Cluster
from tests.e2e.faults import files_limited, full, not_writable, small_disk
from tests.e2e.server import free_port
from tests.e2e.shared_server import AnnotatePage, SharedServer, locked, opened
from tests.e2e.waiting import START_MS

pytestmark = pytest.mark.e2e


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    if not os.environ.get("TOUCHSTONE_TEST_POSTGRES_URL") or not PROGRAMS:
        pytest.skip("TOUCHSTONE_TEST_POSTGRES_URL is not set, or there are no programs in /usr/lib/postgresql")
    with tempfile.TemporaryDirectory() as folder:  # a socket's path has to be short
        made = Cluster(Path(folder) / "pg", free_port())
        made.create()
        yield made
        made.run("pg_ctl", "-m", "immediate", "stop")


@contextmanager
def staying(annotate_page: AnnotatePage) -> Iterator[None]:
    """The labeller in the page is one and the same from beginning to end, and no message takes its place."""
    drawn = annotate_page.page.locator(".labeller").element_handle()
    yield
    assert drawn
    assert drawn.evaluate("labeller => labeller.isConnected")
    expect(annotate_page.page.get_by_test_id("stException")).to_have_count(0)


def saved(store: Store, campaign: CampaignSettings) -> list[tuple[int, str, int]]:
    """Number of the item, verdict and confidence of every response in the order in which it came."""
    rows = (
        select(Response.number, Response.answers)
        .join(Reservation, col(Reservation.id) == Response.reservation_id)
        .where(Reservation.campaign_id == campaign.id)
        .order_by(col(Response.id))
    )
    with read_session(store.engine) as session:
        return [(number, given["verdict"], given["confidence"]) for number, given in session.exec(rows).all()]


@pytest.mark.slow
def test_a_database_that_somebody_else_keeps_locked_is_told_and_waited_for(
    page: Page, shared_server: SharedServer
) -> None:
    campaign = shared_server.campaign("label-summaries", items=4)
    annotate_page = AnnotatePage(page, shared_server)
    annotate_page.enter(shared_server.code()[1], campaign)
    with staying(annotate_page):
        with locked(shared_server.server.database):
            annotate_page.keys("2", "4")
            annotate_page.write("Both readings are fair.")
            annotate_page.keys("Enter")
            expect(annotate_page.away).to_contain_text("database is locked")
            assert saved(shared_server.store, campaign) == []
        annotate_page.at("Item 2")
    with locked(shared_server.server.database):
        annotate_page.keys("1", "5", "Enter")
        expect(annotate_page.away).to_contain_text("database is locked")
        page.reload()  # what was pressed is known to the browser only
        expect(page.get_by_text("database is locked")).to_be_visible(timeout=START_MS)
    page.reload()
    annotate_page.at("Item 3", patience_ms=START_MS)
    assert saved(shared_server.store, campaign) == [(1, "borderline", 4), (2, "consistent", 5)]


def label_through(
    annotate_page: AnnotatePage, campaign: CampaignSettings, fault: AbstractContextManager[None], advice: str
) -> None:
    """Answer an item and half the next while a fault lasts: all is kept on the page, and saved once when it is over."""
    store = annotate_page.shared_server.store
    annotate_page.keys("1", "5", "Enter")
    annotate_page.at("Item 2")
    with staying(annotate_page):
        with fault:
            annotate_page.keys("2", "4")
            annotate_page.write("Both readings are fair.")
            annotate_page.keys("Enter")
            expect(annotate_page.away).to_contain_text("kept on this page")
            expect(annotate_page.away).to_contain_text(advice)
            expect(annotate_page.place).to_have_text("Item 3")
            annotate_page.keys("3", "3")
            annotate_page.write("It was noon.")
        expect(annotate_page.away).to_be_empty(timeout=START_MS)
        annotate_page.drafted()
        assert saved(store, campaign) == [(1, "consistent", 5), (2, "borderline", 4)]
        annotate_page.keys("Enter")
        annotate_page.at("Item 4")
    assert saved(store, campaign)[2:] == [(3, "inconsistent", 3)]


def entered(page: Page, shared_server: SharedServer) -> tuple[AnnotatePage, CampaignSettings]:
    campaign, annotate_page = shared_server.campaign("label-summaries", items=5), AnnotatePage(page, shared_server)
    annotate_page.enter(shared_server.code()[1], campaign)
    return annotate_page, campaign


@pytest.mark.slow
def test_a_full_disk_is_told_and_waited_for(page: Page, tmp_path: Path) -> None:
    with (
        small_disk(tmp_path / "disk") as disk,
        opened(tmp_path, f"sqlite:///{disk / 'touchstone.db'}") as shared_server,
    ):
        label_through(*entered(page, shared_server), full(disk), "free some space")


@pytest.mark.slow
def test_a_limit_on_the_length_of_files_is_told_and_waited_for(page: Page, shared_server: SharedServer) -> None:
    label_through(*entered(page, shared_server), files_limited(shared_server.server.pid), "has space left")


@pytest.mark.slow
def test_a_file_that_cannot_be_written_is_told_and_waited_for(page: Page, shared_server: SharedServer) -> None:
    label_through(*entered(page, shared_server), not_writable(shared_server.server.database), "may be written")


@pytest.mark.slow
def test_labelling_goes_on_after_postgresql_was_killed_and_after_a_standby_that_only_reads_took_over(
    page: Page, cluster: Cluster, tmp_path: Path
) -> None:
    with opened(tmp_path, cluster.url) as shared_server:
        campaign, (_, code) = shared_server.campaign("label-summaries", items=8), shared_server.code()
        annotate_page = AnnotatePage(page, shared_server)
        annotate_page.enter(code, campaign)
        annotate_page.keys("1", "5", "Enter")
        annotate_page.at("Item 2")
        shared_server.store.close()  # its connections end with the server
        with staying(annotate_page):
            cluster.kill()
            annotate_page.keys("1", "4", "Enter")
            expect(annotate_page.away).to_contain_text("kept on this page")
            expect(annotate_page.place).to_have_text("Item 3")
            annotate_page.keys("3", "3")
            annotate_page.write("It was noon.")
            annotate_page.keys("Enter", "1", "2", "Enter")  # the last three wait for an item
            expect(annotate_page.save).to_contain_text("Saving")
            cluster.start()
            annotate_page.at("Item 5", patience_ms=START_MS)
        assert saved(shared_server.store, campaign) == [
            (1, "consistent", 5),
            (2, "consistent", 4),
            (3, "inconsistent", 3),
            (4, "consistent", 2),
        ]

        page.context.clear_cookies()
        label_through(*entered(page, shared_server), cluster.standing_by(), "only be read")
