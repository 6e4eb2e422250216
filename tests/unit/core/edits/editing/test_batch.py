"""Edits asked for in the background: the answer first, then what the model says of each edit."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from core.edits.editing.batch import EditRequestTask, UnusedEdit, edited_pairs
from core.edits.editing.editor import Editor
from core.edits.editing.proposals import Proposals, UnusedReason
from core.edits.editing.trivial import TrivialityJudgement
from core.scoring.engine.engine import Engine
from core.settings import Settings
from core.types import Failure, FailureKind, Item
from tests.unit.core.edits.editing.test_editor import PAIR, SIX, edit
from tests.unit.core.models.llm.scripted import Body, Reply, serving, text

PATIENCE_S = 30
PROPOSED = [*SIX[:2], edit("the mayor", "the captain")]


@pytest.fixture
def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Engine]:
    monkeypatch.chdir(tmp_path)  # where no .env is
    monkeypatch.setenv("TOUCHSTONE_PROMPTS_DIR", "")
    monkeypatch.setenv("TOUCHSTONE_LLM_MODEL", "tiny")
    with closing(Engine.open(Settings(cache_dir=tmp_path, device="cpu"))) as opened:
        yield opened


@contextmanager
def model(monkeypatch: pytest.MonkeyPatch, judge: Callable[[], Reply]) -> Iterator[None]:
    """An endpoint that proposes three edits, of which two can be executed, and judges as told."""

    def answer(_path: str, body: Body) -> Reply:
        if "Of what kind is the change?" in body["messages"][1]["content"]:
            return judge()
        return text(json.dumps({"edits": PROPOSED}))

    with serving(answer) as endpoint:
        monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", endpoint.url)
        yield


def asked(
    monkeypatch: pytest.MonkeyPatch, engine: Engine, judge: Callable[[], Reply], judged: bool = True
) -> EditRequestTask:
    with model(monkeypatch, judge):
        request = EditRequestTask(engine, Editor(), PAIR, judged)
        assert request.wait(PATIENCE_S)
    return request


def other() -> Reply:
    return text('{"kind": "other", "because": "So it is."}')


def test_what_can_be_executed_is_judged_and_nothing_else(monkeypatch: pytest.MonkeyPatch, engine: Engine) -> None:
    request = asked(monkeypatch, engine, other)
    assert isinstance(request.outcome, Proposals)
    assert [one.number for one in request.outcome.accepted] == [1, 2]
    assert {
        number: verdict.kind for number, verdict in request.verdicts.items() if isinstance(verdict, TrivialityJudgement)
    } == {
        1: None,
        2: None,
    }
    assert (request.running, request.version) == (False, 4)


def test_nothing_is_judged_where_nobody_asked_for_it(monkeypatch: pytest.MonkeyPatch, engine: Engine) -> None:
    def never() -> Reply:
        raise AssertionError("nobody asked")

    request = asked(monkeypatch, engine, never, judged=False)
    assert isinstance(request.outcome, Proposals)
    assert request.verdicts == {}


def test_a_verdict_that_cannot_be_read_spoils_no_edit(monkeypatch: pytest.MonkeyPatch, engine: Engine) -> None:
    request = asked(monkeypatch, engine, lambda: text(None, refused="No verdict."))
    assert isinstance(request.outcome, Proposals)
    for verdict in request.verdicts.values():
        assert isinstance(verdict, Failure)
        assert "No verdict." in verdict.error


def test_without_an_endpoint_the_outcome_says_what_to_set(monkeypatch: pytest.MonkeyPatch, engine: Engine) -> None:
    monkeypatch.delenv("TOUCHSTONE_LLM_BASE_URL", raising=False)
    request = EditRequestTask(engine, Editor(), PAIR, judged=True)
    assert request.wait(PATIENCE_S)
    assert isinstance(request.outcome, Failure)
    assert request.outcome.kind is FailureKind.NEEDS_ENDPOINT


def test_in_bulk_an_edit_without_a_verdict_is_not_taken_for_a_good_one(
    monkeypatch: pytest.MonkeyPatch, engine: Engine
) -> None:
    with model(monkeypatch, lambda: text("Hm.")):
        found = list(edited_pairs(engine, Editor(), [Item(PAIR)], "both"))
    unused = [one for one in found if isinstance(one, UnusedEdit)]
    assert [(one.source, one.reason_kind) for one in unused] == [
        ("pair/3", UnusedReason.UNREADABLE),
        ("pair/1", UnusedReason.FAILED),
        ("pair/2", UnusedReason.FAILED),
    ]
    assert "The model said: “Hm.”" in unused[1].error
    assert len(found) == len(unused)
