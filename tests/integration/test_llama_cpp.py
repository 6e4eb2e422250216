"""The server of llama-cpp-python with a tiny random model, driven by client, engine and test of an endpoint.

TOUCHSTONE_TEST_LLAMA_CPP names a Python with `pip install "llama-cpp-python[server]" gguf`, which takes minutes to build.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from core.models.llm.chat import Sampling
from core.models.llm.client.client import EndpointClient
from core.models.llm.client.requests import FirstTokens
from core.models.llm.endpoint_setup import check_endpoint
from core.models.llm.endpoints.endpoint import Endpoint
from core.models.llm.structured import answer_schema
from core.scoring.engine.engine import Engine
from core.scoring.metric import METRICS
from core.scoring.metrics.direct_assessment import Mark
from core.settings import Settings
from core.types import Example, Failure, FailureKind
from tests.e2e.server import free_port
from tests.integration.tiny_chat import wait_for_server

MODEL = "touchstone/tiny-gguf"
MESSAGES = ("Rewrite.", "The harbour of Lindvale was closed on Tuesday.")
GREEDY = Sampling(MODEL, temperature=0.0, max_tokens=12)


@pytest.fixture(scope="module")
def endpoint(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Endpoint]:
    python = os.environ.get("TOUCHSTONE_TEST_LLAMA_CPP", "")
    if not python:
        pytest.skip('TOUCHSTONE_TEST_LLAMA_CPP names no Python with "llama-cpp-python[server]" and gguf')
    folder, port = tmp_path_factory.mktemp("gguf"), free_port()
    file = str(folder / "tiny.gguf")
    subprocess.run([python, str(Path(__file__).with_name("tiny_gguf.py")), file], check=True)
    options = {"model": file, "model_alias": MODEL, "port": port, "n_threads": 1, "n_ctx": 2048, "logits_all": True}
    command = [python, "-m", "llama_cpp.server", *(f"--{name}={value}" for name, value in options.items())]
    with (
        (folder / "server.log").open("w") as log,
        subprocess.Popen(command, stdout=log, stderr=log) as process,
    ):
        try:
            wait_for_server(f"http://127.0.0.1:{port}/v1/models", process)
            yield Endpoint(f"http://127.0.0.1:{port}/v1", "", patience_s=30, model=MODEL)
        finally:
            process.terminate()


def test_the_model_is_listed_and_an_answer_ends_at_the_limit_of_tokens(endpoint: Endpoint) -> None:
    client = EndpointClient(endpoint)
    answer = client.chat(MESSAGES, GREEDY, "")
    assert (client.models(), answer.finish_reason) == ([MODEL], "length")
    assert answer.completion_tokens >= 12  # it counts the tokens of the text, which may be others than were drawn
    assert answer.prompt_tokens > len(MESSAGES[1])  # nearly every character is a token
    assert client.chat(MESSAGES, GREEDY, "").text == answer.text
    assert EndpointClient(replace(endpoint, stream=True)).chat(MESSAGES, GREEDY, "").text == answer.text


def test_a_schema_is_kept_to_by_a_model_that_knows_nothing(endpoint: Endpoint) -> None:
    answer = EndpointClient(endpoint).chat(MESSAGES, replace(GREEDY, max_tokens=64), answer_schema(Mark))
    assert answer.text.lstrip().startswith("{")


def test_the_most_likely_first_tokens_come_in_order(endpoint: Endpoint) -> None:
    first = EndpointClient(endpoint).first_token(*MESSAGES, FirstTokens(MODEL, 5))
    assert list(first.probabilities) == sorted(first.probabilities, reverse=True)
    assert 0 < sum(first.probabilities) <= 1


def test_the_engine_has_a_score_or_says_what_is_wrong(
    endpoint: Endpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", endpoint.base_url)
    metric = METRICS.parse(f"direct-assessment[model={MODEL},max_tokens=16]")
    with closing(Engine.open(Settings(device="cpu", memory="1GB", cache_dir=tmp_path))) as engine:
        [(_, found)] = engine.run([metric], [Example("pair", "It rained.", "Rain fell.")])
    assert not isinstance(found, Failure) or found.kind is FailureKind.INPUT, found


def test_it_has_no_batch_api_and_that_is_said(
    endpoint: Endpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", endpoint.base_url)
    metric = METRICS.parse(f"direct-assessment[model={MODEL}]")
    with closing(Engine.open(Settings(device="cpu", memory="1GB", cache_dir=tmp_path), print)) as engine:
        [(_, found)] = engine.run([metric], [Example("pair", "It rained.", "Rain fell.")])
    assert isinstance(found, Failure)
    assert "has no Batch API. Start without --batch." in found.error


def test_what_it_can_do_is_found_out(endpoint: Endpoint) -> None:
    found = {one.what: one for one in check_endpoint(endpoint)}
    assert found["Answer"].works, found
    assert found["Log-probabilities"].works, found
