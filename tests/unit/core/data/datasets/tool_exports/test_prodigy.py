"""Exports of Prodigy: binary, choice and spans, sessions, and what was ignored or rejected."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.data.datasets.formats.known_forms import form_columns
from core.data.datasets.generic import Generic, preview_rows
from core.types import Verdict
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
    votes,
)


def task(summary: str, answer: str, person: str = "", **more: object) -> dict[str, object]:
    session = {"_session_id": f"summaries-{person}", "_annotator_id": f"summaries-{person}"} if person else {}
    hashes = {"_input_hash": hash(summary), "_task_hash": hash(summary), "_timestamp": 1.7e9, "_view_id": "choice"}
    return {"document": DOCUMENT, "summary": summary, "answer": answer, **hashes, **session, **more}


@pytest.mark.parametrize(
    ("label", "answer", "verdict"),
    [
        ("CONSISTENT", "accept", CONSISTENT),
        ("CONSISTENT", "reject", INCONSISTENT),
        ("HALLUCINATION", "accept", INCONSISTENT),
        ("HALLUCINATION", "reject", CONSISTENT),
        ("not_supported", "reject", CONSISTENT),
        ("CONSISTENT", "ignore", None),
    ],
)
def test_a_binary_answer_is_its_label_or_the_opposite(
    label: str, answer: str, verdict: Verdict | None, tmp_path: Path
) -> None:
    tasks = [task(TRUE, answer, label=label), task(FALSE, "accept", label="CONSISTENT")]
    assert labels(items_of(lines(tmp_path, tasks)))[0] is verdict


@pytest.mark.parametrize("label", ["CHECK", "1", None])
def test_a_binary_answer_to_an_unknown_label_is_handed_on_as_words(label: str | None, tmp_path: Path) -> None:
    path = lines(tmp_path, [task(TRUE, "accept", label=label), task(FALSE, "reject", label=label)])
    word = f"accept {label.lower()}" if label else "accept"
    assert f"label says {word}, " in Generic().question(path)
    assert labels(items_of(path, Generic(consistent=word))) == [CONSISTENT, INCONSISTENT]


OPTIONS = [{"id": 1, "text": "Faithful"}, {"id": 2, "text": "Hallucinated"}]


def test_a_choice_is_the_text_of_its_option_and_a_session_a_vote(tmp_path: Path) -> None:
    tasks = [
        task(TRUE, "accept", "kim", options=OPTIONS, accept=[1]),
        task(TRUE, "accept", "ben", options=OPTIONS, accept=[2]),
        task(TRUE, "accept", "ida", options=OPTIONS, accept=[2]),
        task(FALSE, "accept", "kim", options=OPTIONS, accept=[2]),
        task(FALSE, "reject", "ben", options=OPTIONS, accept=[1]),
        task(FALSE, "ignore", "ida", options=OPTIONS, accept=[]),
    ]
    path = lines(tmp_path, tasks)
    first, second = items_of(path)
    assert looks_like(path) == "a Prodigy export with 3 annotators"
    assert votes(first) == {"summaries-kim": CONSISTENT, "summaries-ben": INCONSISTENT, "summaries-ida": INCONSISTENT}
    assert votes(second) == {"summaries-kim": INCONSISTENT}
    assert labels([first, second]) == [INCONSISTENT, INCONSISTENT]


@pytest.mark.parametrize("names", [("1", "0"), ("yes", "no"), ("A", "B")])
def test_a_choice_that_does_not_say_what_it_means_is_asked_for(names: tuple[str, str], tmp_path: Path) -> None:
    tasks = [
        task(text, "accept", options=[{"id": name, "text": name} for name in names], accept=[name])
        for text, name in zip((TRUE, FALSE), names, strict=True)
    ]
    path = lines(tmp_path, tasks)
    assert "nothing says which of them is consistent." in Generic().question(path)
    columns = form_columns(path, preview_rows(path))
    assert columns.label == "label"
    assert not {name.lower() for name in names} & columns.verdicts.keys()
    assert labels(items_of(path, Generic(consistent=names[0].lower()))) == [CONSISTENT, INCONSISTENT]


def test_spans_are_kinds_of_errors_and_no_label(tmp_path: Path) -> None:
    spans = [{"start": 0, "end": 8, "label": "ENTITY"}, {"start": 9, "end": 12, "label": "TIME"}]
    tasks = [task(TRUE, "accept", "kim", spans=[]), task(FALSE, "accept", "kim", spans=spans)]
    right, wrong = items_of(lines(tmp_path, tasks))
    assert (right.categories, wrong.categories) == ((), ("ENTITY", "TIME"))
    assert labels([right, wrong]) == [None, None]


def test_texts_that_lie_in_the_meta_data_are_found(tmp_path: Path) -> None:
    tasks = [
        {
            "text": text,
            "meta": {"document": DOCUMENT},
            "answer": "accept",
            "label": "FAITHFUL",
            "_input_hash": 1,
            "_task_hash": 2,
        }
        for text in (TRUE, FALSE)
    ]
    assert [item.example.document for item in items_of(lines(tmp_path, tasks))] == [DOCUMENT, DOCUMENT]
