"""Other commands read blocks as they read a file of pairs, and their results as scores of the database."""

from __future__ import annotations

import json
import os
import shutil
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from core.errors import TouchstoneError
from core.results.bulk.block_writer import Refusals, write_blocks
from core.results.bulk.blocks import row_of_item, write_block, write_manifest
from core.results.bulk.folder import Folder
from core.results.bulk.results import count_failures, open_stored_results, write_results
from core.types import Example, Failure, FailureKind, Item
from pages.ui.evaluate.bulk_results import format_progress
from tests.unit.command_line import done, run
from tests.unit.core.models.llm.scripted import serving, text
from tests.unit.core.results.bulk.test_block_scoring import lines
from tests.unit.core.results.bulk.test_blocks import pairs_of

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
    folder = json.loads(done("study", "measures", "--results", results, "--resamples", 20, "--json"))
    counts = json.loads(done("import", "results", results, "--name", "bulk", "--json"))
    stored = json.loads(done("study", "measures", "--dataset", "bulk", "--resamples", 20, "--json"))
    assert (counts["samples"], counts["pairs"]) == (13, 6)
    assert folder["tables"] == stored["tables"]
    assert folder["data"]["datasets"] == [str(results)]
    assert {row["metric"] for row in folder["tables"]["measures"]} == {"coverage"}


def test_a_study_that_is_interrupted_ends_with_a_sentence(results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> list[object]:
        raise KeyboardInterrupt

    monkeypatch.setattr("core.stats.bootstrap.Resamples.of_each", interrupted)
    stopped = run("study", "measures", "--results", results)
    assert stopped.exit_code == 130
    assert stopped.stderr == "Stopped: there is no report.\n"
    assert stopped.stdout == ""


def test_a_folder_that_cannot_be_evaluated_says_what_is_missing(tmp_path: Path) -> None:
    blocks, plain = Folder.at(str(tmp_path / "plain-blocks")), tmp_path / "plain"
    rows = [row_of_item(Item(Example("a", "It rained.", "It did.")))]
    write_manifest(blocks, [write_block(blocks, 0, rows)], 0, "test")
    done("score", blocks.path, "--to", plain, "--metric", "coverage", "--device", "cpu")
    wrong = (
        (("--results", tmp_path), "score BLOCKS --to"),
        (("--results", plain), "no labelled pair and no edit"),
        ((), "--dataset, or a folder"),
    )
    for arguments, message in wrong:
        with pytest.raises(TouchstoneError, match=message):
            raise run("study", "measures", *arguments).exception or AssertionError("nothing was raised")


def test_blocks_are_stressed_and_scored_as_the_file_that_they_were_made_of(results: Path, tmp_path: Path) -> None:
    found = []
    for pairs in (tmp_path / "in.jsonl", results.parent / "blocks"):
        kinds = ("--kind", "phrase", "--kind", "negated", "--metric", "rouge2")
        stressed = json.loads(done("stress", pairs, *kinds, "-o", tmp_path / f"run-{pairs.name}", "--json"))
        done("score", pairs, "--metric", "rouge2", "-o", tmp_path / "out.jsonl")
        scores = {line["id"]: line["score"] for line in map(json.loads, lines(tmp_path / "out.jsonl"))}
        found.append((stressed["tables"], scores))
    assert found[0] == found[1]
    assert len(found[0][1]) == 13


def test_shards_of_blocks_are_explained_and_judged_each_pair_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, pairs = Folder.at(str(tmp_path / "blocks")), pairs_of(12, 3)
    parts = [[row_of_item(Item(Example(**pair))) for pair in pairs[start : start + 4]] for start in (0, 4, 8)]
    write_manifest(out, [write_block(out, number, part) for number, part in enumerate(parts)], 0, "test")
    said = text(json.dumps({"consistent": "no", "explanation": "It is wrong.", "grade": "entirely", "because": "So."}))
    with serving(lambda _path, _body: said) as endpoint:
        monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", endpoint.url)
        monkeypatch.setenv("TOUCHSTONE_LLM_MODEL", "small")
        for number in range(4):  # the last has no block
            done("explain", tmp_path / "blocks", "--shard", f"{number}/4", "-o", tmp_path / f"answers-{number}")
        answers = tmp_path / "answers"
        answers.write_text("".join((tmp_path / f"answers-{number}").read_text() for number in range(4)))
        for number in range(2):
            part = ("--shard", f"{number}/2", "-o", tmp_path / f"grades-{number}")
            done("judge", answers, "--setup", "V1", *part)
        monkeypatch.setenv("TOUCHSTONE_LLM_BUDGET", "5")
        for command in (("explain", tmp_path / "blocks"), ("judge", answers, "--setup", "V1")):
            with pytest.raises(TouchstoneError, match="cannot count one budget together"):
                raise run(*command, "--shard", "0/2", "-o", "no").exception or AssertionError("nothing was raised")
    ids = sorted(f"p{n}" for n in range(12))
    assert sorted(json.loads(line)["sample"] for line in lines(answers)) == ids
    assert sorted(json.loads(line)["sample"] for n in range(2) for line in lines(tmp_path / f"grades-{n}")) == ids
    with pytest.raises(TouchstoneError, match="--shard takes a part of a folder of blocks"):
        raise run("explain", answers, "--shard", "0/2", "-o", "no").exception or AssertionError


def test_progress_follows_from_the_files_of_a_run(results: Path) -> None:
    now = time.time()
    [one] = open_stored_results(str(results)).progress(now)
    assert (one.metric, len(one.done), one.blocks) == ("coverage", 1, 1)
    [name] = one.done
    for number, age in enumerate((50.0, 40.0, 30.0, 4000.0)):
        file = Path(one.folder.path) / f"{number}.parquet"
        shutil.copy(Path(one.folder.path) / f"{name}.parquet", file)
        os.utime(file, (now - age, now - age))
    (Path(one.folder.path) / f"{name}.parquet").unlink()
    [found] = open_stored_results(str(results)).progress(now)
    assert found.rate == pytest.approx(3 / 600)
    later = replace(found, blocks=10)
    assert later.seconds_left == pytest.approx(6 * 200)
    counted = {name: Counter({"input": 2}) for name in later.done[:2]}
    assert (
        format_progress(later, counted)
        == "coverage: 4 of 10 blocks, 0.3 a minute, about 20 min left; failed in 2 blocks: input 4"
    )
    assert "none in the last 10 minutes" in format_progress(replace(later, rate=0.0), {})
    assert count_failures(found.folder, "0") == Counter()
    write_results(found.folder, "0", [Failure("a", "coverage", FailureKind.INPUT, "No text.")])
    assert count_failures(found.folder, "0") == Counter(input=1)
