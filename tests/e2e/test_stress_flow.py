"""The stress-test page from choosing to export, and back to Probe."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from core.results.runs.stress_run import run_from_lines
from tests.e2e.bench import WORK_MS, Bench
from tests.e2e.matrix import select_cell
from tests.e2e.server import Server
from tests.e2e.stress_form import DOMAINS, MORE, behind
from tests.e2e.tabs import open_view
from tests.e2e.waiting import START_MS, download, enter, press

pytestmark = pytest.mark.e2e


def exported(page: Page, button: str) -> str:
    return download(page.get_by_role("button", name=button)).read_text(encoding="utf-8-sig")


def plots_saved(context: BrowserContext, file: Path) -> str:
    """Name of the first picture that a page of plots saves, without a network."""
    context.set_offline(True)
    reader = context.new_page()
    reader.goto(file.rename(file.with_suffix(".html")).as_uri())
    with reader.expect_download() as saving:
        reader.get_by_role("button", name="Save every plot as PNG").click()
    assert Path(saving.value.path()).read_bytes().startswith(b"\x89PNG")
    return saving.value.suggested_filename


def begin(page: Page, server: Server, name: str) -> None:
    """Run everything by rule on the two pairs about the weather."""
    page.goto(f"{server.url}/stress")
    with behind(page, DOMAINS):
        press(page.get_by_role("button", name="weather", exact=True))
    with behind(page, MORE):
        enter(page.get_by_role("textbox", name="Name of the run"), name)
    press(page.get_by_role("button", name="Run: 2 pairs"))


def test_from_choosing_over_a_reload_while_it_runs_to_export_and_back_to_probe(
    page: Page, server: Server, new_context: Callable[[], BrowserContext]
) -> None:
    begin(page, server, "From choosing to export")
    page.wait_for_url("**/stress?run=*")
    page.reload()
    combobox = page.get_by_role("combobox", name="Run")
    expect(combobox).to_have_value(re.compile("^From choosing to export "), timeout=START_MS)
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
    assert plots_saved(new_context(), download(page.get_by_role("button", name="Plots (HTML)"))) == "plot-1.png"

    open_view(page, "Shifts", "Shifts by edits")
    press(page.get_by_role("button", name="Open in Probe"))
    expect(page.locator("ins").first).to_be_visible(timeout=START_MS)
    expect(Bench(page, server).box).not_to_have_value("", timeout=START_MS)  # the stress page has marks of an edit too
    summary = Bench(page, server).box.input_value()
    assert summary in {variant.summary for variant in run.variants.values()}
