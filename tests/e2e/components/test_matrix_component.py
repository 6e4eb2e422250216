"""The matrix of a stress run in a real browser."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

pytestmark = pytest.mark.e2e


@pytest.fixture
def page(open_app: Callable[[str], Page]) -> Page:
    page = open_app("matrix_app.py")
    expect(cell(page, "ROUGE-2", "Negate")).to_be_visible()
    return page


def cell(page: Page, metric: str, kind: str) -> Locator:
    return page.get_by_role("button", name=re.compile(f"^{metric}[^,]*, {kind}"))


def log(page: Page) -> Locator:
    return page.locator(".st-key-log")


def metrics(page: Page) -> list[str]:
    return page.locator(".metric b").all_text_contents()


def test_a_cell_says_what_its_colour_says_and_is_selected_by_mouse_and_by_keys(page: Page) -> None:
    found = {kind: cell(page, "ROUGE-2", kind).get_attribute("data-move") for kind in ("Shuffle", "Negate", "Change")}
    assert found == {"Shuffle": "noise unknown", "Negate": "right way", "Change": "within noise"}
    expect(cell(page, "ROUGE-2", "Negate")).to_have_attribute("aria-label", re.compile("−0.400, right way, n = 10$"))
    expect(page.locator(".cell[data-few]")).to_have_count(3)
    expect(page.locator("tbody tr").first).to_contain_text("misses 1 of 2 breaking kinds")
    cell(page, "ROUGE-2", "Negate").click()
    expect(log(page)).to_have_text("selected rouge2 negation")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(log(page)).to_have_text("selected bleu negation")
    page.get_by_text("Wrong way", exact=True).click()
    expect(cell(page, "BLEU", "Negate")).to_have_text("100 %n 10")
    expect(cell(page, "BLEU", "Negate")).to_have_attribute("aria-pressed", "true")


def test_metrics_are_sorted_by_a_heading_and_come_back(page: Page) -> None:
    plan = metrics(page)
    heading = page.get_by_role("button", name="Negate a predicate", exact=True)
    for order in (["BLEU", "Word", "ROUGE-2"], ["ROUGE-2", "Word", "BLEU"]):
        heading.click()
        expect(page.locator(".metric b").first).to_contain_text(order[0])
        assert [title.split()[0].split("-n")[0] for title in metrics(page)] == order
    heading.click()
    expect(page.locator(".metric b").first).to_contain_text(plan[0])
    assert metrics(page) == plan
