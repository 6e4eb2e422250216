"""Pages stay where they are while they come: cumulative layout shift, as browsers measure it."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import quote

import pytest
from playwright.sync_api import BrowserContext, expect

from core.types import PRECOMPUTED
from tests.e2e.server import Server
from tests.e2e.waiting import START_MS, idle, quiet

pytestmark = pytest.mark.e2e

MOST_SHIFT = 0.05
PAGES = (
    "home",
    f"evaluate?dataset={quote(PRECOMPUTED)}",
    "?example=news-harbour/one-word",
    "stress",
    "audit",
    "campaigns",
    "annotate",
    "metrics",
    "projects",
)
_WATCH = """window.shifts = [];
new PerformanceObserver(list => {
  for (const { value, hadRecentInput, sources } of list.getEntries()) {
    const names = sources.map(({ node }) => (node?.closest?.('[class*=st-key-]') ?? node)?.className ?? 'gone');
    if (!hadRecentInput) window.shifts.push([value, names.join(' | ')]);
  }
}).observe({ type: 'layout-shift', buffered: true });"""


@pytest.mark.parametrize("address", PAGES)
def test_a_page_stays_where_it_is(new_context: Callable[[], BrowserContext], server: Server, address: str) -> None:
    context = new_context()
    first = context.new_page()  # the scripts of a page are in the browser then, as for everybody after a first visit
    first.goto(f"{server.url}/{address}")
    expect(first.get_by_role("heading", level=1)).to_be_visible(timeout=START_MS)
    idle(first)
    first.close()
    quiet(server.pid)
    page = context.new_page()
    page.set_viewport_size({"width": 1440, "height": 900})
    page.add_init_script(_WATCH)
    page.goto(f"{server.url}/{address}")
    expect(page.get_by_role("heading", level=1)).to_be_visible(timeout=START_MS)
    idle(page)
    shifts = page.evaluate("window.shifts")
    assert sum(value for value, _ in shifts) <= MOST_SHIFT, shifts
