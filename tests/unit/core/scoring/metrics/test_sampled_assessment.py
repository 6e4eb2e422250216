"""The mean of several draws with their spread, and what becomes of draws that cannot be read."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.errors import BadSettingError
from core.scoring.engine.engine import Engine
from core.scoring.metric import METRICS
from core.settings import Settings
from core.types import Example, Failure, FailureKind, Outcome, Result
from tests.unit.core.models.llm.scripted import Body, Reply, serving, text

PAIR = Example("pair", "It rained in Lindvale.", "Rain fell.")


@pytest.fixture
def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Engine]:
    monkeypatch.setenv("TOUCHSTONE_LLM_MODEL", "tiny")
    opened = Engine.open(Settings(device="cpu", memory="1GB", cache_dir=tmp_path))
    yield opened
    opened.close()


def outcome(engine: Engine, monkeypatch: pytest.MonkeyPatch, *answers: str) -> tuple[Outcome, list[Body]]:
    """The score of as many draws as there are answers; a repair is answered like the first of its draw."""
    firsts = itertools.count()
    drawn = dict(enumerate(answers))

    def answer(_path: str, body: Body) -> Reply:
        return text("Well." if len(body["messages"]) > 2 else drawn[next(firsts)])

    with serving(answer) as endpoint:
        monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", endpoint.url)
        spec = f"sampled-assessment[samples={len(answers)}]"
        [(_, found)] = engine.run([METRICS.parse(spec)], [PAIR])
        [(_, again)] = engine.run([METRICS.parse(spec)], [PAIR]) if isinstance(found, Result) else [(PAIR, found)]
    assert (again.score if isinstance(again, Result) else again) == (
        found.score if isinstance(found, Result) else found
    )
    return found, [body for _, body in endpoint.asked]


def test_the_mean_of_the_draws_counts_and_their_spread_is_told(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    found, asked = outcome(engine, monkeypatch, *(f'{{"score": {mark}}}' for mark in (60, 80, 100)))
    assert isinstance(found, Result)
    assert found.score == pytest.approx(0.8)
    assert found.seen.notes == (
        "The marks from 0 to 100 of 3 draws have the mean 80.0 and the standard deviation 20.0.",
    )
    assert len(asked) == 3
    assert {body["temperature"] for body in asked} == {1.0}
    assert "prompt:direct-assessment@" in found.signature


def test_a_draw_that_cannot_be_read_counts_in_no_figure(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    found, asked = outcome(engine, monkeypatch, '{"score": 60}', "Well.", '{"score": 70}')
    assert isinstance(found, Result)
    assert found.score == pytest.approx(0.65)
    assert found.seen.notes[0].endswith(
        "of 2 draws have the mean 65.0 and the standard deviation 7.1; 1 more could not be read."
    )
    assert len(asked) == 4  # the third draw's repair; what could not be read is not asked again for the same score


def test_too_few_readable_draws_are_a_failure(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    found, _ = outcome(engine, monkeypatch, '{"score": 60}', "Well.", "Well.")
    assert isinstance(found, Failure)
    assert found.kind is FailureKind.INPUT
    assert found.error.startswith("2 of 3 draws cannot be read. The last: The answer holds no complete JSON object")


def test_draws_that_would_all_be_the_same_are_refused() -> None:
    with pytest.raises(BadSettingError, match="draws at 0 are all the same"):
        METRICS.parse("sampled-assessment[temperature=0]")
    with pytest.raises(BadSettingError, match="samples must be 2 to 100"):
        METRICS.parse("sampled-assessment[samples=1]")
