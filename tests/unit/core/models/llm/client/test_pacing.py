"""Refusals of the rate hold back all questions of an endpoint; what refuses everything is not asked again and again."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from core.errors import EndpointUnusableError
from core.models.llm.chat import Sampling
from core.models.llm.client.client import EndpointClient, client_for
from core.models.llm.client.pacing import CircuitBreaker
from core.models.llm.endpoints.endpoint import Endpoint
from tests.unit.core.models.llm.scripted import Reply, refusal, serving, text


def test_a_refusal_of_the_rate_holds_back_every_question_and_none_fails() -> None:
    """A server that takes four questions at once, and then one each 20 ms."""
    lock, free, seen = threading.Lock(), [4.0, time.monotonic()], []

    def reply(_path: str, _body: Any) -> Reply:
        with lock:
            now = time.monotonic()
            free[0] = min(4.0, free[0] + (now - free[1]) / 0.02)
            free[1] = now
            seen.append(now)
            if free[0] < 1:
                return refusal(429, "slow down", **{"retry-after-ms": "100"})
            free[0] -= 1
            return text("Yes.")

    with serving(reply) as endpoint, ThreadPoolExecutor(16) as pool:
        client = EndpointClient(Endpoint(endpoint.url, ""))
        found = list(pool.map(lambda _: client.chat(("a", "b"), Sampling("m"), "").text, range(32)))
    assert found == ["Yes."] * 32
    assert len(seen) < 32 * 3


def test_questions_that_come_together_share_one_client() -> None:
    endpoint, ready = Endpoint("http://one.example/v1", "together"), threading.Barrier(8)

    def ask(_: int) -> EndpointClient:
        ready.wait()
        return client_for(endpoint)

    with ThreadPoolExecutor(8) as pool:
        assert len({id(client) for client in pool.map(ask, range(8))}) == 1


def refuse(breaker: CircuitBreaker, asked: str = "m") -> bool:
    """Whether the question was sent."""
    sent: list[str] = []

    def ask() -> None:
        with breaker.guard(asked):
            sent.append(asked)
            raise EndpointUnusableError("No such model.")

    with pytest.raises(EndpointUnusableError, match="No such model"):
        ask()
    return bool(sent)


def test_after_three_refusals_in_a_row_nothing_is_sent_to_that_model() -> None:
    breaker = CircuitBreaker()
    assert [refuse(breaker) for _ in range(5)] == [True, True, True, False, False]
    assert refuse(breaker, "another")


def test_an_answer_between_refusals_keeps_it_closed() -> None:
    breaker = CircuitBreaker()
    for _ in range(5):
        assert refuse(breaker)
        with breaker.guard("m"):
            pass


def test_after_a_while_one_question_tries_again(monkeypatch: pytest.MonkeyPatch) -> None:
    breaker = CircuitBreaker()
    assert all(refuse(breaker) for _ in range(3))
    later = time.monotonic() + 60
    monkeypatch.setattr(time, "monotonic", lambda: later)
    assert [refuse(breaker), refuse(breaker)] == [True, False]
