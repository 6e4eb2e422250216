"""The matrix of the stress page."""

from __future__ import annotations

from playwright.sync_api import Page

from tests.e2e.waiting import press


def select_cell(page: Page, metric: str, kind: str = "") -> None:
    """Press the cell of a metric under a kind of perturbation, by their titles; the metric's first cell without a kind."""
    press(page.locator(".matrix").get_by_role("button", name=f"{metric}, {kind}").first)
