"""Scores with and without the document: who stands beside which, and histograms counted by hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cli import app
from core.errors import TouchstoneError, UnscorableError
from core.evaluation.studies.document_ablation import (
    AblatedScore,
    closed_book_scores,
    foreign_examples,
    score_histogram,
)
from core.evaluation.studies.readings import Readings
from core.evaluation.study import StudyData
from core.results.runs.stress_run import Plan, ScoreRecord, Source, StressRun, run_lines
from core.types import Example


def run_of_documents(*groups: str, metrics: tuple[str, ...] = ("rouge2",)) -> StressRun:
    run = StressRun(Plan("by hand", (), metrics, seed=3))
    for place, group in enumerate(groups):
        run.add(Source(Example(f"s{place}", f"Document {group} tells of {group}.", f"It tells of {group}."), group))
    return run


def test_no_summary_stands_beside_its_own_document_and_the_draw_is_the_same_again() -> None:
    run = run_of_documents("a", "a", "b", "c", "d")
    found = foreign_examples(run)
    own = [source.example for source in run.sources.values()]
    assert all(one.document != two.document and one.summary == two.summary for one, two in zip(found, own, strict=True))
    assert found[0].document == found[1].document  # both are of one document
    assert {one.document for one in found} == {one.document for one in own}
    assert found == foreign_examples(run)


def test_one_document_has_no_foreign_one() -> None:
    with pytest.raises(UnscorableError, match="no foreign one"):
        foreign_examples(run_of_documents("a", "a"))


def test_a_histogram_counts_the_summaries_that_have_both_scores() -> None:
    scores = [(0.0, 0.0), (0.6, 0.1), (1.0, 0.2), (0.9, None), (None, 0.4)]
    found = score_histogram([AblatedScore("rouge2", str(n), *both) for n, both in enumerate(scores)], 2)
    assert found is not None
    assert (found.edges, found.own, found.other, found.failed) == ((0.0, 0.5, 1.0), (1, 2), (3, 0), 2)
    assert found.loss.value == pytest.approx((0.0 + 0.5 + 0.8) / 3)
    assert found.own_better.value == pytest.approx(2 / 3)


def test_scores_that_are_all_the_same_lie_in_one_bin_and_without_scores_there_is_none() -> None:
    found = score_histogram([AblatedScore("rouge2", str(n), 0.5, 0.5) for n in range(3)])
    assert found is not None
    assert (sum(found.own), max(found.own), found.loss.value) == (3, 3, 0.0)
    assert score_histogram([AblatedScore("rouge2", "a", None, 0.5, "It broke.")]) is None


def test_the_closed_book_control_stands_beside_the_metric_that_it_controls() -> None:
    run = run_of_documents("a", "b", metrics=("direct-assessment", "closed-book"))
    for source, metric, value in (("s0", "direct-assessment", 90.0), ("s0", "closed-book", 70.0)):
        run.add(ScoreRecord(source, "", metric, value, "signed"))
    assert [(one.metric, one.own, one.other) for one in closed_book_scores(run)] == [
        ("direct-assessment", 90.0, 70.0),
        ("direct-assessment", None, None),
    ]
    assert closed_book_scores(run_of_documents("a", "b")) == []


def test_the_closed_book_control_is_shown_without_an_engine() -> None:
    run = run_of_documents("a", "b", metrics=("direct-assessment", "closed-book"))
    for source, metric, value in (("s0", "direct-assessment", 90.0), ("s0", "closed-book", 70.0)):
        run.add(ScoreRecord(source, "", metric, value, "signed"))
    study = Readings(view="ablation", baseline="closed-book")
    assert not study.scores_texts
    assert study.run(StudyData(run=run)).table().figure("loss", metric="direct-assessment").value == 20.0
    assert Readings(view="ablation").choices(StudyData(run=run))["baseline"] == ["foreign", "closed-book"]
    assert Readings(view="ablation").choices(StudyData(run=run_of_documents("a", "b")))["baseline"] == ["foreign"]


def test_the_command_scores_a_run_beside_foreign_documents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOUCHSTONE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("TOUCHSTONE_DEVICE", "cpu")
    run = run_of_documents("ships", "bread")
    for id in run.sources:
        run.add(ScoreRecord(id, "", "rouge2", 1.0, "signed"))
    file = tmp_path / "run.jsonl"
    file.write_text("".join(f"{line}\n" for line in run_lines(run)), encoding="utf-8")
    done = CliRunner().invoke(
        app, ["study", "readings", str(file), "--view", "ablation", "--bins", "4", "--json"], catch_exceptions=False
    )
    report = json.loads(done.stdout)
    [found] = report["tables"]["means"]
    # of "it tells", "tells of" and "of" with the name only the second stands in the other document
    assert found["loss"]["value"] == pytest.approx(2 / 3, abs=1e-4)
    assert sum(row["own"] for row in report["tables"]["histogram"]) == len(run.sources)
    assert [len(series["x"]) for series in report["charts"][0]["series"]] == [4, 4]
    with pytest.raises(TouchstoneError, match="closed-book"):
        CliRunner().invoke(
            app,
            ["study", "readings", str(file), "--view", "ablation", "--baseline", "closed-book"],
            catch_exceptions=False,
        )
