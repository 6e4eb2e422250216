"""Explanations from files and datasets become cases, and what a judge said of them becomes lines that are read again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.data.dataset import Refusal
from core.errors import TouchstoneError
from core.evaluation.explanations.explanation_cases import (
    SkippedCase,
    cases_from_items,
    judgement_record,
    read_cases,
    read_judgements,
)
from core.evaluation.explanations.judge import ExplanationCase, ExplanationGrade
from core.evaluation.explanations.judge_agreement import GradePair
from core.types import Edit, Example, Failure, FailureKind, GradedExplanation, Item, Verdict
from tests.unit.core.evaluation.explanations.scenes import CASE, DOCUMENT, EDIT, REFERENCE, SEED, SUMMARY


def lines(file: Path, *records: object) -> Path:
    file.write_text("".join(f"{json.dumps(record)}\n" for record in records), encoding="utf-8")
    return file


def test_a_case_is_read_by_our_names_and_by_those_of_summexecedit(tmp_path: Path) -> None:
    ours = {
        "id": "a",
        "explanation": "So.",
        "document": DOCUMENT,
        "seed": SEED,
        "summary": SUMMARY,
        "reference": REFERENCE,
        "group": "g",
        "human": "partially",
    }
    theirs = {
        "sample_id": "a",
        "explanation": "So.",
        "doc": DOCUMENT,
        "original_summary": SEED,
        "edited_summary": SUMMARY,
        "reference_explanation": REFERENCE,
        "doc_id": "g",
        "grade": "Partially correct",
    }
    one, other = read_cases(lines(tmp_path / "cases.jsonl", ours, theirs))
    assert one == other == ExplanationCase("a", "So.", DOCUMENT, SEED, SUMMARY, REFERENCE, "g", "partially", "a")


def test_a_broken_line_is_refused_by_its_number_and_the_others_are_read(tmp_path: Path) -> None:
    file = lines(
        tmp_path / "cases.jsonl", {"explanation": "So."}, {"document": DOCUMENT}, ["no object"], {"explanation": 1}
    )
    file.write_text(
        file.read_text() + "no JSON\n" + json.dumps({"explanation": "So.", "human": "fine"}), encoding="utf-8"
    )
    found = list(read_cases(file))
    assert [one.line for one in found if isinstance(one, Refusal)] == [2, 3, 5, 6]
    assert [one.explanation for one in found if isinstance(one, ExplanationCase)] == ["So.", "1"]


def test_documents_are_the_unit_of_cases_that_name_none(tmp_path: Path) -> None:
    first, second = read_cases(lines(tmp_path / "cases.jsonl", *[{"explanation": "So.", "document": DOCUMENT}] * 2))
    assert isinstance(first, ExplanationCase)
    assert isinstance(second, ExplanationCase)
    assert first.group == second.group == DOCUMENT


def test_a_file_that_is_not_there_is_told() -> None:
    with pytest.raises(TouchstoneError, match="There is no file"):
        list(read_cases(Path("nowhere.jsonl")))


def test_the_graded_explanations_of_a_dataset_are_cases_with_all_that_is_known() -> None:
    why = Edit(EDIT.span, EDIT.new, REFERENCE)
    given = (GradedExplanation("So.", "it", "correct"), GradedExplanation("No.", "it", "no_explanation"))
    edited = Item(Example("b", DOCUMENT, SUMMARY), parent="a", edits=(why,), group="g", explanations=given)
    first, second = cases_from_items([Item(Example("a", DOCUMENT, SEED)), edited])
    assert first == ExplanationCase("b#0", "So.", DOCUMENT, SEED, SUMMARY, REFERENCE, "g", "entirely", "b", "it")
    assert isinstance(second, ExplanationCase)
    assert (second.id, second.human) == ("b#1", "not")


def test_what_machines_graded_is_graded_once_more_and_what_people_graded_once_for_each() -> None:
    given = (
        GradedExplanation("So.", "it", verdict=Verdict.INCONSISTENT),
        GradedExplanation("So.", "it", "not", "judge-v1|model:m"),
        GradedExplanation("No.", "it", "partially", "ann"),
        GradedExplanation("No.", "it", "entirely", "ben"),
    )
    found = list(cases_from_items([Item(Example("a", DOCUMENT, SUMMARY), explanations=given)]))
    assert [(one.explanation, one.human) for one in found if isinstance(one, ExplanationCase)] == [
        ("No.", "partially"),
        ("No.", "entirely"),
        ("So.", None),
    ]


def test_what_explains_no_error_is_spared_with_the_reason(tmp_path: Path) -> None:
    good, bad = Verdict.CONSISTENT, Verdict.INCONSISTENT
    said = {"explanation": "So.", "status": "ok"}
    of_file = read_cases(
        lines(
            tmp_path / "answers.jsonl",
            {**said, "verdict": good, "label": bad},
            {**said, "verdict": bad, "label": good},
            {"explanation": "", "status": "failed"},
            {**said, "verdict": bad, "label": bad},
        )
    )
    assert [one.value if isinstance(one, SkippedCase) else "" for one in of_file] == [
        "called the summary consistent",
        "of a summary that is labelled consistent",
        "without an answer",
        "",
    ]
    called = Item(Example("a", DOCUMENT, SUMMARY), explanations=(GradedExplanation("So.", "it", verdict=good),))
    labelled = Item(Example("b", DOCUMENT, SUMMARY), intended=good, explanations=(GradedExplanation("So.", "it"),))
    assert all(isinstance(one, SkippedCase) for one in cases_from_items([called, labelled]))


def test_what_a_judge_said_is_read_again_beside_the_grades_of_people(tmp_path: Path) -> None:
    human = ExplanationCase("a", "So.", group="g", human="partially")
    failure = Failure("b", "judge", FailureKind.INPUT, "Not readable.")
    told = [judgement_record(human, "J", ExplanationGrade("not", "No.", "J")), judgement_record(human, "J", failure)]
    nobody = judgement_record(CASE, "K", ExplanationGrade("entirely", "Yes.", "K"))
    assert read_judgements(lines(tmp_path / "judged.jsonl", *told, nobody)) == {
        "J": [GradePair("not", "partially", "g"), GradePair(None, "partially", "g")]
    }


def test_what_a_judge_wrote_can_be_judged_again_and_its_grade_is_no_persons(tmp_path: Path) -> None:
    by_person, by_nobody = (ExplanationCase("a", "So.", human="partially"), ExplanationCase("b", "So."))
    written = [judgement_record(case, "J", ExplanationGrade("not", "No.", "J")) for case in (by_person, by_nobody)]
    found = [one for one in read_cases(lines(tmp_path / "judged.jsonl", *written)) if isinstance(one, ExplanationCase)]
    assert [case.human for case in found] == ["partially", None]


def test_a_grade_that_failed_is_written_without_a_number() -> None:
    record = judgement_record(CASE, "J", Failure("case", "J", FailureKind.INPUT, "Not readable."))
    assert (record["status"], record["grade"], record["score"], record["error"]) == (
        "failed",
        None,
        None,
        "Not readable.",
    )


def test_a_line_of_another_kind_is_told_with_its_place(tmp_path: Path) -> None:
    with pytest.raises(TouchstoneError, match=r"judged\.jsonl, line 1 is no line that cli\.py judge wrote"):
        read_judgements(lines(tmp_path / "judged.jsonl", {"id": "a"}))
