"""A slow endpoint holds up nobody who does not ask it, is not asked for what nobody wants, and does not keep the engine open."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import pytest

from core.models.llm.chat import Sampling, answer_text, first_question
from core.models.llm.prompts import Messages
from core.scoring.engine.conversation import Conversation
from core.types import Failure, FailureKind, Result, Rounds
from tests.doubles.bench import Bench, open_bench, pair
from tests.doubles.models import PATIENCE_S
from tests.unit.core.models.llm.scripted import CHAT_MODEL, Body, Endpoint, Reply, refusal, serving, text

AT_ONCE = 8
"""Questions that the endpoint is asked at the same time."""


@dataclass
class Hanging:
    """A server on loopback that answers nothing before its gate is open; `arrived` counts what it was asked."""

    gate: threading.Event = field(default_factory=threading.Event)
    arrived: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))
    reply: Reply = field(default_factory=lambda: text("Yes."))

    def __call__(self, _path: str, _body: Body) -> Reply:
        self.arrived.release()
        assert self.gate.wait(PATIENCE_S), "nobody opened the gate"
        return self.reply

    def until_asked(self, questions: int) -> None:
        for _ in range(questions):
            assert self.arrived.acquire(timeout=PATIENCE_S)


@contextmanager
def hanging(monkeypatch: pytest.MonkeyPatch, held: Hanging) -> Iterator[Endpoint]:
    with serving(held) as endpoint:
        monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", endpoint.url)
        try:
            yield endpoint
        finally:
            held.gate.set()


def telling(*texts: str, name: str = "pair") -> Conversation[list[str]]:
    """Asks the endpoint for all texts in one round."""

    def rounds() -> Rounds[list[str]]:
        answers = yield [first_question(Messages("Is it so?", one), Sampling("tiny")) for one in texts]
        return [answer_text(answer) for answer in answers]

    return Conversation("telling", pair("Rain fell.", name), rounds, (CHAT_MODEL,))


def numbered(count: int) -> list[str]:
    return [f"It rained {number} times." for number in range(count)]


class Reader(threading.Thread):
    """Takes all that the engine has to say to some conversations, in a thread of its own."""

    def __init__(self, bench: Bench, *conversations: Conversation[list[str]]) -> None:
        super().__init__(daemon=True)
        self.found: list[list[str] | Failure] = []
        self._outcomes = bench.engine.converse(conversations)
        self.start()

    def run(self) -> None:
        self.found += [found for _, found in self._outcomes]


def test_local_models_answer_while_the_endpoint_is_silent(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    held = Hanging()
    with hanging(monkeypatch, held):
        reader = Reader(bench, telling("Rain fell."))
        held.until_asked(1)
        [local] = bench.ask(bench.asking())
        assert isinstance(local, Result)
        assert reader.found == []
        held.gate.set()
        reader.join(PATIENCE_S)
    assert reader.found == [["Yes."]]


def test_the_endpoint_is_asked_while_a_local_model_is_busy(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.kind.gate.clear()
    bench.engine.submit("ana", [bench.asking()], [pair("Hail fell.")])
    bench.at_the_model()
    with serving(lambda _path, _body: text("Yes.")) as endpoint:
        monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", endpoint.url)
        reader = Reader(bench, telling("Rain fell."))
        reader.join(PATIENCE_S)
    assert reader.found == [["Yes."]]


def test_what_was_not_sent_when_its_asker_left_is_never_sent(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    held = Hanging()
    with hanging(monkeypatch, held) as endpoint:
        outcomes = bench.engine.converse([telling(name="quick"), telling(*numbered(100))])
        next(outcomes)
        held.until_asked(AT_ONCE)
        outcomes.close()
        held.gate.set()
        reader = Reader(bench, telling("Snow fell."))
        reader.join(PATIENCE_S)
    assert reader.found == [["Yes."]]
    assert len(endpoint.asked) == AT_ONCE + 1


def test_what_was_refused_is_not_sent_again_when_its_asker_left(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    held = Hanging(reply=refusal(400, "No."))
    with hanging(monkeypatch, held) as endpoint:
        outcomes = bench.engine.converse([telling(name="quick"), telling(*numbered(AT_ONCE))])
        next(outcomes)
        held.until_asked(AT_ONCE)
        outcomes.close()
        held.gate.set()
        reader = Reader(bench, telling("Snow fell."))
        reader.join(PATIENCE_S)
    assert len(endpoint.asked) == AT_ONCE + 1


def test_answers_that_came_after_the_asker_left_are_kept(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    held = Hanging()
    with hanging(monkeypatch, held) as endpoint:
        outcomes = bench.engine.converse([telling(name="quick"), telling("Rain fell.")])
        next(outcomes)
        held.until_asked(1)
        outcomes.close()
        held.gate.set()
        reader = Reader(bench, telling("Rain fell."))
        reader.join(PATIENCE_S)
    assert reader.found == [["Yes."]]
    assert len(endpoint.asked) == 1


def test_closing_does_not_wait_for_a_silent_endpoint(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    held = Hanging()
    with hanging(monkeypatch, held):
        reader = Reader(bench, telling(*numbered(20)))
        held.until_asked(AT_ONCE)
        closer = threading.Thread(target=bench.engine.close, daemon=True)
        closer.start()
        closer.join(PATIENCE_S / 2)  # the server stays silent for longer than that
        reader.join(PATIENCE_S / 2)
        assert not closer.is_alive()
    message = "The engine was closed before this was answered. Start again."
    assert reader.found == [Failure("pair", "telling", FailureKind.ERROR, message)]


def test_threads_that_are_first_needed_while_the_engine_closes_end_with_it(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, closed = threading.Event(), threading.Event()

    def rounds() -> Rounds[str]:
        begun.set()
        assert closed.wait(PATIENCE_S)
        [answer] = yield [first_question(Messages("Is it so?", "It rained."), Sampling("tiny"))]
        return answer_text(answer)

    with serving(lambda _path, _body: text("Yes.")) as endpoint:
        monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", endpoint.url)
        before = set(threading.enumerate())
        other = open_bench(bench.folder, bench.kind)
        reader = Reader(other, Conversation("late", pair("Rain fell."), rounds, (CHAT_MODEL,)))
        assert begun.wait(PATIENCE_S)
        other.engine._planner.close()
        closed.set()
        other.engine.close()
        reader.join(PATIENCE_S)
        assert not set(threading.enumerate()) - before
    assert [outcome.kind for outcome in reader.found if isinstance(outcome, Failure)] == [FailureKind.ERROR]
    assert not endpoint.asked
