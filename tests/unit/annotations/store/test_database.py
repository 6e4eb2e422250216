"""URLs, connections and transactions."""

from __future__ import annotations

import os
import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from sqlalchemy import Engine, event, text

from annotations.store.database import FairSemaphore, connect, parse_url
from annotations.store.records import NotSavedError, StoreError
from annotations.store.store import Store
from tests.unit.annotations.pair_samples import PAIR, record


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("", "is no database URL"),
        ("labels.db", "is no database URL"),
        ("mysql://host/labels", "not in 'mysql'"),
        ("sqlite:////proc/touchstone/labels.db", "cannot be made"),
        ("postgresql://nobody@127.0.0.1:1/labels", "cannot be opened"),
    ],
)
def test_a_url_that_cannot_be_used_is_named_with_what_to_do(url: str, message: str) -> None:
    with pytest.raises(StoreError, match=message) as caught:
        Store.open(url)
    assert "Write sqlite:///" in str(caught.value) or "TOUCHSTONE_DATABASE_URL" in str(caught.value)


def test_nobody_else_of_the_machine_reads_a_new_database(tmp_path: Path) -> None:
    Store.open(f"sqlite:///{tmp_path / 'new' / 'labels.db'}").close()
    files = sorted((tmp_path / "new").iterdir())
    assert files[0].name == "labels.db"
    assert {file.stat().st_mode & 0o777 for file in files} == {0o600}


def test_a_password_is_never_part_of_a_message() -> None:
    with pytest.raises(StoreError) as caught:
        Store.open("postgresql://nobody:hunter2@127.0.0.1:1/labels")
    assert "hunter2" not in str(caught.value)


def test_a_folder_below_a_file_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "notes").write_text("a file")
    with pytest.raises(StoreError, match="cannot be made"):
        Store.open(f"sqlite:///{tmp_path}/notes/labels.db")


def test_a_folder_is_no_database(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="is a folder"):
        Store.open(f"sqlite:///{tmp_path}")


@pytest.mark.parametrize("read_only", [False, True])
def test_a_file_that_is_no_database_is_left_as_it_is(tmp_path: Path, read_only: bool) -> None:
    file = tmp_path / "letter.db"
    file.write_text("Dear reader, " * 500)
    with pytest.raises(StoreError, match=r"not a database.*Choose another file"):
        Store.open(f"sqlite:///{file}", read_only)
    assert file.read_text() == "Dear reader, " * 500


def test_the_parent_folder_is_made(tmp_path: Path) -> None:
    Store.open(f"sqlite:///{tmp_path}/var/deep/labels.db").close()
    assert (tmp_path / "var/deep/labels.db").exists()


def test_a_relative_path_does_not_move_with_the_working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert parse_url("sqlite:///var/labels.db").database == str(tmp_path / "var/labels.db")


def test_sqlite_is_set_to_survive_a_power_cut_and_to_check_references(sqlite_url: str) -> None:
    store = Store.open(sqlite_url)
    with store.engine.connect() as connection:
        found = [
            connection.exec_driver_sql(f"PRAGMA {name}").scalar()
            for name in ("journal_mode", "synchronous", "foreign_keys")
        ]
    store.close()
    assert found == ["wal", 2, 1]


def test_a_closed_store_closes_what_is_still_in_use_or_opened_later(sqlite_url: str) -> None:
    store = Store.open(sqlite_url)
    with store.engine.connect() as used:
        store.close()
        first = used.connection.driver_connection
        assert used.exec_driver_sql("SELECT 1").scalar() == 1
    with store.engine.connect() as late:
        second = late.connection.driver_connection
    for connection in (first, second):
        assert connection is not None
        with pytest.raises(sqlite3.ProgrammingError, match="closed"):
            connection.execute("SELECT 1")


def test_drafts_do_not_wait_for_the_disk_and_labels_do(sqlite_url: str) -> None:
    store, found = Store.open(sqlite_url), list[int | None]()
    for transaction in (store.writing_without_sync, store.writing):
        with transaction() as session:
            found.append(session.connection().exec_driver_sql("PRAGMA synchronous").scalar())
    store.close()
    assert found == [1, 2]


@pytest.mark.slow
def test_connections_that_meet_in_a_new_file_wait_for_one_another(tmp_path: Path) -> None:
    for name in range(100):  # SQLite refused one of them in 6 of 100 files
        engines = [connect(parse_url(f"sqlite:///{tmp_path}/{name}.db")) for _ in range(6)]
        together = threading.Barrier(len(engines))

        def journal(engine: Engine, together: threading.Barrier = together) -> str:
            together.wait()
            with engine.connect() as connection:
                return str(connection.scalar(text("PRAGMA journal_mode")))

        with ThreadPoolExecutor(len(engines)) as pool:
            assert list(pool.map(journal, engines)) == ["wal"] * len(engines)
        for engine in engines:
            engine.dispose()


def test_references_are_checked_again_after_the_migrations(sqlite_url: str) -> None:
    store = Store.open(sqlite_url)
    with pytest.raises(NotSavedError, match="FOREIGN KEY"), store.writing() as session:
        session.execute(text("INSERT INTO edit VALUES ('nothing', 0, 0, 1, 'a', 'b', 'c', 'd')"))
    store.close()


def test_a_locked_database_says_that_the_label_was_not_saved(sqlite_url: str) -> None:
    store = Store.open(f"{sqlite_url}?timeout=0.05")
    other = sqlite3.connect(store.engine.url.database or "")
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(NotSavedError, match=r"NOT saved: database is locked.*save again"):
        store.save_label(record())
    other.close()
    assert store.save_label(record()).is_new
    store.close()


def test_a_full_disk_says_that_the_label_was_not_saved_and_keeps_no_part_of_it(sqlite_url: str) -> None:
    store = Store.open(sqlite_url)
    store.save_pair(PAIR)
    before = store.counts()
    store.engine.dispose()

    @event.listens_for(store.engine, "connect")
    def shrink(connection: sqlite3.Connection, _: object) -> None:
        connection.execute("PRAGMA max_page_count = 1").close()  # as few as it has now

    with pytest.raises(NotSavedError, match=r"NOT saved: database or disk is full.*free some space"):
        store.save_label(record(note="a long story " * 1_500))
    assert store.counts() == before
    store.close()


def test_memory_is_a_database_too_for_all_threads_together() -> None:
    store = Store.open("sqlite://")
    store.save_pair(PAIR)
    assert store.counts()["item"] == 2
    store.close()


def test_threads_are_served_in_order_of_arrival() -> None:
    semaphore, served = FairSemaphore(), list[int]()

    def be_served(number: int) -> None:
        with semaphore:
            served.append(number)

    threads = [threading.Thread(target=be_served, args=(number,)) for number in range(5)]
    with semaphore:
        for place, thread in enumerate(threads, start=1):
            thread.start()
            while semaphore.waiting < place:
                os.sched_yield()
        assert served == []
    for thread in threads:
        thread.join()
    assert served == [0, 1, 2, 3, 4]


def test_an_error_inside_lets_the_next_one_in() -> None:
    semaphore = FairSemaphore()
    for _ in range(2):
        with pytest.raises(StoreError), semaphore:
            parse_url("nonsense")
    assert semaphore.waiting == 0


def test_a_semaphore_admits_as_many_threads_as_permits() -> None:
    semaphore = FairSemaphore(permits=2)
    waited = threading.Thread(target=semaphore.__enter__)
    with semaphore:
        with semaphore:
            waited.start()
            while not semaphore.waiting:
                os.sched_yield()
        waited.join()
    assert semaphore.waiting == 0


def test_a_connection_that_sqlite_opened_for_reading_alone_is_not_used_again(tmp_path: Path) -> None:
    """As it does while a file may not be written, and keeps to when it may be again."""
    store = Store.open(f"sqlite:///{tmp_path / 'labels.db'}")
    with store.engine.connect() as connection:
        connection.exec_driver_sql(
            "PRAGMA query_only = ON"
        )  # every write of this connection is refused in the same words
    with pytest.raises(NotSavedError, match="readonly database"):
        store.save_pair(PAIR)
    assert store.save_pair(PAIR).is_new
    store.close()
