"""A long run through a server that limits, flags, loads and is gone twice: only what it flags fails, and each request is counted."""

from __future__ import annotations

import math
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from core.models.llm.client import pacing
from core.models.llm.spending.budget import SpendTracker
from core.models.llm.spending.cost_log import read_costs, read_requests
from core.scoring.engine.engine import Engine
from core.scoring.metric import METRICS
from core.settings import Settings
from core.types import Example, Failure, Result
from tests.unit.core.models.llm.scripted import Reply, refusal, serving, text

PAIRS, MANY_PAIRS = 500, 2000
FLAGGED = frozenset(range(0, MANY_PAIRS, 50))
SECOND_S, RATE = 0.5, 60


class UnreliableServer:
    """60 questions in each half second; after 100 and 300 answers it is gone and loads again; it flags some texts."""

    def __init__(self) -> None:
        self.sent: Counter[str] = Counter()
        self.read = self.written = 0
        self.money: list[float] = []
        self._answers: Counter[int] = Counter()
        self._lock = threading.Lock()
        self._down_until = 0.0
        self._down_after = [100, 300]

    def __call__(self, _path: str, body: Any) -> Reply:
        with self._lock:
            outcome, reply = self._reply(body["messages"][1]["content"])
            self.sent[outcome] += 1
            return reply

    def _reply(self, question: str) -> tuple[str, Reply]:
        now = time.monotonic()
        if self._down_after and self.sent["answered"] >= self._down_after[0]:
            self._down_until = now + 1.0
            del self._down_after[0]
        if now < self._down_until - 0.5:
            return "server", Reply(raw=b"<html><title>502 Bad Gateway</title>", status=502)
        if now < self._down_until:
            return "busy", Reply({"error": {"code": 503, "message": "Loading model"}}, 503)
        if any(f"Town {number}." in question for number in FLAGGED):
            return "filter", refusal(403, "Your chosen model requires moderation and your input was flagged.")
        second = int(now / SECOND_S)
        if self._answers[second] >= RATE:
            return "busy", refusal(429, "Rate limit reached, slow down")
        self._answers[second] += 1
        read, written, cost = 100 + len(self.money), 5, 0.0001 * (1 + len(self.money))
        self.read, self.written = self.read + read, self.written + written
        self.money.append(cost)
        answer = text('{"score": 70}', read=read, written=written).content
        assert isinstance(answer, dict)
        answer["usage"]["cost"] = cost
        return "answered", Reply(answer)


@pytest.mark.parametrize("number_of_pairs", [PAIRS, pytest.param(MANY_PAIRS, marks=pytest.mark.slow)])
def test_only_what_a_server_flags_fails_in_a_long_run(
    number_of_pairs: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pacing, "MINUTE_S", 2.0)
    server = UnreliableServer()
    with serving(server) as endpoint:
        monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", endpoint.url)
        engine = Engine.open(Settings(device="cpu", memory="1GB", cache_dir=tmp_path))
        metric = METRICS.parse("direct-assessment[model=m]")
        pairs = [
            Example(str(number), "It rained.", f"Rain fell in Town {number}.") for number in range(number_of_pairs)
        ]
        outcomes = [outcome for _, outcome in engine.run([metric], pairs)]
        engine.close()
    failed = {int(outcome.example_id) for outcome in outcomes if isinstance(outcome, Failure)}
    flagged = {number for number in FLAGGED if number < number_of_pairs}
    assert failed == flagged
    assert {outcome.score for outcome in outcomes if isinstance(outcome, Result)} == {0.7}
    assert len(endpoint.asked) <= number_of_pairs + max(120, number_of_pairs // 5)
    assert read_requests(tmp_path) == {("default", "m"): dict(server.sent)}
    spent = SpendTracker(tmp_path).total()[""]
    assert (spent.questions, spent.read, spent.written) == (number_of_pairs - len(flagged), server.read, server.written)
    assert spent.money == pytest.approx(math.fsum(server.money))
    assert read_costs(tmp_path)[0].money == pytest.approx(math.fsum(server.money))
