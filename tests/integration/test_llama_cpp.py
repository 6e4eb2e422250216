"""llama.cpp's own server with a tiny random model, driven by client, engine, commands and test of an endpoint.

TOUCHSTONE_TEST_LLAMA_CPP names a Python with `pip install xllamacpp gguf`, of which the first has the server in its wheel.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from core.errors import TouchstoneError
from core.models.llm.chat import Sampling
from core.models.llm.client.client import EndpointClient
from core.models.llm.client.requests import FirstTokens
from core.models.llm.endpoint_setup import check_endpoint
from core.models.llm.endpoints.endpoint import Endpoint
from core.models.llm.spending.budget import SpendTracker
from core.models.llm.spending.cost_log import read_requests
from core.models.llm.structured import answer_schema
from core.scoring.engine.batch_worker import BatchWorker
from core.scoring.engine.engine import Engine
from core.scoring.metric import METRICS
from core.scoring.metrics.direct_assessment import Mark
from core.settings import Settings
from core.types import Example, Failure, FailureKind, Result
from tests.e2e.server import free_port
from tests.integration.tiny_chat import wait_for_server
from tests.unit.command_line import run
from tests.unit.conftest import terminal

__all__ = ["terminal"]

MODEL = "touchstone/tiny-gguf"
MESSAGES = ("Rewrite.", "The harbour of Lindvale was closed on Tuesday.")
GREEDY = Sampling(MODEL, temperature=0.0, max_tokens=12)
PAIRS = [
    Example(f"{place}", f"It rained in Lindvale for {place} days.", f"Rain fell for {place} days.")
    for place in range(20)
]


@pytest.fixture(scope="module")
def gguf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    python = os.environ.get("TOUCHSTONE_TEST_LLAMA_CPP", "")
    if not python:
        pytest.skip("TOUCHSTONE_TEST_LLAMA_CPP names no Python with xllamacpp and gguf")
    file = tmp_path_factory.mktemp("gguf") / "tiny.gguf"
    subprocess.run([python, str(Path(__file__).with_name("tiny_gguf.py")), str(file)], check=True)
    return file


@contextmanager
def serving(gguf: Path, port: int) -> Iterator[str]:
    """A server of the file until the block ends, which kills it; its address."""
    command = [os.environ["TOUCHSTONE_TEST_LLAMA_CPP"], str(Path(__file__).with_name("llama_cpp_server.py"))]
    with (
        gguf.with_suffix(".log").open("a") as log,
        subprocess.Popen([*command, str(gguf), MODEL, str(port)], stdout=log, stderr=log) as process,
    ):
        try:
            wait_for_server(f"http://127.0.0.1:{port}/health", process)
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            process.kill()


@pytest.fixture(scope="module")
def endpoint(gguf: Path) -> Iterator[Endpoint]:
    with serving(gguf, free_port()) as url:
        yield Endpoint(url, "", patience_s=30, model=MODEL)


def test_the_model_is_listed_and_an_answer_ends_at_the_limit_of_tokens(endpoint: Endpoint) -> None:
    client = EndpointClient(endpoint)
    answer = client.chat(MESSAGES, GREEDY, "")
    assert (client.models(), answer.finish_reason) == ([MODEL], "length")
    assert answer.completion_tokens >= 12  # it counts the tokens of the text, which may be others than were drawn
    assert answer.prompt_tokens > len(MESSAGES[1])  # nearly every character is a token
    assert client.chat(MESSAGES, GREEDY, "").text == answer.text
    assert EndpointClient(replace(endpoint, stream=True)).chat(MESSAGES, GREEDY, "").text == answer.text


def test_a_schema_is_kept_to_by_a_model_that_knows_nothing(endpoint: Endpoint) -> None:
    answer = EndpointClient(endpoint).chat(MESSAGES, replace(GREEDY, max_tokens=256), answer_schema(Mark))
    assert set(json.loads(answer.text)) == {"score"}


def test_the_most_likely_first_tokens_come_in_order(endpoint: Endpoint) -> None:
    first = EndpointClient(endpoint).first_token(*MESSAGES, FirstTokens(MODEL, 5))
    assert list(first.probabilities) == sorted(first.probabilities, reverse=True)
    assert 0 < sum(first.probabilities) <= 1


@pytest.mark.parametrize("judge", ["direct-assessment", "closed-book", "sampled-assessment"])
def test_each_judge_has_a_score_or_a_number_beyond_the_scale_as_the_grammar_leaves_nothing_else(
    judge: str, endpoint: Endpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """llama.cpp keeps whole numbers within their limits and others not."""
    monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", endpoint.base_url)
    outcomes = judged(f"{judge}[model={MODEL},max_tokens=256]", tmp_path)
    failures = [outcome.error for outcome in outcomes if isinstance(outcome, Failure)]
    assert all("Input should be" in error or "cut at its limit" in error for error in failures), failures
    assert any(isinstance(outcome, Result) for outcome in outcomes)
    [sent] = read_requests(tmp_path).values()
    assert SpendTracker(tmp_path).total()[""].questions == sent["answered"] >= len(PAIRS)


def test_a_judge_by_log_probabilities_has_a_score_or_a_reason_for_every_pair(
    endpoint: Endpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", endpoint.base_url)
    outcomes = judged(f"weighted-assessment[model={MODEL}]", tmp_path)
    # it leaves them out where the first token is the first byte of several, as a model that knows nothing says now and then
    errors = [row for row in outcomes if isinstance(row, Failure) and "gives no log-probabilities" not in row.error]
    assert {error.kind for error in errors} <= {FailureKind.INPUT}, errors
    assert len(errors) + sum(isinstance(outcome, Result) for outcome in outcomes) >= len(PAIRS) // 2
    assert len(outcomes) == len(PAIRS)


def judged(metric: str, folder: Path, pairs: list[Example] = PAIRS) -> list[Result | Failure]:
    with closing(Engine.open(Settings(device="cpu", memory="1GB", cache_dir=folder))) as engine:
        return [outcome for _, outcome in engine.run([METRICS.parse(metric)], pairs)]


@pytest.mark.usefixtures("terminal")
@pytest.mark.parametrize(
    "command",
    [
        ("explain", "--model", MODEL),
        ("edits", "--model", MODEL),
        ("claims", "--by", f"language-model[model={MODEL}]"),
        ("perturb", "--kind", f"paraphrased-llm[model={MODEL}]"),
    ],
    ids=lambda command: command[0],
)
def test_each_command_asks_about_every_pair(
    command: tuple[str, ...], endpoint: Endpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", endpoint.base_url)
    rows = [json.dumps({"id": pair.id, "document": pair.document, "summary": pair.summary}) for pair in PAIRS]
    (tmp_path / "pairs.jsonl").write_text("\n".join(rows), encoding="utf-8")
    name, *options = command
    done = run(name, tmp_path / "pairs.jsonl", *options, "-o", tmp_path / "out.jsonl")
    assert done.exit_code in {0, 1}, (done.output, done.exception)
    [sent] = read_requests(tmp_path / "cache").values()
    # it fails at some of the bytes that this model says at random, which are asked again
    assert sent["answered"] + sent.get("server", 0) >= len(PAIRS), (sent, done.output)


def test_a_document_beyond_the_window_names_it(endpoint: Endpoint) -> None:
    with pytest.raises(TouchstoneError, match=r"has a window of 3,072 tokens for this question"):
        EndpointClient(endpoint).chat(("Rewrite.", "It rained. " * 2000), GREEDY, "")


def test_it_has_no_batch_api_and_that_is_said(
    endpoint: Endpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", endpoint.base_url)
    metric = METRICS.parse(f"direct-assessment[model={MODEL}]")
    batches = partial(BatchWorker, report=print)
    with closing(Engine.open(Settings(device="cpu", memory="1GB", cache_dir=tmp_path), batches)) as engine:
        [(_, found)] = engine.run([metric], [Example("pair", "It rained.", "Rain fell.")])
    assert isinstance(found, Failure)
    assert "has no Batch API. Start without --batch." in found.error


def test_what_it_can_do_is_found_out(endpoint: Endpoint) -> None:
    found = {one.what: one for one in check_endpoint(endpoint)}
    assert found["Answer"].works, found
    assert found["Log-probabilities"].works, found
