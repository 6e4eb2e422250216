"""A real server with a tiny random model: what it lists, how it samples, where it stops, and what it counts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from transformers.utils import is_accelerate_available
from transformers.utils.import_utils import is_serve_available

from core.models.llm.chat import Sampling
from core.models.llm.client.client import EndpointClient
from core.models.llm.client.completions import Completion
from core.models.llm.endpoints.endpoint import Endpoint
from core.models.llm.spending.budget import SpendTracker
from core.models.llm.spending.cost_log import read_requests
from core.models.llm.structured import answer_schema
from core.scoring.engine.engine import Engine
from core.scoring.metric import METRICS
from core.scoring.metrics.direct_assessment import Mark
from core.settings import Settings
from core.types import Example, Failure, FailureKind
from tests.integration.tiny_chat import MODEL, serving_transformers, tokenizer
from tests.unit.command_line import run
from tests.unit.conftest import terminal

__all__ = ["terminal"]

MESSAGES = ("Rewrite.", "The harbour of Lindvale was closed on Tuesday.")
GREEDY = Sampling(MODEL, temperature=0.0, max_tokens=24)
WILD = replace(GREEDY, temperature=2.0)


pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def endpoint(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Endpoint]:
    if not (is_serve_available() and is_accelerate_available()):
        pytest.skip("`transformers serve` needs fastapi, uvicorn and accelerate, of the group dev of pyproject.toml")
    with serving_transformers(tmp_path_factory.mktemp("served")) as url:
        yield Endpoint(url, "", patience_s=30)


@pytest.fixture(scope="module")
def greedy(endpoint: Endpoint) -> Completion:
    return EndpointClient(endpoint).chat(MESSAGES, GREEDY, "")


def test_the_models_that_it_serves_are_listed(endpoint: Endpoint) -> None:
    assert EndpointClient(endpoint).models() == [MODEL]


def test_an_answer_ends_at_the_limit_of_tokens_and_says_so(greedy: Completion) -> None:
    assert (greedy.finish_reason, greedy.completion_tokens) == ("length", 24)


def test_the_tokens_read_are_those_of_the_model(greedy: Completion) -> None:
    messages = [{"role": "system", "content": MESSAGES[0]}, {"role": "user", "content": MESSAGES[1]}]
    words = tokenizer()
    assert greedy.prompt_tokens == len(
        words(words.apply_chat_template(messages, tokenize=False), add_special_tokens=False).input_ids
    )


def test_temperature_0_says_the_same_again_and_a_high_one_does_not(endpoint: Endpoint, greedy: Completion) -> None:
    client = EndpointClient(endpoint)
    assert client.chat(MESSAGES, GREEDY, "") == greedy
    assert len({client.chat(MESSAGES, WILD, "").text for _ in range(4)} - {greedy.text}) > 1


def test_a_small_nucleus_takes_the_chance_out_of_a_high_temperature(endpoint: Endpoint, greedy: Completion) -> None:
    assert EndpointClient(endpoint).chat(MESSAGES, replace(WILD, top_p=1e-6), "").text == greedy.text


def test_an_answer_stops_at_a_text(endpoint: Endpoint, greedy: Completion) -> None:
    word = greedy.text.split()[1]
    stopped = EndpointClient(endpoint).chat(MESSAGES, replace(GREEDY, stop=word), "")
    assert stopped.finish_reason == "stop"
    assert stopped.completion_tokens < greedy.completion_tokens
    assert greedy.text.startswith(stopped.text.removesuffix(word))


def test_a_stream_says_and_counts_the_same(endpoint: Endpoint, greedy: Completion) -> None:
    assert EndpointClient(replace(endpoint, stream=True)).chat(MESSAGES, GREEDY, "") == greedy


def test_a_server_that_knows_no_schemas_answers_all_the_same(endpoint: Endpoint, greedy: Completion) -> None:
    assert EndpointClient(endpoint).chat(MESSAGES, GREEDY, answer_schema(Mark)).text == greedy.text


PAIRS = [
    Example(f"{place}", f"It rained in Lindvale for {place} days.", f"Rain fell for {place} days.")
    for place in range(20)
]


@pytest.mark.parametrize("judge", ["direct-assessment", "closed-book", "sampled-assessment", "weighted-assessment"])
def test_each_judge_gets_a_score_or_a_reason_for_every_pair_and_each_request_is_counted(
    judge: str, endpoint: Endpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", endpoint.base_url)
    short = "" if judge == "weighted-assessment" else ",max_tokens=16"
    metric = METRICS.parse(f"{judge}[model={MODEL}{short}]")
    with closing(Engine.open(Settings(device="cpu", memory="1GB", cache_dir=tmp_path))) as engine:
        outcomes = [outcome for _, outcome in engine.run([metric], PAIRS)]
    kinds = {outcome.kind for outcome in outcomes if isinstance(outcome, Failure)}
    assert kinds <= {FailureKind.INPUT}
    [sent] = read_requests(tmp_path).values()
    assert sum(sent.values()) >= len(PAIRS)
    assert SpendTracker(tmp_path).total()[""].questions == sent["answered"]


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
def test_each_command_asks_about_every_pair_and_has_a_line_for_it(
    command: tuple[str, ...], endpoint: Endpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", endpoint.base_url)
    rows = [json.dumps({"id": pair.id, "document": pair.document, "summary": pair.summary}) for pair in PAIRS]
    (tmp_path / "pairs.jsonl").write_text("\n".join(rows), encoding="utf-8")
    name, *options = command
    done = run(name, tmp_path / "pairs.jsonl", *options, "-o", tmp_path / "out.jsonl")
    assert done.exit_code in {0, 1}, (done.output, done.exception)
    lines = (tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines()
    # edits that cannot be executed have no line
    assert len(lines) == (0 if name == "edits" else len(PAIRS)), done.output
    [sent] = read_requests(tmp_path / "cache").values()
    assert sent["answered"] >= len(PAIRS)


def test_what_it_says_at_random_is_no_score_and_is_paid_for(
    endpoint: Endpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", endpoint.base_url)
    metric = METRICS.parse(f"direct-assessment[model={MODEL},max_tokens=16]")
    with closing(Engine.open(Settings(device="cpu", memory="1GB", cache_dir=tmp_path))) as engine:
        [(_, found)] = engine.run([metric], [Example("pair", "It rained.", "Rain fell.")])
    assert isinstance(found, Failure)
    assert found.kind is FailureKind.INPUT
    assert "cut at its limit of tokens" in found.error
    spent = SpendTracker(tmp_path).total()[""]
    assert (spent.questions, spent.written) == (1, 16)
    assert spent.read > 100
