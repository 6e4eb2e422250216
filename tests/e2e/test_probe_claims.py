"""Claims on Probe: a language model lists them, a person edits them, every metric scores them; hostile text stays text."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.bench import Bench, example
from tests.e2e.server import Server, serve
from tests.e2e.waiting import START_MS, download, enter, pick_option, press
from tests.unit.core.models.llm.scripted import Body, Reply, serving, text

pytestmark = pytest.mark.e2e

SUMMARY = example().example.summary
HOSTILE = '<img src=x onerror="alert(1)"> **bold** ![p](http://127.0.0.1:9/p.png)'
LISTED = ["The tug struck the quay on Tuesday.", HOSTILE]


def answer(_path: str, body: Body) -> Reply:
    """A list for the model `tiny`, numbered lines for any other."""
    listed = json.dumps({"claims": LISTED}) if body["model"] == "tiny" else "1. It struck the quay."
    return text(f"```json\n{listed}\n```")


@pytest.fixture(scope="module")
def claims_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    settings = {"TOUCHSTONE_LLM_MODEL": "tiny", "TOUCHSTONE_PROMPTS_DIR": ""}
    with (
        serving(answer) as endpoint,
        serve(tmp_path_factory.mktemp("claims"), TOUCHSTONE_LLM_BASE_URL=endpoint.url, **settings) as server,
    ):
        yield server


def scores(page: Page) -> Locator:
    return page.locator(".st-key-claim-scores")


def rows(page: Page) -> dict[tuple[str, str], dict[str, str]]:
    """The scores of ROUGE-2 as they are downloaded, by claim."""
    path = download(scores(page).get_by_role("button", name="Scores (CSV)"))
    with path.open(encoding="utf-8-sig", newline="") as file:
        return {(row["metric"], row["claim"]): row for row in csv.DictReader(file)}


def rewrite(page: Page, label: str, words: str) -> None:
    box = page.get_by_label(label, exact=True)
    expect(box).to_be_visible(timeout=START_MS)
    box.fill(words)
    box.press("Control+Enter")


@pytest.mark.slow
def test_claims_are_found_by_a_model_edited_and_scored(page: Page, claims_server: Server) -> None:
    bench = Bench(page, claims_server)
    bench.open()
    bench.tab("Claims")
    tab = page.locator(".st-key-claims")
    expect(tab.get_by_text("Split the edited summary into single statements")).to_be_visible()
    pick_option(page.get_by_role("combobox", name="Find the claims"), "Language model")
    expect(tab.get_by_text("1 question to endpoints")).to_be_visible(timeout=START_MS)

    enter(tab.get_by_role("textbox", name="Model"), "awkward")
    press(tab.get_by_role("button", name="Find", exact=True))
    expect(tab.get_by_text("The answer holds no complete JSON object")).to_be_visible(timeout=START_MS)
    expect(scores(page)).to_have_count(0)

    enter(tab.get_by_role("textbox", name="Model"), "")
    press(tab.get_by_role("button", name="Find", exact=True))
    expect(page.get_by_label("Claim 2", exact=True)).to_have_value(HOSTILE, timeout=START_MS)
    assert {claim for _, claim in rows(page)} == {*LISTED, "mean over claims", "least consistent claim"}
    expect(page.locator("img[src=x]")).to_have_count(0)

    press(page.get_by_role("button", name="Remove 2"))
    expect(tab.get_by_text("1 claim, by ")).to_be_visible(timeout=START_MS)
    expect(page.get_by_role("button", name="Restore 2")).to_be_visible(timeout=START_MS)
    rewrite(page, "Claim 1", "The pilot slept on Monday.")
    expect(page.get_by_label("Claim 1 (rewritten)")).to_be_visible(timeout=START_MS)
    enter(page.get_by_label("Another claim"), "Nobody was injured.")
    press(tab.get_by_role("button", name="Add", exact=True))
    expect(page.get_by_label("Claim 3 (added)")).to_have_value("Nobody was injured.", timeout=START_MS)
    found = rows(page)
    texts = ["The pilot slept on Monday.", "Nobody was injured."]
    alone = [float(found["rouge2", one]["score"]) for one in texts]
    assert float(found["rouge2", "mean over claims"]["score"]) == pytest.approx(sum(alone) / 2)
    assert float(found["rouge2", "least consistent claim"]["score"]) == min(alone)
    assert ", edited by hand|" in found["rouge2", "mean over claims"]["signature"]

    page.reload()
    bench.tab("Claims")
    expect(page.get_by_label("Claim 1 (rewritten)")).to_have_value("The pilot slept on Monday.", timeout=START_MS)
    press(page.get_by_role("button", name="Restore 1"))
    expect(page.get_by_label("Claim 1", exact=True)).to_have_value(LISTED[0], timeout=START_MS)
