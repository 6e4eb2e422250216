"""What a run is gone on with: further phrases, and everything that it holds already."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.edits.perturbation import PERTURBATIONS
from core.edits.perturbations.fillers import Assertion
from core.evaluation.studies.gaming import extended_run, in_every_place, known_phrases
from core.models.model_pool import ModelPool
from core.results.runs.runner import continue_run
from core.results.runs.stress_run import Meaning, Opinion, Plan, ScoreRecord, StressRun, Variant
from core.scoring.engine.cache import AnswerCache
from core.scoring.engine.engine import Engine
from tests.unit.core.results.runs.stressed import run_of


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    engine = Engine(ModelPool("cpu", None, tmp_path), AnswerCache(tmp_path))
    yield engine
    engine.close()


def test_the_repertoire_names_each_metric_that_asks_a_model() -> None:
    named = {phrase.spec for phrase in known_phrases(["rouge2", "summac-zs"])}
    assert {"phrase", "assertion", "baseline-filler", "qualifier-filler", "assertion[metric=summac-zs]"} <= named
    assert "assertion[metric=rouge2]" not in named


def test_a_phrase_goes_after_before_and_instead_of_the_summary() -> None:
    specs = [phrase.spec for phrase in in_every_place([Assertion()])]
    assert specs == ["assertion", "assertion[place=prefix]", "assertion[place=alone]"]


def test_an_extended_run_asks_only_for_its_new_phrases(engine: Engine) -> None:
    run = run_of({"phrase": [0.1, 0.2]})
    run.add(Opinion("s0", "phrase", Meaning.KEPT, "local"))
    longer = extended_run(run, "longer", in_every_place([Assertion()]))
    assert longer.plan.kinds == ("phrase", "assertion", "assertion[place=prefix]", "assertion[place=alone]")
    assert (longer.plan.name, longer.done) == ("longer", run.done)
    assert longer.opinions == run.opinions
    new = [record for record in continue_run(engine, longer) if isinstance(record, ScoreRecord | Variant)]
    assert {PERTURBATIONS.parse(record.kind).name for record in new} == {"assertion"}
    assert longer.done == longer.total


def test_scores_of_another_version_are_not_taken_over() -> None:
    run = run_of({"phrase": [0.1, 0.2]})
    old = StressRun(
        Plan("old", run.plan.kinds, run.plan.metrics, version="0.0.0"), run.sources, run.variants, run.readings
    )
    longer = extended_run(old, "longer", [])
    assert (longer.sources, longer.readings) == (run.sources, {})
    assert longer.plan.version == run.plan.version
