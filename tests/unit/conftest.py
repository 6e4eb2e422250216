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
