"""Journeys of researchers: systems side by side, a correction by a key, a disagreement read, a blind label, a read-only link with its end."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import urlencode

import pytest
from playwright.sync_api import BrowserContext, Page, expect
from sqlmodel import select

from annotations.store.report_tables import ProjectLink
from core.types import PRECOMPUTED
from tests.e2e.bench import Bench
from tests.e2e.journeys import Walk
from tests.e2e.server import Server, serve
from tests.e2e.waiting import START_MS, enter, idle, press

pytestmark = pytest.mark.e2e

DOCUMENT = "The freighter Lena ran aground off Brest on Monday. Nobody was hurt, the coast guard said."
WRONG, RIGHT = "The freighter Lena sank off Brest on Monday.", "The freighter Lena ran aground off Brest on Monday."


def paste(walk: Walk, summary: str) -> None:
    """Put the document with a summary on the bench."""
    walk.start("/")
    walk.press(walk.button("Open a text"))
    form = walk.page.get_by_test_id("stPopoverBody")  # the editor of the summary has the name of a field there
    form.get_by_role("textbox", name="Document", exact=True).fill(DOCUMENT)
    form.get_by_role("textbox", name="Summary", exact=True).fill(summary)
    walk.press(walk.button("Open the pair"))
    idle(walk.page)
    expect(walk.page.locator(".editor textarea")).to_have_value(summary, timeout=START_MS)
    walk.scored()


def test_two_systems_stand_side_by_side_and_either_goes_on_the_bench(
    page: Page, server: Server, tmp_path: Path
) -> None:
    file = tmp_path / "outputs.csv"
    rows = (f'"{DOCUMENT}","{RIGHT}",old', f'"{DOCUMENT}","{WRONG}",new')
    file.write_text("\n".join(("document,summary,system", *rows)), encoding="utf-8")
    walk = Walk(page, server.url, tmp_path)
    walk.start("/")
    walk.press(walk.button("Open a text"))
    walk.attach(page.locator("input[type=file]").first, file)
    systems = page.get_by_role("combobox", name=re.compile("with summaries of several systems"))
    walk.press(systems)
    walk.press(page.get_by_role("option", name=re.compile("old, new")))
    idle(page)
    expect(page.get_by_text("Summaries of systems side by side")).to_be_visible(timeout=START_MS)
    expect(page.locator(".editor textarea")).to_have_value(RIGHT)
    expect(page.locator(".st-key-comparison ins")).to_contain_text("sank")
    walk.press(walk.button("Open B · new"))
    idle(page)
    expect(page.locator(".editor textarea")).to_have_value(WRONG, timeout=START_MS)
    assert walk.presses == 5


def test_a_correction_is_refused_and_another_accepted_by_a_key(page: Page, server: Server, tmp_path: Path) -> None:
    walk, kept = Walk(page, server.url, tmp_path), server.count("item")
    paste(walk, WRONG)
    walk.presses = 0
    walk.press(page.get_by_text("Suggest corrections", exact=True))
    expect(walk.button(re.compile("^Accept"), exact=False)).to_be_visible(timeout=START_MS)
    expect(page.get_by_text("The document says “ran aground”, not “sank”.")).to_be_visible()
    walk.key("Alt+y")
    expect(page.locator(".editor textarea")).to_have_value(RIGHT, timeout=START_MS)
    expect(page.get_by_test_id("stToast").or_(page.get_by_test_id("stAlert")).last).to_be_visible()
    assert server.count("item") > kept
    assert walk.presses == 2


def test_a_disagreement_of_metrics_is_read_in_its_pair(page: Page, server: Server, tmp_path: Path) -> None:
    walk = Walk(page, server.url, tmp_path)
    walk.start(f"/evaluate?{urlencode({'dataset': PRECOMPUTED})}")
    walk.press(page.get_by_role("radio", name="metrics disagree", exact=True))
    idle(page)
    grid = page.locator("[class*='st-key-evaluate-grid'] .dvn-scroller")
    grid.wait_for(timeout=START_MS)
    idle(page, grid)
    grid.hover(position={"x": 16, "y": 17})
    grid.click(position={"x": 16, "y": 52})  # the mark of the first pair
    walk.presses += 1
    expect(page.get_by_test_id("stMain").locator("ins, del").first).to_be_visible(timeout=START_MS)
    assert walk.presses == 2


def test_a_label_is_blind_by_choice_and_says_so(bench: Bench) -> None:
    page = bench.page
    press(page.get_by_role("tab", name="Record", exact=True))
    expect(page.get_by_text("Recorded as not blind: the scores are in view.")).to_be_visible(timeout=START_MS)
    press(page.get_by_text("Hide the scores", exact=True))
    expect(page.get_by_text("Recorded as not blind: scores of this pair were in view.")).to_be_visible(timeout=START_MS)
    expect(page.locator(".st-key-board")).to_be_hidden()
    expect(bench.evidence()).to_have_count(0)
    expect(page.get_by_role("heading", level=1)).to_have_text("The scores are hidden while you label.")
    examples = page.get_by_role("combobox", name="Example")
    press(examples)
    press(page.get_by_role("option", name=re.compile("paper mill")))
    expect(page.get_by_text("Recorded as blind: no score of this pair was in view.")).to_be_visible(timeout=START_MS)
    press(page.get_by_role("radio", name="Consistent", exact=True))
    press(page.get_by_role("button", name="Save label"))
    bench.message("Saved: label of")
    assert bench.server.rows("SELECT blind FROM label ORDER BY created_at DESC LIMIT 1")[0]["blind"] == 1


def test_the_find_box_finds_words_of_the_document(bench: Bench) -> None:
    page = bench.page
    idle(page)
    page.locator("h1").click()
    page.keyboard.press("/")
    page.keyboard.type("TUG ")
    count = page.locator(".find .count")
    expect(count).to_have_text(re.compile(r"^1 of [2-9]"))
    page.keyboard.press("Enter")
    expect(count).to_have_text(re.compile(r"^2 of "))
    page.keyboard.type("of no harbour")
    expect(count).to_have_text("no place")
    page.keyboard.press("Escape")
    expect(page.locator(".find")).to_be_hidden()
    page.keyboard.press("Control+f")
    expect(page.get_by_role("searchbox", name="Find in the document")).to_be_focused()


@pytest.mark.slow
def test_a_read_only_link_shows_one_project_in_another_browser_until_its_end(
    new_context: Callable[[], BrowserContext], tmp_path: Path
) -> None:
    with serve(tmp_path) as server:
        walk = Walk(new_context().new_page(), server.url, tmp_path)
        page = walk.page
        walk.start("/projects")
        walk.press(walk.button("Make a project of the bundled examples"))
        expect(page.get_by_role("heading", level=3).first).to_be_visible(timeout=START_MS)
        walk.presses = 0
        walk.press(walk.button("Read-only link", exact=False))
        enter(page.get_by_role("spinbutton", name="Days"), "3")
        walk.press(walk.button("Make a link"))
        link = page.get_by_test_id("stPopoverBody").locator("code").inner_text(timeout=START_MS).strip()
        assert walk.presses == 2
        reader = new_context().new_page()
        shown = reader.goto(link)
        assert shown
        assert shown.status == 200
        expect(reader.get_by_text(re.compile("for reading until"))).to_be_visible()
        assert reader.locator("script, input, button, nav").count() == 0
        assert set(reader.locator("a").evaluate_all("links => links.map(link => link.pathname)")) <= {"/probe"}
        with server.store().writing() as session:
            session.exec(select(ProjectLink)).one().expires_at = datetime.now(UTC) - timedelta(minutes=1)
        assert reader.context.request.get(link).status == 403
