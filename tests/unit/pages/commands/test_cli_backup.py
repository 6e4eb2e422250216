"""Backup and restore by the command line: whole, online, and never over rows unasked."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import delete, update
from sqlmodel import select

from annotations.management.manage import ManagerActions
from annotations.people.people import Role
from annotations.store.backup import backup_bytes
from annotations.store.database import read_session
from annotations.store.records import NotSavedError, StoreError
from annotations.store.response_tables import PersonTasks, ProgressCount, Response
from annotations.store.store import Store
from annotations.store.tables import COUNTED, Draft
from annotations.store.writes import upsert_draft
from tests.doubles.process import finish, start
from tests.unit.annotations.campaigns.actors import CampaignFixture, make_campaign
from tests.unit.annotations.conftest import postgres_url, sqlite_url, url
from tests.unit.annotations.pair_samples import PAIR, record
from tests.unit.command_line import run

BACKUP = "import sys, pathlib, annotations.store.backup as b; b.backup(sys.argv[1], pathlib.Path(sys.argv[2]))"
"""In a process of its own: the writers of one process wait for each other."""

__all__ = ["postgres_url", "sqlite_url", "url"]


def at(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    monkeypatch.setenv("TOUCHSTONE_DATABASE_URL", url)


def counts(url: str) -> dict[str, int]:
    with closing(Store.open(url)) as store:
        return store.counts()


@pytest.fixture
def kept(url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[CampaignFixture]:
    """A database of either kind with pairs, labels and a campaign."""
    at(monkeypatch, url)
    with closing(Store.open(url)) as store:
        store.save_pair(PAIR)
        store.save_label(record())
        store.save_draft("draft", "ben", "half")
        opened = make_campaign(store, items=3)
        opened.label(opened.annotator("ben"), 2)
        yield opened


@pytest.fixture
def file(kept: CampaignFixture, tmp_path: Path) -> Path:
    """A backup of it."""
    assert kept.store.counts()["response"]
    file = tmp_path / "backup.db"
    made = run("backup", file)
    assert made.exit_code == 0, made.exception
    return file


def test_a_backup_has_every_row_and_can_be_opened_as_it_is(kept: CampaignFixture, file: Path) -> None:
    assert counts(f"sqlite:///{file}") == kept.store.counts()
    assert [path.name for path in file.parent.glob("backup.db.part*")] == []


def test_a_download_is_a_backup(kept: CampaignFixture, url: str, tmp_path: Path) -> None:
    file = tmp_path / "download.db"
    file.write_bytes(backup_bytes(url))
    assert counts(f"sqlite:///{file}") == kept.store.counts()


@pytest.mark.slow
def test_a_backup_tells_how_much_it_holds(kept: CampaignFixture, tmp_path: Path) -> None:
    said = run("backup", tmp_path / "other.db").output
    rows = {table: number for table, number in kept.store.counts().items() if table not in COUNTED}
    assert f"{sum(rows.values())} rows" in said
    assert "2 labels of campaigns" in said


@pytest.mark.slow
def test_a_backup_is_read_by_its_owner_only(file: Path) -> None:
    assert file.stat().st_mode & 0o077 == 0


@pytest.mark.slow
def test_a_backup_is_made_while_somebody_writes(kept: CampaignFixture, url: str, tmp_path: Path) -> None:
    file = tmp_path / "online.db"
    before = kept.store.counts()
    with kept.store.writing() as session:
        upsert_draft(session, Draft(id="other", owner="cem", payload="x", updated_at=datetime.now(UTC)))
        session.flush()
        status, _, errors = finish(start("-c", BACKUP, url, str(file)))
        assert status == 0, errors
    assert counts(f"sqlite:///{file}") == before


@pytest.mark.slow
def test_a_backup_does_not_overwrite_a_file(file: Path) -> None:
    before = file.read_bytes()
    again = run("backup", file)
    assert isinstance(again.exception, StoreError)
    assert "exists already" in str(again.exception)
    assert file.read_bytes() == before


def test_there_is_nothing_to_back_up_where_there_is_no_database(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    at(monkeypatch, f"sqlite:///{tmp_path / 'none.db'}")
    said = run("backup", tmp_path / "backup.db")
    assert "There is no database at" in str(said.exception)
    assert list(tmp_path.iterdir()) == []


def test_a_backup_is_restored_into_an_empty_database(
    kept: CampaignFixture, file: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    fresh = f"sqlite:///{tmp_path / 'fresh.db'}"
    at(monkeypatch, fresh)
    restored = run("restore", file)
    assert restored.exit_code == 0, restored.exception
    assert counts(fresh) == kept.store.counts()
    with closing(Store.open(fresh)) as store:
        assert store.saved() == kept.store.saved()


@pytest.mark.slow
def test_a_restored_database_goes_on_where_the_old_one_was(kept: CampaignFixture, file: Path) -> None:
    """Also the numbers that PostgreSQL gives go on, and nothing may be changed or deleted again."""
    before = kept.store.counts()
    kept.label(kept.annotator("cem"), 1)
    assert run("restore", file, "--replace").exit_code == 0
    assert kept.store.counts() == before
    kept.label(kept.annotator("eva"), 1)
    assert kept.store.counts()["response"] == before["response"] + 1
    with pytest.raises(NotSavedError, match="only grows"), kept.store.writing() as session:
        session.connection().execute(delete(Response))


@pytest.mark.slow
def test_a_restore_does_not_overwrite_rows_unasked(kept: CampaignFixture, file: Path) -> None:
    kept.store.save_pair(PAIR)
    before = kept.store.counts()
    said = run("restore", file)
    assert isinstance(said.exception, StoreError)
    assert "rows already. Nothing was restored." in str(said.exception)
    assert kept.store.counts() == before


def cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-8192])


def write_over(file: Path) -> None:
    file.write_text("This is no database. " * 100)


def loosen(file: Path) -> None:
    """Let a row name one that is not there."""
    with closing(sqlite3.connect(file)) as connection, connection:
        names = "id, item_id, by, title, domain, source, reaction, created_at"
        connection.execute(f"INSERT INTO origin ({names}) VALUES ('x', 'nothing', '', '', '', '', '', '2026-01-01')")


def test_a_broken_backup_leaves_the_database_as_it_is(kept: CampaignFixture, file: Path) -> None:
    before = kept.store.counts()
    for harm in (cut, write_over, loosen, Path.unlink):
        broken = Path(shutil.copyfile(file, file.with_name("broken.db")))
        harm(broken)
        said = run("restore", broken, "--replace")
        assert isinstance(said.exception, StoreError), harm
    assert kept.store.counts() == before


def test_progress_that_was_counted_is_counted_again_after_a_restore(
    kept: CampaignFixture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    manager = ManagerActions(kept.store, kept.person("ada", Role.MANAGER))
    before = manager.progress(kept.campaign.id)
    assert run("backup", tmp_path / "counted.db").exit_code == 0
    other = f"sqlite:///{tmp_path / 'other.db'}"
    at(monkeypatch, other)
    restored = run("restore", tmp_path / "counted.db")
    assert restored.exit_code == 0, restored.exception
    with closing(Store.open(other)) as store:
        after = ManagerActions(store, kept.person("eva", Role.MANAGER)).progress(kept.campaign.id)
    assert after.answered == 2
    assert replace(after, finish_at=None) == replace(before, finish_at=None)


def test_recount_puts_counts_right_that_are_not(kept: CampaignFixture) -> None:
    manager = ManagerActions(kept.store, kept.person("ada", Role.MANAGER))
    before = manager.progress(kept.campaign.id)
    with kept.store.writing() as session:
        session.execute(update(ProgressCount).values(number=7))
        tasks = [one.model_dump() for one in session.exec(select(PersonTasks)).all()]
        session.execute(update(PersonTasks).values(answered=7))
    assert manager.progress(kept.campaign.id).answered == 7
    counted = run("campaign", "recount")
    assert counted.output == "Counted the labels of 1 campaign again.\n"
    assert replace(manager.progress(kept.campaign.id), finish_at=None) == replace(before, finish_at=None)
    with read_session(kept.store.engine) as session:
        assert [one.model_dump() for one in session.exec(select(PersonTasks)).all()] == tasks
