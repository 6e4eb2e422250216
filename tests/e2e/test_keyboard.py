"""Everything on Probe can be reached and used without a mouse, and one sees where the focus is on every page."""

from __future__ import annotations

import re
from urllib.parse import quote

import pytest
from playwright.sync_api import Page, expect

from core.types import PRECOMPUTED
from tests.e2e.bench import Bench
from tests.e2e.server import Server
from tests.e2e.waiting import START_MS, idle, quiet

pytestmark = pytest.mark.e2e

MOST_STOPS = 250

_WHERE = """() => {
let at = document.activeElement;
while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
return [at.getAttribute('aria-label'), at.textContent.slice(0, 60), at.className].join(' | ');
}"""


def reach(bench: Bench, words: str) -> None:
    """Press Tab until the element with focus has these words in its label, text or class."""
    passed: list[str] = []
    while not passed or words not in passed[-1]:
        assert len(passed) < 80, passed
        bench.page.keyboard.press("Tab")
        passed.append(bench.page.evaluate(_WHERE))


_UNMARKED = """() => {
let at = document.activeElement;
while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
if (!at || at === document.body) return null;
if (!at.matches('a, button, summary, [role=tab], [role=button]')) return '';
const ringed = node => {
  const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(node);
  return (outlineStyle !== 'none' && parseFloat(outlineWidth) >= 1) || /0px 0px 0px [1-9]/.test(boxShadow);
};
return [at, ...at.children].some(ringed) ? '' : `${at.tagName} ${at.getAttribute('aria-label') ?? at.textContent}`;
}"""
"""The link or button with the focus, if nothing rings it; null at the end of the page."""


def unmarked(page: Page) -> list[str]:
    """Every link and button that Tab reaches without a ring."""
    names: list[str] = []
    for presses in range(MOST_STOPS):
        page.keyboard.press("Tab")
        name = page.evaluate(_UNMARKED)
        if name is None and presses:
            return names
        if name:
            names.append(name)
    raise AssertionError("Tab does not come to the end of the page.")


@pytest.mark.parametrize(
    "address",
    [
        "?example=news-harbour",
        "stress",
        "stress?run=bundled",
        f"evaluate?dataset={quote(PRECOMPUTED)}",
        "home",
        "audit",
    ],
)
def test_the_focus_has_a_ring_on_every_link_and_button(page: Page, server: Server, address: str) -> None:
    page.goto(f"{server.url}/{address}")
    expect(page.get_by_role("heading", level=1)).to_be_visible(timeout=START_MS)
    idle(page)
    assert unmarked(page) == []


def test_two_skip_links_lead_to_the_editor_within_six_tabs(bench: Bench) -> None:
    page, tabs = bench.page, 0
    page.reload()
    expect(page.locator("#settled")).to_be_attached(timeout=START_MS)
    quiet(bench.server.pid)  # a headline that is drawn again takes the focus along
    idle(page)
    for link in ("Skip to main content", "Skip to the summary"):
        while link not in page.evaluate(_WHERE):
            page.keyboard.press("Tab")
            tabs += 1
            assert tabs <= 6
        page.keyboard.press("Enter")
    expect(bench.box).to_be_focused()


def test_tab_reaches_example_editor_board_and_record_in_this_order_and_a_label_is_saved(bench: Bench) -> None:
    page, before = bench.page, bench.server.count("label")
    reach(bench, "Example")
    reach(bench, "Edit")
    reach(bench, "Summary")
    page.keyboard.press("Control+End")
    page.keyboard.type(" It rained.")
    expect(bench.cell("rouge2", 5)).to_be_visible()
    verdict = page.locator("h1").filter(has_text=re.compile(r"of \d+ metrics noticed")).filter(has_not_text="to come")
    expect(verdict).to_be_visible(timeout=START_MS)  # the rows no longer change places
    reach(bench, "title")
    rows = page.locator("tbody.metrics tr[data-spec]").evaluate_all("rows => rows.map(row => row.dataset.spec)")
    for key in (*["ArrowUp"] * len(rows), *["ArrowDown"] * rows.index("rouge2"), "ArrowRight"):
        page.keyboard.press(key)
    page.keyboard.press("Enter")
    expect(bench.cell("rouge2", 1)).to_have_attribute("aria-pressed", "true")

    bench.box.press("Control+End")
    page.keyboard.type(" By keyboard.")
    while not page.get_by_role("tab", name="Edit", exact=True).evaluate("tab => tab === document.activeElement"):
        page.keyboard.press("Shift+Tab")
    page.keyboard.press("End")
    expect(page.get_by_role("tab", name="Record", exact=True)).to_have_attribute("aria-selected", "true")
    reach(bench, "Consistent")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Space")
    expect(bench.chosen("The edited summary is", "Inconsistent")).to_be_checked()
    expect(page.get_by_role("button", name="Save label")).to_be_enabled()
    reach(bench, "Save label")
    page.keyboard.press("Enter")
    bench.message("Saved: label of")
    assert bench.server.count("label") == before + 1


@pytest.mark.slow
def test_a_search_from_any_page_leads_to_a_metric_within_the_session_and_the_keys_of_a_page_are_listed(
    bench: Bench,
) -> None:
    page = bench.page
    bench.box.press("Control+End")
    page.keyboard.type(" Still typed.")
    page.keyboard.press("?")
    expect(bench.box).to_have_value(re.compile(r"Still typed\.\?$"))

    page.keyboard.press("Escape")
    page.locator("h1").click()
    page.keyboard.press("?")
    keys = page.get_by_role("dialog", name="Keys of this page")
    expect(keys.get_by_text("Keep pair")).to_have_count(1)
    page.keyboard.press("Escape")
    expect(keys).to_be_hidden()

    bench.box.press("Control+k")  # also while one types
    search = page.get_by_role("dialog", name="Search pages")
    page.keyboard.type("metric rouge")
    expect(search.get_by_role("option", selected=True)).to_contain_text("ROUGE-2")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Metrics", level=1)).to_be_visible()
    expect(page).to_have_url(re.compile(r"/metrics\?metric=rouge2$"))

    idle(page)
    page.keyboard.press("Control+k")
    page.keyboard.type("page probe")
    page.keyboard.press("Enter")
    expect(bench.box).to_have_value(re.compile(r"Still typed\.\?$"))
