"""Records and Metrics, the first request of a fresh server, and a server that keeps nothing."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from annotations.store.records import LabelRecord, PairRecord
from core.types import Edit, Span, Verdict
from tests.e2e.bench import Bench, example
from tests.e2e.server import Server, serve
from tests.e2e.waiting import START_MS, download, idle, press, quiet

pytestmark = pytest.mark.e2e

DOCUMENT, ORIGINAL = "The harbour was closed on Tuesday.", "It was closed on Tuesday."
EDIT = Edit(Span(17, 24), "Friday", "The document says Tuesday.", "me")
EDITED = "It was closed on Friday."


def keep_something(server: Server) -> str:
    """A kept pair with a label; gives its id."""
    store = server.store()
    pair = PairRecord(DOCUMENT, ORIGINAL, EDITED, (EDIT,), by="me", intended=Verdict.INCONSISTENT, title="Closed")
    receipt = store.save_pair(pair)
    store.save_label(
        LabelRecord(DOCUMENT, ORIGINAL, EDITED, (EDIT,), annotator="me", event_id="one", verdict=Verdict.INCONSISTENT)
    )
    store.close()
    return receipt.id


def exported(page: Page, button: str) -> str:
    return download(page.get_by_role("button", name=button)).read_text(encoding="utf-8")


def test_records_are_listed_and_exported(page: Page, server: Server) -> None:
    page.goto(server.url)  # makes the database where this is the first test
    expect(page.locator("#settled")).to_be_attached(timeout=START_MS)
    id = keep_something(server)
    page.goto(f"{server.url}/data")
    expect(page.get_by_test_id("stDataFrame")).to_be_visible()
    expect(page.get_by_test_id("stMetric").filter(has_text="Labels")).to_contain_text(str(server.count("label")))
    lines = [json.loads(line) for line in exported(page, "Export JSONL").splitlines()]
    assert any(id in line.values() for line in lines)
    rows = list(csv.DictReader(exported(page, "Export CSV").splitlines()))
    assert any(id in row.values() for row in rows)


def test_a_model_is_unloaded_and_loaded_again_and_memory_follows(page: Page, plugged_server: Server) -> None:
    Bench(page, plugged_server).open()
    page.get_by_role("link", name="Metrics").click()
    press(page.locator(".st-key-card-semantic-similarity").get_by_role("button"))
    card = page.locator(".st-key-metric-semantic-similarity")
    bar = page.get_by_text("for models in use")
    expect(card.get_by_role("button", name="Unload")).to_be_visible(timeout=START_MS)
    quiet(plugged_server.pid)  # noise that is measured in the background would load it again
    idle(page)
    full = bar.inner_text()
    press(card.get_by_role("button", name="Unload"))
    expect(card).to_contain_text("not loaded")
    idle(page)
    assert memory(bar.inner_text()) < memory(full)
    press(card.get_by_role("button", name=re.compile("^Load")))
    expect(card.get_by_role("button", name="Unload")).to_be_visible()
    expect(bar).to_have_text(full)


def memory(words: str) -> float:
    """Megabytes in use, from the text over the bar."""
    number, unit, *_ = words.split()
    return float(number) * {"GB": 1000, "MB": 1}[unit]


def test_the_first_request_of_a_fresh_server_goes_through_the_app(fresh: Page) -> None:
    for link in ("Probe", "Records", "Metrics"):
        expect(fresh.get_by_role("link", name=link)).to_have_count(1)


@pytest.fixture(scope="module")
def fresh(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """The page that answers the first request of a server, which is not for the start page."""
    with serve(tmp_path_factory.mktemp("fresh")) as server, browser.new_context() as context:
        page = context.new_page()
        page.goto(f"{server.url}/data")
        expect(page.get_by_text("Nothing was kept yet")).to_be_attached(timeout=START_MS)
        yield page


def test_the_first_visitor_of_a_server_may_come_to_any_page(page: Page, tmp_path: Path) -> None:
    with serve(tmp_path) as server:
        page.goto(f"{server.url}/prompts")
        expect(page.get_by_role("region", name="Prompts with version")).to_be_visible(timeout=START_MS)
        idle(page)
        expect(page.get_by_role("dialog")).to_have_count(0)


def test_a_demonstration_scores_edits_and_keeps_nothing(page: Page, tmp_path: Path) -> None:
    with serve(tmp_path, TOUCHSTONE_DEMO="1") as server:
        bench = Bench(page, server)
        bench.open()
        expect(bench.score("rouge2")).to_have_text("0.704")
        bench.write(example().example.summary + " It rained.")
        expect(bench.cell("rouge2", 5)).to_have_text("0.00")
        expect(page.get_by_role("button", name="Keep pair")).to_be_disabled()
        bench.tab("Record")
        bench.choose("The edited summary is", "Inconsistent")
        expect(bench.chosen("The edited summary is", "Inconsistent")).to_be_checked()
        expect(page.get_by_role("button", name="Save label")).to_be_disabled()
        expect(page.get_by_text("Nothing is kept in this demo.")).to_be_visible()
        assert not server.database.exists()
