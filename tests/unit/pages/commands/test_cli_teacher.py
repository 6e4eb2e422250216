"""`train --teacher`: what it says before anything is asked, and the names that a teacher may have."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.errors import TouchstoneError
from tests.unit.command_line import done, run
from tests.unit.core.evaluation.training.training_process import items


@pytest.fixture
def pairs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TOUCHSTONE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("TOUCHSTONE_DEVICE", "cpu")
    file = tmp_path / "pairs.jsonl"
    examples = [item.example for item in items()]
    records = [{"id": pair.id, "document": pair.document, "summary": pair.summary} for pair in examples]
    file.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    return file


def test_a_preview_estimates_what_the_teacher_takes_and_writes_nothing(pairs: Path, tmp_path: Path) -> None:
    folder = tmp_path / "model"
    printed = done("train", pairs, "--to", folder, "--teacher", "rouge2", "--corruptions", 0, "--preview")
    assert printed.startswith("rouge2 is to score 48 pairs; 0 of them are scored already.")
    assert "Requests: none, nothing to pay. Time: about" in printed
    assert not folder.exists()


def test_a_file_of_scores_of_another_machine_is_a_teacher(pairs: Path, tmp_path: Path) -> None:
    scores = tmp_path / "scores.jsonl"
    lines = [{"id": item.example.id, "metric": "a 7B judge", "score": 1 if not item.parent else 0} for item in items()]
    scores.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    teacher = ["--teacher", f"{scores}:a 7B judge"]
    printed = done(
        "train", pairs, "--to", tmp_path / "m", *teacher, "--teacher-cut", 0.5, "--corruptions", 0, "--preview"
    )
    assert "classes    consistent: 24, inconsistent: 24" in printed
    assert "teacher    a 7B judge, 48 pairs; 0.5 or more is consistent, as it was named" in printed
    refused = run("train", pairs, "--to", tmp_path / "m", *teacher, "--corruptions", 0, "--preview")
    assert "Name it with --teacher-cut" in str(refused.exception)


@pytest.mark.parametrize(
    ("options", "error"),
    [
        (["--teacher-cut", 1], "Name it with --teacher"),
        (["--teacher", "7B judge"], "A teacher may also be a score of the data: none; or SCORES.jsonl:METRIC."),
        (["--teacher", "conciseness"], "neither side of it is more consistent"),
    ],
)
def test_what_is_no_teacher_is_refused_in_a_sentence(
    pairs: Path, tmp_path: Path, options: list[object], error: str
) -> None:
    refused = run("train", pairs, "--to", tmp_path / "model", *options, "--preview")
    assert isinstance(refused.exception, TouchstoneError)
    assert error in str(refused.exception)
