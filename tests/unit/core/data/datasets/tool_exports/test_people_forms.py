"""Answers of people in forms and in annotation tools without a file of tests of their own."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

import pytest

from core.data.datasets.generic import Generic
from core.errors import TouchstoneError
from tests.unit.core.data.datasets.tool_exports.form_files import (
    CONSISTENT,
    DOCUMENT,
    FALSE,
    INCONSISTENT,
    TRUE,
    items_of,
    labels,
    lines,
    looks_like,
    texts,
    votes,
)

META = {
    "StartDate": "2026-01-01 10:00:00",
    "EndDate": "2026-01-01 10:05:00",
    "Status": "IP Address",
    "Progress": "100",
    "Duration (in seconds)": "300",
    "Finished": "True",
    "RecordedDate": "2026-01-01 10:05:01",
}


def qualtrics(
    folder: Path, responses: Sequence[dict[str, str]], questions: Mapping[str, str] = MappingProxyType({})
) -> Path:
    """A CSV with its three header rows; `questions` by column."""
    rows = [{**META, "ResponseId": f"R_{n}a", **answers} for n, answers in enumerate(responses)]
    path = folder / "survey.csv"
    with path.open("w", newline="", encoding="utf-8-sig") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerow({name: questions.get(name, f"Question of\n{name}?") for name in rows[0]})
        writer.writerow({name: f'{{"ImportId":"{name}"}}' for name in rows[0]})
        writer.writerows(rows)
    return path


def test_a_response_of_qualtrics_is_the_vote_of_its_person(tmp_path: Path) -> None:
    shown = {"document": DOCUMENT, "summary": TRUE}
    answers = [
        {**shown, "verdict": verdict, "PROLIFIC_PID": who} for verdict, who in (("faithful", "p1"), ("faithful", "p2"))
    ]
    path = qualtrics(
        tmp_path,
        [*answers, {**answers[0], "verdict": "hallucinated", "PROLIFIC_PID": "p3", "Status": "Survey Preview"}],
    )
    [item] = items_of(path)
    assert looks_like(path) == "a Qualtrics export with 2 annotators"
    assert votes(item) == {"p1": CONSISTENT, "p2": CONSISTENT}
    assert (item.ratings, item.scores) == ((), ())


def test_rounds_of_a_loop_of_qualtrics_are_pairs(tmp_path: Path) -> None:
    answers = {
        f"{n}_{name}": value
        for n, summary, verdict in ((1, TRUE, "faithful"), (2, FALSE, "hallucinated"))
        for name, value in (("document", DOCUMENT), ("summary", summary), ("verdict", verdict))
    }
    items = items_of(qualtrics(tmp_path, [answers, answers]))
    assert texts(items) == [(DOCUMENT, TRUE), (DOCUMENT, FALSE)]
    assert labels(items) == [CONSISTENT, INCONSISTENT]
    assert [len(item.judgements) for item in items] == [2, 2]


LOOP = {"document": DOCUMENT, "1_Q3": "faithful", "2_Q3": "hallucinated"}


@pytest.mark.parametrize(
    "question", ["{} - Is it faithful?", "Read the document - {}\nIs it faithful?", "Summary: {}\nIs it faithful?"]
)
def test_texts_of_a_loop_of_qualtrics_stand_in_its_questions(question: str, tmp_path: Path) -> None:
    questions = {f"{number}_Q3": question.format(text) for number, text in ((1, TRUE), (2, FALSE))}
    items = items_of(qualtrics(tmp_path, [LOOP, {**LOOP, "1_Q3": ""}], questions))
    assert texts(items) == [(DOCUMENT, TRUE), (DOCUMENT, FALSE)]
    assert labels(items) == [CONSISTENT, INCONSISTENT]
    assert [len(item.judgements) for item in items] == [1, 2]


@pytest.mark.parametrize(
    "question",
    ["Is “{}” faithful?", "Is it faithful?", "{} - Document: {}\nIs {} faithful?", "Summary: {} Is it faithful?"],
)
def test_a_loop_of_qualtrics_whose_texts_cannot_be_told_is_refused_with_its_columns(
    question: str, tmp_path: Path
) -> None:
    questions = {f"{n}_Q3": question.format(text, n, text) for n, text in ((1, TRUE), (2, FALSE))}
    path = qualtrics(tmp_path, [LOOP, LOOP], questions)
    with pytest.raises(TouchstoneError, match="The columns 1_Q3, 2_Q3 answer about texts of a loop"):
        list(Generic().read(path))


@pytest.mark.parametrize("column", ["PROLIFIC_PID", "What is your Prolific ID?", "Prolific ID"])
def test_people_of_prolific_vote(column: str, tmp_path: Path) -> None:
    rows = [
        {"Timestamp": "2026-01-01", column: who, "document": DOCUMENT, "summary": TRUE, "verdict": "faithful"}
        for who in ("60af1", "60af2")
    ]
    path = lines(tmp_path, rows)
    [item] = items_of(path)
    assert looks_like(path) == "a form filled in by people of Prolific with 2 annotators"
    assert votes(item) == {"60af1": CONSISTENT, "60af2": CONSISTENT}


def doccano(n: int, summary: str, label: list[object]) -> dict[str, object]:
    return {"id": n, "text": summary, "document": DOCUMENT, "label": label, "Comments": []}


def test_classes_of_doccano_are_labels(tmp_path: Path) -> None:
    path = lines(
        tmp_path,
        [
            {**doccano(1, TRUE, ["faithful"]), "summary": TRUE},
            {**doccano(2, FALSE, ["hallucinated"]), "summary": FALSE},
        ],
    )
    assert looks_like(path) == "a doccano export"
    assert labels(items_of(path)) == [CONSISTENT, INCONSISTENT]


def test_classes_of_doccano_without_a_known_meaning_are_asked_for(tmp_path: Path) -> None:
    path = lines(tmp_path, [doccano(1, TRUE, ["1"]), doccano(2, FALSE, ["0"])])
    assert "label says 0, 1, and nothing says which of them is consistent." in Generic().question(path)
    assert labels(items_of(path, Generic(label_of_1="inconsistent"))) == [INCONSISTENT, CONSISTENT]
    assert labels(items_of(path, Generic(label="none"))) == [None, None]


def test_spans_of_doccano_are_kinds_of_errors(tmp_path: Path) -> None:
    path = lines(tmp_path, [doccano(1, TRUE, []), doccano(2, FALSE, [[0, 8, "ENTITY"], [9, 12, "TIME"]])])
    assert [item.categories for item in items_of(path)] == [(), ("ENTITY", "TIME")]


def test_edits_of_thresh_mark_places_and_make_no_other_summary(tmp_path: Path) -> None:
    edits = [{"id": 0, "category": "deletion", "input_idx": [[0, 5]], "annotation": {"severity": "minor"}}]
    records = [{"id": n, "source": DOCUMENT, "target": text, "edits": edits} for n, text in enumerate((TRUE, FALSE))]
    path = lines(tmp_path, records)
    items = items_of(path)
    assert looks_like(path) == "an export of thresh"
    assert texts(items) == [(DOCUMENT, TRUE), (DOCUMENT, FALSE)]
    assert [(item.edits, item.categories) for item in items] == [((), ("deletion",))] * 2


def test_records_of_the_first_argilla_count_where_they_were_validated(tmp_path: Path) -> None:
    records = [
        {
            "id": f"a{n}",
            "inputs": {"document": DOCUMENT, "summary": summary},
            "prediction": [["faithful", 0.8], ["hallucinated", 0.2]],
            "annotation": label,
            "annotation_agent": "kim",
            "status": status,
            "metadata": {"system": "m1"},
        }
        for n, (summary, label, status) in enumerate(
            (
                (TRUE, "faithful", "Validated"),
                (FALSE, "hallucinated", "Validated"),
                (f"{FALSE} So.", "faithful", "Discarded"),
            )
        )
    ]
    path = lines(tmp_path, records)
    items = items_of(path)
    assert looks_like(path) == "an Argilla export with 1 annotator"
    assert labels(items) == [CONSISTENT, INCONSISTENT, None]
    assert {item.system for item in items} == {"m1"}


def test_a_table_of_no_tool_is_in_no_form(tmp_path: Path) -> None:
    path = lines(tmp_path, [{"document": DOCUMENT, "summary": TRUE, "label": 1, "annotator": "kim"}] * 2)
    assert looks_like(path) == ""
    assert Generic().describe(path)
