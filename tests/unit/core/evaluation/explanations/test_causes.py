"""What is wrong with an explanation by its judge: asked only of a faulty one, and compared with what people found."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.errors import TouchstoneError
from core.evaluation.explanations.causes import judge_with_cause, parse_cause
from core.evaluation.explanations.judge import JudgeSetup
from core.evaluation.explanations.judge_agreement import GradePair, agreement_with_people
from core.types import ExplanationFlaw
from tests.unit.core.evaluation.explanations.commands import lines, run
from tests.unit.core.evaluation.explanations.scenes import CASE, SAMPLING, told
from tests.unit.core.models.llm.scripted import Body, Reply, serving, text

PARTIALLY = json.dumps({"because": "It does not say who.", "grade": "partially"})
VAGUE = json.dumps({"because": "It could be said of many.", "cause": "vague"})


def test_the_causes_are_those_that_people_choose_from() -> None:
    assert {parse_cause(flaw) for flaw in ExplanationFlaw} == {*ExplanationFlaw}
    with pytest.raises(TouchstoneError, match=r"The cause is 'tired'\. Known: misattribution"):
        parse_cause("tired")


@pytest.mark.usefixtures("terminal")
def test_a_faulty_explanation_has_its_cause_by_the_reason_of_its_grade(monkeypatch: pytest.MonkeyPatch) -> None:
    found, asked = told(monkeypatch, lambda: judge_with_cause(CASE, JudgeSetup.V1, SAMPLING), PARTIALLY, VAGUE)
    assert (found.grade, found.cause) == ("partially", "vague")
    assert found.cause_by.startswith("prompt:explanation-cause@1#")
    assert "It does not say who." in asked[1][1]["messages"][1]["content"]


@pytest.mark.usefixtures("terminal")
def test_of_one_that_is_entirely_correct_nothing_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    graded = PARTIALLY.replace("partially", "entirely")
    found, asked = told(monkeypatch, lambda: judge_with_cause(CASE, JudgeSetup.V1, SAMPLING), graded)
    assert (found.cause, len(asked)) == (None, 1)


@pytest.mark.usefixtures("terminal")
def test_causes_of_a_file_are_compared_with_those_of_people(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def answer(_path: str, body: Body) -> Reply:
        return text(PARTIALLY if body["response_format"]["json_schema"]["name"] == "Graded" else VAGUE)

    record = {"explanation": CASE.explanation, "reference": CASE.reference, "human": "not"}
    records = [record | {"id": cause, "human_cause": cause, "group": cause} for cause in ("vague", "misattribution")]
    (tmp_path / "cases.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in records))
    with serving(answer) as endpoint:
        monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", endpoint.url)
        run("judge", "cases.jsonl", "--setup", "V4", "--causes", "-o", "out.jsonl")
    assert [(line["cause"], line["human_cause"]) for line in lines(tmp_path / "out.jsonl")] == [
        *(("vague", "vague"), ("vague", "misattribution"))
    ]
    printed = run("study", "judge-agreement", "out.jsonl", "--resamples", "20", "--json").stdout
    figures = {row["agreement"]: row["value"] for row in json.loads(printed)["tables"]["with_people"]}
    assert figures["same cause"]["value"] == 0.5
    assert figures["kappa of causes"]["n"] == 2


def test_kappa_of_causes_is_that_counted_by_hand() -> None:
    vague, incomplete = ExplanationFlaw.VAGUE, ExplanationFlaw.COMPLETENESS
    causes = [(vague, vague)] * 2 + [
        (vague, incomplete),
        (incomplete, incomplete),
    ]
    pairs = [GradePair("not", "not", f"d{place}", *both) for place, both in enumerate(causes)]
    found = agreement_with_people([*pairs, GradePair("entirely", "not", "d9", None, "vague")], 20)
    # 3 of 4 alike; by chance (3·2 + 1·2) / 16
    assert found["same cause"].value == pytest.approx(3 / 4)
    assert found["kappa of causes"].value == pytest.approx((3 / 4 - 1 / 2) / (1 - 1 / 2))
    assert found["kappa of causes"].n == 4
    assert "same cause" not in agreement_with_people([GradePair("not", "not", "d")], 20)
