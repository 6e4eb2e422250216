"""Refusals of the rate hold back all questions of an endpoint; what refuses everything is not asked again and again."""

from __future__ import annotations

import re
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest

from core.errors import EndpointUnusableError, TouchstoneError
from core.models.llm.chat import Sampling
from core.models.llm.client import pacing
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


class Minutes:
    """A server that answers so many questions in each of its minutes, which are short, and takes a while for each."""

    def __init__(self, limit: int, minute_s: float, body: object, answer_s: float = 0.0) -> None:
        self.limit, self.minute_s, self.body, self.answer_s = limit, minute_s, body, answer_s
        self._lock = threading.Lock()
        self._began = time.monotonic()
        self._answered: Counter[int] = Counter()

    def __call__(self, _path: str, _body: Any) -> Reply:
        with self._lock:
            minute = int((time.monotonic() - self._began) / self.minute_s)
            if self._answered[minute] >= self.limit:
                return Reply(self.body, 429)
            self._answered[minute] += 1
        return text("Yes.")


LITELLM_FULL = "No deployments available for selected model."
LITELLM_RPM = "litellm.RateLimitError: Deployment over defined rpm limit={}. current usage={}"


@pytest.mark.parametrize(
    ("limit", "pairs", "most", "words"),
    [
        (20, 60, 75, "slow down"),
        (3, 20, 26, LITELLM_RPM.format(3, 3)),
        (3, 20, 26, LITELLM_FULL),
        (20, 60, 75, "Try again in 166ms"),
    ],
    ids=[
        "20 a minute",
        "3 a minute, as litellm says it",
        "3 a minute, as litellm 1.108 says it",
        "a named pause that is too short",
    ],
)
def test_a_limit_of_a_minute_without_a_time_costs_few_requests(
    limit: int, pairs: int, most: int, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    minute_s = 2.0 if limit > 3 else 1.0
    monkeypatch.setattr(pacing, "MINUTE_S", minute_s)
    reply = Minutes(limit, minute_s, {"error": {"message": words, "type": "None", "code": "429"}})
    with serving(reply) as endpoint, ThreadPoolExecutor(8) as pool:
        client = EndpointClient(Endpoint(endpoint.url, "", wait_s=5 * minute_s))
        texts = list(pool.map(lambda _: client.chat(("a", "b"), Sampling("m"), "").text, range(pairs)))
    assert texts == ["Yes."] * pairs
    assert len(endpoint.asked) <= most


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (503, {"error": {"code": 503, "message": "Loading model", "type": "unavailable_error"}}),
        (529, {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}),
    ],
)
def test_a_server_that_loads_or_is_busy_is_waited_for_from_the_first_question(
    status: int, body: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pacing, "MINUTE_S", 1.0)
    began, waiting = time.monotonic(), []

    def reply(_path: str, _body: Any) -> Reply:
        waiting.append("; ".join(pacing.waiting_endpoints()))
        return text("Yes.") if time.monotonic() > began + 1.0 else Reply(body, status)

    with serving(reply) as endpoint, ThreadPoolExecutor(8) as pool:
        client = EndpointClient(Endpoint(endpoint.url, "", wait_s=5.0))
        texts = list(pool.map(lambda _: client.chat(("a", "b"), Sampling("m"), "").text, range(16)))
    assert texts == ["Yes."] * 16
    assert len(endpoint.asked) <= 16 + 8
    assert re.search(r"default: it says “.*”; next try at [\d:]{8}, waited for until [\d:]{8}", waiting[1])
    assert pacing.waiting_endpoints() == []


def test_a_server_that_is_gone_for_a_while_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pacing, "MINUTE_S", 2.0)
    began = time.monotonic()

    def reply(_path: str, _body: Any) -> Reply:
        gone = 0.2 < time.monotonic() - began < 2.0
        return Reply(raw=b"<html><title>502 Bad Gateway</title>", status=502) if gone else text("Yes.")

    with serving(reply) as endpoint, ThreadPoolExecutor(8) as pool:
        client = EndpointClient(Endpoint(endpoint.url, "", wait_s=10.0))
        texts = list(pool.map(lambda _: client.chat(("a", "b"), Sampling("m"), "").text, range(600)))
    assert texts == ["Yes."] * 600
    assert len(endpoint.asked) <= 600 + 20


def test_a_server_whose_port_is_closed_for_a_while_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pacing, "MINUTE_S", 2.0)
    asked, ready = threading.Event(), threading.Event()

    def reply(_path: str, _body: Any) -> Reply:
        asked.set()
        return text("Yes.")

    def wait_gone() -> None:
        while not any("it cannot be reached" in words for words in pacing.waiting_endpoints()):
            ready.wait(0.01)

    with ThreadPoolExecutor(8) as pool:
        with serving(reply) as endpoint:
            client = EndpointClient(Endpoint(endpoint.url, "", wait_s=60.0))
            answers = [pool.submit(client.chat, ("a", "b"), Sampling("m"), "") for _ in range(300)]
            asked.wait(10)
        wait_gone()
        with serving(reply, int(endpoint.url.rpartition(":")[2].partition("/")[0])):
            texts = [answer.result().text for answer in answers]
    assert texts == ["Yes."] * 300


def test_what_waits_is_given_up_after_the_patience_of_the_endpoint(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pacing, "MINUTE_S", 1.0)
    with serving(lambda _path, _body: refusal(429, "slow down")) as endpoint:
        client = EndpointClient(Endpoint(endpoint.url, "", wait_s=0.5))
        with pytest.raises(EndpointUnusableError, match="has reached its rate limit"):
            client.chat(("a", "b"), Sampling("m"), "")
    assert 3 <= len(endpoint.asked) <= 8


def test_a_question_that_nobody_wants_any_more_stops_waiting() -> None:
    with serving(lambda _path, _body: refusal(429, "slow down", **{"retry-after": "100"})) as endpoint:
        client, breaker = EndpointClient(Endpoint(endpoint.url, "")), CircuitBreaker()
        unwanted = lambda: len(endpoint.asked) > 0  # noqa: E731  # one line of one use
        with (
            pytest.raises(TouchstoneError, match="Nobody waits"),
            breaker.guard("m", unwanted) as caller,
        ):
            client.chat(("a", "b"), Sampling("m"), "")
    assert (len(endpoint.asked), caller.sent) == (1, ["busy"])


def test_a_question_whose_answer_takes_too_long_is_sent_once_and_its_outcome_is_unknown() -> None:
    with serving(lambda _path, _body: replace(text("Yes."), drip_s=0.05)) as endpoint:
        client, breaker = EndpointClient(Endpoint(endpoint.url, "", patience_s=0.3)), CircuitBreaker()
        with pytest.raises(TouchstoneError, match=r"did not answer within 0\.3 s"), breaker.guard("m") as caller:
            client.chat(("a", "b"), Sampling("m"), "")
    assert (len(endpoint.asked), caller.sent) == (1, ["?"])


def refuse(breaker: CircuitBreaker, asked: str = "m") -> bool:
    """Whether the question was sent."""
    sent: list[str] = []

    def ask() -> None:
        with breaker.guard(asked) as caller:
            sent.append(asked)
            error = EndpointUnusableError("No such model.")
            caller.refused(error)
            raise error

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


def test_an_endpoint_that_nobody_asks_any_more_is_not_waited_for() -> None:
    pace = pacing.Pace(4, 60.0, "gone")
    sent = pace.begin(lambda: None)
    assert pace.refused(sent, None, "later", per_minute=True, is_rate=False)
    assert pace.waiting.startswith("gone: later; next try at")
    pace.end()
    assert not pace.waiting

    def unwanted() -> None:
        raise TouchstoneError("Nobody waits for this answer any more.")

    with pytest.raises(TouchstoneError, match="Nobody waits"):
        pace.begin(unwanted)
    assert not pace.waiting
