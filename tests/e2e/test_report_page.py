"""Five results pinned on four pages, written about, checked, and exported as one page that another browser opens without a network."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.e2e.server import Server
from tests.e2e.waiting import START_MS, download, idle, pick_option, press

pytestmark = pytest.mark.e2e


def pin(page: Page, address: str, text: str, what: str | re.Pattern[str] = "") -> None:
    """Pin what an address shows, or a part of it, with a text above it."""
    page.goto(address)
    press(page.get_by_role("button", name="Pin", exact=True))
    form = page.get_by_test_id("stPopoverBody")
    if what:
        pick_option(form.get_by_role("combobox", name="What"), what)
    form.get_by_label("Text above it").fill(text)
    press(form.get_by_role("button", name="Add to the report"))
    expect(page.get_by_text("Pinned to “Project”")).to_be_visible(timeout=START_MS)


@pytest.mark.slow
def test_five_pins_are_exported_and_opened_without_the_server(
    page: Page, server: Server, new_context: Callable[[], BrowserContext], tmp_path: Path
) -> None:
    url = server.url
    pin(page, f"{url}/evaluate?tab=measures", "# Overlap\n\nThe **examples** <script>alert(1)</script>")
    pin(page, f"{url}/evaluate?tab=ranks&metric=rouge2&metric=bleu", "Ranks:", re.compile("^Chart: "))
    cell = f"{url}/stress?run=bundled&tab=shifts&metric=rouge2&kind=entity-swapped"
    pin(page, cell, "One cell:", re.compile("^Selected: ROUGE-2, Swap an entity"))
    pin(page, f"{url}/stress?run=bundled", "The matrix:", re.compile("^Table: Shifts by metric"))
    page.goto(f"{url}/?example=news-harbour/one-word")
    expect(page.get_by_text(re.compile("of 5 metrics noticed")).first).to_be_visible(timeout=START_MS)
    pin(page, f"{url}/?example=news-harbour/one-word", "One word:")

    page.goto(f"{url}/projects")
    expect(page.get_by_role("heading", level=3)).to_have_count(5, timeout=START_MS)
    press(page.get_by_role("button", name="Down", exact=True).first)
    expect(page.get_by_role("heading", level=3).first).to_contain_text("Rank")
    press(page.get_by_role("button", name="Check whether data changed"))
    expect(page.get_by_text("Unchanged: the same figures")).to_have_count(5, timeout=START_MS)
    press(page.get_by_role("button", name="Export"))
    exported = tmp_path / "report.html"
    exported.write_bytes(download(page.get_by_role("button", name="Web page")).read_bytes())
    page.keyboard.press("Escape")

    context = new_context()
    context.set_offline(True)
    opened = context.new_page()
    asked: list[str] = []
    opened.on("request", lambda request: asked.append(request.url))
    opened.goto(exported.as_uri())
    expect(opened.locator("section.pin")).to_have_count(5)
    expect(opened.get_by_text("<script>alert(1)</script>")).to_be_visible()
    pair = opened.locator("details.pair", has_text="Swap an entity").first
    expect(pair.locator("ins").first).to_be_hidden()
    pair.locator("summary").first.click()
    expect(pair.locator("ins").first).to_be_visible()
    assert {address.partition(":")[0] for address in asked} <= {"file", "data"}
    opened.set_viewport_size({"width": 420, "height": 900})
    assert opened.evaluate("document.documentElement.scrollWidth - window.innerWidth") <= 0

    press(page.get_by_role("button", name="Open where it came from").nth(2))
    expect(page).to_have_url(re.compile(r"/stress\?.*kind=entity-swapped"), timeout=START_MS)
    idle(page)
