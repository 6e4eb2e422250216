"""A bench for every test of the engine, and an empty database that need not be migrated for every test."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from huggingface_hub import constants
from sqlalchemy import URL, Engine, create_engine

from annotations.store.store import Store
from tests.doubles.bench import Bench, open_bench
from tests.doubles.models import ScriptedKind
from tests.doubles.upload_hub import TOKEN, UploadHub
from tests.unit.core.models.hub import serving


@pytest.fixture(scope="session", autouse=True)
def scanned_components() -> Iterator[None]:
    """Packages with Streamlit components, looked for once: each app that starts would read all that is installed again."""
    with pytest.MonkeyPatch.context() as patch:
        if "streamlit.testing.v1" in sys.modules:
            scanner = import_module("streamlit.components.v2.manifest_scanner")
            patch.setattr(scanner, "scan_component_manifests", cache(scanner.scan_component_manifests))
        yield


@pytest.fixture(scope="session", autouse=True)
def compiled_statements() -> Iterator[None]:
    """Statements on SQLite, compiled once: each new engine would compile those of its test again, a third of a test's time."""
    first = create_engine("sqlite://", query_cache_size=5000)
    first.connect().close()

    def create(url: URL, **options: Any) -> Engine:
        engine = create_engine(url, **options)
        if engine.dialect.name == "sqlite":
            engine.dialect = engine.pool._dialect = first.dialect
            engine._compiled_cache = first._compiled_cache
        return engine

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("annotations.store.database.create_engine", create)
        yield


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
def database(tmp_path: Path, migrated_database: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The address of the database that commands of this test use, with a cache of their own on the CPU."""
    url = f"sqlite:///{shutil.copyfile(migrated_database, tmp_path / 'kept.db')}"
    monkeypatch.setenv("TOUCHSTONE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("TOUCHSTONE_DATABASE_URL", url)
    monkeypatch.setenv("TOUCHSTONE_DEVICE", "cpu")
    return url


@pytest.fixture
def upload_hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[UploadHub]:
    """A hub on the loopback interface that takes pushes to `owner`, and a token of it in the environment."""
    with serving(UploadHub("owner")) as found:
        monkeypatch.setattr(constants, "ENDPOINT", found.address)
        monkeypatch.setattr("huggingface_hub.hf_api.ENDPOINT", found.address, raising=False)
        # large files go by the chunk store where it is there, which no loopback hub has
        monkeypatch.setattr(constants, "HF_HUB_DISABLE_XET", True)
        monkeypatch.setenv("HF_TOKEN", TOKEN)
        yield found
