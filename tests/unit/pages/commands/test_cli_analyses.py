"""Sweep, density and bisect from the command line: the figures of the functions behind the pages, by hand where it is short."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cli import app
from core.errors import TouchstoneError
from core.evaluation.studies.window_sweep import WINDOWS
from core.results.runs.stress_run import run_from_lines
from core.scoring.metric import METRICS

DOCUMENT = "The ferry sank off the cape on Monday. Nobody was hurt. Divers found the wreck two days later."
SUMMARY = "The ferry sank off the cape. Divers found the wreck."
EDITS = [
    {"original_text": "ferry", "replace_text": "barge", "explanation": "It was a ferry."},
    {"original_text": "wreck", "replace_text": "chest", "explanation": "They found a wreck."},
]


@pytest.fixture(autouse=True)
def own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TOUCHSTONE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("TOUCHSTONE_DEVICE", "cpu")
    record = {"id": "p", "document": DOCUMENT, "summary": SUMMARY, "edits": EDITS}
    Path("pairs.jsonl").write_text(json.dumps(record) + "\n", encoding="utf-8")
    Path("plain.jsonl").write_text(json.dumps({"id": "p", "document": DOCUMENT, "summary": SUMMARY}) + "\n")


def run(*arguments: str) -> str:
    done = CliRunner().invoke(app, list(arguments), catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


def test_bisect_gives_each_edit_its_share() -> None:
    rows = json.loads(run("study", "bisect", "pairs.jsonl", "--metric", "rouge2", "--json"))["tables"]["edits"]
    measure = METRICS.parse("rouge2").measure  # type: ignore[attr-defined]  # of a surface metric
    whole, first, second, both = (
        measure(DOCUMENT, text)
        for text in (
            SUMMARY,
            SUMMARY.replace("ferry", "barge"),
            SUMMARY.replace("wreck", "chest"),
            SUMMARY.replace("ferry", "barge").replace("wreck", "chest"),
        )
    )
    assert [row["edit"] for row in rows] == ["ferry → barge", "wreck → chest"]
    assert rows[0]["alone"] == pytest.approx(first - whole)
    assert rows[0]["without"] == pytest.approx(second - whole)
    assert rows[0]["share"] == pytest.approx((first - whole + both - second) / 2)
    text = run("study", "bisect", "pairs.jsonl", "--metric", "rouge2")
    assert text.startswith("ROUGE-2 is moved most by “ferry → barge” of p")


def test_pairs_that_cannot_be_read_end_a_study_with_status_two() -> None:
    with Path("pairs.jsonl").open("a", encoding="utf-8") as file:
        file.write("no record\n")
    done = CliRunner().invoke(app, ["study", "bisect", "pairs.jsonl", "--metric", "rouge2"], catch_exceptions=False)
    assert (done.exit_code, "line 2" in done.stderr, "ferry" in done.stdout) == (2, True, True)


def test_bisect_of_pairs_with_one_edit_says_what_to_name() -> None:
    with pytest.raises(TouchstoneError, match=r"No pair of plain\.jsonl has two edits"):
        run("study", "bisect", "plain.jsonl", "--metric", "rouge2")


@pytest.mark.slow
def test_a_run_is_swept_and_its_sentences_are_shown_by_density() -> None:
    run("stress", "pairs.jsonl", "--metric", "rouge2", "--kind", "shuffled", "-o", "run.jsonl")
    report = json.loads(run("sweep", "run.jsonl", "-o", "sweep.jsonl", "--json"))
    rows = report["tables"]["windows"]
    assert [(row["metric"], row["w"]) for row in rows] == [("retrieve[metric=rouge2]", w) for w in WINDOWS]
    assert json.loads(run("study", "readings", "sweep.jsonl", "--view", "windows", "--json")) == report
    stored = run_from_lines(Path("sweep.jsonl").read_text(encoding="utf-8").split("\n")[:-1])
    assert stored.done == stored.total
    assert len(stored.plan.metrics) == len(WINDOWS)
    bins = json.loads(run("study", "readings", "run.jsonl", "--view", "density", "--bins", "1", "--json"))["tables"][
        "density"
    ]
    assert [(row["metric"], row["sentences"]) for row in bins] == [("rouge2", 2)]
    assert "rouge2" in run("study", "readings", "run.jsonl", "--view", "density", "--texts", "preserving")
