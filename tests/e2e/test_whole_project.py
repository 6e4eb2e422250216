"""A whole project in the browser: two groups, a calibration round, a dispute, new guidelines, adjudication, and an export."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from playwright.sync_api import Page, expect

from annotations.people.people import Role
from tests.e2e.campaign_form import NEW, RULES, WHICH, create
from tests.e2e.shared_server import AnnotatePage, SharedServer, sign_in
from tests.e2e.stress_form import behind
from tests.e2e.waiting import START_MS, attach, download, enter, idle, pick_option, press

pytestmark = pytest.mark.e2e

PEOPLE = "name,role,groups\nNadia,annotator,north\nSami,annotator,south\nEdda,annotator,east\nRuth,adjudicator,\n"
NAME = "Two groups"


@pytest.mark.slow
def test_a_project_is_run_from_the_list_of_people_to_the_dataset(
    new_page: Callable[[], Page], shared_server: SharedServer, tmp_path: Path
) -> None:
    manager = new_page()
    sign_in(manager, shared_server, shared_server.code(Role.MANAGER)[1])
    manager.goto(f"{shared_server.server.url}/{NEW}")
    links = invited(manager, tmp_path)
    campaign = created(manager)

    outsider = new_page()
    outsider.goto(f"{links['Edda']}&campaign={campaign}")
    expect(outsider.get_by_role("link", name="Annotate")).to_be_visible(timeout=START_MS)
    idle(outsider)
    expect(outsider.get_by_text(NAME)).to_have_count(0)

    nadia, sami = (begun(AnnotatePage(new_page(), shared_server), links[name], campaign) for name in ("Nadia", "Sami"))
    label(nadia, 1, "1")
    label(nadia, 2, "1")
    label(sami, 1, "1")
    label(sami, 2, "3", "It was another day.")

    manager.goto(f"{shared_server.server.url}/campaigns?campaign={campaign}")
    calibration = manager.locator(".st-key-calibration")
    expect(calibration).to_contain_text("Nadia 2 of 2, Sami 2 of 2", timeout=START_MS)
    expect(calibration).to_contain_text("1 disputed item")
    revised(manager)

    for annotate_page in (nadia, sami):
        annotate_page.page.reload()
        annotate_page.start()
        label(annotate_page, 3, "1")
        label(annotate_page, 4, "1")
        expect(annotate_page.page.get_by_text("You have labelled everything")).to_be_visible(timeout=START_MS)
    adjudicated(new_page(), shared_server, links["Ruth"], campaign)

    manager.goto(f"{shared_server.server.url}/review?campaign={campaign}")
    press(manager.get_by_role("button", name="Other formats"))
    with zipfile.ZipFile(download(manager.get_by_role("button", name="Export Hugging Face, Argilla"))) as exported:
        [table] = [name for name in exported.namelist() if name.endswith(".parquet") and "label" in name]
        labels = pd.read_parquet(io.BytesIO(exported.read(table)))
        card = exported.read("README.md").decode()
    assert len(labels) == 8
    assert NAME in card
    versions = shared_server.server.rows(
        "SELECT version, count(*) AS n FROM response JOIN reservation ON reservation.id = reservation_id "
        "WHERE campaign_id = ? AND act = 'answer' GROUP BY version ORDER BY version",
        campaign,
    )
    assert [(row["version"], row["n"]) for row in versions] == [(1, 4), (2, 4)]


def invited(manager: Page, folder: Path) -> dict[str, str]:
    """The personal links of the people of a list, by name."""
    (folder / "people.csv").write_text(PEOPLE, encoding="utf-8")
    press(manager.get_by_test_id("stButtonGroup").get_by_text("People"))
    press(manager.get_by_text("People from a list (CSV)"))
    attach(manager.locator(".st-key-people-file input[type=file]"), folder / "people.csv")
    press(manager.get_by_role("button", name="Add 4 people"))
    shown = manager.locator(".st-key-fresh-links").get_by_test_id("stCode").inner_text()
    return dict(line.split(": ", 1) for line in shown.strip().splitlines())


def created(manager: Page) -> str:
    """A campaign of four originals for the two groups, the first two of them for everybody; its id."""
    press(manager.get_by_test_id("stButtonGroup").get_by_text("Campaigns"))
    enter(manager.get_by_role("textbox", name="Name of the campaign"), NAME)
    with behind(manager, WHICH):
        press(manager.get_by_role("radio", name="Originals"))
        enter(manager.get_by_role("spinbutton", name="How many of"), "4")
    with behind(manager, RULES):
        for group in ("Group north", "Group south"):
            pick_option(manager.get_by_role("combobox", name="For", exact=True), group)
        manager.get_by_text("Training, qualification and gold").focus()  # the list of several stays open, over the rest
        enter(manager.get_by_role("spinbutton", name="First items by all"), "2")
    expect(manager.get_by_text("4 items × 2 people = 8 labels")).to_be_visible(timeout=START_MS)
    expect(manager.get_by_text(re.compile("First items by all: The first 2 items go to all"))).to_be_visible()
    return create(manager)


def begun(annotate_page: AnnotatePage, link: str, campaign: str) -> AnnotatePage:
    annotate_page.page.goto(f"{link}&campaign={campaign}")
    annotate_page.start()
    return annotate_page


def label(annotate_page: AnnotatePage, number: int, verdict: str, reason: str = "") -> None:
    """Answer an item by keys."""
    annotate_page.at(f"Item {number}")
    annotate_page.keys(verdict, "5")
    if reason:
        annotate_page.write(reason)
    annotate_page.keys("Enter")
    annotate_page.past(number)


def revised(manager: Page) -> None:
    """Say in version 2 of the guidelines what was disputed."""
    press(manager.get_by_role("tab", name="Guidelines and rules"))
    box = manager.get_by_role("textbox", name="Guidelines (Markdown)")
    expect(box).to_be_visible()
    idle(manager)
    box.fill("A wrong day makes a summary inconsistent.")
    press(manager.get_by_role("tab", name="Preview"))
    press(manager.get_by_role("button", name="Issue version 2"))
    expect(manager.get_by_role("button", name="Issue version 3")).to_be_disabled()


def adjudicated(page: Page, shared_server: SharedServer, link: str, campaign: str) -> None:
    """Decide the one dispute, by keys."""
    sign_in(page, shared_server, link.partition("invite=")[2])
    page.goto(f"{shared_server.server.url}/review?campaign={campaign}")
    expect(page.get_by_role("radio", name="To adjudicate · 1")).to_be_visible(timeout=START_MS)
    idle(page)
    words = "Inconsistent"
    number = next(n for n in (1, 2) if words in page.locator(f".st-key-label-{n}").inner_text().split("\n"))
    page.keyboard.press(str(number))
    expect(page.get_by_role("radio", name=words, exact=True)).to_be_checked()
    idle(page)
    page.keyboard.press("g")
    expect(page.get_by_role("button", name="Guideline gap").get_by_text("check")).to_be_visible()
    page.keyboard.press("d")
    expect(page.get_by_text("Nothing is left to adjudicate")).to_be_visible(timeout=START_MS)
    decided = shared_server.server.rows(
        "SELECT answers FROM settlement JOIN task ON task.id = task_id WHERE campaign_id = ?", campaign
    )
    assert [json.loads(row["answers"])["verdict"] for row in decided] == ["inconsistent"]
