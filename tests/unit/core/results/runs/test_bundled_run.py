"""The stress run that comes with Touchstone is the one that would be computed today."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace

import pytest

from core.base.signatures import apart_from_code
from core.edits.perturbation import PERTURBATIONS
from core.results.cases.bundled_scores import precomputed_scores
from core.results.runs.bundled_run import bundled_run_lines, plan_bundled_run
from core.results.runs.matrix import shift_matrix
from core.results.runs.runner import continue_run
from core.results.runs.shifts import score_shifts
from core.results.runs.stress_run import StressRun, run_from_lines
from core.scoring.engine.engine import Engine
from core.scoring.metric import METRICS
from core.settings import Settings
from core.text.segmentation import splitter_name
from core.types import Result

OUTDATED = "Run: make demo-data"
STORED = run_from_lines(bundled_run_lines())


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    with closing(Engine.open(Settings(device="cpu", cache_dir=tmp_path_factory.mktemp("cache")))) as opened:
        yield opened


def test_it_is_whole_and_has_the_plan_and_signatures_of_today(engine: Engine) -> None:
    planned = plan_bundled_run()
    assert (STORED.plan, STORED.sources) == (planned.plan, planned.sources), OUTDATED
    assert STORED.done == STORED.total
    assert not STORED.failed
    signatures = {one.metric: apart_from_code(one.signature) for one in precomputed_scores()}
    [(_, trained)] = engine.run([METRICS.parse("word-support")], [next(iter(STORED.sources.values())).example])
    assert isinstance(trained, Result)
    signatures["word-support"] = apart_from_code(trained.signature)
    readings = [reading for reading in STORED.readings.values() if reading.value is not None]
    stored = {(reading.metric, apart_from_code(reading.signature)) for reading in readings}
    assert stored == {(metric, signatures[metric]) for metric in planned.plan.metrics}, OUTDATED
    assert shift_matrix(STORED, score_shifts(STORED, None))


@pytest.mark.slow
@pytest.mark.skipif(
    any(f"|split:{splitter_name()}|" not in one.signature for one in precomputed_scores()),
    reason=f"the run was computed with other sentences than those of {splitter_name()}, which is on this machine",
)
def test_its_variants_and_lexical_scores_are_those_of_today(engine: Engine) -> None:
    run = StressRun(replace(STORED.plan, metrics=("rouge2",)))
    id, source = next(iter(STORED.sources.items()))
    run.add(source)
    for _ in continue_run(engine, run):
        pass
    elsewhere = {kind for kind in run.plan.kinds if kind_differs(kind)}
    assert elsewhere <= {"synonyms"}, OUTDATED  # WordNet may be on one machine and not on the other
    for kind in set(run.plan.kinds) - elsewhere:
        assert run.variants[id, kind] == STORED.variants[id, kind], OUTDATED
    for (_, kind, metric), reading in run.readings.items():
        known = STORED.readings[id, kind, metric]
        assert kind in elsewhere or reading == replace(known, signature=reading.signature), OUTDATED
        assert apart_from_code(reading.signature) == apart_from_code(known.signature), OUTDATED


def kind_differs(kind: str) -> bool:
    signatures = {variant.signature for (_, of), variant in STORED.variants.items() if of == kind and variant.signature}
    return signatures != {PERTURBATIONS.parse(kind).signature}
