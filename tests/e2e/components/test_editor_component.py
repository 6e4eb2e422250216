"""The summary editor in a real browser."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.waiting import idle

pytestmark = pytest.mark.e2e

START = "The 😀 council approved 12 plans on Monday."


@pytest.fixture
def page(open_app: Callable[[str], Page]) -> Page:
    page = open_app("editor_app.py")
    expect(echo(page)).to_have_text(START)
    return page


def box(page: Page) -> Locator:
    return page.get_by_label("Summary")


def echo(page: Page) -> Locator:
    return page.locator(".st-key-echo")


def log(page: Page) -> Locator:
    return page.locator(".st-key-log")


def type_at_once(page: Page, words: str) -> None:
    """Type at the end, each letter an event of its own, faster than any pause that would be told of."""
    box(page).press("Control+End")
    box(page).evaluate(
        "(_, words) => { for (const one of words) document.execCommand('insertText', false, one); }", words
    )


def select(page: Page, words: str) -> None:
    box(page).evaluate(
        "(box, words) => { const at = box.value.indexOf(words); box.focus(); box.setSelectionRange(at, at + words.length); }",
        words,
    )
    expect(page.get_by_role("group", name="Replace the selected words")).to_be_visible()


def caret(page: Page) -> int:
    return int(box(page).evaluate("box => box.selectionStart"))


def test_a_burst_of_typing_is_one_event_and_leaving_the_box_sends_at_once(page: Page) -> None:
    page.locator(".status").evaluate(
        """status => { window.said = [];
        new MutationObserver(() => window.said.push(status.textContent)).observe(status, { childList: true }) }"""
    )
    type_at_once(page, " It rained today.")
    expect(echo(page)).to_have_text(START + " It rained today.")
    assert log(page).inner_text().split() == ["text"]
    page.wait_for_function("window.said.at(-1) === ''")
    assert page.evaluate("window.said") == ["typing…", "scoring…", ""]

    seen = box(page).evaluate(
        """box => {
        const status = box.getRootNode().querySelector('.status'), seen = [];
        document.execCommand('insertText', false, '!');
        seen.push(status.textContent);
        box.blur();
        return [...seen, status.textContent];
        }"""
    )
    assert seen == ["typing…", "scoring…"]
    expect(echo(page)).to_have_text(START + " It rained today.!")


def test_composing_is_silent_until_the_text_is_committed(page: Page) -> None:
    box(page).press("Control+End")
    session = page.context.new_cdp_session(page)
    session.send("Input.imeSetComposition", {"text": "に", "selectionStart": 1, "selectionEnd": 1})
    expect(page.get_by_text("typing…")).to_be_hidden()
    session.send("Input.insertText", {"text": "日本"})
    expect(echo(page)).to_have_text(START + "日本")
    assert log(page).inner_text().split() == ["text"]


def test_selected_words_are_replaced_deleted_left_and_restored(page: Page) -> None:
    select(page, "council")
    page.get_by_label("Replacement").press("Escape")
    expect(page.get_by_label("Replacement")).to_be_hidden()
    expect(box(page)).to_be_focused()

    select(page, "approved")
    page.get_by_label("Replacement").fill("rejected")
    page.get_by_label("Explanation").fill("It said no.")
    page.get_by_label("Replacement").press("Enter")
    expect(echo(page)).to_have_text(START.replace("approved", "rejected"))
    expect(log(page)).to_contain_text("replace 14-22 'approved' -> 'rejected' (It said no.)")  # in code points
    page.keyboard.press("Control+z")
    expect(echo(page)).to_have_text(START)

    select(page, " on Monday")
    page.get_by_role("button", name="Delete").click()
    expect(echo(page)).to_have_text("The 😀 council approved 12 plans.")
    expect(log(page)).to_contain_text("' on Monday' -> ''")

    hostile = '<img src=x onerror="window.__xss=1"> <script>window.__xss=1</script> \u202eabc 😀'
    box(page).fill(hostile)
    select(page, hostile)
    expect(page.locator(".old")).to_have_text(hostile)
    expect(echo(page)).to_contain_text("<script>")
    assert page.evaluate("window.__xss") is None


def test_the_app_changes_the_box_while_unsent_text_and_the_caret_stay(page: Page) -> None:
    page.get_by_role("button", name="Swap digits").click()
    swapped = START.replace("12", "21")
    expect(box(page)).to_have_value(swapped)
    expect(echo(page)).to_have_text(swapped)

    box(page).press("Control+Home")
    page.keyboard.type("Oh. ")
    page.get_by_role("button", name="Rerun").dispatch_event("click")
    expect(echo(page)).to_have_text("Oh. " + swapped)
    expect(box(page)).to_have_value("Oh. " + swapped)
    assert caret(page) == 4

    page.evaluate("window.heard = []; document.addEventListener('keydown', e => window.heard.push(e.code))")
    for key in ("a", "Control+z", "Alt+s"):
        box(page).press(key)
    page.wait_for_function("window.heard.includes('KeyS')")
    assert not {"KeyA", "KeyZ"} & set(page.evaluate("window.heard"))


def test_a_message_about_an_older_revision_is_dropped_and_the_box_brought_up_to_date(page: Page) -> None:
    page.get_by_role("button", name="Age the box").click()
    idle(page)
    box(page).press("Control+End")
    page.keyboard.insert_text(" Lost.")
    expect(box(page)).to_have_value(START)
    expect(echo(page)).to_have_text(START)
    assert not log(page).inner_text().strip()
