"""The gaming table of metrics whose right answer is known by construction."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.edits.perturbation import PERTURBATIONS
from core.errors import TouchstoneError
from core.evaluation.studies.gaming import GamingStudy, MetricGaming, PhraseEffect, metric_gaming, phrase_kinds
from core.evaluation.study import StudyData
from core.models.model_pool import ModelPool
from core.results.runs.runner import continue_run
from core.results.runs.shifts import score_shifts
from core.results.runs.stress_run import Plan, ScoreRecord, Source, StressRun
from core.scoring.engine.cache import AnswerCache
from core.scoring.engine.engine import Engine
from core.scoring.metric import METRICS
from core.types import Example
from tests.unit.core.results.runs.stressed import METRIC, run_of, variant
from tests.unit.core.results.runs.toys import install

SUMMARIES = ["The port was shut.", "Nobody was hurt on Monday.", "Two ferries were torn away by the storm."]
TOYS = ("toy-constant", "toy-brevity", "toy-length", "toy-describing", "toy-adoring")


@pytest.fixture
def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Engine]:
    install(monkeypatch)
    engine = Engine(ModelPool("cpu", None, tmp_path), AnswerCache(tmp_path))
    yield engine
    engine.close()


def played_run(engine: Engine, *kinds: str) -> StressRun:
    run = StressRun(Plan.of("gaming", map(PERTURBATIONS.parse, kinds), map(METRICS.parse, TOYS)))
    for place, summary in enumerate(SUMMARIES):
        run.add(Source(Example(f"s{place}", "A storm shut the port.", summary), f"g{place}"))
    list(continue_run(engine, run))
    return run


def played(engine: Engine, *kinds: str) -> dict[str, MetricGaming]:
    """The standings, in order, of a run by these kinds."""
    run = played_run(engine, *kinds)
    return {standing.metric: standing for standing in metric_gaming(run, score_shifts(run), resamples=200)}


def by_hand(sizes: dict[str, list[float | None]]) -> PhraseEffect:
    run = run_of(sizes)
    [standing] = metric_gaming(run, score_shifts(run), resamples=200)
    [play] = standing.plays
    return play


def test_a_metric_that_loves_length_tops_the_table(engine: Engine) -> None:
    standings = played(engine, "phrase", "phrase[place=prefix]", "baseline-filler")
    assert next(iter(standings)) == "toy-length"
    assert standings["toy-length"].raised.value == 1.0
    assert standings["toy-length"].best.phrase.name == "baseline-filler"


def test_a_metric_that_loves_length_gains_one_for_each_word(engine: Engine) -> None:
    [play] = played(engine, "phrase", "phrase[place=prefix]", "phrase[place=alone]")["toy-length"].plays
    assert (play.words, play.appended.value, play.prefixed.value) == (3, 3.0, 3.0)
    assert (play.per_word.value, play.per_word.n) == (1.0, 3)
    assert play.alone.value == 3.0


def test_a_phrase_alone_beats_the_summaries_that_are_shorter(engine: Engine) -> None:
    [play] = played(engine, 'phrase[phrase="one two three four five six",place=alone]')["toy-length"].plays
    assert play.outright.value == pytest.approx(2 / 3)


def test_a_constant_metric_gains_exactly_nothing(engine: Engine) -> None:
    standing = played(engine, "phrase", "phrase[place=prefix]")["toy-constant"]
    [play] = standing.plays
    assert f"{play.appended.value} {play.prefixed.value} {play.raised.value}" == "0.0 0.0 0.0"
    assert standing.gain.value is None
    assert "All originals score the same" in standing.gain.error


def test_gains_turn_round_for_a_metric_that_falls_with_consistency(engine: Engine) -> None:
    standings = played(engine, "phrase")
    assert standings["toy-brevity"].plays[0].appended.value == -3.0
    assert standings["toy-brevity"].gain.value == pytest.approx(-(standings["toy-length"].gain.value or 0.0))
    assert standings["toy-brevity"].raised.value == 0.0


def test_a_metric_without_a_better_side_has_no_place(engine: Engine) -> None:
    assert "toy-describing" not in played(engine, "phrase")


def test_an_assertion_in_the_name_of_another_metric_does_not_count(engine: Engine) -> None:
    kinds = ["assertion", "assertion[metric=toy-length]", "assertion[metric=toy-adoring]"]
    plays = played(engine, *kinds)["toy-length"].plays
    assert [play.phrase.spec for play in plays] == ["assertion", "assertion[metric=toy-length]"]


def test_a_run_without_phrases_has_no_table() -> None:
    run = run_of({"shuffled": [0.1, 0.2]})
    assert metric_gaming(run, score_shifts(run)) == []
    with pytest.raises(TouchstoneError, match="--kind phrase"):
        GamingStudy().run(StudyData(run=run))


def test_the_report_has_each_phrase_and_says_why_there_is_no_gain() -> None:
    report = GamingStudy().run(StudyData(run=run_of({"phrase": [0.1, 0.2, 0.3], "phrase[place=alone]": [-0.4] * 3})))
    assert report.sentences == (
        "No metric has a gain: All originals score the same: there is no spread to compare with.",
    )
    assert report.table("metrics").cells("best") == ["phrase"]
    assert report.table("phrases").figure("appended", phrase="phrase").value == pytest.approx(0.2)
    assert report.table("phrases").figure("alone", phrase="phrase").value == pytest.approx(0.1)


def test_after_and_before_are_told_apart() -> None:
    play = by_hand({"phrase": [0.1, 0.3], "phrase[place=prefix]": [-0.2, -0.2]})
    assert play.appended.value == pytest.approx(0.2)
    assert play.prefixed.value == pytest.approx(-0.2)
    assert play.alone.value is None


def test_what_failed_is_left_out_and_does_not_count() -> None:
    play = by_hand({"phrase": [0.1, None, 0.3]})
    assert play.appended.value == pytest.approx(0.2)
    assert play.appended.n == 2


def test_one_phrase_in_three_places_is_one_phrase() -> None:
    kinds = ["phrase[place=alone]", "shuffled", "phrase", "phrase[phrase=wow]"]
    assert [(phrase.spec, places) for phrase, places in phrase_kinds(kinds).items()] == [
        ("phrase", {"alone": "phrase[place=alone]", "suffix": "phrase"}),
        ("phrase[phrase=wow]", {"suffix": "phrase[phrase=wow]"}),
    ]


def test_the_answer_names_the_most_gamed_metric_and_its_best_phrase(engine: Engine) -> None:
    report = GamingStudy().run(StudyData(run=played_run(engine, "phrase", "baseline-filler")))
    assert report.sentences[0].startswith("Length is gamed most")
    assert "“Baseline filler” gains most" in report.sentences[0]


def test_a_gain_that_harmless_edits_of_the_same_length_make_too_is_not_the_phrase() -> None:
    run = run_of({"phrase": [0.4, 0.2] * 6, "shuffled": [0.4, 0.2] * 6, "synonyms": [0.0] * 12}, words=3)
    for place in range(12):
        run.add(ScoreRecord(f"s{place}", "", METRIC, 0.5 + 0.1 * (place % 2), "signed"))
        run.add(variant(f"s{place}", "synonyms", words=20))  # of another length
    [result] = metric_gaming(run, score_shifts(run), resamples=200)
    [play] = result.plays
    assert (play.spreads.value or 0.0) > 1
    assert play.control.value == pytest.approx(play.spreads.value)
    assert play.excess.value == pytest.approx(0.0)
    assert play.control.n == 12
