"""A batch of questions to an endpoint: asked at once, and paid for once even where one of them is refused."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

from core.errors import NoEndpointError, TouchstoneError
from core.llm.endpoint import SOURCE
from core.models.kinds.complete import load
from core.models.remote import Remote
from core.types import Answer, Checkpoint, Question
from tests.unit.llm.scripted import Reply, completion, refusal, serving

CHECKPOINT = Checkpoint(SOURCE, "complete")


def ask(model: Remote, *users: str) -> list[Answer]:
    questions = [Question(CHECKPOINT, ("Judge.", user), (("model", "m"), ("likeliest", 2))) for user in users]
    return model.forward(model.encode(questions))


@pytest.fixture
def completer(monkeypatch: pytest.MonkeyPatch) -> Remote:
    monkeypatch.setenv("TOUCHSTONE_LLM_API_KEY", "sk-a-secret-of-nobody")
    return load(Path(), CHECKPOINT, "cpu")


def test_the_key_and_address_are_those_that_are_set(completer: Remote, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(lambda _path, _body: completion({"Yes": 0.5, "No": 0.25}, read=9)) as endpoint:
        monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", endpoint.url)
        [answer] = ask(completer, "Is it?")
    assert (answer.texts, answer.tokens) == (("Yes", "No"), 9)
    assert answer.values == pytest.approx((0.5, 0.25))
    assert endpoint.keys == ["Bearer sk-a-secret-of-nobody"]


def test_the_questions_of_a_batch_are_asked_at_once_and_answered_in_their_order(
    completer: Remote, monkeypatch: pytest.MonkeyPatch
) -> None:
    together = threading.Barrier(4)

    def answer(_path: str, body: Any) -> Reply:
        together.wait(timeout=20)
        return completion({body["messages"][1]["content"]: 1.0})

    with serving(answer) as endpoint:
        monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", endpoint.url)
        answers = ask(completer, "a", "b", "c", "d")
    assert [answer.texts for answer in answers] == [("a",), ("b",), ("c",), ("d",)]


def test_answers_that_came_beside_a_refusal_are_not_asked_for_again(
    completer: Remote, monkeypatch: pytest.MonkeyPatch
) -> None:
    def answer(_path: str, body: Any) -> Reply:
        user = body["messages"][1]["content"]
        return refusal(400, "too long") if user == "b" else completion({user: 1.0})

    with serving(answer) as endpoint:
        monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", endpoint.url)
        for batch in (("a", "b", "c", "d"), ("a", "b"), ("b",)):
            with pytest.raises(TouchstoneError, match="too long"):
                ask(completer, *batch)
        ask(completer, "a")
        ask(completer, "c", "d")
    asked = sorted(body["messages"][1]["content"] for _, body in endpoint.asked)
    assert asked == ["a", "b", "b", "b", "c", "d"]


def test_an_answer_is_not_kept_for_another_endpoint(completer: Remote, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = []
    for name in ("first", "second"):
        reply = completion({name: 1.0})
        with serving(lambda _path, _body, reply=reply: reply) as endpoint:
            monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", endpoint.url)
            texts += [answer.texts for answer in ask(completer, "Is it?")]
    assert texts == [("first",), ("second",)]


def test_without_an_endpoint_nothing_is_asked(
    completer: Remote, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("TOUCHSTONE_LLM_BASE_URL", raising=False)
    monkeypatch.chdir(tmp_path)  # where no .env is
    with pytest.raises(NoEndpointError, match="No language-model endpoint is set"):
        ask(completer, "Is it?")
