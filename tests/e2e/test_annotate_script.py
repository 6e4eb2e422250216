"""The labeller's script has an address of its own: one that does not come is asked for again, and said in the end."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.e2e.shared_server import SharedServer
from tests.e2e.waiting import START_MS, press

pytestmark = pytest.mark.e2e
_SCRIPTS = "**/component-scripts/**"


def open_labeller(browser: Browser, shared_server: SharedServer, answer: Callable[[Route], None]) -> Page:
    """A page whose console nobody watches, as each script that does not come is an error there."""
    campaign, (_, code) = shared_server.campaign("label-summaries", items=2), shared_server.code()
    page = browser.new_context().new_page()
    page.route(_SCRIPTS, answer)
    page.goto(f"{shared_server.server.url}/?invite={code}&campaign={campaign.id}")
    press(page.get_by_role("button", name="Start"))
    return page


def test_a_script_that_comes_at_the_third_try_draws_the_labeller(browser: Browser, shared_server: SharedServer) -> None:
    tries: list[str] = []

    def fail_twice(route: Route) -> None:
        tries.append(route.request.url)
        (route.abort if len(tries) <= 2 else route.continue_)()

    page = open_labeller(browser, shared_server, fail_twice)
    expect(page.locator(".labeller")).to_be_visible(timeout=START_MS)
    assert len({*tries}) == len(tries) == 3
    page.context.close()


def test_a_script_that_never_comes_is_said(browser: Browser, shared_server: SharedServer) -> None:
    page = open_labeller(browser, shared_server, lambda route: route.abort())
    expect(page.get_by_role("alert")).to_contain_text(
        "could not be fetched. Nothing is lost: reload the page.", timeout=START_MS
    )
    page.context.close()
