"""A bench for every test of the engine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.doubles.bench import Bench, open_bench
from tests.doubles.models import ScriptedKind


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    opened = open_bench(tmp_path, ScriptedKind().install(monkeypatch))
    yield opened
    opened.kind.gate.set()
    opened.engine.close()
