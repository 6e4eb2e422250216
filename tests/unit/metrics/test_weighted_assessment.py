"""The mark on average over what a model may answer, by the probabilities of its first token."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.engine.engine import Engine
from core.metric import METRICS
from core.settings import Settings
from core.types import Example, Failure, FailureKind, Outcome, Result
from tests.unit.llm.scripted import Reply, completion, serving

PAIR = Example("pair", "It rained in Lindvale.", "Rain fell.")


@pytest.fixture
def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Engine]:
    monkeypatch.setenv("TOUCHSTONE_LLM_MODEL", "tiny")
    opened = Engine.open(Settings(device="cpu", memory="1GB", cache_dir=tmp_path))
    yield opened
    opened.close()


def outcome(engine: Engine, monkeypatch: pytest.MonkeyPatch, reply: Reply) -> Outcome:
    with serving(lambda _path, _body: reply) as endpoint:
        monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", endpoint.url)
        [(_, found)] = engine.run([METRICS.parse("weighted-assessment")], [PAIR])
    [(_, body)] = endpoint.asked
    assert (body["top_logprobs"], body["max_tokens"]) == (20, 1)
    return found


@pytest.mark.parametrize(
    ("shares", "score", "spread"),
    [
        ({"5": 1.0}, 1.0, 0.0),
        ({"1": 1.0}, 0.0, 0.0),
        ({"4": 0.5, "5": 0.5}, 0.875, 0.5),
        ({"5": 0.4, " 5": 0.2, "▁1": 0.2, "The": 0.2}, 0.75, 1.73),  # 5, 5, 5 and 1 of what is a mark
        ({"3": 0.25, "50": 0.5, "0": 0.1, "6": 0.1}, 0.5, 0.0),
    ],
)
def test_marks_count_by_their_probabilities(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, shares: dict[str, float], score: float, spread: float
) -> None:
    found = outcome(engine, monkeypatch, completion(shares))
    assert isinstance(found, Result)
    assert found.score == pytest.approx(score)
    assert found.seen.notes[0].endswith(f"standard deviation {spread:.2f}.")
    assert "prompt:weighted-assessment@1#" in found.signature
    assert "model:tiny" in found.signature


def test_where_no_mark_is_among_the_tokens_there_is_no_score(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    found = outcome(engine, monkeypatch, completion({"<think>": 0.9, "10": 0.1}))
    assert isinstance(found, Failure)
    assert found.kind is FailureKind.INPUT
    assert "no digit from 1 to 5, but with '<think>', '10'" in found.message
