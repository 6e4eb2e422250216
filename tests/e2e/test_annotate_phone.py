"""Annotate on a phone: a swipe turns to another item, and answers none."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.conftest import PATIENCE_MS
from tests.e2e.shared_server import AnnotatePage, SharedServer
from tests.e2e.watch import watched

pytestmark = pytest.mark.e2e

MIDDLE, HEIGHT = 195, 520
RIGHT, LEFT, DOWN = (110, 0), (-110, 0), (30, 160)


@pytest.fixture
def phone(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(
        viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True, reduced_motion="reduce"
    )
    context.set_default_timeout(PATIENCE_MS)
    with watched(context):
        yield context.new_page()
    context.close()


def swipe(page: Page, by: tuple[int, int], start: int = MIDDLE) -> None:
    """Move one finger over the screen, with the touch events of the browser."""
    touch = page.context.new_cdp_session(page)

    def send(kind: str, *points: dict[str, int]) -> None:
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": list(points)})

    send("touchStart", {"x": start, "y": HEIGHT})
    for step in (1, 2, 3):
        send("touchMove", {"x": start + by[0] * step // 3, "y": HEIGHT + by[1] * step // 3})
    send("touchEnd")
    touch.detach()


@pytest.mark.slow
def test_a_swipe_goes_to_the_item_before_and_back_and_answers_nothing(phone: Page, shared_server: SharedServer) -> None:
    campaign, annotate_page = shared_server.campaign("label-summaries", items=3), AnnotatePage(phone, shared_server)
    annotate_page.enter(shared_server.code()[1], campaign)
    expect(phone.locator(".swipes")).to_be_visible()
    consistent = phone.get_by_role("button", name="Consistent", exact=True)
    consistent.tap()
    phone.get_by_role("button", name="5", exact=False).last.tap()
    swipe(phone, LEFT)  # everything is answered: only the button saves it
    swipe(phone, DOWN)
    annotate_page.at("Item 1")
    assert shared_server.answers(campaign) == []
    annotate_page.save.click()  # the first tap after a swipe up or down may only end its momentum
    annotate_page.at("Item 2")
    consistent.tap()
    swipe(phone, RIGHT, start=8)  # at the edge the browser itself goes back
    swipe(phone, RIGHT)
    annotate_page.at("Item 1, answered before")
    swipe(phone, LEFT)
    annotate_page.at("Item 2")
    expect(consistent).to_have_attribute("aria-pressed", "true")
    assert len(shared_server.answers(campaign)) == 1
