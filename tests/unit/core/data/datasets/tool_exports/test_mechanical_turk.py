"""Batches of Mechanical Turk: plain columns, a column for each option, and all answers in one cell."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.unit.core.data.datasets.tool_exports.form_files import (
    CONSISTENT,
    DOCUMENT,
    INCONSISTENT,
    TRUE,
    items_of,
    labels,
    lines,
    looks_like,
    votes,
)


def plain(holds: bool) -> dict[str, object]:
    return {"Answer.verdict": "supported" if holds else "not supported"}


def options(holds: bool) -> dict[str, object]:
    return {"Answer.verdict.consistent": str(holds).lower(), "Answer.verdict.inconsistent": str(not holds).lower()}


def one_cell(holds: bool) -> dict[str, object]:
    return {
        "Answer.taskAnswers": json.dumps(
            [{"verdict": {"consistent": holds, "inconsistent": not holds}, "why": "Because."}]
        )
    }


def classifier(holds: bool) -> dict[str, object]:
    return {"Answer.taskAnswers": json.dumps([{"verdict": {"label": "Faithful" if holds else "Hallucinated"}}])}


@pytest.mark.parametrize("answer", [plain, options, one_cell, classifier])
def test_each_worker_votes_and_rejected_work_says_nothing(answer: object, tmp_path: Path) -> None:
    assert callable(answer)
    work = [
        {
            "HITId": "3A",
            "WorkerId": f"W{n}",
            "AssignmentStatus": "Rejected" if n == 3 else "Approved",
            "WorkTimeInSeconds": 40 + n,
            "Input.article": DOCUMENT,
            "Input.summary": TRUE,
            **answer(holds),
        }
        for n, holds in enumerate((True, True, False, False, False))
    ]
    path = lines(tmp_path, work[:4])
    [item] = items_of(path)
    assert looks_like(path) == "a batch of Mechanical Turk with 4 annotators"
    assert votes(item) == {"W0": CONSISTENT, "W1": CONSISTENT, "W2": INCONSISTENT}
    assert labels([item]) == [CONSISTENT]
    assert item.ratings == ()
