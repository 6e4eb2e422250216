"""An older database is copied before it is brought up; what cannot be copied is not touched."""

from __future__ import annotations

import errno
import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy.exc import OperationalError

from annotations.store import migration
from annotations.store.database import connect, parse_url
from annotations.store.migrate import MIGRATIONS_FOLDER, newest_version, upgrade
from annotations.store.migration import migrate
from annotations.store.records import StoreError
from annotations.store.store import Store
from core.settings import Settings
from tests.unit.command_line import done, run


@pytest.fixture
def older(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A database of version 0020, that of release 0.2.0, with a draft in it."""
    newer = [file.name for file in (MIGRATIONS_FOLDER / "versions").glob("0*.py") if file.name[:4] > "0020"]
    shutil.copytree(MIGRATIONS_FOLDER, tmp_path / "migrations", ignore=shutil.ignore_patterns(*newer))
    file = tmp_path / "labels.db"
    engine = connect(parse_url(f"sqlite:///{file}"))
    upgrade(engine, tmp_path / "migrations")
    engine.dispose()
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("INSERT INTO draft VALUES ('d', 'local', 'work', '2026-11-20 00:00:00+00:00')")
    monkeypatch.setenv("TOUCHSTONE_DATABASE_URL", f"sqlite:///{file}")
    return file


def version_of(file: Path) -> str:
    with closing(sqlite3.connect(file)) as connection:
        [[version]] = connection.execute("SELECT version_num FROM alembic_version").fetchall()
        assert connection.execute("SELECT payload FROM draft").fetchall() == [("work",)]
    return str(version)


def test_the_copy_is_the_database_as_it_was(older: Path) -> None:
    copy = older.with_name("labels-0020.db")
    assert migrate(f"sqlite:///{older}") == ("0020", newest_version(), copy)
    assert (version_of(copy), version_of(older)) == ("0020", newest_version())
    assert copy.stat().st_mode & 0o077 == 0
    assert migrate(f"sqlite:///{older}") is None


def test_a_copy_never_replaces_a_file(older: Path) -> None:
    older.with_name("labels-0020.db").write_text("other")
    with pytest.raises(StoreError, match="exists already"):
        migrate(f"sqlite:///{older}", older.with_name("labels-0020.db"))
    assert version_of(older) == "0020"
    migrated = migrate(f"sqlite:///{older}")
    assert migrated is not None
    assert migrated[2] == older.with_name("labels-0020-2.db")


@pytest.mark.parametrize(
    ("made", "error"),
    [
        ("CREATE TABLE alembic_version AS SELECT '9999' AS version_num", "made by a newer one"),
        ("CREATE TABLE campaign (title)", "tables of another program"),
    ],
)
def test_a_database_that_is_not_ours_to_bring_up_is_not_copied(tmp_path: Path, made: str, error: str) -> None:
    with closing(sqlite3.connect(tmp_path / "other.db")) as connection:
        connection.execute(made)
        connection.commit()
    with pytest.raises(StoreError, match=error):
        migrate(f"sqlite:///{tmp_path / 'other.db'}")
    assert [file.name for file in tmp_path.iterdir() if file.suffix == ".db"] == ["other.db"]


def test_a_migration_that_fails_again_and_again_makes_no_further_copies(
    older: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fill_disk(_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(migration, "upgrade", fill_disk)
        for _ in range(2):
            with pytest.raises(OSError, match="No space"):
                migrate(f"sqlite:///{older}")
    older.with_name("labels-0020.db.part").write_text("half of a copy")
    migrated = migrate(f"sqlite:///{older}")
    assert migrated is not None
    assert (migrated[2], sorted(file.name for file in older.parent.glob("labels-*"))) == (
        older.with_name("labels-0020.db"),
        ["labels-0020.db"],
    )


def test_without_a_copy_nothing_is_changed(older: Path) -> None:
    with pytest.raises(StoreError, match="Nothing was changed"):
        migrate(f"sqlite:///{older}", older / "below" / "a.db")
    assert version_of(older) == "0020"


@pytest.mark.parametrize("command", ["datasets", "score-dataset bundled --metric rouge2", "import bundled"])
def test_commands_that_read_and_that_write_name_the_same_command(older: Path, command: str) -> None:
    refused = run(*command.split())
    assert refused.exit_code != 0
    assert "Run `python cli.py migrate`, which copies the database first." in str(refused.exception)
    assert version_of(older) == "0020"


def test_the_command_says_what_it_did_and_how_to_go_back(older: Path) -> None:
    assert f"from version 0020 to {newest_version()}" in (printed := done("migrate"))
    assert str(older.with_name("labels-0020.db")) in printed
    assert "Nothing to do" in done("migrate")
    assert done("datasets")


def test_where_there_is_no_database_none_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOUCHSTONE_DATABASE_URL", f"sqlite:///{tmp_path / 'none.db'}")
    assert f"{tmp_path / 'none.db'} is at the version of this Touchstone, or there is none yet" in done("migrate")
    assert not (tmp_path / "none.db").exists()


@pytest.mark.usefixtures("older")
def test_an_older_copy_is_restored(tmp_path: Path) -> None:
    done("migrate")
    done("restore", tmp_path / "labels-0020.db", "--replace")
    with closing(Store.open(Settings.read().database_url)) as store:
        assert store.draft("d") == "work"


def test_a_database_whose_version_cannot_be_read_is_named_in_a_sentence(
    older: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def locked(_: object) -> bool:
        raise OperationalError("PRAGMA", None, sqlite3.OperationalError("database is locked"))

    monkeypatch.setattr(migration, "is_current", locked)
    with pytest.raises(StoreError, match=r"labels\.db cannot be opened"):
        migrate(f"sqlite:///{older}")
    assert not [*older.parent.glob("labels-*")]
