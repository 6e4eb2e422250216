"""Exports of Label Studio: who answered is never an answer, and several answers are votes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.data.datasets.formats.known_forms import form_columns
from core.data.datasets.generic import Generic, preview_rows
from core.types import Rating
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
    whole,
)

ANSWERS = [
    (1, 1, TRUE, "Consistent"),
    (1, 2, TRUE, "Consistent"),
    (2, 1, FALSE, "Inconsistent"),
    (2, 2, FALSE, "Consistent"),
]

TRIAGE = [(1, 1, TRUE, "Keep"), (1, 2, TRUE, "Keep"), (2, 1, FALSE, "Look again"), (2, 2, FALSE, "Keep")]


def row(task: int, person: object, summary: str, verdict: object, **more: object) -> dict[str, object]:
    return {
        "article": DOCUMENT,
        "summary": summary,
        "id": task,
        "verdict": verdict,
        "annotator": person,
        "annotation_id": 10 * task,
        "created_at": "2026-01-01T00:00:00Z",
        "updated_at": "2026-01-01T00:00:00Z",
        "lead_time": 3.5,
        **more,
    }


def table(folder: Path, rows: list[dict[str, object]]) -> Path:
    path = folder / "export.csv"
    cells = [[value if isinstance(value, str) else json.dumps(value) for value in each.values()] for each in rows]
    quoted = [[f'"{cell.replace(chr(34), chr(34) * 2)}"' for cell in line] for line in ([*rows[0]], *cells)]
    path.write_text("".join(f"{','.join(line)}\n" for line in quoted), encoding="utf-8")
    return path


@pytest.mark.parametrize("write", [whole, lines, table])
def test_each_annotation_is_a_vote_of_its_person(write: object, tmp_path: Path) -> None:
    assert callable(write)
    path = write(tmp_path, [row(*answer) for answer in ANSWERS])
    right, tied = items_of(path)
    assert looks_like(path) == "a Label Studio export with 2 annotators"
    assert texts([right, tied]) == [(DOCUMENT, TRUE), (DOCUMENT, FALSE)]
    assert [votes(item) for item in (right, tied)] == [
        {"1": CONSISTENT, "2": CONSISTENT},
        {"1": INCONSISTENT, "2": CONSISTENT},
    ]
    assert labels([right, tied]) == [CONSISTENT, None]


def test_one_person_who_answered_everything_is_no_label(tmp_path: Path) -> None:
    path = whole(tmp_path, [row(n, 1, f"{TRUE} {n}", None) for n in range(4)])
    items = items_of(path)
    assert labels(items) == [None] * 4
    assert [item.ratings for item in items] == [()] * 4


@pytest.mark.parametrize("write", [whole, table])
def test_cells_of_several_choices_ratings_and_areas_are_read(write: object, tmp_path: Path) -> None:
    assert callable(write)
    more = {"errors": {"choices": ["Entity", "Number"]}, "fluency": [{"rating": 4}]}
    areas = [{"start": 0, "end": 4, "text": "The", "labels": ["Wrong place"]}]
    rows = [row(*answer, **more, marked=areas) for answer in ANSWERS]
    first, _ = items_of(write(tmp_path, rows))
    assert first.categories == ("Entity", "Number")
    assert first.ratings == (Rating("1", "fluency", 4), Rating("2", "fluency", 4))


def test_data_that_bears_the_name_of_a_question_stays_the_text(tmp_path: Path) -> None:
    rows = [
        {**row(n, 1, "", verdict), "summary": "rewritten so", "_data_summary": text}
        for n, _, text, verdict in ANSWERS[1:3]
    ]
    assert [item.example.summary for item in items_of(whole(tmp_path, rows))] == [TRUE, FALSE]


def test_a_task_that_everybody_skipped_is_unlabelled(tmp_path: Path) -> None:
    def task(n: int, **more: object) -> dict[str, object]:
        value = {"choices": ["Consistent"]}
        answer = {
            "completed_by": {"id": 4, "email": "kim@lab.example"},
            "result": [{"from_name": "verdict", "value": value}],
        }
        return {"id": n, "data": {"article": DOCUMENT, "summary": f"{TRUE} {n}"}, "annotations": [{**answer, **more}]}

    answered, skipped = items_of(whole(tmp_path, [task(1), task(2, was_cancelled=True)]))
    assert votes(answered) == {"kim@lab.example": CONSISTENT}
    assert labels([answered, skipped]) == [CONSISTENT, None]


def test_the_one_question_with_options_of_its_own_is_handed_on_as_a_label_without_a_meaning(tmp_path: Path) -> None:
    rows = [{**row(n, who, text, None), "triage": option} for n, who, text, option in TRIAGE]
    path = whole(tmp_path, [{name: cell for name, cell in each.items() if name != "verdict"} for each in rows])
    assert "triage says keep, look again, and nothing says which of them is consistent." in Generic().question(path)
    columns = form_columns(path, preview_rows(path))
    assert (columns.label, {"keep", "look again"} & columns.verdicts.keys()) == ("triage", set())
