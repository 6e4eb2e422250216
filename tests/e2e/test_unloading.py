"""Models on the page of metrics."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.bench import Bench
from tests.e2e.server import Server
from tests.e2e.waiting import START_MS, idle, press, quiet

pytestmark = pytest.mark.e2e


def test_a_model_is_unloaded_and_loaded_again_and_memory_follows(page: Page, plugged_server: Server) -> None:
    Bench(page, plugged_server).open()
    page.get_by_role("link", name="Metrics").click()
    press(page.locator(".st-key-card-semantic-similarity").get_by_role("button"))
    card = page.locator(".st-key-metric-semantic-similarity")
    bar = page.get_by_text("for models in use")
    expect(card.get_by_role("button", name="Unload")).to_be_visible(timeout=START_MS)
    quiet(plugged_server.pid)  # noise that is measured in the background would load it again
    idle(page)
    full = bar.inner_text()
    press(card.get_by_role("button", name="Unload"))
    expect(card).to_contain_text("not loaded")
    idle(page)
    assert memory(bar.inner_text()) < memory(full)
    press(card.get_by_role("button", name=re.compile("^Load")))
    expect(card.get_by_role("button", name="Unload")).to_be_visible()
    expect(bar).to_have_text(full)


def memory(words: str) -> float:
    """Megabytes in use, from the text over the bar."""
    number, unit, *_ = words.split()
    return float(number) * {"GB": 1000, "MB": 1}[unit]
