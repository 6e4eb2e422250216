"""What a stress run is said to ask endpoints is what it asks them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.edits.perturbation import PERTURBATIONS
from core.models.llm.spending.spend import CostEstimate
from core.models.model_pool import ModelPool
from core.results.runs.cost import asks_endpoints, estimate_run_cost, missing_conversations
from core.results.runs.runner import continue_run
from core.results.runs.stress_run import Plan, Source, StressRun
from core.scoring.engine.cache import AnswerCache
from core.scoring.engine.engine import Engine
from core.types import Example
from tests.unit.core.models.llm.scripted import Body, Reply, serving, text

DOCUMENT = "The harbour of Lindvale was closed on Tuesday after a storm tore two ferries away."
SUMMARIES = ("The harbour was closed on Tuesday. Two ferries were torn away.", "A storm closed it. Ferries were lost.")
KINDS = ("shuffled", "phrase", "paraphrased-llm", "negated-llm")
JUDGE, CONTROL, GUARD = "direct-assessment", "closed-book", "language-model"


@pytest.fixture
def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Engine]:
    monkeypatch.chdir(tmp_path)  # where no .env is
    monkeypatch.setenv("TOUCHSTONE_LLM_MODEL", "tiny")
    engine = Engine(ModelPool("cpu", None, tmp_path), AnswerCache(tmp_path))
    yield engine
    engine.close()


def a_run(metrics: tuple[str, ...] = ("rouge2", JUDGE), guard: str = GUARD) -> StressRun:
    kinds = tuple(PERTURBATIONS.parse(kind).spec for kind in KINDS)
    run = StressRun(Plan("run", kinds, metrics, guard=guard))
    for number, summary in enumerate(SUMMARIES):
        run.add(Source(Example(f"p{number}", DOCUMENT, summary), DOCUMENT))
    return run


def says(_: str, body: Body) -> Reply:
    """What the question asks for: a mark of a guard, a score, or the summary in other words."""
    wanted = json.dumps(body.get("response_format", {}))
    if "contradicts" in wanted:
        return text(json.dumps({"contradicts": False, "because": "The same."}))
    if "score" in wanted:
        return text('{"score": 80}')
    user = body["messages"][-1]["content"]
    old, new = ("were", "had been") if "negat" in user else ("closed", "shut")
    return text(next(summary for summary in SUMMARIES if summary in user).replace(old, new))


def test_a_run_asks_as_often_as_was_said_and_then_no_more(monkeypatch: pytest.MonkeyPatch, engine: Engine) -> None:
    run = a_run()
    with serving(says) as endpoint:
        monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", endpoint.url)
        told = engine.estimate(missing_conversations(engine, run))
        assert endpoint.asked == []
        list(continue_run(engine, run))
        assert all(variant.summary for variant in run.variants.values())
        assert run.done == run.total
        # two kinds are written by the model, all five texts scored, three kinds of variants checked: twice
        assert told.questions == len(endpoint.asked) == 2 * (2 + 5 + 3)
        assert engine.estimate(missing_conversations(engine, run)) == CostEstimate()


def test_only_what_a_run_lacks_is_foreseen(monkeypatch: pytest.MonkeyPatch, engine: Engine) -> None:
    run = a_run()
    with serving(says) as endpoint:
        monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", endpoint.url)
        list(continue_run(engine, run))
        longer = a_run(("rouge2", JUDGE, CONTROL))
        for record in [*run.variants.values(), *run.readings.values(), *run.checks.values()]:
            longer.add(record)
        assert engine.estimate(missing_conversations(engine, longer)).questions == 2 * 5


@pytest.mark.slow
def test_of_many_sources_some_stand_for_all(monkeypatch: pytest.MonkeyPatch, engine: Engine) -> None:
    run = StressRun(a_run().plan)
    for number in range(100):
        run.add(Source(Example(f"p{number}", DOCUMENT, f"{SUMMARIES[0]} It was day {number:03}."), DOCUMENT))
    with serving(says) as endpoint:
        monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", endpoint.url)
        whole, found = engine.estimate(missing_conversations(engine, run)), estimate_run_cost(engine, run)
    assert (found.questions, found.written) == (whole.questions, whole.written) == (1000, whole.written)
    assert found.read == pytest.approx(whole.read, rel=0.01)


def test_a_run_of_this_machine_alone_asks_nobody(engine: Engine) -> None:
    local = StressRun(Plan("run", ("shuffled",), ("rouge2",)), a_run().sources)
    assert list(missing_conversations(engine, local)) == []
    assert not asks_endpoints(local.plan)
    assert all(asks_endpoints(run.plan) for run in (a_run(("rouge2",)), a_run(guard=""), a_run(("rouge2",), guard="")))


def test_where_no_endpoint_is_set_nothing_is_foreseen(monkeypatch: pytest.MonkeyPatch, engine: Engine) -> None:
    monkeypatch.delenv("TOUCHSTONE_LLM_BASE_URL", raising=False)
    assert engine.estimate(missing_conversations(engine, a_run())) == CostEstimate()
