"""A chat model on this machine explains, judges and scores in the place of an endpoint, from the terminal and in the engine."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.errors import TouchstoneError
from tests.conftest import Weights
from tests.doubles.speaking_model import speaking_llama
from tests.unit.core.evaluation.explanations.commands import lines, run
from tests.unit.core.evaluation.explanations.scenes import CASE, PAIR

pytestmark = pytest.mark.usefixtures("terminal")

GRADE = '{"because": "It names him.", "grade": "partially"}'
FINDING = '{"consistent": "no", "explanation": "He said it, not she."}'


@pytest.fixture
def cases(tmp_path: Path) -> Path:
    record = {"id": "one", "explanation": CASE.explanation, "document": CASE.document, "summary": CASE.summary}
    (tmp_path / "cases.jsonl").write_text(json.dumps(record) + "\n")
    return tmp_path / "cases.jsonl"


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    record = {"id": "one", "document": PAIR.document, "summary": PAIR.summary}
    (tmp_path / "pairs.jsonl").write_text(json.dumps(record) + "\n")
    return tmp_path / "pairs.jsonl"


def test_it_judges_and_is_signed_by_its_weights(cases: Path, tmp_path: Path, weights: Weights) -> None:
    model = weights(speaking_llama, GRADE)
    done = run("judge", cases, "--setup", "V1", "--model", f"local:{model}", "-o", tmp_path / "out.jsonl")
    [judged] = lines(tmp_path / "out.jsonl")
    assert (judged["grade"], judged["because"]) == ("partially", "It names him.")
    assert judged["signature"].startswith(f"judge-v1|model:local:{model.name}|temperature:0|")
    assert "|weights:" in judged["signature"]
    assert str(model) not in judged["signature"]
    assert "Spent" not in done.output
    other = weights(speaking_llama, GRADE.replace("partially", "entirely"))
    run("judge", cases, "--setup", "V1", "--model", f"local:{other}", "-o", tmp_path / "other.jsonl")
    [second] = lines(tmp_path / "other.jsonl")
    assert second["grade"] == "entirely"
    assert second["signature"].rpartition("|")[2] != judged["signature"].rpartition("|")[2]


def test_an_answer_that_cannot_be_read_is_a_failure_with_its_reason(
    cases: Path, tmp_path: Path, weights: Weights
) -> None:
    model = weights(speaking_llama, "Well, it depends.")
    run("judge", cases, "--setup", "V1", "--model", f"local:{model}", "-o", tmp_path / "out.jsonl", status=1)
    [judged] = lines(tmp_path / "out.jsonl")
    assert (judged["status"], judged["grade"]) == ("failed", None)
    assert "no complete JSON object; one is expected. The model said: “Well, it depends.”" in judged["error"]


def test_it_explains_and_its_answer_is_kept(pairs: Path, tmp_path: Path, weights: Weights) -> None:
    model = weights(speaking_llama, FINDING)
    for name in ("first.jsonl", "second.jsonl"):
        run("explain", pairs, "--model", f"local:{model}", "-o", tmp_path / name)
        [found] = lines(tmp_path / name)
        assert (found["verdict"], found["explanation"]) == ("inconsistent", "He said it, not she.")


@pytest.mark.slow
def test_it_scores_by_a_number_and_by_probabilities(pairs: Path, tmp_path: Path, weights: Weights) -> None:
    number, digit = weights(speaking_llama, '{"score": 73}'), weights(speaking_llama, "4")
    specs = [f"direct-assessment[model=local:{number}]", f"weighted-assessment[model=local:{digit}]"]
    run("score", pairs, *(part for spec in specs for part in ("--metric", spec)), "-o", tmp_path / "out.jsonl")
    direct, weighted = lines(tmp_path / "out.jsonl")
    assert direct["score"] == pytest.approx(0.73)
    assert weighted["score"] == pytest.approx(0.75, abs=0.01)
    assert "|weights:" in direct["signature"]
    assert str(number) not in direct["signature"]


def test_an_endpoint_beside_it_or_no_folder_is_refused(cases: Path, tmp_path: Path) -> None:
    output = tmp_path / "out.jsonl"
    asked = ("judge", cases, "--setup", "V1", "-o", output)
    for named, problem in (
        (("local:x", "--endpoint", "mini"), "Leave one of the two out"),
        (("local:",), "names no model"),
        ((f"local:{tmp_path / 'none'}",), "There is no folder"),
    ):
        with pytest.raises(TouchstoneError, match=problem):
            run(*asked, "--model", *named)
    assert not output.exists()
