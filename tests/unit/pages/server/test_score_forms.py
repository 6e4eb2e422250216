"""Our scores in the forms of vLLM and of Text Embeddings Inference, over HTTP."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from core.scoring import METRICS, Engine
from core.settings import Settings
from core.types import Example, Result
from pages.server.score_forms import SCORE_FORMS
from pages.server.score_service import ScoreService, describe_api
from tests.doubles.http_server import serving_app

DOCUMENTS = ["Snow fell in Lindvale all night and nobody saw it.", "It rained in Lindvale all night."]
SUMMARY = "It rained in Lindvale."


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    with closing(Engine.open(Settings(device="cpu", memory="1GB", cache_dir=tmp_path))) as opened:
        yield opened


@contextmanager
def serving_like(engine: Engine, form: str, token: str = "") -> Iterator[str]:
    app = ScoreService(engine, [METRICS.parse("rouge2"), METRICS.parse("bleu")], token, SCORE_FORMS[form]).app()
    with serving_app(app) as url:
        yield url


def post(url: str, record: object) -> tuple[int, Any]:
    request = urllib.request.Request(url, json.dumps(record).encode(), {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.load(error)


@pytest.fixture
def scores(engine: Engine) -> list[float]:
    pairs = [Example(document, document, SUMMARY) for document in DOCUMENTS]
    outcomes = [outcome for _, outcome in engine.run([METRICS.parse("rouge2")], pairs)]
    assert all(isinstance(outcome, Result) for outcome in outcomes)
    return [outcome.score for outcome in outcomes if isinstance(outcome, Result)]


@pytest.mark.parametrize("path", ["/score", "/v1/score"])
def test_scores_of_vllm_are_ours(path: str, engine: Engine, scores: list[float]) -> None:
    with serving_like(engine, "vllm-score") as url:
        status, answer = post(f"{url}{path}", {"model": "rouge2", "text_1": DOCUMENTS, "text_2": [SUMMARY, SUMMARY]})
        _, one_document = post(f"{url}{path}", {"text_1": DOCUMENTS[1], "text_2": [SUMMARY, SUMMARY]})
    assert status == 200
    assert (answer["object"], answer["model"]) == ("list", "rouge2")
    assert [(row["index"], row["object"], row["score"]) for row in answer["data"]] == [
        (0, "score", scores[0]),
        (1, "score", scores[1]),
    ]
    assert [row["score"] for row in one_document["data"]] == [scores[1], scores[1]]


@pytest.mark.parametrize("path", ["/rerank", "/v1/rerank", "/v2/rerank"])
def test_documents_are_ranked_by_how_they_support_a_summary_as_vllm_does(
    path: str, engine: Engine, scores: list[float]
) -> None:
    with serving_like(engine, "vllm-rerank") as url:
        _, answer = post(f"{url}{path}", {"query": SUMMARY, "documents": DOCUMENTS, "top_n": 1})
    assert answer["results"] == [{"index": 1, "document": {"text": DOCUMENTS[1]}, "relevance_score": scores[1]}]


def test_documents_are_ranked_as_tei_does(engine: Engine, scores: list[float]) -> None:
    with serving_like(engine, "tei-rerank") as url:
        _, answer = post(f"{url}/rerank", {"query": SUMMARY, "texts": DOCUMENTS, "return_text": True})
    assert answer == [
        {"index": 1, "score": scores[1], "text": DOCUMENTS[1]},
        {"index": 0, "score": scores[0], "text": DOCUMENTS[0]},
    ]


def test_pairs_are_predicted_as_tei_does(engine: Engine, scores: list[float]) -> None:
    pairs = [[document, SUMMARY] for document in DOCUMENTS]
    with serving_like(engine, "tei-predict") as url:
        assert post(f"{url}/predict", {"inputs": pairs[1]})[1] == [{"score": scores[1], "label": "rouge2"}]
        assert post(f"{url}/predict", {"inputs": pairs})[1] == [
            [{"score": score, "label": "rouge2"}] for score in scores
        ]
        assert post(f"{url}/score", {"document": DOCUMENTS[1], "summary": SUMMARY})[1]["score"] == scores[1]


@pytest.mark.parametrize(
    ("form", "path", "record", "status", "sentence"),
    [
        (
            "vllm-score",
            "/score",
            {"text_1": ["a", "b", "c"], "text_2": ["d", "e"]},
            422,
            "text_1 has 3 texts and text_2 2",
        ),
        (
            "vllm-score",
            "/score",
            {"text_1": "a", "text_2": "b", "model": "mine"},
            404,
            "No metric 'mine' is served here",
        ),
        (
            "vllm-score",
            "/score",
            {"text_1": "a", "text_2": [], "model": "mine"},
            404,
            "No metric 'mine' is served here",
        ),
        (
            "vllm-score",
            "/score",
            {"text_1": "a", "text_2": "b", "truncate_prompt_tokens": 9},
            422,
            "truncate_prompt_tokens",
        ),
        ("vllm-score", "/score", {"text_1": "", "text_2": "b"}, 422, "Pair 0 has no score"),
        ("vllm-score", "/score", {"text_1": "a", "text_2": ["b"] * 1001}, 413, "1,000 pairs"),
        ("tei-rerank", "/rerank", {"query": "a", "texts": ["b"], "truncate": True}, 422, "truncate"),
        ("tei-rerank", "/rerank", {"query": "a", "texts": ["b"], "raw_scores": True}, 422, "raw_scores"),
        ("tei-predict", "/predict", {"inputs": ["a", "b", "c"]}, 422, "Send [document, summary]"),
        ("tei-predict", "/predict", {"inputs": "a"}, 422, "inputs"),
    ],
)
def test_what_cannot_be_answered_is_refused_in_the_same_form(
    form: str, path: str, record: object, status: int, sentence: str, engine: Engine
) -> None:
    with serving_like(engine, form) as url:
        got, answer = post(f"{url}{path}", record)
    assert got == status
    message = answer["error"] if form.startswith("tei") else answer["error"]["message"]
    assert sentence in message
    assert ("error_type" in answer) is form.startswith("tei")


def test_another_form_needs_the_token_too(engine: Engine) -> None:
    with serving_like(engine, "tei-predict", token="sesame") as url:
        assert post(f"{url}/predict", {"inputs": ["a", "b"]})[0] == 401


def test_a_description_names_a_token_only_where_there_is_one() -> None:
    opened, guarded = describe_api(["rouge2"], needs_token=False), describe_api(["rouge2"], needs_token=True)
    assert "security" not in opened["paths"]["/score"]["post"]
    assert "components" not in opened
    assert guarded["paths"]["/score"]["post"]["security"] == [{"token": []}]
    [single, batch] = guarded["paths"]["/score"]["post"]["requestBody"]["content"]["application/json"]["schema"][
        "oneOf"
    ]
    assert single["additionalProperties"] is batch["additionalProperties"] is False
    assert batch["properties"]["examples"]["items"]["additionalProperties"] is False
