"""Tabs of Evaluate and of Stress test, by their names."""

from __future__ import annotations

from playwright.sync_api import Page

from tests.e2e.waiting import idle, pick_option, press


def open_tab(page: Page, name: str) -> None:
    """Open a tab of the page, once nothing is drawn any more that could take its place."""
    press(page.get_by_role("tab", name=name, exact=True))


def open_view(page: Page, group: str, view: str) -> None:
    """Open a view in the tab of its group."""
    open_tab(page, group)
    choose_view(page, view)


def choose_view(page: Page, view: str) -> None:
    """Choose a view of the tab, which are in a list where they are many, or of its study."""
    idle(page)
    studies = page.get_by_role("combobox", name="Study", exact=True)
    if page.get_by_role("radio", name=view, exact=True).count() or not studies.count():
        press(page.get_by_role("radio", name=view, exact=True))
    else:
        pick_option(studies, view)
