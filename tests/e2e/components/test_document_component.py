"""The document pane in a real browser."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.waiting import idle

pytestmark = pytest.mark.e2e


@pytest.fixture
def page(open_app: Callable[[str], Page]) -> Page:
    page = open_app("document_app.py")
    expect(pane(page)).to_contain_text("The council met on Monday")
    return page


def pane(page: Page) -> Locator:
    return page.get_by_role("region", name="Document")


def press(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def scroll_to(page: Page, top: int) -> None:
    pane(page).evaluate("(pane, top) => { pane.scrollTop = top }", top)


def scrolled(page: Page) -> int:
    return int(pane(page).evaluate("pane => pane.scrollTop"))


def test_evidence_is_marked_scrolled_to_pointed_at_and_kept_in_a_rerun(page: Page) -> None:
    expect(pane(page)).to_contain_text("<script>window.__xss=1</script>")
    press(page, "Mark near")
    expect(page.locator("mark")).to_have_text("The council")  # its offset counts an emoji as one character
    press(page, "Mark far")
    expect(page.locator("mark")).to_have_text("twelve plans")
    expect(page.locator("mark")).to_be_in_viewport()
    assert scrolled(page) > 500

    scroll_to(page, 40)
    page.locator("mark").evaluate("mark => { mark.kept = true }")
    press(page, "Rerun")
    idle(page)
    assert scrolled(page) == 40
    assert page.locator("mark").evaluate("mark => mark.kept")

    expect(page.get_by_role("button", name="↑ evidence")).to_be_hidden()
    press(page, "↓ evidence")
    expect(page.locator("mark")).to_be_in_viewport()
    expect(page.get_by_role("button", name="↓ evidence")).to_be_hidden()

    press(page, "Cut")
    expect(page.locator('[data-label="not read from here"]')).to_have_count(1)
    expect(page.locator("span.unread:not(.tag)")).to_have_count(1)
    assert page.evaluate("window.__xss") is None


def test_a_document_of_over_a_million_characters_is_drawn_within_seconds(page: Page) -> None:
    page.evaluate(
        """() => { const root = document.querySelector('.stBidiComponent [data-testid]').shadowRoot, start = performance.now();
        new MutationObserver(() => requestAnimationFrame(() => { window.took ??= performance.now() - start }))
          .observe(root.querySelector('.text'), { childList: true }) }"""
    )
    press(page, "Long")
    page.wait_for_function("window.took !== undefined")
    assert pane(page).evaluate("pane => pane.textContent.length") > 1_200_000
    assert page.evaluate("window.took") < 10_000  # half a second where nothing else runs
