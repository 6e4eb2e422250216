"""The form of a new campaign as a person handles it."""

from __future__ import annotations

import re
from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import Page, expect

from tests.e2e.waiting import START_MS, idle, pick_option, press

NEW = "campaigns?campaign=new"
RULES, WHICH, WORDING = "new-campaign-rules", "new-campaign-which", "new-campaign-wording"


def form_is_there(page: Page) -> None:
    expect(page.get_by_role("textbox", name="Name of the campaign")).to_be_visible(timeout=START_MS)
    idle(page)


def choose_items(page: Page, source: str) -> None:
    pick_option(page.get_by_role("combobox", name="Items", exact=True), source)


def create(page: Page) -> str:
    """Press the button; the id of the campaign that is opened then."""
    press(page.get_by_role("button", name="Create the campaign"))
    page.wait_for_url(re.compile(r"campaign=(?!new)"), timeout=START_MS)
    return parse_qs(urlsplit(page.url).query)["campaign"][0]
