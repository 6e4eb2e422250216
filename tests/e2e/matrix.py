"""The matrix of the stress page: it is painted, so that only places in it can be named."""

from __future__ import annotations

from playwright.sync_api import Page

from tests.e2e.waiting import idle

_HEADS = 66  # pixels of two rows of headings
_ROW = 33


def select_cell(page: Page, x: int, row: int) -> None:
    """Click a cell as a hand does, that comes from elsewhere: the row from 0, `x` in pixels from the left edge."""
    idle(page)
    table = page.locator(".stDataFrameGlideDataEditor").first
    table.hover(position={"x": x, "y": _HEADS // 2})
    table.click(position={"x": x, "y": _HEADS + _ROW * row + _ROW // 2})
