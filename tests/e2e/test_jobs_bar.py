"""Jobs in the bar: a run followed on another page, paused and continued there, and gone on with by the next server."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.e2e.server import serve
from tests.e2e.waiting import START_MS, press

pytestmark = pytest.mark.e2e


def test_a_run_is_followed_on_other_pages_and_over_a_restart(
    tmp_path: Path, new_context: Callable[[], BrowserContext]
) -> None:
    with serve(tmp_path) as server:
        page = new_context().new_page()
        page.goto(f"{server.url}/stress", timeout=START_MS)
        assert not page.locator("button.summary").is_visible()
        press(page.get_by_role("button", name=re.compile("^Run: ")))
        page.wait_for_url("**/stress?run=*", timeout=START_MS)
        address = page.url.rpartition("/")[2]
        page.goto(f"{server.url}/home")
        expect(page.get_by_text(re.compile(r"under way.* of [\d,]+ scores")).first).to_be_visible(timeout=START_MS)
        page.locator("button.summary").click()
        page.get_by_role("button", name="pause Run 1").click()
        bar = page.locator(".jobs")
        expect(bar).to_contain_text("paused", timeout=START_MS)
        page.get_by_role("button", name="continue Run 1").click()
        page.wait_for_url(f"**/{address}*")
        expect(bar).to_contain_text("under way, resumed", timeout=START_MS)
        page.close()
    with serve(tmp_path) as server:
        page = new_context().new_page()
        page.goto(f"{server.url}/probe", timeout=START_MS)
        page.locator("button.summary").click(timeout=START_MS)
        bar = page.locator(".jobs")
        expect(bar).to_contain_text("resumed", timeout=START_MS)
        page.get_by_role("button", name="open Run 1").click()
        page.wait_for_url(f"**/{address}*")
        press(page.locator("button.summary"))
        page.get_by_role("button", name="cancel Run 1").click()
        expect(bar).to_contain_text("cancelled", timeout=START_MS)
