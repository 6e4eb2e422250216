"""The stress-test page from choosing to export, and back to Probe."""

from __future__ import annotations

import csv
import json
import re
from dataclasses import replace

import pytest
from playwright.sync_api import Page, expect

from annotations.store.dataset_import import DatasetSource
from core.datasets.bundled import bundled_items
from core.runs.run import run_from_lines
from core.types import Verdict
from tests.e2e.bench import WORK_MS, Bench
from tests.e2e.matrix import select_cell
from tests.e2e.server import Server
from tests.e2e.tabs import open_view
from tests.e2e.waiting import START_MS, download, enter, press

pytestmark = pytest.mark.e2e


def exported(page: Page, button: str) -> str:
    return download(page.get_by_role("button", name=button)).read_text(encoding="utf-8")


def begin(page: Page, server: Server, name: str) -> None:
    """Run everything by rule on the two pairs about the weather."""
    Bench(page, server).open()
    page.get_by_role("link", name="Stress test").click()
    press(page.get_by_role("button", name="weather", exact=True))
    enter(page.get_by_role("textbox", name="Name of the run"), name)
    press(page.get_by_role("button", name="Run: 2 pairs"))


def test_from_choosing_to_export_and_back_to_probe(page: Page, server: Server) -> None:
    begin(page, server, "From choosing to export")
    expect(page.get_by_role("tab", name="Shifts")).to_be_visible(timeout=WORK_MS)
    expect(page.get_by_role("button", name="Cancel")).to_have_count(0, timeout=WORK_MS)
    [stored] = server.rows("SELECT * FROM run WHERE name = 'From choosing to export'")
    lines = [row["line"] for row in server.rows("SELECT line FROM runline WHERE run_id = ? ORDER BY id", stored["id"])]
    run = run_from_lines([stored["plan"], *lines])
    made = sum(variant.summary is not None for variant in run.variants.values())
    assert run.done == run.total == (2 + made) * len(run.plan.metrics)

    select_cell(page, "ROUGE-2", "Add a sentence")
    expect(page.get_by_role("heading", name="ROUGE-2 · Add a sentence")).to_be_visible()
    press(page.get_by_role("radio", name="kept"))
    expect(page.get_by_role("button", name="not verified by a person")).to_be_visible()
    [opinion] = server.rows("SELECT line FROM runline WHERE run_id = ? ORDER BY id DESC LIMIT 1", stored["id"])
    assert json.loads(opinion["line"])["meaning"] == "kept"

    open_view(page, "Compare and export", "Export")
    rows = list(csv.DictReader(exported(page, "Shifts (CSV)").splitlines()))
    assert {row["metric"] for row in rows} == set(run.plan.metrics)
    assert run_from_lines(exported(page, "The run (JSONL)").rstrip("\n").split("\n")).readings == run.readings
    assert "<script" in exported(page, "Plots (HTML)")

    open_view(page, "Shifts", "Shifts")
    press(page.get_by_role("button", name="Open in Probe"))
    expect(page.locator("ins").first).to_be_visible(timeout=START_MS)
    expect(Bench(page, server).box).not_to_have_value("", timeout=START_MS)  # the stress page has marks of an edit too
    summary = Bench(page, server).box.input_value()
    assert summary in {variant.summary for variant in run.variants.values()}


def test_an_imported_dataset_is_drawn_from_by_the_seed(page: Page, server: Server) -> None:
    store = server.store()
    items = [replace(item, intended=Verdict.INCONSISTENT if item.parent else None) for item in bundled_items()]
    store.import_dataset(DatasetSource("mine", "pairs", "mine.jsonl", "0" * 64, "", "", "local"), items, dict)
    store.close()
    Bench(page, server).open()
    page.get_by_role("link", name="Stress test").click()
    press(page.get_by_role("radio", name="A dataset"))
    originals = [item for item in items if not item.intended]
    expect(page.get_by_text(f"Leave out {len(items) - len(originals)} labelled inconsistent")).to_be_visible()
    enter(page.get_by_role("spinbutton", name="At most"), "3")
    enter(page.get_by_role("textbox", name="Name of the run"), "From a dataset")
    press(page.get_by_role("button", name="Run: 3 pairs"))
    page.wait_for_url("**/stress?run=*")
    [stored] = server.rows("SELECT * FROM run WHERE name = 'From a dataset'")
    lines = server.rows("SELECT line FROM runline WHERE run_id = ? ORDER BY id LIMIT 3", stored["id"])
    run = run_from_lines([stored["plan"], *(row["line"] for row in lines)])
    assert len(run.sources) == 3
    assert {source.example for source in run.sources.values()} <= {item.example for item in originals}


def test_a_run_goes_on_while_the_page_is_reloaded(page: Page, server: Server) -> None:
    begin(page, server, "Reloaded")
    page.wait_for_url("**/stress?run=*")
    page.reload()
    expect(page.get_by_role("combobox", name="Run")).to_have_value(re.compile("^Reloaded "), timeout=START_MS)
    expect(page.get_by_role("tab", name="Shifts")).to_be_visible(timeout=WORK_MS)
