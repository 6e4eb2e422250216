"""The proxy of litellm in front of a backend of ours: its limits, its budget and its forms of errors, asked by the engine.

TOUCHSTONE_TEST_LITELLM names the program `litellm` of an environment with `pip install "litellm[proxy]"`. Its minutes are real.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from core.models.llm.endpoint_setup import check_endpoint
from core.models.llm.endpoints.endpoints import typed_endpoint
from core.models.llm.spending.budget import SpendTracker
from core.models.llm.spending.cost_log import read_requests
from core.scoring.engine.engine import Engine
from core.scoring.metric import METRICS
from core.settings import Settings
from core.types import Example, Failure, Outcome
from tests.e2e.server import free_port
from tests.integration.tiny_chat import wait_for_server
from tests.unit.core.models.llm.scripted import Body, Endpoint, Reply, listing, refusal, serving, text

KEY = "sk-master-of-nobody"

pytestmark = pytest.mark.slow


def backend(_path: str, body: Body) -> Reply:
    """Scores of 70; texts that name an error get it."""
    if "messages" not in body:  # it looks at the models by itself
        return listing("m")
    question = body["messages"][-1]["content"]
    if "flagged" in question:
        return refusal(403, "Your input was flagged by moderation.")
    if "endless" in question:
        error = {"message": "This model's maximum context length is 4096 tokens.", "code": "context_length_exceeded"}
        return Reply({"error": error}, 400)
    return text('{"score": 70}', read=100, written=5)


@dataclass(frozen=True)
class Proxy:
    """A proxy that runs: its address, and the backend behind it."""

    url: str
    backend: Endpoint


@pytest.fixture(scope="module")
def proxy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxy]:
    program = os.environ.get("TOUCHSTONE_TEST_LITELLM", "")
    if not program:
        pytest.skip('TOUCHSTONE_TEST_LITELLM names no program litellm of "litellm[proxy]"')
    folder, port = tmp_path_factory.mktemp("litellm"), free_port()
    with serving(backend) as behind, (folder / "proxy.log").open("w") as log:
        asked = {"model": "openai/m", "api_base": behind.url, "api_key": "backend"}
        priced = {"input_cost_per_token": 0.001, "output_cost_per_token": 0.002}
        config = {
            "model_list": [
                {"model_name": "free", "litellm_params": asked},
                {"model_name": "limited", "litellm_params": {**asked, "rpm": 3}},
                {"model_name": "priced", "litellm_params": {**asked, **priced}},
            ],
            "router_settings": {"enable_pre_call_checks": True, "num_retries": 0},
            "general_settings": {"master_key": KEY},
        }
        (folder / "config.json").write_text(json.dumps(config))
        command = [program, "--config", str(folder / "config.json"), "--host", "127.0.0.1", "--port", str(port)]
        # it starts without looking for prices elsewhere
        environment = {**os.environ, "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
        with subprocess.Popen(command, stdout=log, stderr=log, env=environment) as process:
            try:
                wait_for_server(f"http://127.0.0.1:{port}/health/liveliness", process, 240.0)
                yield Proxy(f"http://127.0.0.1:{port}/v1", behind)
            finally:
                process.terminate()


@pytest.fixture
def folder(proxy: Proxy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", proxy.url)
    monkeypatch.setenv("TOUCHSTONE_LLM_API_KEY", KEY)
    return tmp_path


def scores(folder: Path, model: str, *summaries: str) -> list[Outcome]:
    engine = Engine.open(Settings(device="cpu", memory="1GB", cache_dir=folder))
    pairs = [Example(str(place), "It rained.", summary) for place, summary in enumerate(summaries)]
    try:
        return [outcome for _, outcome in engine.run([METRICS.parse(f"direct-assessment[model={model}]")], pairs)]
    finally:
        engine.close()


def requests(folder: Path, model: str) -> dict[str, int]:
    return read_requests(folder)["default", model]


def test_pairs_are_scored_and_counted_as_the_backend_counts(folder: Path) -> None:
    outcomes = scores(folder, "free", *(f"Rain fell in Town {number}." for number in range(20)))
    assert not [outcome for outcome in outcomes if isinstance(outcome, Failure)]
    spent = SpendTracker(folder).total()[""]
    assert (spent.questions, spent.read, spent.written) == (20, 2000, 100)
    assert requests(folder, "free") == {"answered": 20}


def test_a_limit_of_a_minute_is_waited_for(folder: Path) -> None:
    outcomes = scores(folder, "limited", *(f"Rain fell in Village {number}." for number in range(8)))
    assert not [outcome for outcome in outcomes if isinstance(outcome, Failure)]
    sent = requests(folder, "limited")
    assert sent["answered"] == 8
    assert sum(sent.values()) <= 8 + 12  # it says neither when nor how many, and its minutes are learned


def test_an_unknown_model_and_a_wrong_key_cost_one_request(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    summaries = [f"Rain fell in City {number}." for number in range(20)]
    outcomes = scores(folder, "nobody", *summaries)
    assert all(isinstance(outcome, Failure) for outcome in outcomes)
    assert requests(folder, "nobody") == {"model": 1}
    monkeypatch.setenv("TOUCHSTONE_LLM_API_KEY", "sk-wrong")
    [outcome, *_] = scores(folder, "free", *summaries)
    assert isinstance(outcome, Failure)
    assert "does not accept the key" in outcome.error
    assert requests(folder, "free")["key"] == 1


def test_a_flagged_text_and_one_too_long_are_their_own_failures(folder: Path) -> None:
    good, flagged, endless, last = scores(folder, "free", "Rain.", "A flagged text.", "An endless text.", "Drizzle.")
    assert not isinstance(good, Failure)
    assert not isinstance(last, Failure)
    assert isinstance(flagged, Failure)
    assert "does not let this text through" in flagged.error
    assert isinstance(endless, Failure)
    assert "window of 4,096 tokens" in endless.error
    assert requests(folder, "free") == {"answered": 2, "filter": 1, "too long": 1}


def test_the_endpoint_test_goes_through_it(proxy: Proxy) -> None:
    endpoint = typed_endpoint({"name": "proxy", "base_url": proxy.url, "model": "free"}, KEY)
    answered, _, likely = check_endpoint(endpoint)
    assert (answered.works, likely.works) == (True, False)
