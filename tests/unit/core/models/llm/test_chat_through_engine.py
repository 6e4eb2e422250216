"""What a language model says, asked through the engine: kept by question and server, in a failure without the key."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pytest

from core.model_reference import Checkpoint
from core.models.llm.chat import Sampling, answer_text, first_question
from core.models.llm.endpoints.endpoints import resolve_model
from core.models.llm.prompts import Messages
from core.scoring.engine.engine import Engine
from core.scoring.metric import METRICS, Card, Metric
from core.scoring.metrics.direct_assessment import DirectAssessment
from core.settings import Settings
from core.types import Answer, Example, Failure, FailureKind, Outcome, Question, Result, Score
from tests.unit.core.models.llm.scripted import CHAT_MODEL, Reply, completion, serving, text

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
    opened = Engine.open(Settings(device="cpu", memory="1GB", cache_dir=tmp_path))
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
    assert message in found.error
    assert KEY not in found.error


def test_without_a_server_the_failure_says_what_to_set(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("TOUCHSTONE_LLM_BASE_URL", raising=False)
    monkeypatch.chdir(tmp_path)  # where no .env is
    found = outcome(engine, Told())
    assert isinstance(found, Failure)
    assert (found.kind, "Set TOUCHSTONE_LLM_BASE_URL" in found.error) == (FailureKind.NEEDS_ENDPOINT, True)


def test_an_answer_that_cannot_be_read_is_asked_for_again_on_the_next_run_and_stays_in_a_file(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    said = iter(["Hard to say.", "Harder still.", '{"score": 40}'])
    with serving(lambda _path, _body: text(next(said))) as endpoint:
        monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", endpoint.url)
        first, second, third = (outcome(engine, DirectAssessment()) for _ in range(3))
    assert isinstance(first, Failure)
    assert "Harder still." in first.error
    assert [result.score for result in (second, third) if isinstance(result, Result)] == [0.4, 0.4]
    assert len(endpoint.asked) == 3
    kept = [json.loads(line) for line in (tmp_path / "unreadable-answers.jsonl").read_text().splitlines()]
    assert [line["texts"][0] for line in kept] == ["Hard to say.", "Harder still."]
    assert "no complete JSON object" in kept[0]["problem"]


def test_of_many_answers_only_the_one_that_cannot_be_read_is_asked_for_again(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def reply(_path: str, body: Any) -> Reply:
        odd = "Hail" in body["messages"][1]["content"] and len(endpoint.asked) <= 3
        return completion({"Maybe": 0.9} if odd else {" Yes": 0.9})

    pair = Example("pair", "It rained in Lindvale.", "Rain fell. Hail fell. Snow fell.")
    with serving(reply) as endpoint:
        monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", endpoint.url)
        found = [next(engine.run([METRICS.parse("bespoke-minicheck-7b")], [pair]))[1] for _ in range(2)]
    first, second = found
    assert isinstance(first, Failure)
    assert "neither Yes nor No" in first.error
    assert isinstance(second, Result)
    assert len(endpoint.asked) == 4
