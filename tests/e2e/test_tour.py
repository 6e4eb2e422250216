"""What somebody sees who comes for the first time, and the tour that a presenter gives over three pages."""

from __future__ import annotations

import re
import time

import pytest
from playwright.sync_api import Browser, FloatRect, Locator, Page, expect

from pages.ui.tour import MARKS, STEPS
from tests.e2e.bench import Bench
from tests.e2e.server import Server
from tests.e2e.waiting import START_MS

pytestmark = pytest.mark.e2e


def card(page: Page, title: str) -> None:
    expect(page.get_by_role("dialog", name=title)).to_be_visible(timeout=START_MS)


def wait_for_ring(page: Page, target: Locator) -> None:
    """Wait until the ring goes round what is spoken of; the page may still move it, or draw it again."""
    until = time.monotonic() + START_MS / 1000
    while not _surrounds(page.locator(".ring").bounding_box(), target.bounding_box()):
        assert time.monotonic() < until, "the ring is somewhere else"


_IS_SEEN = """target => {
  const { x, y, width, height } = target.getBoundingClientRect();
  const at = [x + Math.min(width, innerWidth - x) / 2, y + Math.min(height / 2, 100)];
  const hit = target.getRootNode().elementFromPoint(...at), outer = target.getRootNode().host;
  return target.contains(hit) && (!outer || outer.contains(document.elementFromPoint(...at)));
}"""
"""True if a point of the element is not under anything else, outside the component that it is in neither."""


def wait_until_seen(target: Locator) -> None:
    """Wait until nothing lies over the target and it is on the screen."""
    until = time.monotonic() + START_MS / 1000
    while not target.evaluate(_IS_SEEN):
        assert time.monotonic() < until, "something lies over what the tour speaks of"


def _surrounds(ring: FloatRect | None, box: FloatRect | None) -> bool:
    if ring is None or box is None:
        return False
    across = ring["x"] <= box["x"] and ring["x"] + ring["width"] >= box["x"] + box["width"]
    return across and ring["y"] <= box["y"] and ring["y"] + ring["height"] >= box["y"] + box["height"]


def test_a_first_visit_opens_on_an_edit_with_its_verdict_and_marks_that_stay_away_once_dismissed(
    browser: Browser, server: Server
) -> None:
    context = browser.new_context(viewport={"width": 1440, "height": 900}, reduced_motion="reduce")
    page = context.new_page()
    Bench(page, server).open("")
    expect(page.locator(".st-key-edits ins").first).to_have_text(re.compile("declined"))
    expect(page.locator("h1")).to_have_text(
        re.compile(r"^You reversed a fact\. \d+ of \d+ metrics noticed"), timeout=START_MS
    )
    expect(page.locator(".ts-headline li")).to_have_text([re.compile("missed|noticed|wrong way")] * 5)
    expect(page).to_have_title("Probe · A freighter, a quay and a second tug · Touchstone")
    assert page.url.endswith("?example=news-harbour%2Fone-word")
    assert "draft" not in page.url
    for mark in MARKS[:-1]:
        card(page, mark.title)
        wait_until_seen(page.locator(mark.target.replace(" >>> ", " ")).first)
        page.get_by_role("button", name="Next").click()
    card(page, MARKS[-1].title)
    page.get_by_role("button", name="Dismiss").click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.reload()
    expect(page.locator("#settled")).to_be_attached(timeout=START_MS)
    expect(page.locator(".st-key-edits ins").first).to_have_text(re.compile("declined"))
    expect(page.get_by_role("dialog")).to_have_count(0)
    context.close()


@pytest.mark.slow
def test_the_tour_leads_by_keys_over_three_pages_and_points_at_what_can_be_seen(page: Page, server: Server) -> None:
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto(f"{server.url}/?tour=1")
    for step in STEPS:
        card(page, step.title)
        target = page.locator(step.target.replace(" >>> ", " ")).first
        expect(target).to_be_visible(timeout=START_MS)
        wait_for_ring(page, target)
        wait_until_seen(target)
        page.keyboard.press("ArrowRight")
    expect(page.get_by_role("dialog")).to_have_count(0)
    assert page.url.partition("?")[0].endswith("/evaluate")


@pytest.mark.slow
def test_the_tour_runs_by_itself_until_somebody_takes_over(page: Page, server: Server) -> None:
    page.goto(f"{server.url}/?tour=play")
    card(page, STEPS[0].title)
    card(page, STEPS[1].title)  # no key was pressed
    page.get_by_role("button", name="Pause").click()
    page.get_by_role("button", name="Back").click()
    card(page, STEPS[0].title)
    expect(page.get_by_role("button", name="Next")).to_be_visible()
    page.keyboard.press("ArrowRight")
    card(page, STEPS[1].title)
    page.keyboard.press("ArrowLeft")
    card(page, STEPS[0].title)
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
