"""Refusals of an endpoint in a whole run: what they spoil, how many requests they cost, and the log of these."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from pathlib import Path

import pytest

from core.models.llm.spending.cost_log import read_requests
from core.scoring.engine.engine import Engine
from core.scoring.metric import METRICS
from core.settings import Settings
from core.types import Example, Failure, Outcome
from tests.unit.core.models.llm.scripted import Body, Reply, serving, text

PAIRS = [Example(f"{place}", f"It rained in Lindvale for {place} days.", "Rain fell.") for place in range(20)]


def run(url: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[Outcome]:
    monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", url)
    monkeypatch.setenv("TOUCHSTONE_LLM_MODEL", "m")
    engine = Engine.open(Settings(device="cpu", memory="1GB", cache_dir=folder))
    outcomes = [outcome for _, outcome in engine.run([METRICS.parse("direct-assessment[model=m]")], PAIRS)]
    engine.close()
    return outcomes


@pytest.mark.parametrize(
    ("status", "error", "sentence", "outcome"),
    [
        (
            429,
            {"message": "Budget has been exceeded! Current cost: 0.3, Max budget: 0.1", "type": "budget_exceeded"},
            "wants money. Pay there",
            "money",
        ),
        (
            400,
            {"message": {"error": "/chat/completions: Invalid model name passed in model=m."}, "code": "400"},
            "serves no model 'm'",
            "model",
        ),
        (
            400,
            {"message": "No connected db.", "type": "no_db_connection", "code": "400"},
            "does not accept the key. Set TOUCHSTONE_LLM_API_KEY",
            "key",
        ),
    ],
)
def test_what_refuses_every_question_is_asked_once(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    status: int,
    error: Mapping[str, object],
    sentence: str,
    outcome: str,
) -> None:
    with serving(lambda _path, _body: Reply({"error": error}, status)) as endpoint:
        outcomes = run(endpoint.url, tmp_path, monkeypatch)
    assert all(isinstance(one, Failure) and sentence in one.error for one in outcomes)
    assert len(endpoint.asked) == 1
    assert read_requests(tmp_path) == {("default", "m"): {outcome: 1}}


def test_a_text_that_is_flagged_spoils_only_its_own_question(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lock, number = threading.Lock(), [0]
    flagged = {"message": "Input was flagged", "code": 403, "metadata": {"reasons": ["violence"]}}

    def reply(_path: str, body: Body) -> Reply:
        with lock:
            number[0] += 1
        days = int(json.dumps(body).partition("Lindvale for ")[2].partition(" ")[0])
        return Reply({"error": flagged}, 403) if days < 10 else text('{"score": 70}')

    with serving(reply) as endpoint:
        outcomes = run(endpoint.url, tmp_path, monkeypatch)
    assert [isinstance(one, Failure) for one in outcomes] == [True] * 10 + [False] * 10
    assert all("does not let this text through" in one.error for one in outcomes if isinstance(one, Failure))
    assert number == [20]
    assert read_requests(tmp_path) == {("default", "m"): {"answered": 10, "filter": 10}}


@pytest.mark.parametrize(
    ("status", "message", "sentence"),
    [
        (429, "Request too large on tokens per min (TPM): Limit 10000, Requested 24000.", "takes 10,000 tokens"),
        (400, "This model's maximum context length is 4096 tokens. However, you requested 5000.", "a window of 4,096"),
        (400, "prompt is too long: 210000 tokens > 200000 maximum", "a window of 200,000 tokens"),
    ],
)
def test_a_question_that_never_fits_is_sent_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, status: int, message: str, sentence: str
) -> None:
    with serving(lambda _path, _body: Reply({"error": {"message": message}}, status)) as endpoint:
        outcomes = run(endpoint.url, tmp_path, monkeypatch)
    assert all(isinstance(one, Failure) and sentence in one.error for one in outcomes)
    assert len(endpoint.asked) == len(PAIRS)
