"""A database that is locked, full or gone: a sentence, the draft is still there, and the same press is kept once later."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from uuid import uuid4

import pytest
from sqlalchemy import create_engine, event, make_url, text

from annotations.campaigns.task_texts import ShownTask
from annotations.labelling.labelling import AnnotatorActions
from annotations.store.records import NotSavedError, StoreError
from annotations.store.store import Store
from core.settings import Settings
from pages.server import services
from tests.unit.annotations.campaigns.actors import ANSWERS, CampaignFixture, make_campaign

HALF_DONE = {"answers": {"verdict": "consistent"}}


@pytest.fixture
def hasty(url: str, store: Store) -> Iterator[Store]:  # noqa: ARG001  # which makes the tables, and may wait for others
    """A store that waits for a lock for a moment only."""
    opened = Store.open(impatient(url))
    yield opened
    opened.close()


def impatient(url: str) -> str:
    parsed = make_url(url)
    if parsed.get_backend_name() == "sqlite":
        return f"{url}?timeout=0.05"
    options = {"options": f"{parsed.query['options']} -clock_timeout=50"}
    return parsed.update_query_dict(options).render_as_string(hide_password=False)


@contextmanager
def locked(url: str) -> Iterator[None]:
    """Another program that writes and does not end."""
    engine = create_engine(make_url(url).set(drivername="postgresql+psycopg") if "postgres" in url else url)
    with engine.connect() as other:
        if engine.name == "sqlite":
            other.connection.cursor().execute("BEGIN IMMEDIATE")
        else:
            other.execute(text("LOCK TABLE reservation, response, draft IN EXCLUSIVE MODE"))
        yield
        other.rollback()
    engine.dispose()


def at_work(store: Store) -> tuple[CampaignFixture, AnnotatorActions, ShownTask]:
    """Somebody with a task in hand, half done."""
    opened = make_campaign(store, items=2)
    annotator = opened.annotator("ben")
    work = opened.next_task(annotator)
    annotator.save_draft(work.reservation, HALF_DONE)
    return opened, annotator, work


def test_a_locked_database_says_so_and_the_label_is_kept_once_when_it_is_free(hasty: Store, url: str) -> None:
    opened, annotator, work = at_work(hasty)
    with locked(url), pytest.raises(NotSavedError, match=r"NOT saved.*Another program is writing.*save again"):
        opened.send(annotator, work, event_id="press")
    assert annotator.draft(work.reservation) == HALF_DONE
    assert [opened.send(annotator, work, event_id="press").is_new for _ in range(2)] == [True, False]


def test_a_locked_database_gives_no_next_task_and_no_draft_but_a_sentence(hasty: Store, url: str) -> None:
    opened, annotator, work = at_work(hasty)
    with locked(url):
        with pytest.raises(NotSavedError, match="NOT saved"):
            annotator.next(opened.campaign.id)
        with pytest.raises(NotSavedError, match="NOT saved"):
            annotator.save_draft(work.reservation, {"answers": {}})
    assert annotator.draft(work.reservation) == HALF_DONE
    assert opened.next_task(annotator) == work


@pytest.mark.slow
def test_many_who_press_while_another_program_writes_are_told_soon_and_lose_nothing(sqlite_url: str) -> None:
    store = Store.open(sqlite_url, patience_s=0.5)
    opened = make_campaign(store, items=1, overlap=12)
    people = [opened.annotator(f"annotator {number}") for number in range(12)]
    tasks = [opened.next_task(person) for person in people]

    def press(number: int) -> str:
        try:
            opened.send(people[number], tasks[number], event_id=f"press of {number}")
        except NotSavedError as error:
            return str(error)
        return "saved"

    with ThreadPoolExecutor(12) as pool:
        began = time.monotonic()
        with locked(sqlite_url):
            told = list(pool.map(press, range(12)))
        assert time.monotonic() - began < 4  # half a second for each of them is six
        assert all("Another program is writing" in one for one in told)
        assert list(pool.map(press, range(12))) == ["saved"] * 12
    store.close()


def test_the_desk_waits_a_few_seconds_for_another_program(sqlite_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "settings", lambda: Settings(database_url=sqlite_url))
    services.store.clear()
    try:
        assert services.store().patience_s <= 5
    finally:
        services.store().close()
        services.store.clear()


def test_a_full_disk_says_so_and_the_label_is_kept_when_there_is_space(sqlite_url: str) -> None:
    store = Store.open(sqlite_url)
    opened, annotator, work = at_work(store)
    answers = {**ANSWERS["label-summaries"], "verdict": "inconsistent", "reason": "It was a raft. " * 1300}
    with (
        full(store),
        pytest.raises(NotSavedError, match=r"NOT saved.*full.*free some space.*save again"),
    ):
        opened.send(annotator, work, event_id="press", answers=answers)
    assert annotator.draft(work.reservation) == HALF_DONE
    assert opened.next_task(annotator) == work
    assert opened.send(annotator, work, event_id="press", answers=answers).is_new
    store.close()


@contextmanager
def full(store: Store) -> Iterator[None]:
    """SQLite may not make its file longer."""

    def shrink(connection: sqlite3.Connection, _: object) -> None:
        connection.execute("PRAGMA max_page_count = 1").close()  # as few as it has now

    store.engine.dispose()
    event.listen(store.engine, "connect", shrink)
    yield
    event.remove(store.engine, "connect", shrink)
    store.engine.dispose()


def test_connections_that_the_server_closed_are_made_again(postgres_url: str) -> None:
    named = make_url(postgres_url).update_query_dict({"application_name": uuid4().hex})
    store = Store.open(named.render_as_string(hide_password=False))
    opened, annotator, work = at_work(store)
    closing = "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = :name"
    engine = create_engine(make_url(postgres_url).set(drivername="postgresql+psycopg"))
    with engine.connect() as other:
        assert True in other.execute(text(closing), {"name": named.query["application_name"]}).scalars().all()
    engine.dispose()
    assert opened.send(annotator, work).is_new
    store.close()


def test_a_server_that_is_gone_is_a_sentence() -> None:
    with pytest.raises(StoreError, match="cannot be opened"):
        Store.open("postgresql://nobody@127.0.0.1:1/labels")
