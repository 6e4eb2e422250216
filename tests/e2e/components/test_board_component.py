"""The score board in a real browser."""

from __future__ import annotations

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
    return page.get_by_role("button", name=f"{metric}, sentence {sentence}:")


def row(page: Page, spec: str) -> Locator:
    return page.locator(f'tr[data-spec="{spec}"]')


def log(page: Page) -> Locator:
    return page.locator(".st-key-log")


def test_a_click_on_a_cell_selects_metric_and_sentence(page: Page) -> None:
    cell(page, "BARTScore", 2).click()
    expect(log(page)).to_have_text("selected Selection(spec='bart', sentence=1)")
    expect(cell(page, "BARTScore", 2)).to_have_attribute("aria-pressed", "true")
    expect(page.locator(".whose")).to_have_text("BARTScore")


def test_a_click_on_a_title_selects_the_metric_only(page: Page) -> None:
    page.get_by_role("button", name="MiniCheck", exact=True).click()
    expect(log(page)).to_have_text("selected Selection(spec='mini', sentence=None)")


def test_arrow_keys_move_between_cells_and_enter_selects(page: Page) -> None:
    page.get_by_role("button", name="ROUGE-2", exact=True).focus()
    for key in ["ArrowRight", "ArrowRight", "ArrowDown", "Enter"]:
        page.keyboard.press(key)
    expect(log(page)).to_have_text("selected Selection(spec='bart', sentence=1)")


def test_a_sentence_of_the_list_can_be_selected(page: Page) -> None:
    page.get_by_role("button", name="Nobody objected.").click()
    expect(log(page)).to_have_text("selected Selection(spec='rouge2', sentence=2)")


def test_focus_and_selection_stay_while_a_score_arrives(page: Page) -> None:
    cell(page, "BARTScore", 2).click()
    expect(log(page)).to_contain_text("bart")
    page.get_by_role("button", name="Finish").dispatch_event("click")
    expect(row(page, "bart")).to_contain_text("−1.200")
    expect(cell(page, "BARTScore", 2)).to_be_focused()
    expect(cell(page, "BARTScore", 2)).to_have_attribute("aria-pressed", "true")


def test_a_shift_is_told_in_words_and_by_an_arrow(page: Page) -> None:
    page.get_by_role("button", name="Finish").click()
    expect(row(page, "bart").locator("td.shift")).to_have_text("▲ +0.900more consistent")


def test_a_row_that_cannot_score_offers_its_action(page: Page) -> None:
    page.get_by_role("button", name="Download MiniCheck").click()
    expect(log(page)).to_have_text("download mini")


def test_rows_keep_their_place_when_a_score_arrives(page: Page) -> None:
    before = row(page, "bad").bounding_box()
    page.get_by_role("button", name="Finish").click()
    expect(row(page, "bart")).to_contain_text("ready")
    assert row(page, "bad").bounding_box() == before


def test_hostile_text_stays_text(page: Page) -> None:
    expect(row(page, "bad")).to_contain_text("<b>No space</b> left.")
    expect(page.locator(".sentences")).to_contain_text("<script>")
    assert page.evaluate("window.__xss") is None


def test_an_empty_board_says_what_to_do(page: Page) -> None:
    page.get_by_text("Nothing", exact=True).click()
    expect(page.get_by_text("No metric is chosen.")).to_be_visible()
