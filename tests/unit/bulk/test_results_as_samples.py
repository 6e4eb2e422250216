"""`meta` and `import` read the results of blocks as they read scores of the database."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.bulk.block_writer import Refusals, write_blocks
from core.bulk.folder import Folder
from core.errors import TouchstoneError
from tests.unit.command_line import done, run

pytestmark = pytest.mark.usefixtures("database")


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """Six minimal pairs in which the edit is a word that the document has not, scored by a metric, and one without a label."""
    pairs = [
        {
            "id": str(n),
            "document": f"It rained in town {n}.",
            "summary": f"It rained in town {n}.",
            "edited": "It snowed.",
            "label": 0,
        }
        for n in range(6)
    ]
    lines = [json.dumps(pair) for pair in [*pairs, {"id": "x", "document": "It rained.", "summary": "It did."}]]
    (tmp_path / "in.jsonl").write_text("\n".join(lines))
    write_blocks(str(tmp_path / "in.jsonl"), Folder.at(str(tmp_path / "blocks")), Refusals())
    done("score", tmp_path / "blocks", "--to", tmp_path / "results", "--metric", "coverage", "--device", "cpu")
    return tmp_path / "results"


def test_meta_gives_the_same_rows_from_the_folder_and_from_the_database(results: Path) -> None:
    folder = json.loads(done("meta", "--results", results, "--resamples", 20, "--json"))
    counts = json.loads(done("import", "results", results, "--name", "bulk", "--json"))
    stored = json.loads(done("meta", "--dataset", "bulk", "--resamples", 20, "--json"))
    assert (counts["samples"], counts["pairs"]) == (13, 6)
    assert folder["rows"] == stored["rows"]
    assert folder["dataset"] == str(results)
    assert {row["metric"] for row in folder["rows"]} == {"coverage"}


def test_a_folder_that_is_none_of_results_says_what_makes_one(tmp_path: Path) -> None:
    for arguments, message in ((("--results", tmp_path), "score BLOCKS --to"), ((), "--dataset, or a folder")):
        with pytest.raises(TouchstoneError, match=message):
            raise run("meta", *arguments).exception or AssertionError("nothing was raised")
