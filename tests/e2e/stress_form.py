"""The form of a new stress run as a person handles it: what stands behind its buttons."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Page, expect

from tests.e2e.waiting import idle, press

DOMAINS = "stress-domains-box"
KINDS = "stress-kinds-box"
MORE = "stress-more"


@contextmanager
def behind(page: Page, box: str) -> Iterator[None]:
    """Open a box of the form, and close it again."""
    idle(page)
    press(page.locator(f".st-key-{box} button"))
    shown = page.get_by_test_id("stPopoverBody")
    expect(shown).to_be_visible()
    yield
    idle(page)
    page.keyboard.press("Escape")
    expect(shown).to_have_count(0)
