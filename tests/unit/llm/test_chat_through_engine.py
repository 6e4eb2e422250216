"""What a language model says, asked through the engine: kept by question and server, in a failure without the key."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import pytest

from core.engine.engine import Engine
from core.llm.chat import Sampling, answer_text, first_question
from core.llm.endpoints import resolve_model
from core.llm.prompts import Messages
from core.metric import Card, Metric
from core.settings import Settings
from core.types import Answer, Checkpoint, Example, Failure, FailureKind, Outcome, Question, Result, Score
from tests.unit.llm.scripted import CHAT_MODEL, Reply, serving, text

KEY = "sk-a-secret-of-nobody"
PAIR = Example("pair", "It rained in Lindvale.", "Rain fell.")


@dataclass(frozen=True)
class Told(Metric):
    """The number that a language model says."""

    name: ClassVar[str] = "told"
    card: ClassVar[Card] = Card("Told", "Judge", "What it is told.", "none", "none", None, None)

    sample: int = 0

    def checkpoints(self) -> tuple[Checkpoint, ...]:
        return (CHAT_MODEL,)

    def plan(self, example: Example) -> list[Question]:
        return [first_question(Messages("Score.", example.summary), Sampling(resolve_model(""), sample=self.sample))]

    def fold(self, example: Example, questions: Sequence[Question], answers: Sequence[Answer]) -> Score:  # noqa: ARG002  # the answer is all
        return Score(float(answer_text(answers[0])))


@pytest.fixture
def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Engine]:
    monkeypatch.setenv("TOUCHSTONE_LLM_API_KEY", KEY)
    monkeypatch.setenv("TOUCHSTONE_LLM_MODEL", "tiny")
    opened = Engine.open(Settings(device="cpu", memory_gb=1, cache_dir=tmp_path))
    yield opened
    opened.close()


def outcome(engine: Engine, metric: Metric) -> Outcome:
    [(_, found)] = engine.run([metric], [PAIR])
    return found


def test_a_question_is_paid_for_once_and_each_sample_by_itself(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = iter(["1", "2"])
    with serving(lambda _path, _body: text(next(numbers))) as endpoint:
        monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", endpoint.url)
        found = [outcome(engine, metric) for metric in (Told(), Told(), Told(sample=1), Told(sample=1))]
    assert [result.score for result in found if isinstance(result, Result)] == [1, 1, 2, 2]
    assert len(endpoint.asked) == 2


def test_another_server_is_asked_anew_and_has_another_signature(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = []
    for number in ("1", "2"):
        with serving(lambda _path, _body, number=number: text(number)) as endpoint:
            monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", endpoint.url)
            found.append(outcome(engine, Told()))
    first, second = (result for result in found if isinstance(result, Result))
    assert (first.score, second.score) == (1, 2)
    assert first.signature != second.signature


def test_a_model_that_may_think_longer_is_asked_anew_and_has_another_signature(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    numbers = iter("12")
    with serving(lambda _path, _body: text(next(numbers))) as endpoint:
        monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", endpoint.url)
        found = [outcome(engine, Told())]
        monkeypatch.setenv("TOUCHSTONE_LLM_REASONING_TOKENS", "500")
        found += [outcome(engine, Told()), outcome(engine, Told())]
    first, second, again = (result for result in found if isinstance(result, Result))
    assert (first.score, second.score, again.score) == (1, 2, 2)
    assert first.signature != second.signature == again.signature


@pytest.mark.parametrize(
    ("reply", "kind", "message"),
    [
        (text(None, refused="I must not."), FailureKind.INPUT, "The model refused. The model said: “I must not.”"),
        (text("4", ended="length"), FailureKind.INPUT, "The answer was cut at its limit of tokens."),
        (text(""), FailureKind.INPUT, "The answer is empty. The model said nothing."),
        (Reply({"error": {"message": KEY}}, 400), FailureKind.ERROR, "refused the question"),
    ],
    ids=["refused", "truncated", "empty", "error"],
)
def test_what_is_no_answer_is_a_failure_and_never_a_number(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, reply: Reply, kind: FailureKind, message: str
) -> None:
    with serving(lambda _path, _body: reply) as endpoint:
        monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", endpoint.url)
        found = outcome(engine, Told())
    assert isinstance(found, Failure)
    assert found.kind is kind
    assert message in found.message
    assert KEY not in found.message


def test_without_a_server_the_failure_says_what_to_set(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("TOUCHSTONE_LLM_BASE_URL", raising=False)
    monkeypatch.chdir(tmp_path)  # where no .env is
    found = outcome(engine, Told())
    assert isinstance(found, Failure)
    assert (found.kind, "Set TOUCHSTONE_LLM_BASE_URL" in found.message) == (FailureKind.NEEDS_ENDPOINT, True)
