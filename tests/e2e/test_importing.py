"""Importing on the Evaluate page: a table whose mapping is guessed and corrected, and what comes with Touchstone."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from core.bulk.blocks import row_of_item, write_block, write_manifest
from core.bulk.folder import Folder
from core.types import Example, Item, Verdict
from tests.e2e.bench import WORK_MS
from tests.e2e.server import Server, serve
from tests.e2e.waiting import START_MS, attach, download, enter, idle, press
from tests.unit.command_line import done

pytestmark = pytest.mark.e2e

DOCUMENT = "The ferry Alma left Kiel at noon. She carried forty cars, and fog held her back for an hour."
CLAIMS = {"The Alma left at noon.": "yes", "The Alma left at night.": "no", "She carried fifty cars.": "no"}


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server to which nothing was imported."""
    with serve(tmp_path_factory.mktemp("importing")) as running:
        yield running


def labels(server: Server, name: str) -> list[tuple[str, list[str]]]:
    """Of each sample of a dataset in order its label and its votes."""
    query = "SELECT facts FROM sample JOIN dataset ON dataset.id = dataset_id WHERE name = ? ORDER BY number"
    facts = [json.loads(row["facts"]) for row in server.rows(query, name)]
    return [(fact["intended"], [vote["verdict"] for vote in fact.get("judgements", [])]) for fact in facts]


def test_a_table_is_imported_as_corrected_and_a_bulk_run_is_followed_and_opened(
    page: Page, fresh: Server, tmp_path: Path
) -> None:
    path = tmp_path / "own.jsonl"
    rows = [{"text": DOCUMENT, "claim": claim, "label": word, "rater_1": word} for claim, word in CLAIMS.items()]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    page.goto(f"{fresh.url}/evaluate")  # the first visitor of a server may come to any page
    page.locator(".stDataFrameGlideDataEditor").first.wait_for(timeout=START_MS)  # of the bundled examples
    for link in ("Probe", "Records", "Metrics"):
        expect(page.get_by_role("link", name=link)).to_have_count(1)
    press(page.get_by_text("Import data").first)
    page.get_by_role("combobox", name="Form of the data").wait_for(timeout=START_MS)
    attach(page.locator("input[type=file]").first, path)
    votes = page.get_by_role("radiogroup", name="An annotator's 1 or yes says")
    expect(votes.get_by_role("radio", name="the summary is consistent")).to_be_checked(timeout=WORK_MS)
    saved = download(page.get_by_role("button", name="Save this mapping"))
    mapping = json.loads(saved.read_text(encoding="utf-8"))
    assert (mapping["document"], mapping["summary"], mapping["annotators"]) == ("text", "claim", ["rater_1"])
    press(votes.get_by_text("an error is there"))
    press(page.get_by_role("button", name="Import", exact=True))
    expect(page.get_by_text("generic: 3 new, 3 read.")).to_be_visible(timeout=WORK_MS)
    # the page knows of the dataset by now, and the receipt is still there to be read
    expect(page.get_by_role("heading", name="generic: 3 samples")).to_be_visible(timeout=WORK_MS)
    idle(page)
    expect(page.get_by_text("generic: 3 new, 3 read.")).to_be_visible()
    assert labels(fresh, "generic") == [
        ("consistent", ["inconsistent"]),
        ("inconsistent", ["consistent"]),
        ("inconsistent", ["consistent"]),
    ]

    blocks, results = Folder.at(str(tmp_path / "blocks")), tmp_path / "ferry"
    pairs = [
        Item(Example(str(n), DOCUMENT, claim), intended=Verdict.CONSISTENT if word == "yes" else Verdict.INCONSISTENT)
        for n, (claim, word) in enumerate(CLAIMS.items())
    ]
    write_manifest(blocks, [write_block(blocks, n, [row_of_item(pair)]) for n, pair in enumerate(pairs)], 0, "pairs")
    score = ("score", blocks.path, "--to", results, "--metric", "word-novelty", "--device", "cpu")
    done(*score, "--shard", "0/3")
    press(page.get_by_text("Follow or open a bulk run"))
    enter(page.get_by_role("textbox", name="Folder of results on this machine"), str(results))
    expect(page.get_by_text("word-novelty: 1 of 3 blocks")).to_be_visible(timeout=WORK_MS)
    done(*score)
    expect(page.get_by_text("word-novelty: 3 of 3 blocks")).to_be_visible(timeout=WORK_MS)
    press(page.get_by_role("button", name="Open as a dataset (3 pairs)"))
    expect(page.get_by_text("ferry: 3 scores saved. It is chosen under Datasets.")).to_be_visible(timeout=WORK_MS)
    # while the page is drawn again, the list of before is there too
    chosen = page.locator(".stMultiSelect", has_text="Datasets").filter(has_text="ferry")
    expect(chosen).to_have_count(1)
    assert labels(fresh, "ferry") == [("consistent", []), ("inconsistent", []), ("inconsistent", [])]
    assert fresh.count("score") == 3
