"""Every test that takes `url` or `store` runs on SQLite, and on PostgreSQL where one is given."""

from __future__ import annotations

import os
import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, create_engine, event, make_url, text

from annotations.store.migrate import upgrade
from annotations.store.store import Store

POSTGRES = os.environ.get("TOUCHSTONE_TEST_POSTGRES_URL", "")


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'touchstone.db'}"


@pytest.fixture
def postgres_url() -> Iterator[str]:
    with postgres_schema() as url:
        yield url


@contextmanager
def postgres_schema() -> Iterator[str]:
    """A schema of its own in the database that TOUCHSTONE_TEST_POSTGRES_URL names."""
    if not POSTGRES:
        pytest.skip("TOUCHSTONE_TEST_POSTGRES_URL names no PostgreSQL database")
    url = make_url(POSTGRES).set(drivername="postgresql+psycopg")
    schema = f"touchstone_{uuid.uuid4().hex}"
    engine = create_engine(url)
    with engine.begin() as connection:
        connection.execute(text(f"CREATE SCHEMA {schema}"))
    yield url.update_query_dict({"options": f"-csearch_path={schema}"}).render_as_string(hide_password=False)
    with engine.begin() as connection:
        connection.execute(text(f"DROP SCHEMA {schema} CASCADE"))
    engine.dispose()


# most tests find on PostgreSQL what they find on SQLite: both have one code above the database
SLOW_ON_POSTGRES = ["sqlite", pytest.param("postgres", marks=pytest.mark.slow)]
quick_on_postgres = pytest.mark.parametrize("url", ["sqlite", "postgres"], indirect=True)
"""Runs a test on PostgreSQL for each change."""


@pytest.fixture(params=SLOW_ON_POSTGRES)
def url(request: pytest.FixtureRequest) -> str:
    return str(request.getfixturevalue(f"{request.param}_url"))


@pytest.fixture(scope="session")
def postgres_migration() -> list[tuple[str, Any]]:
    """Statements, each with its parameters, that bring an empty schema to the newest version: filled by the first store."""
    return []


@pytest.fixture
def store(url: str, migrated_database: Path, postgres_migration: list[tuple[str, Any]]) -> Iterator[Store]:
    if url.startswith("sqlite"):
        shutil.copyfile(migrated_database, url.removeprefix("sqlite:///"))
    else:
        migrate_postgres(url, postgres_migration)
    store = Store.open(url)
    yield store
    store.close()


def migrate_postgres(url: str, statements: list[tuple[str, Any]]) -> None:
    """Bring an empty schema to the newest version by `statements`; where there are none yet, by the migrations, noting what they execute.

    Statements without parameters go to the server in one message: one by one they took four fifths of the time.
    """
    engine = create_engine(url)
    if not statements:
        note_statements(engine, statements)
        upgrade(engine)
    else:
        with engine.begin() as connection:
            driver: Any = connection.connection.driver_connection
            for without, run in groupby(statements, lambda one: one[1] is None):
                if without:
                    # as they were noted, their percent signs are escaped for a statement with parameters
                    driver.execute(";\n".join(statement for statement, _ in run).replace("%%", "%"))
                    continue
                for statement, parameters in run:
                    connection.exec_driver_sql(statement, parameters)
    engine.dispose()


def note_statements(engine: Engine, statements: list[tuple[str, Any]]) -> None:
    """Append all that the engine executes."""

    def note(_connection: Connection, _cursor: object, statement: str, parameters: object, *_rest: object) -> None:
        statements.append((statement, parameters or None))

    event.listen(engine, "before_cursor_execute", note)
