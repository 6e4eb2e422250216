"""A lesson is done on the real page: the card sees what was done there, explains answers, and leads to the next one."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import Page, expect

from pages.ui.lessons import Step, read_lessons
from tests.e2e.bench import Bench
from tests.e2e.server import Server
from tests.e2e.test_tour import card
from tests.e2e.waiting import START_MS, idle, press

pytestmark = pytest.mark.e2e

FIRST, SECOND = list(read_lessons().items())[:2]


def answer(page: Page, step: Step) -> None:
    """Give an answer that is not right, hear why, and then the right one."""
    [right] = [choice for choice in step.choices if choice.right == "always"]
    wrong = next(choice for choice in step.choices if not choice.right)
    page.get_by_role("button", name=wrong.text).click()
    expect(page.locator(".card .said")).to_have_text(f"✗ Not quite. {wrong.why}")
    expect(page.get_by_role("button", name="Skip")).to_be_visible()
    page.get_by_role("button", name=right.text).click()
    expect(page.locator(".card .said")).to_have_text(f"✓ Right. {right.why}")


def done(page: Page, step: Step) -> None:
    expect(page.locator(".card .said")).to_have_text(f"✓ Done. {step.after}")


def go_on(page: Page) -> None:
    page.locator(".card .next").click()


@pytest.mark.slow
def test_a_lesson_is_done_to_its_end_and_the_next_one_follows(page: Page, server: Server) -> None:
    name, lesson = FIRST
    read, reset, break_fact, state, why = lesson.steps
    page.goto(f"{server.url}/home")
    press(page.get_by_role("link", name=lesson.title))
    bench = Bench(page, server)
    card(page, read.title)
    answer(page, read)
    page.keyboard.press("ArrowRight")  # the focus is in the card
    card(page, reset.title)
    page.reload()
    card(page, reset.title)
    idle(page)  # the page of before the reload is drawn again, with another button
    page.get_by_role("button", name="Go there").click()
    expect(page.get_by_role("button", name="Reset", exact=True)).to_be_focused()
    page.keyboard.press("Enter")
    done(page, reset)
    page.keyboard.press("Alt+l")
    page.keyboard.press("ArrowRight")
    card(page, break_fact.title)
    bench.write(bench.box.input_value().replace("October", "November"))
    done(page, break_fact)
    go_on(page)
    card(page, state.title)
    press(page.get_by_role("tab", name="Record", exact=True))
    press(page.get_by_role("radio", name="Inconsistent", exact=True))
    done(page, state)
    go_on(page)
    card(page, why.title)
    answer(page, why)
    expect(page.get_by_role("link", name="Read on in the documents")).to_have_attribute(
        "href", f"/docs/{lesson.chapter}"
    )
    go_on(page)
    card(page, SECOND[1].steps[0].title)
    assert json.loads(page.evaluate("localStorage.getItem('touchstone-lessons')")) == [name]
    page.get_by_role("button", name="End the lesson").click()
    expect(page.get_by_role("dialog")).to_have_count(0, timeout=START_MS)
    page.goto(f"{server.url}/home")
    expect(page.get_by_role("link", name=f"{lesson.title} done")).to_be_visible(timeout=START_MS)
