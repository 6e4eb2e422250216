"""The window sweep over scores that were chosen by hand, and through an engine with an answer that is known."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.errors import TouchstoneError
from core.evaluation.studies.readings import Readings
from core.evaluation.studies.window_sweep import (
    WINDOWS,
    is_retrieval_metric,
    window_effects,
    window_families,
    window_run,
    window_variants,
)
from core.evaluation.study import StudyData
from core.models.model_pool import ModelPool
from core.results.runs.runner import continue_run
from core.results.runs.shifts import score_shifts
from core.results.runs.stress_run import Meaning, Opinion, Plan, ScoreRecord, Source, StressRun
from core.scoring.engine.cache import AnswerCache
from core.scoring.engine.engine import Engine
from core.scoring.metric import METRICS
from core.types import Example
from tests.unit.core.results.runs.stressed import run_of, source, variant

FAMILY = "retrieve[metric=coverage]"
BY_WINDOW = {w: METRICS.build("retrieve", {"metric": "coverage", "w": w}).spec for w in WINDOWS}
APPLES = "Red apples are sweet fruit"
DOCUMENT = f"Trains stop. Cars wait. Planes land. Boats sail. {APPLES}. Rain fell. Snow lay. Wind blew. Sun shone."


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    engine = Engine(ModelPool("cpu", None, tmp_path), AnswerCache(tmp_path))
    yield engine
    engine.close()


def test_a_metric_that_does_not_retrieve_is_put_inside_retrieval() -> None:
    assert [metric.spec for metric in window_variants(METRICS.parse("coverage"))] == list(BY_WINDOW.values())


def test_a_metric_that_retrieves_keeps_its_settings_and_takes_neighbours_on_both_sides() -> None:
    coded = METRICS.parse("longdocfactscore[k=2,max_tokens=64]")
    assert is_retrieval_metric(coded)
    assert [metric.spec for metric in window_variants(coded)] == [
        f"longdocfactscore[k=2,{'' if w == 1 else f'w={w},'}window=symmetric,max_tokens=64]" for w in WINDOWS
    ]


def test_a_sweep_takes_over_what_was_made_and_what_people_said_but_no_score() -> None:
    run = run_of({"shuffled": [0.1, 0.2]})
    run.add(Opinion("s0", "shuffled", Meaning.KEPT, "local"))
    begun = window_run(run, map(METRICS.parse, ["coverage", "coverage"]), "windows")
    assert begun.plan == Plan("windows", run.plan.kinds, tuple(BY_WINDOW.values()), run.plan.seed)
    assert (begun.sources, begun.variants, begun.opinions) == (run.sources, run.variants, run.opinions)
    assert begun.readings == {}


def test_families_are_metrics_that_differ_in_nothing_but_the_window() -> None:
    coded = METRICS.build("retrieve", {"metric": "coverage", "window": "coded"}).spec
    assert window_families(["coverage", coded, *reversed(BY_WINDOW.values())]) == {FAMILY: BY_WINDOW}
    assert window_families([BY_WINDOW[0]]) == {}


def test_a_metric_that_gains_a_tenth_with_every_neighbour_shows_just_that() -> None:
    run = run_of_windows()
    found = window_effects(run, BY_WINDOW, score_shifts(run), resamples=100)
    assert [(one.w, one.intent) for one in found[:2]] == [(0, "preserving"), (0, "breaking")]
    broken = [one for one in found if one.intent == "breaking"]
    assert [one.original.value for one in broken] == pytest.approx([0.4, 0.5, 0.6, 0.7, 0.8])
    assert [one.variant.value for one in broken] == pytest.approx([0.1, 0.2, 0.3, 0.4, 0.5])
    assert [one.shift.value for one in broken] == pytest.approx([-0.3] * 5)
    assert {one.shift.value for one in found if one.intent == "preserving"} == {0.0}
    assert {one.shift.n for one in found} == {3}


def test_the_report_draws_originals_and_variants_of_each_intent_by_window() -> None:
    report = Readings(view="windows").run(StudyData(run=run_of_windows(), run_name="sweep.jsonl"))
    scores, shifts = report.charts
    assert [series.name for series in scores.series] == ["original", "preserving", "breaking"]
    assert [series.name for series in shifts.series] == ["preserving", "breaking"]
    assert scores.x.categories == ("0", "1", "2", "3", "4")
    assert report.table().figure("variant", metric=FAMILY, w=4, intent="breaking").value == pytest.approx(0.5)
    assert report.command == "python cli.py study readings sweep.jsonl --view windows"


def test_a_run_that_is_no_sweep_says_how_to_make_one() -> None:
    with pytest.raises(TouchstoneError, match=r"cli\.py sweep run\.jsonl -o SWEEP\.jsonl"):
        Readings(view="windows").run(StudyData(run=run_of({"shuffled": [0.1]}), run_name="run.jsonl"))


def run_of_windows() -> StressRun:
    """Three pairs whose scores rise by a tenth with every neighbour; an error takes three tenths."""
    run = StressRun(Plan("by hand", ("shuffled", "negation"), tuple(BY_WINDOW.values())))
    for id in ("a", "b", "c"):
        run.add(source(id))
        for kind, fall in (("shuffled", 0.0), ("negation", 0.3)):
            run.add(variant(id, kind))
            for w, spec in BY_WINDOW.items():
                run.add(ScoreRecord(id, "", spec, 0.4 + 0.1 * w))
                run.add(ScoreRecord(id, kind, spec, 0.4 + 0.1 * w - fall))
    return run


def test_a_source_with_many_variants_counts_once_among_the_originals() -> None:
    spec = BY_WINDOW[0]
    run = StressRun(Plan("by hand", ("shuffled", "synonyms"), tuple(BY_WINDOW.values())))
    for id, score, kinds in (("a", 0.0, ("shuffled", "synonyms")), ("b", 1.0, ("shuffled",))):
        run.add(source(id))
        run.add(ScoreRecord(id, "", spec, score))
        for kind in kinds:
            run.add(variant(id, kind))
            run.add(ScoreRecord(id, kind, spec, score))
    [found] = window_effects(run, BY_WINDOW, score_shifts(run), resamples=100)
    assert (found.original.value, found.original.n) == (0.5, 2)
    assert (found.variant.value, found.variant.n) == (pytest.approx(1 / 3), 3)


def test_words_that_stand_two_sentences_away_are_found_from_a_window_of_two_on(engine: Engine) -> None:
    """The claim is the sentence about apples with a word more, and that word stands two sentences before it."""
    run = StressRun(Plan("run", ("phrase",), ()))
    run.add(Source(Example("pair", DOCUMENT, f"{APPLES} planes."), "one"))
    begun = window_run(run, [METRICS.parse("retrieve[metric=coverage,k=1]")], "windows")
    list(continue_run(engine, begun))
    scores = {
        w: begun.readings["pair", "", spec].value
        for w, spec in next(iter(window_families(begun.plan.metrics).values())).items()
    }
    assert scores == pytest.approx({0: 5 / 6, 1: 5 / 6, 2: 1.0, 3: 1.0, 4: 1.0})
