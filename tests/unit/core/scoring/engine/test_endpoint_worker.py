"""The threads of an endpoint: as many questions at once as is set, each failure alone, usage of what was answered."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from core.models.llm.chat import Sampling, answer_text, first_question
from core.models.llm.prompts import Messages
from core.models.llm.spending.budget import SpendTracker
from core.scoring.engine.conversation import Conversation
from core.settings import Settings
from core.types import Failure, Rounds
from tests.doubles.bench import Bench, pair
from tests.doubles.models import PATIENCE_S
from tests.unit.core.models.llm.scripted import Reply, refusal, serving, text


@dataclass
class Counting:
    """Answers with what it was asked once `together` questions are under way; the most that ever were stand in `most`."""

    together: int
    most: int = 0
    now: int = 0
    changed: threading.Condition = field(default_factory=threading.Condition)

    def __call__(self, _path: str, body: Any) -> Reply:
        with self.changed:
            self.now += 1
            self.most = max(self.most, self.now)
            self.changed.notify_all()
            assert self.changed.wait_for(lambda: self.most >= self.together, PATIENCE_S), (
                f"never {self.together} at once"
            )
            self.now -= 1
        return text(body["messages"][1]["content"])


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in Settings.model_fields:
        monkeypatch.delenv(f"TOUCHSTONE_{name.upper()}", raising=False)
    monkeypatch.chdir(tmp_path)  # where no .env is


def telling(one: str, endpoint: str = "") -> Conversation[str]:
    """Asks one question; nothing else waits for its answer."""

    sampling = Sampling("tiny", endpoint=endpoint)

    def rounds() -> Rounds[str]:
        [answer] = yield [first_question(Messages("Say it again.", one), sampling)]
        return answer_text(answer)

    return Conversation(f"telling {one} {endpoint}", pair("Rain fell."), rounds, (sampling.asked,))


def told(bench: Bench, *conversations: Conversation[str]) -> list[str | Failure]:
    return [found for _, found in bench.engine.converse(conversations)]


@pytest.mark.parametrize("at_once", [1, 3, 12])
def test_as_many_questions_are_under_way_as_is_set(bench: Bench, monkeypatch: pytest.MonkeyPatch, at_once: int) -> None:
    monkeypatch.setenv("TOUCHSTONE_LLM_AT_ONCE", str(at_once))
    names = [str(number) for number in range(20)]
    counting = Counting(at_once)
    with serving(counting) as endpoint:
        monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", endpoint.url)
        assert told(bench, *map(telling, names)) == names
    assert counting.most == at_once


def test_a_question_that_is_refused_is_asked_once_and_spoils_no_other(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    def reply(_path: str, body: Any) -> Reply:
        one = body["messages"][1]["content"]
        return refusal(400, "too long") if one == "b" else text(one)

    with serving(reply) as endpoint:
        monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", endpoint.url)
        a, b, c = told(bench, *map(telling, "abc"))
    assert (a, c) == ("a", "c")
    assert isinstance(b, Failure)
    assert "too long" in b.error
    assert sorted(body["messages"][1]["content"] for _, body in endpoint.asked) == ["a", "b", "c"]


def test_the_same_question_of_several_is_asked_and_paid_for_once(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(lambda _path, _body: text("Yes.", read=5, written=2)) as endpoint:
        monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", endpoint.url)
        assert told(bench, *[telling("a")] * 5) == ["Yes."] * 5
    assert len(endpoint.asked) == 1
    [spent] = SpendTracker(bench.folder / "cache").total().values()
    assert (spent.questions, spent.read, spent.written) == (1, 5, 2)
    counts = bench.engine.counts()
    assert (counts.planned, counts.asked, counts.cached + counts.merged) == (5, 1, 4)


def test_a_silent_endpoint_holds_up_no_other_endpoint(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    gate = threading.Event()

    def silent(_path: str, _body: Any) -> Reply:
        assert gate.wait(PATIENCE_S)
        return text("Late.")

    found: list[str | Failure] = []
    with serving(silent) as slow, serving(lambda _path, _body: text("Soon.")) as quick:
        monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", slow.url)
        monkeypatch.setenv("TOUCHSTONE_ENDPOINTS", str(tmp_path / "endpoints.toml"))
        (tmp_path / "endpoints.toml").write_text(f'[quick]\nbase_url = "{quick.url}"\n')
        reader = threading.Thread(
            target=lambda: found.extend(told(bench, *map(telling, map(str, range(30))))), daemon=True
        )
        reader.start()
        try:
            assert told(bench, telling("a", "quick")) == ["Soon."]
            assert found == []
        finally:
            gate.set()
        reader.join(PATIENCE_S)
    assert found == ["Late."] * 30


def test_an_answer_that_no_cache_keeps_is_asked_for_by_each_who_comes_later(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    replies = iter([text("Half an ans", ended="length"), text("A whole one.")])
    with serving(lambda _path, _body: next(replies)) as endpoint:
        monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", endpoint.url)
        [first], [second] = told(bench, telling("a")), told(bench, telling("a"))
    assert isinstance(first, Failure)
    assert second == "A whole one."
    assert len(endpoint.asked) == 2
