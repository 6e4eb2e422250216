"""Versions of the database."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Engine, create_engine, make_url, text

from annotations.store.database import connect, parse_url
from annotations.store.migrate import MIGRATIONS_FOLDER, upgrade
from annotations.store.migration import migrate
from annotations.store.records import NotSavedError, StoreError
from annotations.store.store import Store
from annotations.store.tables import CHANGEABLE, StoreTable
from tests.unit.annotations.conftest import postgres_schema, quick_on_postgres
from tests.unit.annotations.pair_samples import PAIR, record
from tests.unit.annotations.store.database_schema import schema

LAST = max(file.name[:4] for file in (MIGRATIONS_FOLDER / "versions").glob("0*.py"))
NEXT = f"{int(LAST) + 1:04}"
NEXT_VERSION = '''"""Ask how long a label took."""

import sqlalchemy as sa
from alembic import op

from annotations.store.migrate import protect

revision = "NEXT"
down_revision = "LAST"


def upgrade() -> None:
    with op.batch_alter_table("item") as table:
        table.add_column(sa.Column("words", sa.Integer(), nullable=False, server_default="0"))
        table.create_check_constraint(op.f("ck_item_words"), "words >= 0")
    protect("item")
'''


@pytest.fixture
def migrated(url: str, tmp_path: Path) -> Iterator[Engine]:
    """A database that every migration made, from the first on."""
    shutil.copytree(MIGRATIONS_FOLDER, tmp_path / "every")
    engine = connect(parse_url(url))
    upgrade(engine, tmp_path / "every")
    yield engine
    engine.dispose()


@quick_on_postgres
def test_the_migrations_lead_to_the_tables_of_the_code(migrated: Engine) -> None:
    with migrated.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, StoreTable.metadata) == []


def test_a_new_database_is_as_the_migrations_make_it(migrated: Engine, tmp_path: Path) -> None:
    postgres = migrated.dialect.name == "postgresql"
    with postgres_schema() if postgres else nullcontext(f"sqlite:///{tmp_path / 'new.db'}") as url:
        engine = connect(parse_url(url))
        upgrade(engine)
        new = schema(engine)
        engine.dispose()
    assert new == schema(migrated)
    assert len(new["triggers"]) >= len(StoreTable.metadata.tables) - len(CHANGEABLE)  # those that may change


def test_a_database_of_this_version_is_upgraded_at_once_while_somebody_writes(sqlite_url: str) -> None:
    Store.open(sqlite_url).close()
    writer, opened = create_engine(sqlite_url), connect(make_url(f"{sqlite_url}?timeout=0.05"))
    with writer.connect() as connection:
        connection.exec_driver_sql("BEGIN IMMEDIATE")
        upgrade(opened)
    writer.dispose()
    opened.dispose()


def test_opening_again_keeps_what_is_there(url: str) -> None:
    first = Store.open(url)
    receipt = first.save_pair(PAIR)
    first.save_label(record())
    counts = first.counts()
    first.close()
    again = Store.open(url)
    assert again.counts() == counts
    stored = again.pair(receipt.id)
    assert stored is not None
    assert stored.pair == PAIR
    again.close()


@pytest.fixture
def newer(tmp_path: Path) -> Path:
    """The migrations with one more version, which alters a table that others refer to."""
    folder = tmp_path / "migrations"
    shutil.copytree(MIGRATIONS_FOLDER, folder)
    (folder / "versions" / f"{NEXT}_words.py").write_text(NEXT_VERSION.replace("NEXT", NEXT).replace("LAST", LAST))
    return folder


def test_a_later_version_alters_an_append_only_table_with_data_in_it(store: Store, newer: Path) -> None:
    store.save_pair(PAIR)
    store.save_label(record())
    before = store.counts()
    upgrade(store.engine, newer)
    assert store.counts() == before
    with pytest.raises(NotSavedError, match="item only grows: UPDATE is refused"), store.writing() as session:
        session.execute(text("UPDATE item SET words = 1"))


@quick_on_postgres
def test_a_database_of_the_first_version_keeps_its_data(url: str, tmp_path: Path) -> None:
    first = tmp_path / "first"
    shutil.copytree(MIGRATIONS_FOLDER, first, ignore=shutil.ignore_patterns("000[2-9]_*", "00[1-9]*"))
    engine = connect(make_url(url))
    upgrade(engine, first)
    with engine.begin() as connection:
        connection.execute(text("INSERT INTO draft VALUES ('d', 'local', 'work', '2026-11-20 00:00:00+00:00')"))
    engine.dispose()
    for read_only in (False, True):
        with pytest.raises(
            StoreError, match=rf"is at version 0001, this one's is {LAST}\. Run `python cli\.py migrate`"
        ):
            Store.open(url, read_only)
    migrate(url)
    store = Store.open(url)
    assert store.draft("d") == "work"
    assert store.runs() == []
    store.close()


def test_a_database_newer_than_the_code_is_refused_with_what_to_do(url: str, newer: Path) -> None:
    store = Store.open(url)
    upgrade(store.engine, newer)
    store.close()
    for read_only in (False, True):
        with pytest.raises(StoreError, match=rf"at version {NEXT}.*up to {LAST}.*Update Touchstone"):
            Store.open(url, read_only)


def test_a_database_of_another_program_is_refused(sqlite_url: str) -> None:
    engine = create_engine(sqlite_url)
    with engine.begin() as connection:
        connection.execute(text("CREATE TABLE document (name TEXT)"))
    engine.dispose()
    with pytest.raises(StoreError, match=r"tables of another program \(document\)"):
        Store.open(sqlite_url)


def test_an_empty_file_has_nothing_to_show(sqlite_url: str) -> None:
    file = Path(sqlite_url.removeprefix("sqlite:///"))
    file.touch()
    with pytest.raises(StoreError, match=rf"^The database {file} is empty.* not as a demo"):
        Store.open(sqlite_url, read_only=True)


@pytest.mark.slow
def test_several_processes_may_open_a_new_database_at_once(url: str) -> None:
    command = [
        sys.executable,
        "-c",
        f"from annotations.store.store import Store; Store.open({url!r}).close(); print('open')",
    ]
    processes = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    assert [process.communicate()[0].strip() for process in processes] == ["open"] * 3
