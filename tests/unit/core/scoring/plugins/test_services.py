"""A service is a metric like any other, our own service is one, and what either sends wrongly is a sentence."""

from __future__ import annotations

import asyncio
import json
import threading
import urllib.error
import urllib.request
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
import uvicorn
from starlette.testclient import TestClient

from core.errors import BadSettingError
from core.models.llm.spending.spend import Spend, format_estimate
from core.scoring.engine.engine import Engine
from core.scoring.metric import METRICS
from core.scoring.plugins.service_metric import ServiceMetric, service_classes
from core.types import Example, Failure, FailureKind, Outcome, Part, Result, Span
from pages.server.score_service import ScoreService, describe_api
from tests.unit.core.models.llm.scripted import Endpoint, Reply, refusal, serving

TUG = Example(
    "tug", "The pilot asked for the tug. It came at dawn.", "The pilot asked. It came at noon.", question="When?"
)
KEY = "MY_SERVICE_KEY"
SERVED = ["rouge2", "bleu", "word-novelty"]


def metric(url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, more: str = "") -> ServiceMetric:
    file = tmp_path / "services.toml"
    file.write_text(f'[mine]\nurl = "{url}"\nretries = 0\n{more}\n', encoding="utf-8")
    monkeypatch.setenv("TOUCHSTONE_PLUGINS", str(file))
    [made] = service_classes(str(file))
    return made()


def outcome(engine: Engine, one: ServiceMetric) -> Outcome:
    [(_, found)] = engine.run([one], [TUG])
    return found


def answered(reply: Reply, engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Outcome, Endpoint]:
    with serving(lambda _path, _body: reply) as running:
        return outcome(engine, metric(f"{running.url}/score", tmp_path, monkeypatch)), running


def test_a_score_with_sentences_and_evidence_arrives(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sentences = [
        {"start": 0, "end": 16, "score": 0.75, "evidence": {"start": 0, "end": 28}},
        {"start": 17, "end": 33, "score": 0.25},
    ]
    found, running = answered(Reply({"score": 0.5, "sentences": sentences}), engine, tmp_path, monkeypatch)
    assert isinstance(found, Result), found
    assert (found.score, found.parts) == (
        0.5,
        (Part(Span(0, 16), 0.75, Span(0, 28)), Part(Span(17, 33), 0.25)),
    )
    assert [body for _, body in running.asked] == [
        {"document": TUG.document, "summary": TUG.summary, "question": "When?"}
    ]


def test_the_same_text_is_asked_once_and_a_key_is_sent(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY, "its-key")
    with serving(lambda _path, _body: Reply({"score": 0.5, "signature": "v1"})) as running:
        one = metric(running.url, tmp_path, monkeypatch, f'key_from = "{KEY}"')
        first, second = outcome(engine, one), outcome(engine, one)
    assert isinstance(first, Result)
    assert isinstance(second, Result)
    assert (first.score, first.signature, second.counts.cached) == (second.score, second.signature, 1)
    assert running.keys == ["Bearer its-key"]
    assert "its-key" not in first.signature
    assert "|remote:" in first.signature


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ({"score": "high"}, "does not answer"),
        ({"value": 1}, "gave no score for this text"),
        ({"score": 7}, "The service answered 7, outside of its range from 0 to 1. Set low and high in its table."),
        ([0.5], "does not answer"),
        ({"score": 1, "sentences": [{"start": 0, "end": 99, "score": 1}]}, "places a sentence outside of the summary"),
        ({"score": 1, "sentences": [{"start": 5, "end": 5, "score": 1}]}, "places a sentence outside of the summary"),
        ({"score": 1, "sentences": "two"}, "does not answer"),
        ({"score": None, "error": "The summary has no verb."}, "The summary has no verb."),
        ({"score": float("nan")}, "does not answer"),
    ],
)
def test_an_answer_that_is_none_is_a_sentence(
    content: object, sentence: str, engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found, _ = answered(Reply(content), engine, tmp_path, monkeypatch)
    assert isinstance(found, Failure)
    assert sentence in found.error


@pytest.mark.parametrize(
    "reply", [refusal(500, "broken"), Reply(raw=b"<html>"), Reply(dropped=True), refusal(401, "no key")]
)
def test_a_service_that_fails_is_a_failure(
    reply: Reply, engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found, _ = answered(reply, engine, tmp_path, monkeypatch)
    assert isinstance(found, Failure)
    assert found.error.endswith(".")


def test_a_price_is_estimated_counted_and_kept_to_by_a_budget_and_a_stated_cost_counts_instead(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replies = iter([{"score": 0.5}, {"score": 0.5, "cost": 0.25}])
    texts = [Example(name, TUG.document, f"The pilot saw {name}.") for name in ("one", "two", "three")]
    with serving(lambda _path, _body: Reply(next(replies))) as running:
        one = metric(running.url, tmp_path, monkeypatch, "price = 1.0\nbudget = 2.0")
        estimate = engine.estimate(engine.conversations([one], texts))
        outcomes = [outcome for text in texts for _, outcome in engine.run([one], [text])]
    assert format_estimate(estimate) == "3 questions to endpoints; about 3.0000"
    assert [isinstance(found, Result) for found in outcomes] == [True, True, False]
    assert engine.spent()["service.mine"] == Spend(2, 0, 0, 1.25)
    assert isinstance(outcomes[2], Failure)
    assert "1.2500 of 2 are spent, and it may cost up to 1.0000. Raise budget under [mine]" in outcomes[2].error
    assert engine.estimate(engine.conversations([one], texts[:2])).questions == 0


def test_a_service_without_a_price_has_no_estimate(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = metric("http://localhost:9", tmp_path, monkeypatch)
    assert format_estimate(engine.estimate(engine.conversations([one], [TUG]))) == ""


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "[mine]\nurl = 'http://localhost'\nbudget = 1",
            r"services\.toml, \[mine\]: a budget is kept by the price of an answer",
        ),
        ("[mine", "is no TOML"),
        ("url = 'http://localhost'", "url is outside of a table"),
        ("[mine]\ntitle = 'x'", r"\[mine\]: url: Field required"),
        ("[Mine]\nurl = 'http://localhost'", "name: String should match"),
        (
            "[mine]\nurl = 'http://localhost'\nkey = 'secret'",
            r"key: Extra inputs are not permitted.*A key is named by key_from",
        ),
        ("[mine]\nurl = 'http://localhost'\ndirection = 'up'", "direction: Input should be"),
    ],
)
def test_a_file_that_is_wrong_is_refused_without_its_key(text: str, sentence: str, tmp_path: Path) -> None:
    file = tmp_path / "services.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(BadSettingError, match=sentence) as refused:
        service_classes(str(file))
    assert "secret" not in str(refused.value)


@pytest.fixture
def ours(engine: Engine) -> Iterator[str]:
    """The address of our own service of three metrics, with the token "sesame"."""
    app = ScoreService(engine, [*map(METRICS.parse, SERVED)], "sesame").app()
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="error"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        thread.join(0.01)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    server.should_exit = True
    thread.join()


def post(url: str, record: object, token: str = "sesame", raw: bytes | None = None) -> tuple[int, Any]:
    body = json.dumps(record).encode() if raw is None else raw
    asked = urllib.request.Request(url, body, {"Authorization": f"Bearer {token}", "Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(asked) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.load(error)


PAIR = {"document": TUG.document, "summary": TUG.summary}


def test_our_service_scores_pairs_and_batches_as_the_engine_does(ours: str, engine: Engine) -> None:
    [(_, rouge), (_, bleu)] = engine.run([METRICS.parse("rouge2"), METRICS.parse("bleu")], [TUG])
    assert isinstance(rouge, Result)
    assert isinstance(bleu, Result)
    status, one = post(f"{ours}/score", PAIR)
    assert (status, one["score"], one["signature"]) == (200, rouge.score, rouge.signature)
    assert one["sentences"][0]["text"] == "The pilot asked."
    _, batch = post(f"{ours}/score", {"examples": [PAIR, {"document": "", "summary": "x"}], "metric": "bleu"})
    assert batch["scores"][0]["score"] == bleu.score
    assert (batch["scores"][1]["score"], batch["scores"][1]["kind"]) == (None, "input")


@pytest.mark.parametrize(
    ("record", "status", "sentence"),
    [
        ({"document": "a"}, 422, "summary: Field required"),
        ({**PAIR, "metric": "mine"}, 404, "No metric 'mine' is served here. Served: rouge2, bleu, word-novelty."),
        ({**PAIR, "colour": "red"}, 422, "Extra inputs"),
        ({"examples": [], "metric": "mine"}, 404, "No metric 'mine' is served here."),
        ({"examples": [PAIR] * 1001}, 422, "at most 1000"),
        ([], 422, "Send document and summary"),
        ({"document": 1, "summary": "b"}, 422, "valid string"),
    ],
)
def test_our_service_refuses_what_it_cannot_answer(record: object, status: int, sentence: str, ours: str) -> None:
    got, answer = post(f"{ours}/score", record)
    assert got == status
    assert sentence in answer["error"]


def test_our_service_asks_for_its_token_and_limits_a_request(ours: str) -> None:
    assert post(f"{ours}/score", PAIR, token="open")[0] == 401
    assert post(f"{ours}/score", PAIR, raw=b"{")[0] == 422
    assert post(f"{ours}/score", PAIR, raw=b"[" * (33 * 2**20))[0] == 413


def test_our_service_answers_what_would_keep_it_busy_by_a_sentence(ours: str) -> None:
    for raw in (b'{"document":' * 200_000, b"[" * 1_000_000, b'{"examples": ' + b"[" * 200_000 + b"]" * 200_000 + b"}"):
        assert post(f"{ours}/score", None, raw=raw)[0] == 422
    status, answer = post(f"{ours}/score", {"document": "a " * 600_000, "summary": "b"})
    assert (status, "at most 1000000 characters" in answer["error"]) == (422, True)
    status, answer = post(f"{ours}/score", {"examples": [{"document": "a " * 490_000, "summary": "b"}] * 11})
    assert (status, "10,000,000 characters together" in answer["error"]) == (413, True)


def test_our_service_gives_up_what_takes_too_long_and_answers_no_more_at_once_than_it_may() -> None:
    begun, ended = threading.Event(), threading.Event()

    class Slow:
        def run(self, _metrics: object, examples: list[Example]) -> Iterator[tuple[Example, Failure]]:
            begun.set()
            ended.wait()
            yield examples[0], Failure("0", "rouge2", FailureKind.ERROR, "It was stopped.")

    service = ScoreService(Slow(), [METRICS.parse("rouge2")], "", request_s=0.2, at_once=1)  # type: ignore[arg-type]  # all that it calls
    with TestClient(service.app()) as client:
        given_up = client.post("/score", json=PAIR)
        assert (given_up.status_code, "No answer after 0.2 s" in given_up.json()["error"]) == (503, True)
        assert begun.is_set()
        busy = client.post("/score", json=PAIR)  # the first still runs
        assert (busy.status_code, busy.headers["retry-after"]) == (429, "5")
        ended.set()
        while client.post("/score", json=PAIR).status_code == 429:
            pass


def test_our_service_answers_no_more_at_once_than_it_may_where_bodies_arrive_together() -> None:
    ended = threading.Event()

    class Slow:
        def run(self, _metrics: object, examples: list[Example]) -> Iterator[tuple[Example, Failure]]:
            ended.wait(5)
            yield examples[0], Failure("0", "rouge2", FailureKind.ERROR, "It was stopped.")

    service = ScoreService(Slow(), [METRICS.parse("rouge2")], "", at_once=1)  # type: ignore[arg-type]  # all that it calls

    async def statuses() -> list[int]:
        all_begun, begun = asyncio.Event(), 0

        async def body() -> AsyncIterator[bytes]:
            nonlocal begun
            begun += 1
            if begun == 4:
                all_begun.set()
            await all_begun.wait()
            yield json.dumps(PAIR).encode()

        transport = httpx2.ASGITransport(service.app())
        async with httpx2.AsyncClient(transport=transport, base_url="http://here") as client:
            asked = [asyncio.ensure_future(client.post("/score", content=body())) for _ in range(4)]
            answered: list[int] = []
            for answer in asyncio.as_completed(asked):
                answered.append((await answer).status_code)
                if len(answered) == 3:
                    ended.set()
            return answered

    assert asyncio.run(asyncio.wait_for(statuses(), 30)) == [429, 429, 429, 200]


def test_our_service_describes_itself(ours: str) -> None:
    with (
        urllib.request.urlopen(f"{ours}/health") as health,
        urllib.request.urlopen(f"{ours}/openapi.json") as described,
    ):
        assert json.load(health)["metrics"] == SERVED
        assert json.load(described) == describe_api(SERVED, needs_token=True)
    with urllib.request.urlopen(f"{ours}/") as page:
        shown = page.read().decode()
    assert "<code>POST /score</code>" in shown
    assert "rouge2" in shown


def test_our_service_is_a_service(ours: str, engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY, "sesame")
    one = metric(f"{ours}/score", tmp_path, monkeypatch, f'key_from = "{KEY}"\nmetric = "bleu"\nhigh = 100.0')
    [(_, here)] = engine.run([METRICS.parse("bleu")], [TUG])
    there = outcome(engine, one)
    assert isinstance(here, Result)
    assert isinstance(there, Result)
    assert (there.score, there.parts) == (here.score, here.parts)


def test_a_text_that_our_service_refuses_is_refused_there(
    ours: str, engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY, "sesame")
    one = metric(f"{ours}/score", tmp_path, monkeypatch, f'key_from = "{KEY}"\nmetric = "word-novelty"')
    [(_, found)] = engine.run([one], [Example("dots", "It rained.", "...")])
    [(_, here)] = engine.run([METRICS.parse("word-novelty")], [Example("dots", "It rained.", "...")])
    assert isinstance(found, Failure)
    assert isinstance(here, Failure)
    assert (found.kind, found.error) == (FailureKind.INPUT, here.error)
