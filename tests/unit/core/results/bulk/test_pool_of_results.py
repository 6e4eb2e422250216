"""The rate of inconsistent summaries of a folder of results, of which few pairs have a label."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.results.bulk.block_writer import Refusals, write_blocks
from core.results.bulk.bulk_pool import pool_of_results
from core.results.bulk.folder import Folder
from tests.unit.command_line import done, run

pytestmark = pytest.mark.usefixtures("database")

SIZE = 60


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """Pairs of two domains, of which every third summary is made of words that the document has not; none has a label."""
    pairs = [
        {
            "id": f"s{n}",
            "document": f"It rained in town {n // 2}.",
            "summary": "Snow fell." if n % 3 == 0 else f"It rained in town {n // 2}.",
            "domain": "sea" if n < SIZE / 2 else "land",
        }
        for n in range(SIZE)
    ]
    (tmp_path / "in.jsonl").write_text("\n".join(map(json.dumps, pairs)))
    write_blocks(str(tmp_path / "in.jsonl"), Folder.at(str(tmp_path / "blocks")), Refusals())
    done("score", tmp_path / "blocks", "--to", tmp_path / "results", "--metric", "coverage", "--device", "cpu")
    return tmp_path / "results"


@pytest.fixture
def labels(tmp_path: Path) -> Path:
    lines = [json.dumps({"id": f"s{n}", "label": int(n % 3 > 0)}) for n in range(0, SIZE, 2)]
    file = tmp_path / "few.jsonl"
    file.write_text("\n".join(lines))
    return file


def test_pairs_without_a_label_are_in_the_pool(results: Path) -> None:
    pool = pool_of_results(str(results), "domain")
    assert len(pool.ids) == SIZE
    assert not len(pool.labelled)
    assert {name: int(mask.sum()) for name, mask in pool.parts.items()} == {"land": 30, "sea": 30}
    assert [column.name for column in pool.columns] == ["coverage"]
    assert len(set(pool.documents[:4])) == 2


def test_the_command_takes_labels_from_a_file(results: Path, labels: Path) -> None:
    printed = json.loads(
        done("study", "prevalence", "--results", results, "--labels", labels, "--by", "domain", "--json")
    )
    rate = printed["tables"]["rates"][0]["rate"]
    assert rate["low"] < 1 / 3 < rate["high"]
    assert printed["data"]["pool"]["labels"] == SIZE / 2
    assert f"--results {results}" in printed["command"]
    assert f"--labels {labels}" in printed["command"]
    assert len(printed["tables"]["parts"]) == 2


def test_the_plan_needs_no_data_and_takes_them(results: Path, labels: Path) -> None:
    assert "labels of 10,000 summaries" in done("study", "label-plan", "--assumed-rate", 10, "--assumed-auc", 80)
    assert f"labels of {SIZE} summaries" in done("study", "label-plan", "--results", results, "--labels", labels)


def test_a_pool_that_is_not_named_is_asked_for() -> None:
    refused = run("study", "prevalence")
    assert refused.exit_code == 1
    assert "Name the pool" in str(refused.exception)
