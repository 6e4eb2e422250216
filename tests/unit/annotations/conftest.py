"""Every test that takes `url` or `store` runs on SQLite, and on PostgreSQL where one is given."""

from __future__ import annotations

import os
import shutil
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import create_engine, make_url, text

from annotations.store.store import Store

POSTGRES = os.environ.get("TOUCHSTONE_TEST_POSTGRES_URL", "")


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'touchstone.db'}"


@pytest.fixture
def postgres_url() -> Iterator[str]:
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


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest) -> str:
    return str(request.getfixturevalue(f"{request.param}_url"))


@pytest.fixture
def store(url: str, migrated_database: Path) -> Iterator[Store]:
    if url.startswith("sqlite"):
        shutil.copyfile(migrated_database, url.removeprefix("sqlite:///"))
    store = Store.open(url)
    yield store
    store.close()
