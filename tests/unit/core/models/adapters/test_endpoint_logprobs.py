"""Kind "endpoint_logprobs": first tokens with their probabilities, from the endpoint that is set."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from core.errors import MissingEndpointError
from core.model_reference import EndpointModel
from core.models.adapters import endpoint_logprobs
from core.models.llm.endpoints.endpoints import endpoint_of
from core.models.llm.spending.budget import SpendTracker
from core.models.llm.spending.cost_log import read_costs
from core.models.llm.spending.spend import Spend, Usage, actual_usage, most_usage
from core.scoring.engine.engine import Engine
from core.scoring.metric import METRICS
from core.settings import Settings
from core.types import Answer, Example, Question, Result
from tests.unit.core.models.llm.scripted import Reply, completion, refusal, serving

BESPOKE = "bespoke-minicheck-7b[special_tokens=false,endpoint=mini]"
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
    assert answer.values == pytest.approx((0.5, 0.25, 1.0))
    assert endpoint.keys == ["Bearer sk-a-secret-of-nobody"]


def test_without_an_endpoint_nothing_is_asked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("TOUCHSTONE_LLM_BASE_URL", raising=False)
    monkeypatch.chdir(tmp_path)  # where no .env is
    with pytest.raises(MissingEndpointError, match="No language-model endpoint is set"):
        ask("Is it?")


def responses(_path: str, body: Mapping[str, Any]) -> Reply:
    """A server of the Responses API, which writes 16 tokens at least and says what they cost."""
    top = [{"token": token, "logprob": math.log(share)} for token, share in (("Yes", 0.75), ("No", 0.25))]
    part = {"type": "output_text", "text": "Yes", "logprobs": [{**top[0], "top_logprobs": top}]}
    usage = {
        "input_tokens": 100,
        "input_tokens_details": {"cached_tokens": 60},
        "output_tokens": body["max_output_tokens"],
        "cost": 0.00126,
    }
    output = [{"type": "message", "role": "assistant", "content": [part]}]
    return Reply({"object": "response", "status": "completed", "output": output, "usage": usage})


def test_first_tokens_of_the_responses_form_are_booked_as_the_server_counts_them(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with serving(responses) as server:
        file = tmp_path / "endpoints.toml"
        file.write_text(f'[mini]\nbase_url = "{server.url}"\nmodel = "m"\napi = "responses"\nprice_read = 1.0\n')
        monkeypatch.setenv("TOUCHSTONE_ENDPOINTS", str(file))
        engine = Engine.open(Settings(device="cpu", memory="1GB", cache_dir=tmp_path))
        metrics = [METRICS.parse(spec) for spec in ("weighted-assessment[endpoint=mini]", BESPOKE)]
        outcomes = [outcome for _, outcome in engine.run(metrics, [Example("pair", "It rained.", "Rain fell.")])]
        engine.close()
    assert isinstance(outcomes[1], Result), outcomes[1]
    assert outcomes[1].score == pytest.approx(0.75)
    assert SpendTracker(tmp_path).total() == {"mini": Spend(2, 200, 32, 0.00252)}
    [[row]] = [[row for row in read_costs(tmp_path) if "weighted" in row.prompt]]
    assert (row.read, row.written, row.money) == (100, 16, 0.00126)


def test_the_most_that_first_tokens_may_cost_has_the_least_limit_of_the_responses_form() -> None:
    question = Question(MODEL, ("Judge.", "Is it?"), (("model", "m"), ("top_tokens", 2)))
    assert most_usage(question).written == 16
    assert most_usage(question, reasoning_tokens=1000).written == 1001


def test_an_answer_that_was_kept_without_its_usage_is_counted_by_its_limit() -> None:
    question = Question(MODEL, ("Judge.", "Is it?"), (("model", "m"), ("top_tokens", 2), ("max_tokens", 4)))
    assert actual_usage(question, Answer((0.5, 0.25), texts=("Yes", "No"), tokens=9)) == Usage(9, 4)


@pytest.mark.parametrize("end", ["</think>", "<|message|>"])
def test_first_tokens_of_a_reasoning_model_are_those_after_its_reasoning(
    end: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def reasoning(_path: str, body: Mapping[str, Any]) -> Reply:
        if "temperature" in body or "max_tokens" in body:
            return refusal(400, "Unsupported parameter")
        top = [{"token": "Yes", "logprob": math.log(0.75)}, {"token": "No", "logprob": math.log(0.25)}]
        places = [{"token": token, "logprob": 0.0, "top_logprobs": []} for token in ("Hm", ".", end)]
        places.append({**top[0], "top_logprobs": top})
        choice = {"finish_reason": "stop", "message": {"content": "Yes"}, "logprobs": {"content": places}}
        return Reply({"choices": [choice], "usage": {"prompt_tokens": 9, "completion_tokens": 4}})

    monkeypatch.setenv("TOUCHSTONE_LLM_REASONING_TOKENS", "1000")
    with serving(reasoning) as server:
        monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", server.url)
        answer = ask("Is it?")
    assert (answer.texts, answer.values) == (("Yes", "No"), pytest.approx((0.75, 0.25, 4.0)))
    assert server.asked[0][1]["max_completion_tokens"] == 1001
