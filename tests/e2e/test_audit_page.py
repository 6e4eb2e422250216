"""An audit on its page: begun by a press, followed, read side by side, and down to a pair on Probe."""

from __future__ import annotations

import json
import re
from urllib.parse import quote

import pytest
from playwright.sync_api import Page, expect

from core.types import PRECOMPUTED
from tests.e2e.server import Server
from tests.e2e.tabs import open_view
from tests.e2e.waiting import START_MS, download, enter, idle, pick_option, press

pytestmark = pytest.mark.e2e

AUDIT_MS = (
    300_000  # every labelled bundled summary by two metrics and six features, on a machine that does other things
)


def save_threshold(page: Page, server: Server, metric: str, name: str) -> None:
    """The threshold of a metric on the bundled examples, saved on Evaluate."""
    page.goto(f"{server.url}/evaluate?dataset={quote(PRECOMPUTED)}")
    open_view(page, "Improve it", "Calibration over domains")
    # of the metric that is chosen at first: once it is there the page is drawn again, which closes an open list
    expect(page.get_by_text(": consistent from a score of")).to_be_visible(timeout=START_MS)
    pick_option(page.get_by_role("combobox", name="Metric", exact=True), metric, exact=True)
    expect(page.get_by_text(f"{metric}: consistent from a score of")).to_be_visible(timeout=START_MS)
    enter(page.get_by_role("textbox", name="Name", exact=True), name)
    press(page.get_by_role("button", name="Save threshold"))
    expect(page.get_by_text(f"Saved as {name}")).to_be_visible(timeout=START_MS)


@pytest.mark.slow
def test_two_metrics_are_audited_side_by_side_and_a_pair_opens_on_probe(page: Page, server: Server) -> None:
    save_threshold(page, server, "ROUGE-2", "own")
    page.goto(f"{server.url}/audit")
    expect(page.get_by_role("button", name="Audit", exact=True)).to_be_visible(timeout=START_MS)
    enter(page.get_by_test_id("stNumberInputField"), "4")
    pick_option(page.get_by_role("combobox", name="Metrics"), "(rouge2)", typed="rouge2")
    page.keyboard.press("Escape")  # the list stays open for more choices
    pick_option(page.get_by_role("combobox", name="Saved thresholds"), "own (ROUGE-2)")
    page.keyboard.press("Escape")
    press(page.get_by_role("button", name="Audit", exact=True))
    expect(page.get_by_role("button", name="Cancel")).to_be_visible(timeout=START_MS)
    strips = page.locator(".audit-strip")
    expect(strips).to_have_count(2, timeout=AUDIT_MS)
    assert "audit=" in page.url

    report = json.loads(download(page.get_by_role("button", name="JSON", exact=True)).read_text(encoding="utf-8"))
    assert [one["metric"] for one in report["metrics"]][-1] == "rouge2"
    assert "--threshold own" in report["command"]
    [decided] = [one for one in report["metrics"][-1]["findings"] if one["question"] == "threshold"]
    assert "(own) refuses" in decided["sentence"]
    page.reload()
    expect(strips).to_have_count(2, timeout=START_MS)

    idle(page)
    press(page.get_by_text("History", exact=True))
    chart = page.locator(".js-plotly-plot")
    expect(chart).to_have_count(1, timeout=START_MS)
    kept = {row["metric"]: row for row in server.rows("SELECT metric, signature, data FROM audit")}
    assert kept.keys() == {one["metric"] for one in report["metrics"]}
    assert kept["rouge2"]["signature"] == report["metrics"][-1]["signature"]
    expect(page.get_by_text("python cli.py audit --history")).to_be_visible()
    press(page.get_by_text("History", exact=True))
    expect(chart).to_have_count(0)

    idle(page)
    audit = page.url
    expect(page.get_by_text("(variance of its scores that the surface predicts)")).to_be_visible()
    press(page.get_by_text("How much of it is surface?").last)
    link = page.get_by_role("link", name="Open on Evaluate, Share of surface")
    expect(link).to_have_attribute("href", re.compile("/evaluate.dataset=.*&by=.*&tab=surface"), timeout=START_MS)
    page.get_by_text("Does it stay still when nothing changed?").last.click()
    expect(page.get_by_role("button", name="Open on Stress test, Shifts")).to_be_visible(timeout=START_MS)
    page.get_by_text("Can it be gamed?").last.click()
    press(page.get_by_role("button", name="Open on Stress test, Gaming"))
    page.wait_for_url("**/stress?run=*", timeout=START_MS)
    expect(page.get_by_role("tab", name="Gaming")).to_have_attribute("aria-selected", "true", timeout=START_MS)
    names = [row["name"] for row in server.rows("SELECT name FROM run")]
    assert any(name.startswith("audit of bleu, rouge2 on ") for name in names)

    page.goto(audit)
    expect(strips).to_have_count(2, timeout=START_MS)
    idle(page)
    page.get_by_text("Where does it stop reading?").last.click()
    expect(page.get_by_text("Counted from")).to_be_visible(timeout=START_MS)
    page.get_by_text("Where does it stop reading?").last.click()
    page.get_by_text("Can it be gamed?").last.click()
    pairs = page.get_by_role("button", name="Open in Probe")
    press(pairs.first)
    expect(page.locator("#settled")).to_be_attached(timeout=START_MS)
    assert "/audit" not in page.url
