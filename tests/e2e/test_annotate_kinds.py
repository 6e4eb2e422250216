"""A slider, a ranking, best-worst and a soft label are answered in the browser, and refused while they are not whole."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.shared_server import AnnotatePage, SharedServer
from tests.unit.annotations.campaigns.test_question_kinds import QUESTIONS

pytestmark = [pytest.mark.e2e, pytest.mark.slow]


def test_every_kind_is_answered_and_kept(new_page: Callable[[], Page], shared_server: SharedServer) -> None:
    campaign = shared_server.campaign(QUESTIONS, items=2, overlap=1)
    page = new_page()
    annotate_page = AnnotatePage(page, shared_server)
    annotate_page.enter(shared_server.code()[1], campaign)
    annotate_page.at("Item 1")
    annotate_page.keys("2")  # inconsistent, which brings the soft label

    def field(name: str):  # type: ignore[no-untyped-def]  # a locator
        return page.locator(f'fieldset[data-question="{name}"]')

    slider = field("quality").get_by_role("slider")
    slider.focus()
    for _ in range(20):
        page.keyboard.press("ArrowRight")
    expect(field("quality").locator("output")).to_have_text("70")
    for option in ("Right", "Left"):
        field("order").get_by_role("button", name=option).click()
    expect(field("order").get_by_role("button", name="Right")).to_contain_text("1. Right")
    annotate_page.save.click()
    expect(page.locator(".labeller .problem")).to_contain_text("has no order of all yet")
    field("order").get_by_role("button", name="Neither").click()
    field("ends").get_by_role("button", name="Left").click()
    field("ends").get_by_role("button", name="Neither").click()
    boxes = field("shares").get_by_role("spinbutton")
    boxes.nth(0).fill("70")
    boxes.nth(1).fill("20")
    annotate_page.save.click()
    expect(page.locator(".labeller .problem")).to_contain_text("has 90 of 100 %")
    boxes.nth(1).fill("30")
    annotate_page.save.click()
    annotate_page.at("Item 2")
    [answers] = shared_server.answers(campaign)
    assert answers == {
        "verdict": "no",
        "quality": 70,
        "order": ["right", "left", "neither"],
        "ends": ["left", "neither"],
        "shares": [70, 30, 0],
    }
