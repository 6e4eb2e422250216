"""A server that reads a part of the document and says nothing gives no score."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.scoring.engine.engine import Engine
from core.scoring.metric import METRICS
from core.settings import Settings
from core.types import Example, Failure, Outcome, Result
from tests.unit.core.models.llm.scripted import Reply, completion, serving, text

SENTENCE = "It rained in Lindvale on the day of the fair. "
LONG = Example("long", SENTENCE * 2400, "Rain fell.")  # 110,400 characters, 24,000 words
KANJI = Example("kanji", "雨が降った。" * 3000, "雨。")
CODE = Example("code", "x" * 100_000, "An x.")
SHORT = Example("short", SENTENCE * 60, "Rain fell.")
METRIC_REPLIES = {
    "direct-assessment": lambda read: text('{"score": 70}', read=read),
    "weighted-assessment": lambda read: completion({"4": 1.0}, read=read),
    "bespoke-minicheck-7b": lambda read: completion({"Yes": 1.0}, read=read),
}


@pytest.fixture
def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Engine]:
    monkeypatch.setenv("TOUCHSTONE_LLM_MODEL", "tiny")
    opened = Engine.open(Settings(device="cpu", memory="1GB", cache_dir=tmp_path))
    yield opened
    opened.close()


def outcome(engine: Engine, monkeypatch: pytest.MonkeyPatch, metric: str, example: Example, read: int) -> Outcome:
    def reply(path: str, _body: object) -> Reply:
        return Reply({"count": 11}) if path == "/tokenize" else METRIC_REPLIES[metric](read)

    with serving(reply) as endpoint:
        monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", endpoint.url)
        [(_, found)] = engine.run([METRICS.parse(metric)], [example])
    return found


@pytest.mark.parametrize(
    "metric",
    # whose document is counted sentence by sentence
    [pytest.param(name, marks=pytest.mark.slow if name == "bespoke-minicheck-7b" else ()) for name in METRIC_REPLIES],
)
@pytest.mark.parametrize("read", [40, *(pytest.param(read, marks=pytest.mark.slow) for read in (2050, 16_386))])
def test_a_document_that_the_server_cut_is_a_failure_with_what_to_set(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, metric: str, read: int
) -> None:
    found = outcome(engine, monkeypatch, metric, LONG, read)
    assert isinstance(found, Failure)
    assert re.search(rf"The server read {read:,} tokens of a question of 2\d,\d\d\d or more", found.error)
    assert "num_ctx" in found.error


@pytest.mark.parametrize(
    ("example", "read"),
    [(LONG, 24_500), (LONG, 0), (KANJI, 6_000), (CODE, 700), (SHORT, 7)],
    ids=["whole", "unknown", "no blanks", "one word", "shorter than any window"],
)
def test_a_document_that_may_be_whole_is_scored(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, example: Example, read: int
) -> None:
    found = outcome(engine, monkeypatch, "direct-assessment", example, read)
    assert isinstance(found, Result), found


def test_a_cut_document_without_blanks_is_seen(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    assert isinstance(outcome(engine, monkeypatch, "direct-assessment", KANJI, 2050), Failure)


def test_the_answer_to_a_cut_document_is_asked_for_again(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    for metric in ("direct-assessment", "weighted-assessment"):
        assert isinstance(outcome(engine, monkeypatch, metric, LONG, 40), Failure)
        assert isinstance(outcome(engine, monkeypatch, metric, LONG, 30_000), Result)
