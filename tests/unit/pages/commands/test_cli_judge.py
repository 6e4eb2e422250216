"""`cli.py judge` and `cli.py study judge-agreement` with a scripted judge: from graded explanations to figures of agreement."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from core.data.dataset import DATASETS
from core.errors import BadSettingError, MissingEndpointError, TouchstoneError
from core.evaluation.explanations.explanation_cases import cases_from_items
from core.types import Item
from tests.doubles.released import EXPLANATIONS, needs
from tests.unit.core.evaluation.explanations.commands import lines, run
from tests.unit.core.evaluation.explanations.scenes import DOCUMENT, EXPLANATION, REFERENCE, SEED, SUMMARY, Asked
from tests.unit.core.models.llm.scripted import Body, Reply, serving, text

pytestmark = pytest.mark.usefixtures("terminal")

FIGURES = {"pearson", "spearman", "kendall", "kappa", "weighted kappa"} | {
    "balanced accuracy, entirely",
    "balanced accuracy, at least partially",
}
VAGUE, UNREAD = "Something in it is wrong.", "Hard to say."
GRADED = [(EXPLANATION, "correct"), (VAGUE, "incorrect"), ("Tuesday is wrong.", "unrelated"), (UNREAD, "correct")]


def reply(_path: str, body: Body) -> Reply:
    """A judge that takes whatever names the harbour master for right, and grades nothing that is hard to say."""
    [explanation] = re.findall(r"<explanation-\w+>\n(.*?)\n</explanation", body["messages"][1]["content"], re.DOTALL)
    if explanation == UNREAD:
        return text("It depends." if body["model"] != "stern" else json.dumps({"because": "No.", "grade": "not"}))
    if body["model"] == "stern" and explanation != VAGUE:
        return text(json.dumps({"because": "No.", "grade": "not"}))
    grade = "entirely" if "harbour master" in explanation else "partially" if explanation == VAGUE else "not"
    return text(json.dumps({"because": "So it is.", "grade": grade}))


@pytest.fixture
def asked(terminal: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[Asked]:  # noqa: ARG001  # which comes first
    """What the scripted judge is asked."""
    with serving(reply) as endpoint:
        monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", endpoint.url)
        yield endpoint.asked


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "judged.jsonl"


def written(file: Path, *records: object) -> Path:
    file.write_text("".join(f"{json.dumps(record)}\n" for record in records), encoding="utf-8")
    return file


@pytest.fixture
def imported(tmp_path: Path) -> str:
    """A dataset in the form of factualNLG's graded explanations."""
    samples = [{"model": "m", "prompt": "p", "annotation": grade, "explanation": words} for words, grade in GRADED]
    records = [{"id": name, "doc": f"{DOCUMENT} {name}.", "summary": SUMMARY, "samples": samples} for name in "abc"]
    (tmp_path / "graded.json").write_text(json.dumps(records), encoding="utf-8")
    run("import", "factualnlg", tmp_path / "graded.json", "--name", "graded")
    return "graded"


def agreement(*files: Path) -> dict[str, list[dict[str, Any]]]:
    """The tables of `study judge-agreement`."""
    report = json.loads(run("study", "judge-agreement", *files, "--resamples", "20", "--json").stdout)
    tables: dict[str, list[dict[str, Any]]] = report["tables"]
    return tables


@pytest.mark.usefixtures("asked")
def test_the_explanations_of_a_dataset_are_judged_and_compared_with_peoples_grades(imported: str, out: Path) -> None:
    printed = run("judge", "--dataset", imported, "--setup", "V1", "-o", out, status=1).stderr
    assert "Estimate: 12 questions to endpoints" in printed
    assert "Explanations judged: entirely 3, partially 3, not 3, failed 3." in printed
    assert "Spent: default: 15 questions" in printed  # what could not be read was asked for once more
    tables = agreement(out)
    [of_judge] = tables["graded"]
    assert of_judge["judge"].startswith("judge-v1|model:tiny|temperature:0|")
    assert (of_judge["explanations"], of_judge["failed"]) == (12, 3)
    figures = {row["agreement"]: row["value"]["value"] for row in tables["with_people"]}
    assert figures.keys() == FIGURES
    assert figures["balanced accuracy, entirely"] == 1.0
    # of people's "not" the judge calls half partially right
    assert figures["balanced accuracy, at least partially"] == 0.75


@pytest.mark.usefixtures("asked")
def test_an_answer_that_is_no_grade_stands_there_with_what_was_said_and_no_number(imported: str, out: Path) -> None:
    run("judge", "--dataset", imported, "--setup", "V1", "-o", out, status=1)
    failed = [line for line in lines(out) if line["status"] == "failed"]
    assert [(line["grade"], line["score"]) for line in failed] == [(None, None)] * 3
    assert "The model said: “It depends.”" in failed[0]["error"]


def test_a_file_of_cases_is_judged_by_what_the_set_up_reads(asked: Asked, tmp_path: Path, out: Path) -> None:
    whole = {"id": "a", "explanation": EXPLANATION, "seed": SEED, "summary": SUMMARY, "reference": REFERENCE}
    cases = written(tmp_path / "cases.jsonl", whole, {**whole, "id": "b", "seed": ""})
    run("judge", cases, "--setup", "V3", "-o", out, status=1)
    graded, lacking = lines(out)
    assert (graded["grade"], graded["score"], graded["human"]) == ("entirely", 1.0, None)
    assert graded["checks"] == {"names_edit": True, "contradicts_verdict": False}
    assert "V3 reads the original summary, and there is none." in lacking["error"]
    assert len(asked) == 1


def test_another_sample_is_asked_for_and_the_same_one_is_not(asked: Asked, tmp_path: Path, out: Path) -> None:
    cases = written(tmp_path / "cases.jsonl", {"explanation": EXPLANATION, "reference": REFERENCE})
    for sample in ("0", "0", "1"):
        run("judge", cases, "--setup", "V4", "--temperature", "1", "--sample", sample, "-o", out)
    assert len(asked) == 2


@pytest.mark.usefixtures("asked")
def test_a_panel_writes_every_grade_and_the_majority_and_its_judges_are_compared(
    tmp_path: Path, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "endpoints.toml"
    url = os.environ["TOUCHSTONE_LLM_BASE_URL"]
    file.write_text(f'[stern]\nbase_url = "{url}"\nmodel = "stern"\n')
    monkeypatch.setenv("TOUCHSTONE_ENDPOINTS", str(file))
    texts = [(EXPLANATION, "entirely"), (VAGUE, "not"), (UNREAD, "entirely")]
    cases = written(
        tmp_path / "cases.jsonl",
        *(
            {"id": f"c{n}", "explanation": one, "reference": REFERENCE, "human": human}
            for n, (one, human) in enumerate(texts)
        ),
    )
    panel = [part for judge in ("one", "two@", "@stern") for part in ("--judge", judge)]
    printed = run("judge", cases, "--setup", "V4", *panel, "-o", out, status=1).stderr
    assert "Estimate: 9 questions to endpoints" in printed
    found = lines(out)
    assert [line["signature"].split("|")[1] for line in found[:4]] == [
        *("model:one", "model:two", "model:stern", "model:one+two+stern@stern")
    ]
    majority = [line for line in found if line["signature"].startswith("panel|")]
    # the stern judge calls every explanation that is not vague wrong
    assert [(line["grade"], line["votes"], line["failed"]) for line in majority] == [
        ("entirely", {"entirely": 2, "not": 1}, 0),
        ("partially", {"partially": 3}, 0),
        (None, {"not": 1}, 2),
    ]
    assert majority[2]["error"] == "1 of 3 judges gave a grade, and 2 are needed: not 1, failed 2."
    assert majority[0]["mean"] == pytest.approx(2 / 3)
    tables = agreement(out)
    assert [row["explanations"] for row in tables["graded"]] == [3, 3, 3, 3]
    assert [row["graded"] for row in tables["judges"]] == [2, 2, 3]
    among = {row["agreement"]: row["value"]["value"] for row in tables["among_judges"]}
    assert among["same grade"] == pytest.approx((1 / 3 * 3 + 3) / 6)
    assert among["weighted kappa, 1 × 2"] == 1.0


def test_a_tie_is_no_grade(asked: Asked, tmp_path: Path, out: Path) -> None:
    cases = written(tmp_path / "cases.jsonl", {"explanation": EXPLANATION, "reference": REFERENCE})
    run("judge", cases, "--setup", "V4", "--judge", "one", "--judge", "stern", "-o", out)
    *_, panel = lines(out)
    assert (panel["status"], panel["grade"], panel["score"], panel["mean"]) == ("failed", None, None, 0.5)
    assert panel["error"] == "The judges are tied: entirely 1, not 1."
    assert len(asked) == 2


def test_a_quorum_stands_in_the_signature_and_is_at_most_the_panel(asked: Asked, tmp_path: Path, out: Path) -> None:
    cases = written(tmp_path / "cases.jsonl", {"explanation": EXPLANATION, "reference": REFERENCE})
    panel = ("--judge", "one", "--judge", "two", "-o", out)
    run("judge", cases, "--setup", "V4", "--quorum", "2", *panel)
    *_, line = lines(out)
    assert (line["grade"], line["signature"].split("#")[0]) == (
        "entirely",
        "panel|model:one+two|majority of 2, quorum 2",
    )
    with pytest.raises(BadSettingError, match="The quorum must be 0 to 2"):
        run("judge", cases, "--setup", "V4", "--quorum", "3", *panel)
    assert len(asked) == 2


@pytest.mark.usefixtures("asked")
def test_weights_of_judges_come_from_a_file_with_grades_of_people(tmp_path: Path, out: Path) -> None:
    """The stern judge calls every explanation wrong that people call entirely correct, and is believed the other way."""
    panel = ("--setup", "V4", "--judge", "one", "--judge", "stern", "-o", out)
    known = [
        {"id": f"c{n}", "explanation": EXPLANATION if n % 2 else VAGUE, "reference": REFERENCE, "human": grade}
        for n, grade in enumerate(["partially", "entirely"] * 6)
    ]
    run("judge", written(tmp_path / "known.jsonl", *known), *panel)
    graded = out.rename(tmp_path / "graded.jsonl")
    new = written(tmp_path / "new.jsonl", {"explanation": EXPLANATION, "reference": REFERENCE})
    run("judge", new, *panel)
    assert lines(out)[-1]["error"] == "The judges are tied: entirely 1, not 1."
    run("judge", new, *panel, "--weights", graded)
    found = lines(out)[-1]
    assert (found["grade"], found["votes"]) == ("entirely", {"entirely": 1, "not": 1})
    assert found["probabilities"]["entirely"] > 0.5
    assert "|weighted by 12 grades of people#" in found["signature"]
    with pytest.raises(TouchstoneError, match="People graded 0 of the explanations that judge-v4"):
        run("judge", new, "--setup", "V4", "--judge", "one", "--judge", "two", "-o", out, "--weights", graded)


def test_judges_of_several_files_are_told_apart(asked: Asked, tmp_path: Path) -> None:
    cases = written(tmp_path / "cases.jsonl", {"explanation": EXPLANATION, "reference": REFERENCE, "human": "entirely"})
    for model in ("one", "other"):
        run("judge", cases, "--setup", "V4", "--model", model, "-o", tmp_path / f"{model}.jsonl")
    tables = agreement(tmp_path / "one.jsonl", tmp_path / "other.jsonl")
    assert [row["explanations"] for row in tables["graded"]] == [1, 1]
    assert len(asked) == 2


@pytest.mark.slow
@needs("summedits")
@pytest.mark.usefixtures("asked")
def test_a_judge_is_compared_with_the_people_of_factualnlg(tmp_path: Path, out: Path) -> None:
    items = [found for found in DATASETS.parse("factualnlg").read(EXPLANATIONS) if isinstance(found, Item)]
    told = list(islice(cases_from_items(items), 0, None, 50))
    records = [{"id": one.id, "explanation": one.explanation, "group": one.group, "human": one.human} for one in told]
    texts = [{"document": one.document, "summary": one.summary} for one in told]
    cases = written(tmp_path / "cases.jsonl", *[{**a, **b} for a, b in zip(records, texts, strict=True)])
    run("judge", cases, "--setup", "V1", "-o", out)
    tables = agreement(out)
    assert [(row["explanations"], row["failed"]) for row in tables["graded"]] == [(len(told), 0)]
    assert {row["agreement"] for row in tables["with_people"]} == FIGURES


def test_without_an_endpoint_nothing_is_overwritten(tmp_path: Path, out: Path) -> None:
    cases = written(tmp_path / "cases.jsonl", {"explanation": EXPLANATION, "reference": REFERENCE})
    out.write_text("what was there\n")
    with pytest.raises(MissingEndpointError, match="Set TOUCHSTONE_LLM_BASE_URL"):
        run("judge", cases, "--setup", "V4", "-o", out)
    assert out.read_text() == "what was there\n"


@pytest.mark.usefixtures("asked")
@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("judge", "--setup", "V1"), "Name a file of explanations, or an imported dataset"),
        (("judge", "cases.jsonl", "--dataset", "d", "--setup", "V1"), "one of the two"),
        (("judge", "cases.jsonl", "--setup", "V1"), "There is no file cases.jsonl"),
        (("judge", "--dataset", "nowhere", "--setup", "V1"), "nowhere"),
        (("judge", "cases.jsonl", "--setup", "V1", "--judge", "one"), "two judges or more, each once; got one"),
        (("judge", "cases.jsonl", "--setup", "V1", "--judge", "one", "--judge", "one"), "each once; got one, one"),
        (("judge", "cases.jsonl", "--setup", "V1", "--judge", "one", "--model", "two"), "Leave one of the two out"),
        (("judge", "cases.jsonl", "--setup", "V1", "--judge", "one@nowhere"), "No endpoint is named 'nowhere'"),
    ],
    ids=[
        *("no source", "two sources", "no such file", "no such dataset"),
        *("one judge", "the same judge", "a model besides", "no such endpoint"),
    ],
)
def test_what_cannot_be_judged_is_told(arguments: tuple[str, ...], sentence: str, out: Path) -> None:
    with pytest.raises(TouchstoneError, match=sentence):
        run(*arguments, "-o", out)


def test_grades_that_nobody_can_be_compared_with_are_told(out: Path) -> None:
    written(out, {"signature": "J", "group": "g", "human": None, "grade": "not"})
    with pytest.raises(TouchstoneError, match="No person graded any of these explanations"):
        run("study", "judge-agreement", out)
