"""Files of plug-ins in a folder of the test, with short limits, and an engine that scores by them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import dedent

import pytest

from core.models.model_pool import ModelPool
from core.scoring.engine.cache import AnswerCache
from core.scoring.engine.engine import Engine

HEAD = "import touchstone as ts\n\n"

WriteFile = Callable[..., str]


@pytest.fixture
def write(tmp_path: Path) -> WriteFile:
    """Function that writes a plug-in and gives its path."""

    def written(source: str, name: str = "mine.py") -> str:
        file = tmp_path / name
        file.write_text(HEAD + dedent(source), encoding="utf-8")
        return str(file)

    return written


@pytest.fixture(autouse=True)
def limits(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOUCHSTONE_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
    monkeypatch.setenv("TOUCHSTONE_PLUGIN_TIMEOUT_S", "30")
    monkeypatch.setenv("TOUCHSTONE_PLUGIN_MEMORY_GB", "1")
    monkeypatch.delenv("TOUCHSTONE_PLUGINS", raising=False)


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    opened = Engine(ModelPool("cpu", 2**30, tmp_path / "answers"), AnswerCache(tmp_path / "answers"))
    yield opened
    opened.close()
