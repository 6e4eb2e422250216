"""A bench for every test of the engine, and an empty database that need not be migrated for every test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from annotations.store import Store
from tests.doubles.bench import Bench, open_bench
from tests.doubles.models import ScriptedKind


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    opened = open_bench(tmp_path, ScriptedKind().install(monkeypatch))
    yield opened
    opened.kind.gate.set()
    opened.engine.close()


@pytest.fixture(scope="session")
def migrated_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An SQLite file at the newest version without a row, to be copied."""
    file = tmp_path_factory.mktemp("migrated") / "touchstone.db"
    Store.open(f"sqlite:///{file}").close()
    return file


@pytest.fixture
def database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The address of the database that commands of this test use, with a cache of their own on the CPU."""
    url = f"sqlite:///{tmp_path / 'kept.db'}"
    monkeypatch.setenv("TOUCHSTONE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("TOUCHSTONE_DATABASE_URL", url)
    monkeypatch.setenv("TOUCHSTONE_DEVICE", "cpu")
    return url
