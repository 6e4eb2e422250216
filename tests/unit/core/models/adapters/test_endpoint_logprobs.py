"""Kind "endpoint_logprobs": first tokens with their probabilities, from the endpoint that is set."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.errors import MissingEndpointError
from core.model_reference import EndpointModel
from core.models.adapters import endpoint_logprobs
from core.models.llm.endpoints.endpoints import endpoint_of
from core.types import Answer, Question
from tests.unit.core.models.llm.scripted import completion, serving

MODEL = EndpointModel("", "endpoint_logprobs")


def ask(user: str) -> Answer:
    question = Question(MODEL, ("Judge.", user), (("model", "m"), ("top_tokens", 2)))
    return endpoint_logprobs.ask(endpoint_of(MODEL), question)


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOUCHSTONE_LLM_API_KEY", "sk-a-secret-of-nobody")


def test_the_key_and_address_are_those_that_are_set(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(lambda _path, _body: completion({"Yes": 0.5, "No": 0.25}, read=9)) as endpoint:
        monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", endpoint.url)
        answer = ask("Is it?")
    assert (answer.texts, answer.tokens) == (("Yes", "No"), 9)
    assert answer.values == pytest.approx((0.5, 0.25))
    assert endpoint.keys == ["Bearer sk-a-secret-of-nobody"]


def test_without_an_endpoint_nothing_is_asked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("TOUCHSTONE_LLM_BASE_URL", raising=False)
    monkeypatch.chdir(tmp_path)  # where no .env is
    with pytest.raises(MissingEndpointError, match="No language-model endpoint is set"):
        ask("Is it?")
