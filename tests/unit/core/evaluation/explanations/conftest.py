"""What the commands need that ask a language model."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder, database and cache of the test's own, a model that is named, and no endpoint."""
    monkeypatch.chdir(tmp_path)  # where no .env is
    monkeypatch.setenv("TOUCHSTONE_DATABASE_URL", f"sqlite:///{tmp_path / 'own.db'}")
    monkeypatch.setenv("TOUCHSTONE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("TOUCHSTONE_DEVICE", "cpu")
    monkeypatch.setenv("TOUCHSTONE_PROMPTS_DIR", "")
    monkeypatch.setenv("TOUCHSTONE_LLM_MODEL", "tiny")
    monkeypatch.delenv("TOUCHSTONE_LLM_BASE_URL", raising=False)
