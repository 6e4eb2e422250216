"""`cli.py explain`: what a scripted model says of a dataset is graded, imported, and becomes DA, DS, ES and JS."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from core.errors import MissingEndpointError, TouchstoneError
from tests.unit.core.evaluation.explanations.commands import lines, run
from tests.unit.core.models.llm.scripted import Body, Reply, serving, text

pytestmark = pytest.mark.usefixtures("terminal")

DOCUMENT = "The ferry Alma left Kiel at noon. She carried forty cars."
SUMMARIES = {
    "found": ("The Alma left Kiel at night.", "inconsistent"),
    "half": ("The Alma left Kiel at dawn.", "inconsistent"),
    "missed": ("The Alma left Bremen at noon.", "inconsistent"),
    "sound": ("The Alma left Kiel at noon.", "consistent"),
    "alarm": ("The Alma carried forty cars.", "consistent"),
}
CALLED = {"night": "no", "dawn": "no", "Bremen": "yes", "Kiel at noon": "yes", "forty": "no"}


def reply(_path: str, body: Body) -> Reply:
    """One model that finds some errors and raises a false alarm, and grades what it is shown of them."""
    said = body["messages"][1]["content"]
    if "<explanation-" in said:
        grade = "entirely" if "about night" in said else "partially"
        return text(json.dumps({"because": "So it is.", "grade": grade}))
    [word] = [word for word in CALLED if word in said.split("<summary-")[1]]
    if "is inconsistent with the document" in said:
        return text(json.dumps({"explanation": f"It speaks about {word}."}))
    return text(json.dumps({"consistent": CALLED[word], "explanation": f"It speaks about {word}."}))


@pytest.fixture
def asked(terminal: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[tuple[str, Any]]]:  # noqa: ARG001  # which comes first
    """What the scripted model is asked."""
    with serving(reply) as endpoint:
        monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", endpoint.url)
        yield endpoint.asked


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    records = [
        {"id": name, "document": DOCUMENT, "summary": summary, "label": label, "group": name}
        for name, (summary, label) in SUMMARIES.items()
    ]
    file = tmp_path / "pairs.jsonl"
    file.write_text("".join(f"{json.dumps(record)}\n" for record in records), encoding="utf-8")
    return file


def explainers(dataset: str) -> list[dict[str, Any]]:
    """The rows of `study explanation-scores`."""
    report = json.loads(run("study", "explanation-scores", "--dataset", dataset, "--json").stdout)
    rows: list[dict[str, Any]] = report["tables"]["explainers"]
    return rows


@pytest.mark.usefixtures("asked")
def test_from_a_dataset_to_the_joint_score(pairs: Path, tmp_path: Path) -> None:
    answers, grades = tmp_path / "answers.jsonl", tmp_path / "grades.jsonl"
    run("import", "pairs", pairs, "--name", "ferry")
    told = run("explain", "--dataset", "ferry", "-o", answers).stderr
    assert "Estimate: 5 questions to endpoints" in told
    assert "Summaries explained: inconsistent 3, consistent 2." in told

    told = run("judge", answers, "--setup", "V1", "-o", grades).stderr
    assert "Not graded: 2 called the summary consistent, 1 of a summary that is labelled consistent." in told
    assert "Explanations judged: entirely 1, partially 1." in told

    for file in (answers, grades):
        run("import", "explained", file, "--name", "ferry")
    row = next(row for row in explainers("ferry") if "detect-explain" in row["explainer"])
    shares = [row[name]["value"] for name in ("DA", "DS", "ES", "JS")]
    assert shares == pytest.approx([3 / 5, 2 / 3, 3 / 4, 1 / 2])


def test_only_what_is_labelled_inconsistent_may_be_called_so(asked: list[tuple[str, Any]], pairs: Path) -> None:
    run("explain", pairs, "--ask", "given", "-o", "answers.jsonl")
    found = lines(Path("answers.jsonl"))
    assert [(line["sample"], line["verdict"]) for line in found] == [("found", None), ("half", None), ("missed", None)]
    assert len(asked) == 3


def test_some_are_drawn_by_the_seed(asked: list[tuple[str, Any]], pairs: Path) -> None:
    drawn = []
    for seed in ("1", "1", "4"):
        run("explain", pairs, "--most", "2", "--seed", seed, "-o", "answers.jsonl")
        drawn.append([line["sample"] for line in lines(Path("answers.jsonl"))])
    assert drawn[0] == drawn[1] != drawn[2]
    assert all(len(names) == 2 for names in drawn)
    assert len(asked) <= 4  # what was asked before is remembered


def test_an_answer_that_cannot_be_read_is_a_line_with_its_reason_and_nobody_grades_it(
    pairs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(lambda _path, _body: text("Hard to say.")) as endpoint:
        monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", endpoint.url)
        assert "Summaries explained: failed 5." in run("explain", pairs, "-o", "answers.jsonl", status=1).stderr
        found = lines(Path("answers.jsonl"))
        assert {line["status"] for line in found} == {"failed"}
        assert {line["verdict"] for line in found} == {None}
        assert all("The model said: “Hard to say.”" in line["error"] for line in found)
        told = run("judge", "answers.jsonl", "--setup", "V1", "-o", "grades.jsonl").stderr
    assert "Not graded: 5 without an answer." in told
    run("import", "pairs", pairs, "--name", "ferry")
    run("import", "explained", "answers.jsonl", "--name", "ferry")
    [row] = explainers("ferry")
    assert [row[name] for name in ("graded", "ungraded", "failed", "unanswered")] == [0, 0, 0, 5]


def test_a_yes_without_an_explanation_counts_for_detection(pairs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    yes = text(json.dumps({"consistent": "Yes", "explanation": "", "confidence": 0.9}))
    with serving(lambda _path, _body: yes) as endpoint:
        monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", endpoint.url)
        run("explain", pairs, "-o", "answers.jsonl")
    assert len(endpoint.asked) == 5
    assert {line["verdict"] for line in lines(Path("answers.jsonl"))} == {"consistent"}
    run("import", "pairs", pairs, "--name", "ferry")
    run("import", "explained", "answers.jsonl", "--name", "ferry")
    [row] = explainers("ferry")
    assert row["DA"]["value"] == 0.4  # the two that are labelled consistent
    assert row["unanswered"] == 0


def test_without_an_endpoint_nothing_is_overwritten(pairs: Path, tmp_path: Path) -> None:
    out = tmp_path / "answers.jsonl"
    out.write_text("what was there\n")
    with pytest.raises(MissingEndpointError, match="Set TOUCHSTONE_LLM_BASE_URL"):
        run("explain", pairs, "-o", out)
    assert out.read_text() == "what was there\n"


@pytest.mark.usefixtures("asked")
def test_where_nothing_is_labelled_inconsistent_there_is_nothing_to_give(tmp_path: Path) -> None:
    file = tmp_path / "pairs.jsonl"
    file.write_text(json.dumps({"document": DOCUMENT, "summary": "It left."}) + "\n")
    with pytest.raises(TouchstoneError, match="no summary that is labelled inconsistent"):
        run("explain", file, "--ask", "given", "-o", "answers.jsonl")
