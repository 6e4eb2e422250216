"""Passages of a summary are marked with the kind of their error by keys."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.shared_server import AnnotatePage, SharedServer

pytestmark = pytest.mark.e2e


def test_chosen_words_get_the_category_of_the_number_and_are_removed_by_a_button(
    page: Page, shared_server: SharedServer
) -> None:
    campaign, (_, code) = shared_server.campaign("mark-errors"), shared_server.code()
    annotate_page = AnnotatePage(page, shared_server)
    annotate_page.enter(code, campaign)
    marks = page.locator(".labeller .texts mark.category")
    annotate_page.keys("2")
    annotate_page.active("errors")
    annotate_page.keys("w", "ArrowRight", "m")
    expect(annotate_page.problem).to_have_text("Press the number of a category.")
    annotate_page.keys("2", "ArrowRight", "Shift+ArrowRight", "6")
    expect(marks).to_have_count(2)
    expect(page.get_by_role("button", name="Number: The ×", exact=True)).to_be_visible()
    annotate_page.keys("Escape")
    page.get_by_role("button", name="Number: The ×", exact=True).press("Enter")
    expect(marks).to_have_count(1)
    expect(marks).to_have_text("ferry left")
    annotate_page.keys("w", "Escape", "ArrowDown", "2", "Enter")
    annotate_page.at("Item 2")
    assert shared_server.answers(campaign) == [
        {"verdict": "inconsistent", "errors": [[4, 14, "invented"]], "severity": "major"}
    ]
