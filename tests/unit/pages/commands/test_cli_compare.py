"""Comparing results from the command line: status 1 on a regression, with files for a pull request and a CI service."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.assessment.gate.results_file import read_results
from core.assessment.gate.stress_runs import read_stress_run
from core.data.datasets.bundled import bundled_items
from core.errors import TouchstoneError
from core.results.cases.bundled_scores import MetricScores
from tests.unit.command_line import done, run

PAIRS = 60


@pytest.fixture
def labelled(tmp_path: Path) -> Path:
    """Labelled pairs of documents and summaries."""
    path = tmp_path / "labelled.jsonl"
    lines = [
        {"id": f"p{n}", "document": f"Document {n} is about ship {n}.", "summary": f"Ship {n}.", "label": n % 2}
        for n in range(PAIRS)
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def results(path: Path, quality: float, metric: str = "rouge2", seed: int = 0) -> Path:
    rng = random.Random(seed)
    lines = [
        {"id": f"p{n}", "metric": metric, "signature": f"{metric}|{quality}", "score": quality * (n % 2) + rng.random()}
        for n in range(PAIRS)
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def test_a_metric_that_became_worse_fails_with_files(tmp_path: Path, labelled: Path, database: str) -> None:
    assert database
    base, new = results(tmp_path / "base.jsonl", 1.5), results(tmp_path / "new.jsonl", 0.0)
    markdown, junit = tmp_path / "comment.md", tmp_path / "report.xml"
    found = run("compare", base, new, "--data", labelled, "--fail-on", "auc:-2", "--to", markdown, "--to", junit)
    assert found.exit_code == 1, found.output
    assert "1 regression: rouge2, auc" in found.stdout
    assert markdown.read_text(encoding="utf-8").startswith("### 1 regression")
    assert 'failures="1"' in junit.read_text(encoding="utf-8")
    for file in (markdown, junit):
        assert "a drop of 2 points of auc is found in" in file.read_text(encoding="utf-8")
    back = run("compare", new, base, "--data", labelled, "--fail-on", "auc:-2")
    assert (back.exit_code, "No regression." in back.stdout) == (0, True)


def test_summaries_of_a_new_model_are_compared_by_their_scores(tmp_path: Path) -> None:
    base, new = results(tmp_path / "base.jsonl", 1.0), results(tmp_path / "new.jsonl", 0.2)
    found = run("compare", base, new)
    assert found.exit_code == 1, found.output
    assert "rouge2, score" in found.stdout
    assert done("compare", base, base).count("No regression.") == 1


def test_two_metrics_are_scored_on_the_data(labelled: Path, database: str) -> None:
    assert database
    found = run("compare", "rouge2", "word-novelty", "--data", labelled)
    assert "rouge2 → word-novelty" in found.stdout, found.output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("rouge2", "bleu"), "name the data with --data"),
        (("rouge2", "bleu", "--data", "x", "--to", "out.pdf"), "neither .md nor .xml"),
        (("rouge2", "bleu", "--data", "x", "--fail-on", "auc:3"), "names no drop"),
    ],
)
def test_what_cannot_be_compared_is_refused_before_the_work(arguments: tuple[str, ...], message: str) -> None:
    found = run("compare", *arguments)
    assert isinstance(found.exception, TouchstoneError)
    assert message in str(found.exception)


def test_a_line_that_is_no_score_is_named(tmp_path: Path) -> None:
    good, bad = results(tmp_path / "base.jsonl", 1.0), tmp_path / "bad.jsonl"
    bad.write_text('{"id": "a", "metric": "rouge2", "score": 1}\n{"id": "b"}\n', encoding="utf-8")
    assert f"{bad}, line 2 is no score" in str(run("compare", good, bad).exception)
    other = results(tmp_path / "other.jsonl", 1.0, metric="bleu")
    assert "Nothing can be compared" in str(run("compare", good, other).exception)


@pytest.fixture
def stress_run(tmp_path: Path) -> Path:
    """A stress run of word overlap, which sees a deleted number or name on most of these pairs."""
    pairs, written = tmp_path / "pairs.jsonl", tmp_path / "run.jsonl"
    lines = [
        {"id": item.example.id, "document": item.example.document, "summary": item.example.summary, "group": item.group}
        for item in bundled_items()
        if not item.parent
    ][:12]
    pairs.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    kinds = ("entity-swapped", "negation", "synonyms")
    done("stress", pairs, "--metric", "rouge2", *(part for kind in kinds for part in ("--kind", kind)), "-o", written)
    return written


def changed_run(path: Path, to: Path, change: Callable[[dict[str, Any]], None]) -> Path:
    records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    for record in records:
        change(record)
    to.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return to


@pytest.mark.slow
def test_stress_runs_are_compared_by_what_their_variants_are(stress_run: Path, tmp_path: Path, database: str) -> None:
    assert database

    def right(record: dict[str, Any]) -> None:
        if record["record"] == "reading":
            record["value"] = 0.1 if record["kind"] in ("negation", "entity-swapped") else 0.9

    def wrong(record: dict[str, Any]) -> None:
        right(record)
        if record["record"] == "reading":
            record["value"] = 1 - record["value"]

    sides = [changed_run(stress_run, tmp_path / f"{change.__name__}.jsonl", change) for change in (right, wrong)]
    found = run("compare", *sides)
    assert found.exit_code == 1, found.output
    assert "rouge2, consistency" in found.stdout
    assert "ordered wrongly now" in found.stdout
    assert "No regression." in done("compare", stress_run, stress_run)


def test_texts_of_one_run_only_are_left_out(stress_run: Path, tmp_path: Path, database: str) -> None:
    assert database

    def other(record: dict[str, Any]) -> None:
        if record["record"] == "variant" and record["kind"] == "synonyms" and record["summary"]:
            record["summary"] += " Indeed."

    before = read_stress_run(stress_run)
    made = sum(bool(one.summary) for (_, kind), one in before.variants.items() if kind == "synonyms")
    found = run("compare", stress_run, changed_run(stress_run, tmp_path / "other.jsonl", other))
    assert made > 0
    assert f"{2 * made} texts are in one run only" in found.stderr
    assert found.exit_code == 0


def test_a_stress_run_stands_against_a_stress_run_only(stress_run: Path, labelled: Path, tmp_path: Path) -> None:
    scores = results(tmp_path / "base.jsonl", 1.0)
    assert "compare it with another run" in str(run("compare", stress_run, scores).exception)
    assert "without --data" in str(run("compare", stress_run, stress_run, "--data", labelled).exception)


def test_two_thresholds_of_a_metric_are_compared_by_their_decisions(tmp_path: Path, database: str) -> None:
    assert database
    good, bad = tmp_path / "good.json", tmp_path / "bad.json"
    pairs = tmp_path / "copied.jsonl"
    lines = [
        {"id": f"c{n}", "document": f"Ship {n} left port {n} at dawn.", "label": n % 2}
        | {"summary": f"Ship {n} left port {n} at dawn." if n % 2 else f"Ship {n} sank off cape {n} at dusk."}
        for n in range(PAIRS)
    ]
    pairs.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    done("threshold", "rouge2", "--data", pairs, "-o", good)
    record = json.loads(good.read_text(encoding="utf-8"))
    bad.write_text(json.dumps(record | {"value": 0.0}), encoding="utf-8")  # accepts everything
    found = run("compare", good, bad, "--data", pairs)
    assert found.exit_code == 1, found.output
    assert "1 regression: rouge2, balanced_accuracy 100.0" in found.stdout
    assert "decided wrongly now" in found.stdout
    assert "No regression." in done("compare", bad, good, "--data", pairs)

    bad.write_text(json.dumps(record | {"signature": "other"}), encoding="utf-8")
    assert "Choose it again" in str(run("compare", good, bad, "--data", pairs).exception)
    assert "name the data" in str(run("compare", good, bad).exception)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            {"id": "p3", "metric": "rouge2", "signature": "rouge2|other", "score": 0.9},
            "p3 has a second score of rouge2",
        ),
        ({"id": "p99", "metric": "rouge2", "signature": "rouge2|1.0", "score": float("inf")}, "inf is no score"),
        ({"id": "p99", "metric": "rouge2", "signature": "rouge2|1.0", "score": float("nan")}, "nan is no score"),
    ],
)
def test_scores_that_cannot_be_those_of_one_run_are_refused_with_their_line(
    line: dict[str, object], message: str, tmp_path: Path
) -> None:
    base, new = results(tmp_path / "base.jsonl", 1.0), results(tmp_path / "new.jsonl", 1.0)
    with new.open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")
    refused = run("compare", base, new)
    assert isinstance(refused.exception, TouchstoneError), refused.output
    assert f"line {PAIRS + 1}" in str(refused.exception)
    assert message in str(refused.exception)


@pytest.mark.parametrize(
    ("signature", "message"),
    [
        ("rouge2|measured:f1", f"{PAIRS} by rouge2|1.0; 1 by rouge2|measured:f1. The first two differ in"),
        ("", f"{PAIRS} by rouge2|1.0; 1 by none. A change"),
    ],
)
def test_scores_of_one_metric_by_several_signatures_are_refused(
    signature: str, message: str, tmp_path: Path, labelled: Path, database: str
) -> None:
    assert database
    base, new = results(tmp_path / "base.jsonl", 1.0), results(tmp_path / "new.jsonl", 1.0)
    line = {"id": "p99", "metric": "rouge2", "signature": signature, "score": 0.9}
    with new.open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")
    for arguments in (("compare", base, new), ("audit", "rouge2", "--data", labelled, "--scores", new)):
        refused = run(*arguments)
        assert isinstance(refused.exception, TouchstoneError), refused.output
        assert f"{new} has scores of rouge2 with 2 signatures: {message}" in str(refused.exception)


def test_a_failure_before_the_scores_leaves_their_signature_alone(tmp_path: Path) -> None:
    file = tmp_path / "scores.jsonl"
    failed = {"id": "p0", "metric": "rouge2", "signature": None, "score": None, "error": "It broke."}
    good = {"id": "p1", "metric": "rouge2", "signature": "rouge2|1.0", "score": 0.9}
    file.write_text("".join(json.dumps(line) + "\n" for line in (failed, good, good)), encoding="utf-8")
    assert read_results(file) == {"rouge2": MetricScores("rouge2", "rouge2|1.0", {"p1": 0.9})}


def test_a_summary_with_two_labels_is_refused(tmp_path: Path, labelled: Path, database: str) -> None:
    assert database
    with labelled.open("a", encoding="utf-8") as file:
        again = {"id": "again", "document": "Document 3 is about ship 3.", "summary": "Ship 3.", "label": 0}
        file.write(json.dumps(again) + "\n")
    refused = run("compare", results(tmp_path / "a.jsonl", 1.0), results(tmp_path / "b.jsonl", 0.9), "--data", labelled)
    assert isinstance(refused.exception, TouchstoneError), refused.output
    assert "labelled consistent and inconsistent at once, the first as p3 and as again" in str(refused.exception)


def _pool(path: Path, rate: float, seed: int, labelled: int = 300) -> tuple[Path, Path]:
    """Scores of 2,000 summaries of which so many are inconsistent, and labels of a few drawn at random."""
    rng = random.Random(seed)
    wrong = [rng.random() < rate for _ in range(2000)]
    scores = [
        {"id": f"s{n}", "metric": "rouge2", "signature": "rouge2", "score": rng.gauss(0.4 if bad else 0.8, 0.15)}
        for n, bad in enumerate(wrong)
    ]
    labels = [
        {"id": f"s{n}", "label": "inconsistent" if wrong[n] else "consistent"}
        for n in rng.sample(range(2000), labelled)
    ]
    few = path.with_name(f"{path.stem}-labels.jsonl")
    for file, lines in ((path, scores), (few, labels)):
        file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path, few


def test_shares_of_consistent_summaries_are_compared_by_few_labels(tmp_path: Path) -> None:
    before, some = _pool(tmp_path / "before.jsonl", 0.10, 1)
    after, others = _pool(tmp_path / "after.jsonl", 0.25, 2)
    labels, comment = ("--labels", some, "--labels", others), tmp_path / "comment.md"
    found = run("compare", before, after, *labels, "--fail-on", "consistent:-5", "--to", comment)
    assert found.exit_code == 1, found.output
    [line] = [one for one in found.stdout.splitlines() if one.startswith("✗")]
    low, high = (float(end.replace("−", "-")) for end in line.split("[")[-1].split("]")[0].split(", "))
    assert low < -15 < high
    assert "300 of 2,000 summaries have a label" in comment.read_text(encoding="utf-8")
    assert run("compare", after, before, "--labels", others, "--labels", some).exit_code == 0, (
        "fewer errors are no regression"
    )


def test_one_file_of_labels_serves_where_no_id_is_of_both_sides(tmp_path: Path) -> None:
    before, some = _pool(tmp_path / "before.jsonl", 0.10, 1, 60)
    after, others = _pool(tmp_path / "after.jsonl", 0.12, 2, 60)
    unclear = run("compare", before, after, "--labels", some)
    assert "Both files have a score of" in str(unclear.exception)
    for file in (after, others):
        file.write_text(file.read_text(encoding="utf-8").replace('"id": "s', '"id": "t'), encoding="utf-8")
    alone = run("compare", before, after, "--labels", some)
    assert "No label is of a summary after" in str(alone.exception)
    some.write_text(some.read_text(encoding="utf-8") + others.read_text(encoding="utf-8"), encoding="utf-8")
    found = run("compare", before, after, "--labels", some)
    assert found.output.count("60 of 2,000 summaries have a label") == 2, found.output


def test_a_limit_of_a_measure_that_is_not_compared_is_refused(tmp_path: Path) -> None:
    base, new = results(tmp_path / "base.jsonl", 1.0), results(tmp_path / "new.jsonl", 1.0)
    found = run("compare", base, new, "--fail-on", "auc:-2")
    assert "auc: not compared here" in str(found.exception)


def test_a_side_that_looks_like_a_file_is_none_by_name(tmp_path: Path) -> None:
    refused = run("compare", tmp_path / "run1.jsonl", "rouge2")
    assert str(refused.exception) == f"There is no file {tmp_path / 'run1.jsonl'}. Check the path."
