"""Importing on the Evaluate page: a table whose mapping is guessed and corrected, and what comes with Touchstone."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from playwright.sync_api import Page, expect

from core.bulk.blocks import row_of_item, write_block, write_manifest
from core.bulk.folder import Folder
from core.types import Example, Item, Verdict
from pages.server.sign_in import SESSION_COOKIE
from tests.e2e.bench import WORK_MS
from tests.e2e.server import Server, serve
from tests.e2e.shared_server import SharedServer
from tests.e2e.waiting import START_MS, attach, download, enter, idle, pick_option, press
from tests.unit.command_line import done

pytestmark = pytest.mark.e2e

DOCUMENT = "The ferry Alma left Kiel at noon. She carried forty cars, and fog held her back for an hour."
CLAIMS = {"The Alma left at noon.": "yes", "The Alma left at night.": "no", "She carried fifty cars.": "no"}


@pytest.fixture
def fresh(tmp_path: Path) -> Iterator[Server]:
    """A server to which nothing was imported."""
    with serve(tmp_path) as running:
        yield running


def open_import(page: Page, server: Server) -> None:
    page.goto(server.url)
    page.get_by_role("link", name="Evaluate").click(timeout=START_MS)
    page.locator(".stDataFrameGlideDataEditor").first.wait_for(
        timeout=START_MS
    )  # of the bundled examples, then all stays
    press(page.get_by_text("Import data").first)
    page.get_by_role("combobox", name="Form of the data").wait_for(timeout=START_MS)


def verdicts(server: Server) -> list[tuple[str, list[str]]]:
    """Of each sample in order its label and its votes."""
    facts = [json.loads(row["facts"]) for row in server.rows("SELECT facts FROM sample ORDER BY number")]
    return [(fact["intended"], [vote["verdict"] for vote in fact["judgements"]]) for fact in facts]


def test_a_table_is_imported_by_its_guessed_and_corrected_columns(page: Page, fresh: Server, tmp_path: Path) -> None:
    path = tmp_path / "own.jsonl"
    rows = [{"text": DOCUMENT, "claim": claim, "label": word, "rater_1": word} for claim, word in CLAIMS.items()]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    open_import(page, fresh)
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
    assert verdicts(fresh) == [
        ("consistent", ["inconsistent"]),
        ("inconsistent", ["consistent"]),
        ("inconsistent", ["consistent"]),
    ]


def reopen_import(page: Page) -> None:
    """The form as it is on a fresh visit to a page that has data."""
    page.reload()
    press(page.get_by_text("Import data").first)
    page.get_by_role("combobox", name="Form of the data").wait_for(timeout=START_MS)


def import_table(page: Page, path: Path, name: str) -> None:
    """Choose a file, wait until its mapping is drawn, and import it under a name."""
    attach(page.locator("input[type=file]").first, path)
    expect(page.get_by_role("button", name="Save this mapping")).to_be_visible(timeout=WORK_MS)
    enter(page.get_by_role("textbox", name="Name of the dataset"), name)
    press(page.get_by_role("button", name="Import", exact=True))
    expect(page.get_by_text(re.compile(f"{name}: \\d+ new"))).to_be_visible(timeout=WORK_MS)


def labels(server: Server, name: str) -> list[str | None]:
    query = "SELECT facts FROM sample JOIN dataset ON dataset.id = dataset_id WHERE name = '{}' ORDER BY number"
    return [json.loads(row["facts"]).get("intended") for row in server.rows(query.format(name))]


def test_minimal_pairs_a_third_class_and_another_encoding_are_decided_on_the_page(
    page: Page, fresh: Server, tmp_path: Path
) -> None:
    first, second, *_ = CLAIMS
    minimal = tmp_path / "minimal.csv"
    minimal.write_text(f'document,summary,edited_summary\n"{DOCUMENT}",{first},{second}\n', encoding="utf-8")
    open_import(page, fresh)
    attach(page.locator("input[type=file]").first, minimal)
    asked = page.get_by_role("radiogroup", name="Without a label, an edited summary is")
    expect(asked.get_by_role("radio", name="inconsistent")).to_be_checked(timeout=WORK_MS)
    import_table(page, minimal, "minimal")
    assert labels(fresh, "minimal") == ["consistent", "inconsistent"]

    classes = tmp_path / "classes.csv"
    cells = zip(CLAIMS, ("consistent", "inconsistent", "neutral"), strict=True)
    rows = "".join(f'"{DOCUMENT}",{claim},{word},0.5,remarks of mine\n' for claim, word in cells)
    classes.write_text(f"document,summary,label,hallucination,remark\n{rows}", encoding="utf-8")
    reopen_import(page)
    attach(page.locator("input[type=file]").first, classes)
    neutral = page.get_by_role("radiogroup", name=re.compile("neutral"))
    expect(neutral.get_by_role("radio", name="no label")).to_be_checked(timeout=WORK_MS)
    expect(page.get_by_text("Left out: remark.")).to_be_visible()
    press(neutral.get_by_text("borderline"))
    idle(page)
    import_table(page, classes, "classes")
    assert labels(fresh, "classes") == ["consistent", "inconsistent", "borderline"]

    german = tmp_path / "german.csv"
    german.write_bytes("document;summary;label\nDie Fähre fuhr um zwölf.;Sie fuhr mittags los.;1\n".encode("latin-1"))
    reopen_import(page)
    attach(page.locator("input[type=file]").first, german)
    expect(page.get_by_role("combobox", name=re.compile("Read it as"))).to_be_visible(timeout=WORK_MS)
    import_table(page, german, "german")
    assert [row["text"] for row in fresh.rows("SELECT text FROM document WHERE text LIKE '%zwölf%'")]


def test_the_bundled_examples_are_a_dataset_at_one_press(page: Page, fresh: Server) -> None:
    open_import(page, fresh)
    pick_option(page.get_by_role("combobox", name="Form of the data"), "Bundled examples")
    press(page.get_by_role("button", name="Import the examples"))
    expect(page.get_by_text(re.compile(r"bundled: \d+ new"))).to_be_visible(timeout=WORK_MS)
    assert [row["name"] for row in fresh.rows("SELECT name FROM dataset")] == ["bundled"]


def test_a_bulk_run_is_followed_to_its_end_and_opened(page: Page, fresh: Server, tmp_path: Path) -> None:
    blocks, results = Folder.at(str(tmp_path / "blocks")), tmp_path / "ferry"
    pairs = [
        Item(Example(str(n), DOCUMENT, claim), intended=Verdict.CONSISTENT if word == "yes" else Verdict.INCONSISTENT)
        for n, (claim, word) in enumerate(CLAIMS.items())
    ]
    write_manifest(blocks, [write_block(blocks, n, [row_of_item(pair)]) for n, pair in enumerate(pairs)], 0, "pairs")
    score = ("score", blocks.path, "--to", results, "--metric", "word-novelty", "--device", "cpu")
    done(*score, "--shard", "0/3")
    open_import(page, fresh)
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
    assert labels(fresh, "ferry") == ["consistent", "inconsistent", "inconsistent"]
    assert fresh.count("score") == 3


@pytest.mark.parametrize("method", ["PUT", "DELETE"])
@pytest.mark.parametrize("token", ["", "2|00000000|00000000000000000000000000000000|1700000000"])
@pytest.mark.parametrize("signed_in", [False, True])
def test_a_page_of_another_site_uploads_and_deletes_nothing(
    shared_server: SharedServer, method: str, token: str, signed_in: bool
) -> None:
    with httpx2.Client(base_url=shared_server.server.url, follow_redirects=True) as browser:
        if signed_in:
            browser.get(f"/?invite={shared_server.code()[1]}", headers={"Accept": "text/html"})
            assert SESSION_COOKIE in browser.cookies
        headers = {"Origin": "http://elsewhere.example", "X-Xsrftoken": token}
        answer = browser.request(method, "/_stcore/upload_file/session/file", headers=headers, content=b"pairs")
    assert answer.status_code == 403
