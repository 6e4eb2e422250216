"""Less to hold: few pages, few views, forms of a dozen controls; and addresses of before lead on."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import quote

import pytest
from playwright.sync_api import Page, expect

from core.types import PRECOMPUTED
from tests.e2e.controls import controls
from tests.e2e.server import Server
from tests.e2e.tabs import open_tab
from tests.e2e.waiting import START_MS, idle

pytestmark = pytest.mark.e2e

MOST_PAGES, MOST_VIEWS, MOST_CONTROLS = 9, 12, 15
FORMS = {
    "campaigns?campaign=new": "Create the campaign",
    "stress": "Run: ",
    "audit": "Audit",
    "evaluate?paper=bump": "All papers",
    "projects": "Make a project of the bundled examples",
    "metrics?prompt=trivial": "All metrics",
}
"""By address of a form, a button that is there once it is."""
FORMER = {
    "review": "Campaigns",
    "data": "Home",
    "prompts?prompt=trivial": "Metrics",
    "papers?paper=bump": "Evaluate",
}
"""By address of a former page, the page that it leads to."""


@pytest.fixture
def screen(page: Page) -> Iterator[Page]:
    """A page of the size that the numbers are of."""
    page.set_viewport_size({"width": 1440, "height": 900})
    yield page
    page.set_viewport_size({"width": 1440, "height": 1000})


@pytest.mark.parametrize("address", FORMS)
def test_a_form_has_few_controls_on_its_first_screen(screen: Page, server: Server, address: str) -> None:
    screen.goto(f"{server.url}/{address}")
    expect(screen.get_by_role("button", name=FORMS[address]).first).to_be_visible(timeout=START_MS)
    idle(screen)
    seen = controls(screen)
    assert len(seen) <= MOST_CONTROLS, seen


def test_there_are_few_pages_and_former_addresses_lead_to_them(screen: Page, server: Server) -> None:
    screen.goto(f"{server.url}/home")
    expect(screen.get_by_test_id("stTopNavLink").first).to_be_visible(timeout=START_MS)
    assert screen.get_by_test_id("stTopNavLink").count() <= MOST_PAGES
    assert screen.get_by_test_id("stTopNavSection").count() == 0
    for address, title in FORMER.items():
        screen.goto(f"{server.url}/{address}")
        expect(screen.get_by_role("heading", level=1, name=title)).to_be_visible(timeout=START_MS)


@pytest.mark.slow
def test_evaluate_has_few_views_and_none_without_data(screen: Page, server: Server) -> None:
    screen.goto(f"{server.url}/evaluate?dataset={quote(PRECOMPUTED)}")
    tabs = screen.get_by_role("tab")
    expect(tabs.first).to_be_visible(timeout=START_MS)
    views: list[str] = []
    for tab in tabs.all_inner_texts():
        open_tab(screen, tab)
        idle(screen)
        studies = screen.get_by_role("combobox", name="Study", exact=True)
        if studies.count():
            studies.click()
            views += screen.get_by_role("option").all_inner_texts()
            screen.keyboard.press("Escape")
        else:
            views += screen.locator("[class*=st-key-evaluate-view-] button").all_inner_texts() or [tab]
    assert len(views) <= MOST_VIEWS, views
    assert "Agreement of annotators" not in views
