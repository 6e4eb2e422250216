"""A run under a guard, through a real engine and an endpoint on loopback: marks, failures, what is gone on with."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from core.models.model_pool import ModelPool
from core.results.runs.runner import continue_run
from core.results.runs.stress_run import (
    Check,
    Plan,
    Source,
    StressRun,
    from_json_line,
    run_from_lines,
    run_lines,
    to_json_line,
)
from core.scoring.engine.cache import AnswerCache
from core.scoring.engine.engine import Engine
from core.types import Example
from tests.unit.core.models.llm.scripted import Reply, refusal, serving, text

GUARD = "language-model[model=tiny]"
SUMMARY = "The harbour was closed on Tuesday. Two ferries were torn away."
DOCUMENT = "The harbour of Lindvale was closed on Tuesday after a storm tore two ferries away."


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    engine = Engine(ModelPool("cpu", None, tmp_path), AnswerCache(tmp_path))
    yield engine
    engine.close()


def a_run(guard: str = GUARD) -> StressRun:
    run = StressRun(Plan("run", ("shuffled", "phrase", "negation"), ("rouge2",), guard=guard))
    run.add(Source(Example("two", DOCUMENT, SUMMARY), "one"))
    return run


def guarded(
    monkeypatch: pytest.MonkeyPatch, engine: Engine, run: StressRun, answer: Callable[[], Reply]
) -> tuple[list[Check], int]:
    """The checks that carrying on brings, and how often the endpoint was asked."""
    with serving(lambda _path, _body: answer()) as endpoint:
        monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", endpoint.url)
        return [record for record in continue_run(engine, run) if isinstance(record, Check)], len(endpoint.asked)


def says(contradicts: bool) -> Reply:
    return text(json.dumps({"contradicts": contradicts, "because": "The order of events."}))


def test_only_variants_that_should_keep_the_meaning_are_checked(
    monkeypatch: pytest.MonkeyPatch, engine: Engine
) -> None:
    run = a_run()
    [check], asked = guarded(monkeypatch, engine, run, lambda: says(True))
    assert asked == 1
    assert (check.source, check.kind) == ("two", "shuffled")
    assert check.mark is not None
    assert (check.mark.contradicts, check.mark.said) == (True, "The order of events.")
    assert run.done == run.total


def test_a_run_without_a_guard_asks_nobody(monkeypatch: pytest.MonkeyPatch, engine: Engine) -> None:
    assert guarded(monkeypatch, engine, a_run(guard=""), lambda: says(True)) == ([], 0)


def test_what_was_checked_is_not_checked_again(monkeypatch: pytest.MonkeyPatch, engine: Engine) -> None:
    run = a_run()
    guarded(monkeypatch, engine, run, lambda: says(False))
    again = run_from_lines(run_lines(run))
    assert again.checks == run.checks
    assert guarded(monkeypatch, engine, again, lambda: says(True)) == ([], 0)


def test_a_check_that_failed_says_why_and_is_tried_again(monkeypatch: pytest.MonkeyPatch, engine: Engine) -> None:
    run = a_run()
    [failed], _ = guarded(monkeypatch, engine, run, lambda: refusal(401, "no"))
    assert failed.mark is None
    assert "does not accept the key" in failed.error
    assert run.done == run.total
    [check], _ = guarded(monkeypatch, engine, run, lambda: says(False))
    assert check.mark is not None


def test_a_guard_whose_weights_are_not_here_marks_nothing(tmp_path: Path, engine: Engine) -> None:
    run = a_run(f"entailment[checkpoint={tmp_path / 'absent'}]")
    [check] = [record for record in continue_run(engine, run) if isinstance(record, Check)]
    assert check.mark is None
    assert "absent" in check.error
    assert run.done == run.total


def test_a_check_reads_back_from_its_line() -> None:
    run = a_run()
    check = Check("two", "shuffled", None, "Too short.")
    run.add(check)
    assert from_json_line(to_json_line(check)) == check
    assert run_from_lines(run_lines(run)).checks == {("two", "shuffled"): check}
