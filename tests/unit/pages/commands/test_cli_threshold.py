"""A threshold of one's own: chosen on labels, checked on other documents, kept by name or in a file, and used by `score`."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from core.assessment.audit.audit_report import read_report
from core.assessment.audit.question import Level
from core.evaluation.studies.saved_threshold import read_threshold
from core.stats.statistic import Estimate
from tests.unit.command_line import done, run


@pytest.fixture
def labelled(tmp_path: Path) -> Path:
    """Summaries that copy their document, and others of which some words are new: ROUGE-2 tells most of them apart."""
    rng, path = random.Random(0), tmp_path / "labelled.jsonl"
    vocabulary = [f"word{number}" for number in range(400)]
    lines = []
    for number in range(60):
        words = rng.sample(vocabulary, 40)
        copied = words[:10]
        mixed = [*words[:4], *rng.sample(vocabulary, 6)]
        for kind, summary in ((1, copied), (0, mixed)):
            record = {
                "id": f"{number}-{kind}",
                "document": " ".join(words),
                "summary": " ".join(summary),
                "label": kind,
            }
            lines.append(record | {"group": str(number)})
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def test_a_threshold_is_kept_and_decides(labelled: Path, tmp_path: Path, database: str) -> None:
    assert database
    kept, scores = tmp_path / "own.json", tmp_path / "scores.jsonl"
    printed = done("threshold", "rouge2", "--data", labelled, "-o", kept)
    found = read_threshold(kept)
    assert "balanced accuracy 100.0" in printed
    assert (found.accuracy.value, found.false_alarms.value, found.missed.value) == (1.0, 0.0, 0.0)
    assert found.data[0].summaries == 120
    assert "why" in json.loads(kept.read_text(encoding="utf-8"))["accuracy"]
    done("score", labelled, "--metric", "rouge2", "--metric", "bleu", "--threshold", kept, "-o", scores)
    records = [json.loads(line) for line in scores.read_text(encoding="utf-8").splitlines()]
    decided = {one["id"]: one["consistent"] for one in records if one["metric"] == "rouge2"}
    assert decided == {id: id.endswith("-1") for id in decided}
    assert not any("consistent" in one for one in records if one["metric"] == "bleu")


def test_a_threshold_of_other_settings_is_refused(labelled: Path, tmp_path: Path, database: str) -> None:
    assert database
    kept = tmp_path / "own.json"
    done("threshold", "rouge2", "--data", labelled, "-o", kept)
    text = kept.read_text(encoding="utf-8")
    kept.write_text(text.replace("stemmer:True", "stemmer:False"), encoding="utf-8")
    found = run("score", labelled, "--metric", "rouge2", "--threshold", kept, "-o", tmp_path / "scores.jsonl")
    assert "Choose it again" in str(found.exception)


def test_labels_of_one_kind_choose_no_threshold(tmp_path: Path, database: str) -> None:
    assert database
    path = tmp_path / "good.jsonl"
    path.write_text('{"document": "It rained.", "summary": "Rain.", "label": 1}\n', encoding="utf-8")
    assert "No threshold can be chosen" in str(
        run("threshold", "rouge2", "--data", path, "-o", tmp_path / "t.json").exception
    )


def test_what_is_no_threshold_is_refused(labelled: Path, tmp_path: Path) -> None:
    found = run("score", labelled, "--metric", "rouge2", "--threshold", labelled, "-o", tmp_path / "scores.jsonl")
    assert "is no threshold" in str(found.exception)


def test_a_metric_without_a_better_side_has_none(labelled: Path, tmp_path: Path) -> None:
    found = run("threshold", "conciseness", "--data", labelled, "-o", tmp_path / "t.json")
    assert "no better side" in str(found.exception)


def test_lower_scores_may_be_the_consistent_ones(labelled: Path, tmp_path: Path, database: str) -> None:
    assert database
    kept = tmp_path / "novelty.json"
    done("threshold", "word-novelty", "--data", labelled, "-o", kept)
    found = read_threshold(kept)
    assert found.direction == "lower"
    assert (found.accepts(0.0), found.accepts(1.0)) == (True, False)
    assert isinstance(found.accuracy, Estimate)


@pytest.mark.slow
def test_an_audit_shows_false_alarms_and_misses_at_a_saved_threshold(
    labelled: Path, tmp_path: Path, database: str
) -> None:
    assert database
    kept, written = tmp_path / "own.json", tmp_path / "audit.json"
    done("threshold", "rouge2", "--data", labelled, "-o", kept)
    record = json.loads(kept.read_text(encoding="utf-8"))
    kept.write_text(json.dumps(record | {"value": 0.0}), encoding="utf-8")  # accepts everything
    lines = [json.loads(line) for line in labelled.read_text(encoding="utf-8").splitlines()]
    other = tmp_path / "other.jsonl"
    domains = [record | {"domain": "law" if place < 60 else "news"} for place, record in enumerate(lines)]
    other.write_text("".join(json.dumps(line) + "\n" for line in domains), encoding="utf-8")
    found = audit_figures("rouge2", other, kept, written)
    for where in ("", ", law", ", news"):
        assert found[f"false alarms at the saved threshold{where}"].value == 0.0
        assert found[f"missed at the saved threshold{where}"].value == 1.0
        assert found[f"balanced accuracy at the saved threshold{where}"].value == 0.5
    report = read_report(written.read_bytes())
    finding = report.metrics[0].finding("threshold")
    assert finding
    assert finding.level is Level.FAILS
    assert "own.json) refuses 0.0" in finding.sentence
    assert "flatter" in finding.warning
    assert f"--threshold {kept}" in report.command


def audit_figures(metric: str, data: Path, threshold: Path, written: Path) -> dict[str, Estimate]:
    done("audit", metric, "--data", data, "--threshold", threshold, "--most", 2, "--no-keep", "--to", written)
    finding = read_report(written.read_bytes()).metrics[0].finding("threshold")
    assert finding
    return {one.label: one.estimate for one in finding.details}


def test_a_threshold_of_a_metric_that_is_not_audited_is_refused(labelled: Path, tmp_path: Path, database: str) -> None:
    assert database
    kept = tmp_path / "own.json"
    done("threshold", "rouge2", "--data", labelled, "-o", kept)
    assert "is a threshold of rouge2" in str(run("audit", "bleu", "--data", labelled, "--threshold", kept).exception)


@pytest.mark.slow
def test_a_threshold_under_a_name_is_found_by_every_command(labelled: Path, tmp_path: Path, database: str) -> None:
    assert database
    scores, written = tmp_path / "scores.jsonl", tmp_path / "audit.json"
    done("threshold", "rouge2", "--data", labelled, "--name", "own")
    done("threshold", "rouge2[stemmer=false]", "--data", labelled, "--name", "plain")
    listed = done("threshold")
    assert listed.index("plain\n") < listed.index("own\nROUGE-2: consistent from")
    done("score", labelled, "--metric", "rouge2", "--threshold", "own", "-o", scores)
    records = [json.loads(line) for line in scores.read_text(encoding="utf-8").splitlines()]
    assert {one["id"]: one["consistent"] for one in records} == {one["id"]: one["id"].endswith("-1") for one in records}
    done("audit", "rouge2", "--data", labelled, "--threshold", "own", "--most", 2, "--no-keep", "--to", written)
    assert "--threshold own" in read_report(written.read_bytes()).command
    assert "balanced accuracy" in done("compare", "own", "plain", "--data", labelled)


def test_a_name_that_is_taken_or_unknown_is_said(labelled: Path, tmp_path: Path, database: str) -> None:
    assert database
    done("threshold", "rouge2", "--data", labelled, "--name", "own")
    taken = ("threshold", "rouge2", "--data", labelled, "--name")
    assert "called 'own' already" in str(run(*taken, "own").exception)
    assert "the name of a metric" in str(run(*taken, "bleu").exception)
    unknown = run("score", labelled, "--metric", "rouge2", "--threshold", "other", "-o", tmp_path / "scores.jsonl")
    assert "Saved are own." in str(unknown.exception)


def test_two_thresholds_of_one_metric_are_not_judged_together(labelled: Path, database: str) -> None:
    assert database
    for name in ("one", "two"):
        done("threshold", "rouge2", "--data", labelled, "--name", name)
    found = run("audit", "rouge2", "--data", labelled, "--threshold", "one", "--threshold", "two")
    assert "choose one of them" in str(found.exception)


def test_a_given_threshold_has_its_plain_accuracy_and_is_not_chosen(labelled: Path, database: str) -> None:
    """ROUGE-2 in the form of precision is 1 for a copy, and below 0.5 for what is mixed: at 0.5 all is right, at 2 half of it."""
    assert database
    printed = done("threshold", "rouge2", "--data", labelled, "--at", 0.5)
    assert "at least 0.5 on, a threshold that was given" in printed
    assert "Of 120 labelled summaries: accuracy 100.0" in printed
    nothing = done("threshold", "rouge2", "--data", labelled, "--at", 2)
    assert "accuracy 50.0" in nothing
    assert "false alarms 100.0" in nothing
    assert "saves none" in str(run("threshold", "rouge2", "--data", labelled, "--at", 0.5, "--name", "x").exception)
