"""Explanations asked for through the engine: in the background, in bulk, and each sample afresh."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from core.engine import Engine
from core.explaining.background import Told
from core.explaining.finding import detect_and_explain, explaining
from core.llm.saying import Sampling
from core.settings import Settings
from tests.unit.explaining.scenes import PAIR, Asked
from tests.unit.llm.scripted import Body, Reply, serving, text

PATIENCE_S = 30


@pytest.fixture
def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Engine]:
    monkeypatch.chdir(tmp_path)  # where no .env is
    monkeypatch.setenv("TOUCHSTONE_PROMPTS_DIR", "")
    monkeypatch.delenv("TOUCHSTONE_LLM_BASE_URL", raising=False)
    with closing(Engine.open(Settings(cache_dir=tmp_path, device="cpu"))) as opened:
        yield opened


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Iterator[Asked]:
    """What a language model is asked that finds every other summary consistent, and every third answer is prose."""
    verdicts = itertools.cycle(["yes", "no"])
    lock_free = itertools.count(1)

    def answer(_path: str, body: Body) -> Reply:
        if '"grade"' in body["messages"][1]["content"]:
            return text(json.dumps({"because": "So it is.", "grade": "partially"}))
        number = next(lock_free)
        return text("Well." if number % 3 == 0 else json.dumps({"consistent": next(verdicts), "explanation": "So."}))

    with serving(answer) as endpoint:
        monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", endpoint.url)
        yield endpoint.asked


def drawn(engine: Engine, samples: list[Sampling]) -> Told[object]:
    told = Told[object](engine, [explaining(detect_and_explain, PAIR, one) for one in samples])  # type: ignore[list-item]
    assert told.wait(PATIENCE_S)
    return told
