"""The score board in a real browser."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

pytestmark = pytest.mark.e2e


@pytest.fixture
def page(open_app: Callable[[str], Page]) -> Page:
    page = open_app("board_app.py")
    expect(cell(page, "ROUGE-2", 1)).to_be_visible()
    return page


def cell(page: Page, metric: str, sentence: int) -> Locator:
    return page.get_by_role("button", name=f"{metric}, sentence {sentence},")


def row(page: Page, spec: str) -> Locator:
    return page.locator(f'tr[data-spec="{spec}"]')


def logged(page: Page, words: str) -> None:
    """Wait until the app has heard this, and nothing after it."""
    expect(page.locator(".st-key-log")).to_have_text(re.compile(re.escape(words) + "$"))


def test_cells_titles_sentences_and_actions_are_pressed_with_mouse_and_keys(page: Page) -> None:
    cell(page, "BARTScore", 2).click()
    logged(page, "selected Selection(spec='bart', sentence=1)")
    expect(cell(page, "BARTScore", 2)).to_have_attribute("aria-pressed", "true")
    expect(page.locator(".whose")).to_have_text("BARTScore")
    page.get_by_role("button", name="MiniCheck", exact=True).click()
    logged(page, "selected Selection(spec='mini', sentence=None)")
    page.get_by_role("button", name="ROUGE-2", exact=True).focus()
    for key in ["ArrowRight", "ArrowRight", "ArrowDown", "Enter"]:
        page.keyboard.press(key)
    logged(page, "selected Selection(spec='bart', sentence=1)")
    page.get_by_role("button", name="Nobody objected.").click()
    logged(page, "selected Selection(spec='bart', sentence=2)")
    page.get_by_role("button", name="Download MiniCheck").click()
    logged(page, "download mini")


def test_focus_and_selection_stay_while_a_score_arrives_whose_shift_is_told_in_words(page: Page) -> None:
    cell(page, "BARTScore", 2).click()
    logged(page, "selected Selection(spec='bart', sentence=1)")
    page.get_by_role("button", name="Finish").dispatch_event("click")
    expect(row(page, "bart")).to_contain_text("−1.200")
    expect(row(page, "bart").locator("td.shift")).to_have_text("▲ +0.900more consistent")
    expect(cell(page, "BARTScore", 2)).to_be_focused()
    expect(cell(page, "BARTScore", 2)).to_have_attribute("aria-pressed", "true")


def test_rows_keep_their_place_hostile_text_stays_text_and_an_empty_board_says_what_to_do(page: Page) -> None:
    before = row(page, "bad").bounding_box()
    page.get_by_role("button", name="Finish").click()
    expect(row(page, "bart")).to_contain_text("ready")
    assert row(page, "bad").bounding_box() == before
    expect(row(page, "bad")).to_contain_text("<b>No space</b> left.")
    expect(page.locator(".sentences")).to_contain_text("<script>")
    assert page.evaluate("window.__xss") is None
    page.get_by_text("Nothing", exact=True).click()
    expect(page.get_by_text("No metric is chosen.")).to_be_visible()
