"""Fixtures for every test: tiny checkpoints, built once per session."""

from __future__ import annotations

from pathlib import Path

import pytest


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
