"""A run carried on through a real engine: variants, scores, what cannot be applied, what is gone on with."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.models.model_pool import ModelPool
from core.results.runs.runner import BackgroundRuns, continue_run
from core.results.runs.stress_run import Plan, RunRecord, Source, StressRun, Variant, from_json_line
from core.scoring.engine.cache import AnswerCache
from core.scoring.engine.engine import Engine
from core.text.edits import apply
from core.types import Example, FailureKind

SUMMARY = "The harbour was closed on Tuesday. Two ferries were torn away. Nobody was hurt."
DOCUMENT = "The harbour of Lindvale was closed on Tuesday after a storm tore two ferries away. Nobody was hurt."
WAIT_S = 60.0


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    engine = Engine(ModelPool("cpu", None, tmp_path), AnswerCache(tmp_path))
    yield engine
    engine.close()


def a_run(*kinds: str, seed: int = 0) -> StressRun:
    run = StressRun(Plan("run", kinds, ("rouge2", "word-novelty"), seed))
    run.add(Source(Example("many", DOCUMENT, SUMMARY), "one"))
    run.add(Source(Example("single", DOCUMENT, "The harbour was closed."), "two"))
    return run


def variants(run: StressRun) -> dict[tuple[str, str], Variant]:
    return run.variants


def test_a_run_holds_every_variant_and_every_score(engine: Engine) -> None:
    run = a_run("shuffled", "phrase")
    records = list(continue_run(engine, run))
    assert len(variants(run)) == 4
    assert run.done == run.total
    assert [type(record).__name__ for record in records].count("ScoreRecord") == 2 * (2 + 3)
    assert list(continue_run(engine, run)) == []


def test_executing_the_edits_of_a_variant_gives_it_exactly(engine: Engine) -> None:
    run = a_run("shuffled", "phrase", "negation")
    list(continue_run(engine, run))
    made = [variant for variant in run.variants.values() if variant.summary is not None]
    assert made
    for variant in made:
        assert apply(run.sources[variant.source].example.summary, variant.edits) == variant.summary


def test_what_cannot_be_perturbed_says_why_and_is_not_scored(engine: Engine) -> None:
    run = a_run("shuffled")
    list(continue_run(engine, run))
    refused = run.variants["single", "shuffled"]
    assert refused.summary is None
    assert "needs two different" in refused.error
    assert ("single", "shuffled", "rouge2") not in run.readings


def test_the_same_seed_gives_the_same_variants_and_another_may_not(engine: Engine) -> None:
    first, again, other = a_run("shuffled", seed=1), a_run("shuffled", seed=1), a_run("shuffled", seed=4)
    for run in (first, again, other):
        list(continue_run(engine, run))
    assert first.variants == again.variants
    assert first.variants["many", "shuffled"].summary != other.variants["many", "shuffled"].summary


def test_a_run_that_was_broken_off_asks_only_for_the_rest(engine: Engine) -> None:
    whole, part = a_run("shuffled", "phrase"), a_run("shuffled", "phrase")
    records = list(continue_run(engine, whole))
    for record in records[:5]:
        part.add(record)
    assert set(continue_run(engine, part)) == set(records[5:])
    assert part.readings == whole.readings


def test_only_what_another_try_may_mend_counts_as_failed(engine: Engine) -> None:
    nobody = Plan("run", ("shuffled",), ("entity-overlap", "bartscore[checkpoint=nobody/nothing]"))
    run = StressRun(nobody, {"plain": Source(Example("plain", DOCUMENT, "It closed."), "one")})
    list(continue_run(engine, run))
    assert run.variants["plain", "shuffled"].failure is FailureKind.INPUT
    assert run.readings["plain", "", "entity-overlap"].failure is FailureKind.INPUT
    assert run.readings["plain", "", nobody.metrics[1]].failure is FailureKind.NEEDS_DOWNLOAD
    assert run.failed == 1


def test_the_conductor_writes_every_record_and_tells_how_far_it_is(engine: Engine) -> None:
    run, lines = a_run("shuffled", "phrase"), list[str]()
    conductor = BackgroundRuns()
    assert conductor.progress("id") is None
    conductor.start(engine, "id", run, lines.extend)
    assert conductor.wait("id", WAIT_S)
    written: list[RunRecord | Plan] = [from_json_line(line) for line in lines]
    assert set(written) == {*run.variants.values(), *run.readings.values()}
    progress = conductor.progress("id")
    assert progress is not None
    assert (progress.running, progress.done, progress.error) == (False, run.planned, "")


def test_a_run_whose_lines_cannot_be_kept_stops_and_says_why(engine: Engine) -> None:
    def refuse(_: object) -> None:
        raise OSError("disk full")

    conductor = BackgroundRuns()
    conductor.start(engine, "id", a_run("shuffled"), refuse)
    assert conductor.wait("id", WAIT_S)
    progress = conductor.progress("id")
    assert progress is not None
    assert not progress.running
    assert "disk full" in progress.error


def test_a_cancelled_run_keeps_what_has_come_and_goes_on_later(engine: Engine) -> None:
    run, lines = a_run("shuffled", "phrase"), list[str]()
    conductor = BackgroundRuns()
    conductor.start(engine, "id", run, lambda new: (lines.extend(new), conductor.cancel("id"))[0])
    assert conductor.wait("id", WAIT_S)
    kept = len(lines)
    assert kept == len(run.variants) + len(run.readings)
    conductor.start(engine, "id", run, lines.extend)
    assert conductor.wait("id", WAIT_S)
    assert len(lines) == 4 + 2 * (2 + 3)
    assert run.done == run.total
