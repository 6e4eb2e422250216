"""Drift of scores since the labels: found where it is planted, and rates to expect that hold the planted ones."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from core.errors import TouchstoneError, UnknownNameError
from core.evaluation.report import Report
from core.evaluation.studies.drift import Drift
from core.evaluation.study import StudyData
from core.results.cases.cases import MetricColumn
from core.results.cases.summary_pool import SummaryPool
from core.stats.statistic import Estimate
from tests.unit.command_line import done, run
from tests.unit.core.evaluation.studies.test_study_contract import assert_whole

_WEEK = 600


def weeks(rates: Sequence[float], labels: Sequence[int], per_document: int = 1, seed: int = 0) -> SummaryPool:
    """A week of summaries for each rate of inconsistent ones, of which so many have a label; both kinds always score alike."""
    rng = np.random.default_rng(seed)
    part = np.repeat(np.arange(len(rates)), _WEEK)
    wrong = rng.random(len(part)) < np.array(rates)[part]
    documents = np.arange(len(part)) // per_document
    scores = rng.normal(size=len(part)) + 2 * rng.normal(size=len(part))[documents] * (per_document > 1) - 1.8 * wrong
    known = np.full(len(part), np.nan)
    for week, number in enumerate(labels):
        rows = rng.choice(np.flatnonzero(part == week), number, replace=False)
        known[rows] = 1 - wrong[rows]
    return SummaryPool(
        [f"s{row}" for row in range(len(part))],
        known,
        documents,
        (MetricColumn("rouge2", scores),),
        parts={f"week {week}": part == week for week in range(len(rates))},
    )


def report(of: SummaryPool, **settings: float | str) -> Report:
    return Drift(**settings).run(StudyData(datasets=("toy",), pool=of, by="dataset"))  # type: ignore[arg-type]


def test_a_week_with_more_errors_raises_the_alarm_and_its_rate_is_told() -> None:
    made = report(weeks([0.1, 0.1, 0.4], [300, 0, 0]))
    assert_whole(made)
    assert made.alarm
    assert made.sentences[0].startswith(
        "Scores have drifted since week 0 in week 2: in week 2 those of ROUGE-2 lie at percentile"
    )
    same, worse = made.table("rates").records()
    for row, rate in ((same, 0.1), (worse, 0.4)):
        estimate = row["if_scores_hold"]
        assert isinstance(estimate, Estimate)
        assert (estimate.low or 0.0) < rate < (estimate.high or 1.0)
    other = worse["if_errors_hold"]
    assert isinstance(other, Estimate)
    assert (other.high or 1.0) < 0.4, "the other assumption is wrong here"
    assert isinstance(worse["needed"], int)
    assert 100 < worse["needed"] < _WEEK


@pytest.mark.slow
def test_weeks_that_are_alike_raise_no_more_alarms_than_the_level() -> None:
    alarms = [report(weeks([0.2] * 5, [0] * 5, seed=seed)).alarm for seed in range(60)]
    assert sum(alarms) <= 6
    shared = [report(weeks([0.2] * 5, [0] * 5, per_document=20, seed=seed)).alarm for seed in range(60)]
    assert sum(shared) <= 6, "summaries of one document are no draws of their own"


def test_labels_that_no_rate_to_expect_explains_raise_the_alarm() -> None:
    pool = weeks([0.1, 0.1], [300, 200])
    later = pool.parts["week 1"]
    pool.labels[later & (pool.labels == 1)] = np.where(np.arange(int((later & (pool.labels == 1)).sum())) % 2, 1.0, 0.0)
    made = report(pool)
    assert made.alarm
    assert made.sentences[0].startswith("Scores do not tell errors as before in week 1")


@pytest.mark.slow
def test_without_labels_only_the_scores_are_compared() -> None:
    made = report(weeks([0.1, 0.1], [0, 0]))
    assert [table.name for table in made.tables] == ["metrics"]
    assert not made.alarm
    few = report(weeks([0.1, 0.1], [20, 0]))
    assert "are too few to tell a rate of other parts" in " ".join(few.notes)
    assert_whole(few)


def test_parts_that_are_not_there_are_named() -> None:
    pool = weeks([0.1, 0.1], [100, 0])
    with pytest.raises(UnknownNameError, match="week 0"):
        report(pool, reference="week 7")
    with pytest.raises(TouchstoneError, match="tells earlier from later"):
        Drift().run(StudyData(datasets=("toy",), pool=SummaryPool(pool.ids, pool.labels, pool.documents, pool.columns)))


@pytest.mark.slow
def test_parts_that_lack_scores_summaries_or_documents_say_so() -> None:
    pool = weeks([0.1, 0.1, 0.1], [100, 0, 0])
    first, second, third = pool.parts.values()
    unscored = np.where(third, np.nan, pool.columns[0].values)
    made = report(replace(pool, columns=(MetricColumn("rouge2", unscored),)))
    assert_whole(made)
    assert "Drift cannot be tested in week 2: fewer than ten documents have scores." in made.sentences
    assert [row["place"] for row in made.table("metrics").records()][1] is None

    within = report(replace(pool, parts={"all": first | second, "week 1": second, "week 2": third}))
    assert [row["part"] for row in within.table("rates").records()] == ["week 2"], (
        "what is in the reference is not later"
    )
    with pytest.raises(TouchstoneError, match="no other part has any of its own"):
        report(replace(pool, parts={"all": first | second | third, "week 1": second}))

    few = report(replace(pool, documents=np.arange(len(pool.ids)) // 200))
    assert few.sentences[0] == "Drift cannot be tested in week 1, week 2: fewer than ten documents have scores."


def test_labels_of_a_part_count_by_their_probability_of_selection() -> None:
    pool = weeks([0.2, 0.2], [200, 300])
    labelled = ~np.isnan(pool.labels)
    wrong = labelled & (pool.labels == 0) & pool.parts["week 1"]
    rng = np.random.default_rng(1)
    dropped = wrong & (rng.random(len(pool.ids)) < 0.5)  # every second error of the later week got no label
    pool.labels[dropped] = np.nan
    chances = np.where(labelled & ~dropped, np.where(wrong, 0.25, 0.5), np.nan)
    even, weighted = (report(one) for one in (pool, replace(pool, probabilities=chances)))
    rates = [next(iter(one.table("rates").records()))["observed"] for one in (even, weighted)]
    plain, honest = (one.value or 0.0 for one in rates if isinstance(one, Estimate))
    assert plain < 0.15 < honest < 0.27


@pytest.mark.slow
def test_the_command_ends_with_status_one_on_drift(tmp_path: Path, database: str) -> None:
    assert database
    rng = np.random.default_rng(0)
    for name, shift in (("steady", 0.0), ("drifting", 0.3)):
        lines = [
            {
                "id": f"{week}-{row}",
                "document": f"Ship {row} of week {week} came to the {name} harbour.",
                "summary": f"Ship {row} came.",
                "domain": f"week {week}",
                "scores": {"own": float(rng.random() + week * shift)},
            }
            for week in range(2)
            for row in range(200)
        ]
        path = tmp_path / f"{name}.jsonl"
        path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        done("import", "generic", path, "--name", name, "--higher-is-better", "scores.own")
    drifted = run("study", "drift", "--dataset", "drifting", "--by", "domain")
    assert (drifted.exit_code, "Scores have drifted since week 0 in week 1" in drifted.stdout) == (1, True), (
        drifted.output
    )
    assert "No drift since week 0" in done("study", "drift", "--dataset", "steady", "--by", "domain")
    apart = run("study", "drift", "--dataset", "steady", "--dataset", "drifting", "--by", "dataset")
    assert "No metric has scores of these summaries on one scale" in str(apart.exception)
