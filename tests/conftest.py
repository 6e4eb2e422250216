"""Fixtures for every test: tiny checkpoints, built once a session, and only those that are asked for."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# threads of torch that wait for each other make tiny models ten times slower on a busy machine
os.environ.setdefault("OMP_NUM_THREADS", "1")

_MAIN = sys.modules["__main__"]

# the same cases each time, however slow the machine is
settings.register_profile(
    "repeatable", derandomize=True, deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("repeatable")


@pytest.fixture(autouse=True)
def quick_closing(monkeypatch: pytest.MonkeyPatch) -> None:
    # late in a session the search for what a closed pool leaves behind walks millions of objects, for seconds
    monkeypatch.setattr("core.models.device.collect_garbage", lambda: None)


@pytest.fixture(autouse=True)
def main_module(monkeypatch: pytest.MonkeyPatch) -> None:
    # a test of a page leaves the page as the main module, which a process that is spawned would run
    monkeypatch.setitem(sys.modules, "__main__", _MAIN)


class Weights:
    """Tiny checkpoints, each built when a test first asks for it and kept until the session ends."""

    def __init__(self, folders: pytest.TempPathFactory) -> None:
        self._folders = folders
        self._built: dict[tuple[object, ...], Path] = {}

    def __call__(self, build: Callable[..., Path], *given: object) -> Path:
        if (build, *given) not in self._built:
            name = build.__name__
            self._built[build, *given] = build(self._folders.mktemp(name) / name, *given)
        return self._built[build, *given]


@pytest.fixture(scope="session")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Weights:
    return Weights(tmp_path_factory)


# tests.tiny imports torch, which most tests do not need
@pytest.fixture(scope="session")
def tiny_roberta(weights: Weights) -> Path:
    return weights(import_module("tests.tiny").roberta)


@pytest.fixture(scope="session")
def tiny_deberta(weights: Weights) -> Path:
    return weights(import_module("tests.tiny").deberta)


@pytest.fixture(scope="session")
def tiny_t5(weights: Weights) -> Path:
    return weights(import_module("tests.tiny").t5)
