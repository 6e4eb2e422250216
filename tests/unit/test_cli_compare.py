"""Comparing results from the command line: status 1 on a regression, with files for a pull request and a CI service."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from core.errors import TouchstoneError
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
        (("rouge2", "bleu"), "name the data that it is to score"),
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
