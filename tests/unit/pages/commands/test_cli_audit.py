"""Audits from the command line: every figure is the one of the command that the report names."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from core.assessment.audit.audit_report import AuditReport, read_report
from core.assessment.audit.question import Level
from core.assessment.gate.scoring import read_file
from core.results.cases import measures
from core.scoring import METRICS
from core.scoring.plugins.processes.loading import load_plugin
from core.settings import Settings
from core.stats.statistic import Estimate
from core.stats.text_tables import format_percent, format_unsigned
from core.types import Verdict
from tests.unit.command_line import done, flat_row, run
from tests.unit.core.assessment.audit.pair_files import write_bundled_pairs

METRIC = "rouge2"
DATASET = "few"


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    """The bundled examples of a dozen documents as a file of pairs."""
    return write_bundled_pairs(tmp_path / f"{DATASET}.jsonl", 12)


@pytest.fixture
def few_pairs(tmp_path: Path) -> Path:
    """Those of four documents, for what depends on no figure."""
    return write_bundled_pairs(tmp_path / f"{DATASET}.jsonl", 4)


@pytest.fixture
def few_kinds(tmp_path: Path) -> Path:
    """A battery of two kinds of each intent, for what does not depend on the kinds."""
    kinds = ["number", "negation", "phrase", "baseline-filler", "shuffled", "synonyms"]
    file = tmp_path / "few-kinds.toml"
    file.write_text(f'title = "Few"\ndate = 2026-11-25\nkinds = {json.dumps(kinds)}\n', encoding="utf-8")
    return file


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("answers")


@pytest.fixture(autouse=True)
def shared_answers(answers: Path, database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """One cache for all audits of this file, whose texts are the same; audits and studies alike take fewer resamples."""
    assert database
    monkeypatch.setattr(measures, "RESAMPLES", 500)
    monkeypatch.setenv("TOUCHSTONE_CACHE_DIR", str(answers))


def estimate_of(report: AuditReport, question: str, label: str = "") -> Estimate:
    finding = report.metrics[0].finding(question)
    assert finding
    figures = [figure for figure in (finding.figure, *finding.details) if figure]
    return next(figure.estimate for figure in figures if not label or figure.label == label)


def own_estimate(record: dict[str, Any]) -> Estimate:
    """The estimate of a record of a report."""
    return Estimate(**{name: value for name, value in record.items() if name != "few_documents"})


@pytest.mark.slow
def test_every_figure_of_a_stored_dataset_is_that_of_its_command(pairs: Path, few_kinds: Path, tmp_path: Path) -> None:
    done("import", "pairs", pairs, "--name", DATASET)
    places = {end: tmp_path / f"audit.{end}" for end in ("json", "html", "md", "svg")}
    to = (part for path in places.values() for part in ("--to", path))
    printed = done("audit", METRIC, "--data", DATASET, "--battery", few_kinds, *to)
    report = read_report(places["json"].read_bytes())
    assert report.metrics[0].summary in printed
    assert "<svg" in places["svg"].read_text(encoding="utf-8")

    options = ("study", "measures", "--dataset", DATASET, "--metric", METRIC, "--json")
    rows = [flat_row(row) for row in json.loads(done(*options))["tables"]["measures"]]
    area = estimate_of(report, "sees-errors")
    assert [area.value, area.low, area.high] == [rows[0][name] for name in ("auc", "auc_low", "auc_high")]

    by_domain = [flat_row(row) for row in json.loads(done(*options, "--by", "domain"))["tables"]["measures"]]
    areas = {f"AUC, domain {row['slice']}": [row[name] for name in ("auc", "auc_low", "auc_high")] for row in by_domain}
    slices = report.metrics[0].finding("slices")
    assert slices
    shown = {one.label: one.estimate for one in slices.details if one.label in areas}
    assert len(shown) > 1
    assert {label: [one.value, one.low, one.high] for label, one in shown.items()} == {
        label: areas[label] for label in shown
    }

    calibration = ("study", "calibration", "--dataset", DATASET, "--by", "dataset", "--metric", METRIC, "--json")
    [transfer] = json.loads(done(*calibration))["tables"]["transfers"]
    assert estimate_of(report, "threshold") == own_estimate(transfer["accuracy"])

    surface = done("study", "surface", "--dataset", DATASET)
    assert format_percent(estimate_of(report, "surface")) in surface

    stressed = tmp_path / "run.jsonl"
    done("stress", "--dataset", DATASET, "--most", 100, "--metric", METRIC, "--battery", few_kinds, "-o", stressed)
    detector = report.metrics[0].finding("change-detector")
    assert detector
    figures = {one.label: one.estimate for one in (detector.figure, *detector.details) if one}
    against_harmless = figures["AUC of broken summaries against harmless edits"]
    assert format_unsigned(against_harmless) in done("study", "shifts", stressed, "--view", "discrimination")
    [sensitivity, *_] = json.loads(done("study", "shifts", stressed, "--view", "sensitivity", "--json"))["tables"][
        "sensitivities"
    ]
    assert estimate_of(report, "stillness") == own_estimate(sensitivity["ratio"])


@pytest.mark.slow
def test_a_file_of_pairs_is_audited_without_a_database(few_pairs: Path, tmp_path: Path) -> None:
    written = tmp_path / "audit.json"
    done("audit", METRIC, "--data", few_pairs, "--to", written, "--most", 12)
    report = read_report(written.read_bytes())
    finding = report.metrics[0].finding("sees-errors")
    assert finding
    assert finding.command.splitlines()[0] == f"python cli.py import pairs {few_pairs} --name {DATASET}"
    assert f"--data {few_pairs} --most 12" in report.command


def test_a_report_of_an_unknown_form_is_refused_before_the_work(pairs: Path) -> None:
    refused = run("audit", METRIC, "--data", pairs, "--to", "report.pdf")
    assert ".html, .json, .md, .svg" in str(refused.exception)


def test_a_file_stands_alone(pairs: Path) -> None:
    assert "stands alone" in str(run("audit", METRIC, "--data", pairs, "--data", "bundled").exception)


BREAKING = """
import pathlib
import touchstone as ts


@ts.metric(low=0, high=1)
def breaking(document: str, summary: str) -> float:
    if pathlib.Path({broken!r}).exists():
        raise RuntimeError("the disk is full")
    return 1 / (1 + len(summary))
"""


def test_scores_that_failed_are_said_and_a_later_audit_tries_them_again(
    few_pairs: Path, few_kinds: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken, plugin = tmp_path / "broken", tmp_path / "breaking.py"
    plugin.write_text(BREAKING.format(broken=str(broken)), encoding="utf-8")
    for loaded in load_plugin(str(plugin), Settings.read()).metrics:
        monkeypatch.setitem(METRICS._classes, loaded.name, loaded)
    options = ("audit", "breaking", METRIC, "--data", few_pairs, "--most", 4, "--battery", few_kinds)
    broken.touch()
    failed = run(*options)
    assert failed.exit_code == 1
    assert "scores failed, and the audit is not kept. The first: " in failed.stderr
    assert "The same command tries only these again." in failed.stderr
    assert METRIC in failed.stdout  # what was measured is reported
    assert "No audit of breaking is kept." in str(run("audit", "--history", "breaking").exception)
    broken.unlink()
    assert "failed" not in run(*options).stderr
    assert "breaking" in done("audit", "--history", "breaking")


@pytest.mark.slow
def test_audits_are_kept_and_the_last_one_is_compared_with(few_pairs: Path, few_kinds: Path, tmp_path: Path) -> None:
    written = tmp_path / "audit.json"
    options = ("audit", METRIC, "--data", few_pairs, "--most", 4, "--battery", few_kinds)
    first = run(*options, "--against", "LAST", "--to", written)
    assert first.exit_code == 0
    assert "nothing to compare with" in first.stderr
    assert "No verdict changed" in done(*options, "--against", "LAST")
    assert "No verdict changed" in done(*options, "--against", written, "--no-keep")
    history = done("audit", "--history", METRIC)
    area = estimate_of(read_report(written.read_bytes()), "sees-errors")
    assert history.count(format_unsigned(area)) == 2
    assert "Kept are audits of rouge2" in str(run("audit", "--history", "bleu").exception)


@pytest.mark.slow
def test_another_battery_is_in_the_command_and_said_when_it_is_compared(few_pairs: Path, tmp_path: Path) -> None:
    written = tmp_path / "audit.json"
    done("audit", METRIC, "--data", few_pairs, "--most", 4)
    spec = "touchstone-1+number[most=2]"
    other = run(
        "audit", METRIC, "--data", few_pairs, "--most", 4, "--battery", spec, "--against", "LAST", "--to", written
    )
    assert "The earlier audit has another battery: touchstone-1:" in other.stderr
    report = read_report(written.read_bytes())
    assert report.battery
    assert (report.battery.name, report.battery.kinds[-1]) == (spec, "number[most=2]")
    assert f"--battery '{spec}'" in report.command
    finding = report.metrics[0].finding("change-detector")
    assert finding
    assert f"--battery '{spec}'" in finding.command
    assert "battery touchstone-1:" in done("audit", "--history", METRIC)
    refused = run("audit", METRIC, "--data", few_pairs, "--battery", "touchstone-9")
    assert "No battery is named 'touchstone-9'" in str(refused.exception)


def test_an_audit_of_nothing_says_what_to_name() -> None:
    assert "Name a metric and the data" in str(run("audit", METRIC).exception)


@pytest.mark.slow
def test_windows_and_densities_are_those_of_their_commands(few_pairs: Path, few_kinds: Path, tmp_path: Path) -> None:
    metric, written, stressed = "retrieve[metric=rouge2]", tmp_path / "audit.json", tmp_path / "run.jsonl"
    done("import", "pairs", few_pairs, "--name", DATASET)
    done("audit", metric, "--data", DATASET, "--most", 4, "--battery", few_kinds, "--to", written)
    [audit] = read_report(written.read_bytes()).metrics
    finding = audit.finding("reading")
    assert finding
    assert "at w = 0" in finding.sentence
    found = {one.label: one.estimate for one in finding.details}
    assert finding.command.splitlines()[1:] == [
        f"python cli.py stress --dataset {DATASET} --most 4 --battery {few_kinds} --metric '{metric}' -o run.jsonl",
        "python cli.py sweep run.jsonl -o windows.jsonl",
        "python cli.py study readings run.jsonl --view density",
    ]
    done("stress", "--dataset", DATASET, "--most", 4, "--battery", few_kinds, "--metric", metric, "-o", stressed)
    swept = json.loads(done("sweep", stressed, "-o", tmp_path / "windows.jsonl", "--json"))["tables"]["windows"]
    edits = {"preserving": "harmless edits", "breaking": "errors", "gaming": "phrases that game metrics"}
    shifts = {f"mean shift by {edits[one['intent']]}, w = {one['w']}": read_estimate(one["shift"]) for one in swept}
    assert len(shifts) == 15
    assert {label: found[label] for label in shifts} == shifts
    bins = json.loads(done("study", "readings", stressed, "--view", "density", "--json"))["tables"]["density"]
    for one in bins:
        label = f"mean score of sentences of density {one['low']:.3f} to {one['high']:.3f}"
        assert found[label] == read_estimate(one["score"])


def read_estimate(record: dict[str, Any]) -> Estimate:
    """The statistic of a cell of a report."""
    return Estimate(**{name: value for name, value in record.items() if name != "few_documents"})


def write_scores(pairs: Path, path: Path) -> Path:
    """Scores of a closed system that knows the labels."""
    lines = [
        {"id": item.example.id, "metric": "closed", "score": float(item.intended is Verdict.CONSISTENT)}
        for item in read_file(pairs)
        if item.intended
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


@pytest.mark.slow
def test_a_file_of_scores_is_audited_without_the_questions_that_need_new_ones(
    pairs: Path, tmp_path: Path, database: str
) -> None:
    assert database
    written, scores = tmp_path / "audit.json", write_scores(pairs, tmp_path / "scores.jsonl")
    done("audit", "--data", pairs, "--scores", scores, "--to", written)
    report = read_report(written.read_bytes())
    [audit] = report.metrics
    levels = {one.question: one.level for one in audit.findings}
    assert audit.metric == "closed"
    asked = {question for question, level in levels.items() if level is not Level.NOT_ASKED}
    assert asked == {"answers", "sees-errors", "change-detector", "surface", "slices", "calibration", "threshold"}
    assert estimate_of(report, "sees-errors").value == 1.0
    assert levels["sees-errors"] is Level.GOOD
    assert f"--scores {scores}" in report.command


@pytest.mark.slow
def test_released_scores_of_a_dataset_are_audited_as_they_are(tmp_path: Path, database: str) -> None:
    assert database
    table, written = tmp_path / "log.jsonl", tmp_path / "audit.json"
    pairs = [json.loads(line) for line in write_bundled_pairs(tmp_path / "pairs.jsonl", 12).read_text().splitlines()]
    rows = [
        {
            "document": row["document"],
            "summary": row["edited"],
            "label": row["label"],
            "scores": {"closed": float(row["label"] == "consistent")},
        }
        for row in pairs
    ]
    table.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    done("import", "generic", table, "--name", "log", "--higher-is-better", "scores.closed")
    done("audit", "closed", "--data", "log", "--to", written)
    report = read_report(written.read_bytes())
    assert estimate_of(report, "sees-errors").value == 1.0
    assert report.metrics[0].finding("gaming")
    assert "not asked" in done("audit", "closed", "--data", "log")


def test_scores_of_other_summaries_are_refused(pairs: Path, tmp_path: Path, database: str) -> None:
    assert database
    scores = tmp_path / "scores.jsonl"
    scores.write_text('{"id": "elsewhere", "metric": "closed", "score": 0.5}\n', encoding="utf-8")
    refused = run("audit", "--data", pairs, "--scores", scores)
    assert "No score of closed is of a summary of these data" in str(refused.exception)
