"""Results of RAGAS, with lists as its writers put them into a cell."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from tests.unit.core.data.datasets.tool_exports.form_files import (
    GOLD,
    TRUE,
    items_of,
    lines,
    looks_like,
    refusals_of,
    scores,
)

PASSAGES = ["The ferry Alma left Kiel at noon.", "She carried 'forty' cars, and\nfog held her back."]
METRICS = {"faithfulness": 0.75, "noise_sensitivity(mode=relevant)": 0.1, "answer_relevancy": None}


def table(folder: Path, contexts: str) -> Path:
    row = {"user_input": "When?", "retrieved_contexts": contexts, "response": TRUE, "reference": GOLD, **METRICS}
    path = folder / "results.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, row)
        writer.writeheader()
        writer.writerow(row)
    return path


@pytest.mark.parametrize(
    "write", [repr, lambda passages: str(np.array(passages)), lambda passages: repr(np.array(passages))]
)
def test_a_list_in_a_cell_is_the_contexts(write: object, tmp_path: Path) -> None:
    assert callable(write)
    path = table(tmp_path, write(PASSAGES))
    [item] = items_of(path)
    assert looks_like(path) == "results of RAGAS"
    assert [context.span.of(item.example.document) for context in item.example.contexts] == PASSAGES
    assert (item.example.summary, item.example.question) == (TRUE, "When?")
    assert scores(item) == {"faithfulness": 0.75, "noise_sensitivity_relevant (negated)": -0.1}
    assert item.failed_scores == ("answer_relevancy",)
    assert GOLD not in str(item)


def test_json_lines_and_the_names_of_the_first_versions_are_read(tmp_path: Path) -> None:
    [item] = items_of(
        lines(tmp_path, [{"question": "When?", "contexts": PASSAGES, "answer": TRUE, "ground_truth": GOLD, **METRICS}])
    )
    assert len(item.example.contexts) == 2
    assert item.example.summary == TRUE


def test_a_list_that_numpy_cut_short_is_refused(tmp_path: Path) -> None:
    with np.printoptions(threshold=2, edgeitems=1):
        path = table(tmp_path, str(np.array([*PASSAGES, "Third.", "Fourth."])))
    with pytest.raises(Exception, match="to_jsonl"):
        refusals_of(path)
