"""The mark on average over what a model may answer, by the probabilities of its first token."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from core.scoring.engine.engine import Engine
from core.scoring.metric import METRICS
from core.settings import Settings
from core.types import Example, Failure, FailureKind, Outcome, Result
from tests.unit.core.models.llm.scripted import Reply, completion, serving

PAIR = Example("pair", "It rained in Lindvale.", "Rain fell.")


@pytest.fixture
def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Engine]:
    monkeypatch.setenv("TOUCHSTONE_LLM_MODEL", "tiny")
    opened = Engine.open(Settings(device="cpu", memory="1GB", cache_dir=tmp_path))
    yield opened
    opened.close()


def outcome(engine: Engine, monkeypatch: pytest.MonkeyPatch, *replies: Reply) -> Outcome:
    """The outcome of replies in their order, each of which is asked for."""
    given = iter(replies)
    with serving(lambda _path, _body: next(given)) as endpoint:
        monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", endpoint.url)
        [(_, found)] = engine.run([METRICS.parse("weighted-assessment")], [PAIR])
    limits = [(body["top_logprobs"], body["max_tokens"]) for _, body in endpoint.asked]
    assert limits == [(20, 1), (20, 4)][: len(replies)]
    return found


def places(*shares: Mapping[str, float]) -> Reply:
    """The most likely tokens at each place of an answer, the first of each written."""
    tops = [[{"token": token, "logprob": math.log(share)} for token, share in place.items()] for place in shares]
    content = [{**top[0], "top_logprobs": top} for top in tops]
    choice = {"index": 0, "finish_reason": "length", "message": {"content": "x"}, "logprobs": {"content": content}}
    return Reply({"choices": [choice], "usage": {"prompt_tokens": 7, "completion_tokens": len(tops)}})


def twice(*top: tuple[str, float]) -> Reply:
    """Most likely tokens of which some have the same text, as those have that are parts of a character."""
    named = [{"token": token, "logprob": math.log(share)} for token, share in top]
    choice = {"index": 0, "message": {"content": "x"}, "logprobs": {"content": [{**named[0], "top_logprobs": named}]}}
    return Reply({"choices": [choice], "usage": {"prompt_tokens": 7, "completion_tokens": 1}})


@pytest.mark.parametrize(
    ("shares", "score", "spread", "mass"),
    [
        ({"5": 1.0}, 1.0, 0.0, 1.0),
        ({"1": 1.0}, 0.0, 0.0, 1.0),
        ({"4": 0.5, "5": 0.5}, 0.875, 0.5, 1.0),
        ({"5": 0.4, " 5": 0.2, "▁1": 0.2, "The": 0.2}, 0.75, 1.73, 0.8),  # 5, 5, 5 and 1 of what is a mark
        ({"3": 0.5, "50": 0.3, "0": 0.1, "6": 0.1}, 0.5, 0.0, 0.5),
        ({'"4': 0.3, "**4": 0.3, "4.": 0.2, "-4": 0.2}, 0.75, 0.0, 0.8),
    ],
)
def test_marks_count_by_their_probabilities(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, shares: dict[str, float], score: float, spread: float, mass: float
) -> None:
    found = outcome(engine, monkeypatch, completion(shares))
    assert isinstance(found, Result)
    assert found.score == pytest.approx(score)
    assert found.seen.notes[0].startswith(f"The marks from 1 to 5 have {mass:.2f} of the probability")
    assert found.seen.notes[0].endswith(f"standard deviation {spread:.2f}.")
    assert "prompt:weighted-assessment@1#" in found.signature
    assert "model:tiny" in found.signature


def test_tokens_of_equal_text_are_summed(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    found = outcome(engine, monkeypatch, twice(("5", 0.6), ("1", 0.2), ("5", 0.2)))
    assert isinstance(found, Result)
    assert found.score == pytest.approx(0.8)


@pytest.mark.parametrize(
    "shares", [{"0": 0.9, "5": 0.018}, {"The": 0.6, "4": 0.4}, {"10": 0.55, "5": 0.45}], ids=["illegal", "prose", "ten"]
)
def test_marks_with_less_than_half_of_the_probability_are_no_score(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, shares: dict[str, float]
) -> None:
    found = outcome(engine, monkeypatch, completion(shares))
    assert isinstance(found, Failure)
    mass = list(shares.values())[1]
    assert f"gives the digits from 1 to 5 {mass:.2f} of the probability, but begins its answer with" in found.error


@pytest.mark.parametrize("opening", ["▁", " ", "\n", "**", '"'])
def test_a_mark_behind_a_blank_is_read_at_the_next_place(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, opening: str
) -> None:
    first, then = {opening: 0.8, "1": 0.1}, {"5": 0.75, "4": 0.25}
    found = outcome(engine, monkeypatch, places(first), places(first, then))
    assert isinstance(found, Result)
    assert found.score == pytest.approx((0.1 * 0 + 0.6 * 1 + 0.2 * 0.75) / 0.9)
    assert "have 0.90 of the probability" in found.seen.notes[0]


def test_where_no_mark_is_among_the_tokens_there_is_no_score(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    found = outcome(engine, monkeypatch, completion({"<think>": 0.9, "10": 0.1}))
    assert isinstance(found, Failure)
    assert found.kind is FailureKind.INPUT
    assert "no digit from 1 to 5, but begins its answer with '<think>' (0.90), '10' (0.10)" in found.error
