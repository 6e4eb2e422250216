"""Waiting for the states of a page, never for times."""

from __future__ import annotations

from playwright.sync_api import Page

from tests.e2e.bench import START_MS


def idle(page: Page) -> None:
    """Wait until the page's script has ended: all is drawn, and presses are heard."""
    page.locator("[data-testid=stApp][data-test-script-state=notRunning]").wait_for(timeout=START_MS)
