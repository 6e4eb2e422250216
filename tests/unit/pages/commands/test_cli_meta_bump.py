"""BUMP's published tables from the command line, where its data is present."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.doubles.released import BUMP, needs
from tests.unit.command_line import done, flat_row, rows_of, run

TASK_2 = BUMP.with_name("task2_first20.json")
pytestmark = [needs("bump"), pytest.mark.usefixtures("database")]

COUNTS = {
    "Intrinsic Predicate": 116,
    "Extrinsic Predicate": 76,
    "Intrinsic Entity": 128,
    "Extrinsic Entity": 115,
    "Intrinsic Circumstance": 82,
    "Extrinsic Circumstance": 78,
    "Coreference": 98,
}
"""BUMP task 1, pairs per corrected type (Ma et al. 2023, table 2)."""

PUBLISHED = {
    "BARTScore": (91.9, 60.1),
    "CoCo": (90.8, 56.4),
    "DAE": (87.9, 63.7),
    "QAFactEval": (84.0, 71.5),
    "BERTScore": (81.4, 55.0),
    "QuestEval": (78.6, 62.0),
    "BLEURT": (74.5, 55.1),
    "SummaC": (68.4, 55.9),
    "ROUGE-2": (67.2, 53.2),
    "BLEU": (66.1, 50.6),
    "Q2": (65.7, 64.2),
    "FactCC": (59.5, 57.2),
}
"""Overall consistency and AUC in percent (tables 4a and 5a); the tables were rounded twice."""


def test_bump_gives_its_published_tables_through_import_and_meta() -> None:
    done("import", "bump", BUMP, "--name", "bump-task1")
    found = rows_of("bump-task1", "--resamples", 200)
    assert {kind: found["BLEU", kind]["n"] for kind in COUNTS} == COUNTS
    for metric, (share, area) in PUBLISHED.items():
        row = found[metric, "Overall"]
        assert 100 * row["consistency"] == pytest.approx(share, abs=0.1 + 1e-9), metric
        assert 100 * row["auc"] == pytest.approx(area, abs=0.1 + 1e-9), metric
        assert row["consistency_low"] < row["consistency"] < row["consistency_high"]
    predicates = {"BARTScore": 96.6, "CoCo": 88.8, "QAFactEval": 79.3, "ROUGE-2": 51.7}
    assert {name: 100 * found[name, "Intrinsic Predicate"]["consistency"] for name in predicates} == pytest.approx(
        predicates, abs=0.1 + 1e-9
    )
    assert 100 * found["QAFactEval", "Intrinsic Predicate"]["auc"] == pytest.approx(66.7, abs=0.1 + 1e-9)
    assert 100 * found["DAE", "Intrinsic Predicate"]["auc"] == pytest.approx(60.4, abs=0.1 + 1e-9)


@pytest.mark.slow
def test_every_cell_per_type_is_what_counting_the_released_scores_gives() -> None:
    done("import", "bump", BUMP, "--name", "bump-task1")
    found = rows_of("bump-task1", "--resamples", 2)
    records = json.loads(BUMP.read_text(encoding="utf-8"))
    for metric in PUBLISHED:
        for kind in COUNTS:
            sides = [
                (one["scores"][f"{metric}_reference"], one["scores"][f"{metric}_edited"])
                for one in records
                if one["corrected_error_type"].removesuffix(" Error") == kind
            ]
            row = found[metric, kind]
            assert row["consistency"] == pytest.approx(sum(good > bad for good, bad in sides) / len(sides))
            assert row["ties"] == pytest.approx(sum(good == bad for good, bad in sides) / len(sides))
            wins = sum((good > bad) + (good == bad) / 2 for good, _ in sides for _, bad in sides)
            assert row["auc"] == pytest.approx(wins / len(sides) ** 2)


@pytest.mark.slow
def test_the_two_tasks_are_pooled_without_the_two_metrics_that_were_rescaled() -> None:
    done("import", "bump", BUMP, "--name", "task1")
    done("import", "bump", TASK_2, "--name", "task2")
    result = run("study", "measures", "--dataset", "task1", "--dataset", "task2", "--resamples", 50, "--json")
    report = json.loads(result.stdout)
    assert {row["metric"] for row in report["tables"]["measures"]} == set(PUBLISHED) - {"BARTScore", "QAFactEval"}
    assert "BARTScore in task1 and task2" in result.stderr
    assert "task1 and task2 have 20 documents in common" in result.stderr


@pytest.mark.slow
def test_both_tasks_in_one_folder_are_not_pooled_either_and_each_keeps_its_figures(tmp_path: Path) -> None:
    folder = tmp_path / "bump"
    folder.mkdir()
    for number, file in enumerate((BUMP, TASK_2), start=1):
        (folder / f"task{number}_dataset.json").write_bytes(file.read_bytes())
    done("import", "bump", folder, "--name", "both")
    result = run("study", "measures", "--dataset", "both", "--by", "source", "--resamples", 50, "--json")
    rows = map(flat_row, json.loads(result.stdout)["tables"]["measures"])
    found = {(row["metric"], row["slice"]): row for row in rows}
    assert "BARTScore in both, task 1 and task 2: The two sources score" in result.stderr
    assert {metric for (metric, part), row in found.items() if part == "Overall" and row["auc"] is None} == {
        "BARTScore",
        "QAFactEval",
    }
    for metric in ("BARTScore", "QAFactEval"):
        share, area = PUBLISHED[metric]
        row = found[metric, "task 1"]
        assert [100 * row["consistency"], 100 * row["auc"]] == pytest.approx([share, area], abs=0.1 + 1e-9)


@pytest.mark.slow
def test_one_task_alone_has_no_scores_that_contradict_each_other() -> None:
    done("import", "bump", BUMP, "--name", "bump-task1")
    assert "different scores" not in run("study", "measures", "--dataset", "bump-task1", "--resamples", 2).stderr
