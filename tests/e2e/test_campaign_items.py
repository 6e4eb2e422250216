"""Labels of another tool come along with an own table, and a manager withdraws, corrects, hands over and uses items as gold."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.campaign_form import choose_items, create
from tests.e2e.shared_server import AnnotatePage, SharedServer, sign_in
from tests.e2e.test_campaign_setup import name_it, open_campaigns
from tests.e2e.waiting import START_MS, attach, enter, idle, pick_option, press

pytestmark = pytest.mark.e2e

PEOPLE = ("annotator_mira", "annotator_joan")
VOTES = [("consistent", "consistent"), ("inconsistent", "consistent"), ("inconsistent", ""), ("", "")]
UNANIMOUS, CUT_OFF, MISTYPED, CORRECTED = 0, 2, 3, 4
RIGHT = "The mill took the crates of boat 3."
_HEADER_PX, _ROW_PX, _TICK_PX = 34, 33, 18


def voted_table(folder: Path) -> Path:
    """Four summaries with a column for each of two people, who left some cells empty."""
    path = folder / "crates.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "document", "summary", *PEOPLE])
        for number, votes in enumerate(VOTES):
            document = f"Boat {number} took its crates to the mill, where they were sold."
            writer.writerow([f"v-{number}", document, f"The mill tok the crates of boat {number}.", *votes])
    return path


def created(page: Page, shared_server: SharedServer, table: Path) -> str:
    """A campaign of the table, with the labels that are in it; its id."""
    open_campaigns(page, shared_server)
    name_it(page, "Crates")
    choose_items(page, "From a file")
    box = page.get_by_test_id("stFileUploader").filter(has_text="Your file")
    attach(box.locator("input[type=file]"), table)
    expect(page.get_by_text(f"{len(VOTES)} items in crates.csv.")).to_be_visible(timeout=START_MS)
    people = page.get_by_test_id("stMultiSelect").filter(has_text="People whose earlier labels come along")
    expect(people).to_contain_text(f"{PEOPLE[0]} (3 labels)")
    expect(people).to_contain_text(f"{PEOPLE[1]} (2 labels)")
    enter(page.get_by_role("spinbutton", name="People per item"), "2")
    return create(page)


def tick(page: Page, place: int) -> None:
    """Tick the item in this row of the table, or take its tick away."""
    grid = page.locator(".stDataFrameGlideDataEditor").first
    grid.wait_for(timeout=START_MS)
    grid.scroll_into_view_if_needed()
    idle(page, grid)
    grid.hover(position={"x": _TICK_PX, "y": _HEADER_PX / 2})  # as a hand does, that comes from elsewhere
    grid.click(position={"x": _TICK_PX, "y": _HEADER_PX + (place + 0.5) * _ROW_PX})


def opened(page: Page, button: str) -> Locator:
    """The form that a button of the ticked items opens."""
    press(page.locator(".st-key-item-buttons").get_by_role("button", name=button))
    return page.get_by_test_id("stPopoverBody")


def test_earlier_labels_come_along_and_items_are_withdrawn_corrected_handed_over_and_used_as_gold(
    new_page: Callable[[], Page], shared_server: SharedServer, tmp_path: Path
) -> None:
    page, (reader, code) = new_page(), shared_server.code(name="Reader of crates")
    campaign = created(page, shared_server, voted_table(tmp_path))

    def rows(query: str) -> list[dict[str, Any]]:
        return [dict(row) for row in shared_server.server.rows(query, campaign)]

    labels = rows(
        "SELECT person.name, person.active, mode, answers, active_ms FROM response "
        "JOIN reservation ON reservation.id = reservation_id JOIN person ON person.id = person_id WHERE campaign_id = ?"
    )
    given = [
        (f"{name} (imported)", vote)
        for name, votes in zip(PEOPLE, zip(*VOTES, strict=True), strict=True)
        for vote in votes
        if vote
    ]
    assert sorted((row["name"], json.loads(row["answers"])["verdict"]) for row in labels) == sorted(given)
    assert {(row["mode"], row["active_ms"], row["active"]) for row in labels} == {("imported", 0, 0)}
    expect(page.get_by_text("5 of 8", exact=True)).to_be_visible(timeout=START_MS)

    press(page.get_by_role("tab", name="Items"))
    tick(page, CUT_OFF)
    form = opened(page, "Withdraw 1 item")
    form.get_by_role("textbox", name="Reason").fill("The document is cut off.")
    press(form.get_by_role("button", name="Withdraw 1 item"))
    expect(page.get_by_text("1 item withdrawn from Crates")).to_be_visible(timeout=START_MS)
    withdrawals = (
        "SELECT reason, replaced_by, withdrawn, columns FROM taskwithdrawal JOIN task ON task.id = task_id "
        "WHERE campaign_id = ? ORDER BY taskwithdrawal.id"
    )
    [cut_off] = rows(withdrawals)
    assert (cut_off["reason"], cut_off["replaced_by"], cut_off["withdrawn"]) == ("The document is cut off.", None, 1)
    assert json.loads(cut_off["columns"])["id"] == "v-2"
    assert rows("SELECT count(*) AS labels FROM reservation WHERE campaign_id = ? AND excluded") == [{"labels": 1}]

    expect(page.locator(".st-key-item-buttons").get_by_role("button", name="Bring back 1 item")).to_be_visible()
    tick(page, CUT_OFF)
    tick(page, MISTYPED)
    form = opened(page, "Correct the text")
    form.get_by_role("textbox", name="Summary").fill(RIGHT)
    form.get_by_role("textbox", name="Reason").fill("A typing error.")
    press(form.get_by_role("button", name="Put it in its place"))
    expect(page.get_by_text("The corrected item is handed out from now on.")).to_be_visible(timeout=START_MS)
    _, mistyped = rows(withdrawals)
    assert mistyped["reason"] == "A typing error."
    [corrected] = rows("SELECT id, columns FROM task WHERE campaign_id = ? ORDER BY position DESC LIMIT 1")
    assert mistyped["replaced_by"] == corrected["id"]
    assert corrected["columns"] == mistyped["columns"]

    tick(page, CORRECTED)
    form = opened(page, "Hand 1 item to")
    pick_option(form.get_by_role("combobox", name="Person"), reader.name, typed=reader.name)
    press(form.get_by_role("button", name="Hand over"))
    expect(page.get_by_text(f"1 of 1 item held for {reader.name}.")).to_be_visible(timeout=START_MS)
    [held] = rows(
        "SELECT task_id, person_id, expires_at FROM reservation WHERE campaign_id = ? AND state = 'open' ORDER BY id"
    )
    assert (held["task_id"], held["person_id"]) == (corrected["id"], reader.id)
    until = datetime.fromisoformat(held["expires_at"]).replace(tzinfo=UTC)
    assert until - datetime.now(UTC) > timedelta(days=6)

    tick(page, CORRECTED)
    tick(page, UNANIMOUS)
    press(page.get_by_role("button", name="Use 1 item as gold"))
    expect(page.get_by_text("1 gold item in Crates.")).to_be_visible(timeout=START_MS)
    [gold] = rows(
        "SELECT columns, answers FROM task JOIN taskkey ON task_id = task.id WHERE campaign_id = ? AND part = 'gold'"
    )
    assert json.loads(gold["columns"])["id"] == "v-0"
    assert json.loads(gold["answers"])["verdict"] == "consistent"

    annotator = AnnotatePage(new_page(), shared_server)
    sign_in(annotator.page, shared_server, code)
    annotator.page.goto(f"{shared_server.server.url}/annotate?campaign={campaign}")
    annotator.start()
    annotator.at("Item 1")
    expect(annotator.page.locator(".labeller .texts .text").first).to_have_text(RIGHT)
