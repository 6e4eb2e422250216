"""The pages without a browser: Streamlit's AppTest on an empty database, with one engine for all tests."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from annotations.store.store import Store
from core.results.cases import measures
from core.scoring.engine.engine import Engine
from core.settings import Settings
from pages.server import services
from pages.ui.probe.probe_state import ProbeState
from tests.unit.pages.views.states import state_of

APP = Path(__file__).parents[4] / "pages" / "main.py"
FIRST_EXAMPLE = "news-harbour"
LEXICAL = ["rouge2", "bleu", "coverage"]

Open = Callable[..., AppTest]


@pytest.fixture(scope="session")
def page_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="session")
def page_engine(page_cache: Path) -> Iterator[Engine]:
    engine = Engine.open(Settings(cache_dir=page_cache, device="cpu"))
    yield engine
    engine.close()


@pytest.fixture
def database(tmp_path: Path, migrated_database: Path) -> Path:
    return Path(shutil.copy(migrated_database, tmp_path / "touchstone.db"))


@pytest.fixture(autouse=True)
def _own_services(
    monkeypatch: pytest.MonkeyPatch, database: Path, page_cache: Path, page_engine: Engine
) -> Iterator[None]:
    """A database for each test, and the engine that is warm already."""
    monkeypatch.setenv("TOUCHSTONE_CACHE_DIR", str(page_cache))
    monkeypatch.setenv("TOUCHSTONE_DATABASE_URL", f"sqlite:///{database}")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setattr(services, "shared_engine", lambda: page_engine)
    # Evaluate opens with the figures of the bundled examples: with all resamples each page of it takes seconds
    monkeypatch.setattr(measures, "RESAMPLES", 500)
    st.cache_resource.clear()
    yield
    services.store().close()
    st.cache_resource.clear()


@pytest.fixture
def store(database: Path) -> Iterator[Store]:
    """The database of the test, opened beside the app."""
    opened = Store.open(f"sqlite:///{database}")
    yield opened
    opened.close()


@pytest.fixture
def open_page() -> Open:
    """A page of the app by the name of its file, not run yet, with lexical metrics and an address with these parameters."""

    def opened(name: str, **query: str) -> AppTest:
        app = AppTest.from_file(str(APP), default_timeout=60).switch_page(f"views/{name}.py")
        state_of(app, ProbeState).metrics = LEXICAL
        for parameter, value in query.items():
            app.query_params[parameter] = value
        return app

    return opened


@pytest.fixture
def probe() -> Open:
    """Run Probe with lexical metrics, after an address with these parameters; without an example it opens the first."""

    def run(**query: str) -> AppTest:
        app = AppTest.from_file(str(APP), default_timeout=60)
        state_of(app, ProbeState).metrics = LEXICAL
        opened = {} if {"example", "draft"} & set(query) else {"example": FIRST_EXAMPLE}
        for name, value in {**opened, **query}.items():
            app.query_params[name] = value
        return app.run()

    return run
