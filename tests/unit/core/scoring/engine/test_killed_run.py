"""kill -9 in the middle of 400 questions: the next run asks at most those again that were under way."""

from __future__ import annotations

import multiprocessing
import threading
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest

from core.scoring.engine.engine import Engine
from core.settings import Settings
from tests.unit.core.models.llm.scripted import Body, Reply, serving, text
from tests.unit.core.scoring.engine.test_endpoint_worker import telling

WORDS = [f"word {number}" for number in range(400)]
AT_ONCE, KILLED_AFTER, START_S = 16, 150, 100


def ask_all(folder: str) -> list[object]:
    with closing(Engine.open(Settings(device="cpu", memory="1GB", cache_dir=Path(folder)))) as engine:
        return [outcome for _, outcome in engine.converse(map(telling, WORDS))]


@pytest.mark.slow
def test_a_killed_run_asks_at_most_the_questions_under_way_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in Settings.model_fields:
        monkeypatch.delenv(f"TOUCHSTONE_{name.upper()}", raising=False)
    monkeypatch.setenv("TOUCHSTONE_LLM_AT_ONCE", str(AT_ONCE))
    asked: Counter[str] = Counter()
    lock, reached = threading.Lock(), threading.Event()

    def answer(_path: str, body: Body) -> Reply:
        word = body["messages"][1]["content"]
        with lock:
            asked[word] += 1
            if asked.total() == KILLED_AFTER:
                running.kill()
                reached.set()
        return text(word)

    with serving(answer) as endpoint:
        monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", endpoint.url)
        running = multiprocessing.get_context("spawn").Process(target=ask_all, args=(str(tmp_path),))
        running.start()
        assert reached.wait(START_S)
        running.join()
        assert KILLED_AFTER <= asked.total() < len(WORDS), "it was killed too late to say anything"
        assert ask_all(str(tmp_path)) == WORDS
    assert asked.total() - len(WORDS) <= AT_ONCE
    assert max(asked.values()) <= 2
