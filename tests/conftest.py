"""Fixtures for every test: tiny checkpoints, built once a session, and only those that are asked for."""

from __future__ import annotations

import gc
import itertools
import os
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

# threads of torch that wait for each other make tiny models ten times slower on a busy machine
os.environ.setdefault("OMP_NUM_THREADS", "1")

# by default the search for cycles walks the millions of objects of all imports and tests again and again: a tenth of the time
gc.set_threshold(50_000, 20, 100)

_NUMBERS = itertools.count()
_MAIN = sys.modules["__main__"]

# the same cases each time, however slow the machine is
settings.register_profile(
    "repeatable", derandomize=True, deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("repeatable")


_KNOWN_METRICS = (
    "test_audit.py",
    "test_audit_cases.py",
    "test_audit_pages.py",
)  # one audit, measured once for a worker


# a server that a second worker would start costs it ten seconds
_ON_THE_SHARED_SERVER = ("tests/e2e/test_annotate_", "tests/e2e/test_campaign_", "tests/e2e/test_review")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Hand whole files to a worker, as fixtures of a file take seconds; files that share what is slow to make go together.

    The scheduler of xdist for marked groups takes each test alone since pytest 9.2, without a word: it sets a field that
    nodes no longer have.
    """
    from xdist.scheduler import LoadScopeScheduling

    scheduler = LoadScopeScheduling(config, log)
    scheduler._split_scope = _group_of
    return scheduler


def _group_of(nodeid: str) -> str:
    file = nodeid.partition("::")[0]
    if file.count("/") == 1:
        return "rules of the project, for which every file is parsed once"
    if file.startswith("tests/e2e/components/"):
        return "components, each in an app of its own"
    if file.startswith(_ON_THE_SHARED_SERVER):
        return "people who sign in, at one server"
    return "known metrics" if file.endswith(_KNOWN_METRICS) else file


def pytest_collection_finish() -> None:
    gc.freeze()


@pytest.fixture(autouse=True)
def quick_closing(monkeypatch: pytest.MonkeyPatch) -> None:
    # late in a session the search for what a closed pool leaves behind walks millions of objects, for seconds
    monkeypatch.setattr("core.models.device.collect_garbage", lambda: None)


@pytest.fixture(autouse=True)
def own_capabilities(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    # a port is given out again, and what its server refused does not hold for the next one
    file = tmp_path_factory.getbasetemp() / f"capabilities-{next(_NUMBERS)}" / "capabilities.sqlite"
    monkeypatch.setattr("core.models.llm.endpoints.capabilities.capabilities_file", lambda: file)


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
