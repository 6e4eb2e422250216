"""Fixtures for every test: tiny checkpoints, built once per session."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# threads of torch that wait for each other make tiny models ten times slower on a busy machine
os.environ.setdefault("OMP_NUM_THREADS", "1")

# the same cases each time, however slow the machine is
settings.register_profile(
    "repeatable", derandomize=True, deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("repeatable")


@pytest.fixture(autouse=True)
def quick_closing(monkeypatch: pytest.MonkeyPatch) -> None:
    # late in a session the search for what a closed pool leaves behind walks millions of objects, for seconds
    monkeypatch.setattr("core.models.device.collect_garbage", lambda: None)


@pytest.fixture(scope="session")
def tiny_roberta(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _built(tmp_path_factory, "roberta")


@pytest.fixture(scope="session")
def tiny_deberta(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _built(tmp_path_factory, "deberta")


@pytest.fixture(scope="session")
def tiny_t5(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _built(tmp_path_factory, "t5")


def _built(folders: pytest.TempPathFactory, name: str) -> Path:
    from tests.tiny import CHECKPOINTS  # imports torch, which most tests do not need

    return CHECKPOINTS[name](folders.mktemp("tiny") / name)
