"""Explanations asked for through the engine: in the background, in bulk, and each sample afresh."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from core.evaluation.explanations.detect import Detection, detect_and_explain, explain_conversation
from core.evaluation.explanations.judge import ExplanationGrade, JudgeSetup
from core.evaluation.explanations.panel import judge_by_panel
from core.evaluation.explanations.stability import fresh_samplings, sample_strip
from core.models.llm.chat import Sampling
from core.scoring.engine.engine import ConversationTask, Engine
from core.settings import Settings
from core.types import Failure, FailureKind
from tests.unit.core.evaluation.explanations.scenes import CASE, PAIR, SAMPLING, Asked
from tests.unit.core.models.llm.scripted import Body, Reply, refusal, serving, text

PATIENCE_S = 30


@pytest.fixture
def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Engine]:
    monkeypatch.chdir(tmp_path)  # where no .env is
    monkeypatch.setenv("TOUCHSTONE_PROMPTS_DIR", "")
    monkeypatch.delenv("TOUCHSTONE_LLM_BASE_URL", raising=False)
    with closing(Engine.open(Settings(cache_dir=tmp_path, device="cpu"))) as opened:
        yield opened


@contextmanager
def answering(monkeypatch: pytest.MonkeyPatch, answer: Callable[[], Reply]) -> Iterator[Asked]:
    """A language model that answers everything so; what it was asked."""

    def reply(_path: str, _body: Body) -> Reply:
        return answer()

    with serving(reply) as endpoint:
        monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", endpoint.url)
        yield endpoint.asked


def verdict() -> Reply:
    return text(json.dumps({"consistent": "no", "explanation": "So."}))


def told(engine: Engine, samples: list[Sampling]) -> ConversationTask[Detection]:
    return ConversationTask(engine, [explain_conversation(detect_and_explain, PAIR, one) for one in samples])


def outcomes(engine: Engine, samples: list[Sampling]) -> list[Detection | Failure]:
    asked = told(engine, samples)
    assert asked.wait(PATIENCE_S)
    assert (asked.running, asked.error, asked.version) == (False, "", len(samples) + 1)
    return asked.results


def test_what_is_asked_in_the_background_comes_with_its_signature(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    with answering(monkeypatch, verdict):
        [found] = outcomes(engine, [SAMPLING])
    assert isinstance(found, Detection)
    assert found.by.startswith("detect-explain|model:tiny|")


def test_the_same_question_is_asked_once_and_every_fresh_sample_anew(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    with answering(monkeypatch, verdict) as asked:
        outcomes(engine, [SAMPLING])
        outcomes(engine, [SAMPLING])
        assert len(asked) == 1
        outcomes(engine, fresh_samplings(SAMPLING, 7, 3))
        outcomes(engine, fresh_samplings(SAMPLING, 10, 3))
        assert len(asked) == 7


def test_what_cannot_be_read_is_a_mark_of_its_own_with_the_raw_answer(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    with answering(monkeypatch, lambda: text("Well.")) as asked:
        strip = sample_strip(outcomes(engine, fresh_samplings(SAMPLING, 0, 2)))
    assert (strip.counts, strip.unreadable, strip.flip_rate) == ({}, 2, None)
    assert "The model said: “Well.”" in strip.samples[0].text
    assert len(asked) == 4  # each was asked for once more


def test_a_server_that_refuses_draws_no_sample(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    with answering(monkeypatch, lambda: refusal(400, "too long")):
        found = outcomes(engine, fresh_samplings(SAMPLING, 0, 2))
    assert sample_strip(found).samples == ()
    assert {one.kind for one in found if isinstance(one, Failure)} == {FailureKind.ERROR}


def test_what_is_dropped_ends_at_once_and_nothing_more_is_asked(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOUCHSTONE_LLM_AT_ONCE", "1")
    first, go = threading.Event(), threading.Event()

    def held() -> Reply:
        first.set()
        go.wait(PATIENCE_S)
        return verdict()

    with answering(monkeypatch, held) as asked:
        waiting = told(engine, fresh_samplings(SAMPLING, 0, 5))
        assert first.wait(PATIENCE_S)
        waiting.cancel()
        assert waiting.wait(PATIENCE_S)  # though the model is still silent
        assert (waiting.results, waiting.running) == ([], False)
        go.set()
        outcomes(engine, [replace(SAMPLING, sample=99)])
        assert len(asked) == 2


def test_without_an_endpoint_the_outcome_says_what_to_set(engine: Engine) -> None:
    [found] = outcomes(engine, [SAMPLING])
    assert isinstance(found, Failure)
    assert found.kind is FailureKind.NEEDS_ENDPOINT
    assert "Set TOUCHSTONE_LLM_BASE_URL" in found.error


def test_many_explanations_are_judged_in_their_order(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    cases = [replace(CASE, id=f"case-{number}", explanation=f"Wrong, {number}.") for number in range(20)]
    lacking = replace(CASE, id="lacking", document="")
    with answering(monkeypatch, lambda: text('{"because": "So.", "grade": "not"}')) as asked:
        found = [
            (case, outcome) for case, [outcome] in judge_by_panel(engine, [*cases, lacking], JudgeSetup.V1, [SAMPLING])
        ]
    assert [case for case, _ in found] == [*cases, lacking]
    assert all(isinstance(outcome, ExplanationGrade) for _, outcome in found[:-1])
    assert "V1 reads the document" in str(found[-1][1])
    assert len(asked) == 20
