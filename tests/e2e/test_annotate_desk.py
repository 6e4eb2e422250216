"""The labelling desk: nothing is lost, what was done can be seen again and taken back, and it says why where it ends."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from annotations.campaigns.campaign import CampaignSettings
from tests.e2e.hall import DOCUMENT, Desk, Hall, opened

pytestmark = pytest.mark.e2e


def seated(page: Page, hall: Hall, campaign: CampaignSettings) -> Desk:
    desk = Desk(page, hall)
    desk.enter(hall.code()[1], campaign)
    return desk


def label(desk: Desk, number: int) -> None:
    """Answer the item of this number and wait for the next."""
    desk.at(f"Item {number}")
    desk.keys("1", "5", "Enter")


@contextmanager
def locked(database: Path) -> Iterator[None]:
    """Somebody else is writing to the database all the time."""
    with closing(sqlite3.connect(database, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield
        other.execute("ROLLBACK")


def test_a_reload_brings_back_the_item_and_what_was_half_done(page: Page, hall: Hall) -> None:
    desk = seated(page, hall, hall.campaign("label-summaries"))
    label(desk, 1)
    desk.at("Item 2")
    desk.keys("3")
    desk.write("It was no")
    desk.drafted()
    page.reload()
    desk.at("Item 2")
    expect(page.locator(".labeller textarea")).to_have_value("It was no")
    expect(page.get_by_role("button", name="Inconsistent")).to_have_attribute("aria-pressed", "true")


def test_a_new_server_brings_back_what_was_half_done(new_page: Callable[[], Page], tmp_path: Path) -> None:
    with opened(tmp_path) as hall:
        campaign, (_, code) = hall.campaign("label-summaries"), hall.code()
        desk = Desk(new_page(), hall)
        desk.enter(code, campaign)
        desk.keys("2")
        desk.drafted()
        desk.page.close()
    with opened(tmp_path) as hall:
        again = Desk(new_page(), hall)
        again.enter(code, campaign)
        expect(again.page.get_by_role("button", name="Borderline")).to_have_attribute("aria-pressed", "true")


def test_an_earlier_answer_is_looked_at_changed_and_left(page: Page, hall: Hall) -> None:
    campaign = hall.campaign("label-summaries")
    desk = seated(page, hall, campaign)
    label(desk, 1)
    desk.at("Item 2")
    desk.keys("2", "p")
    desk.at("Item 1, answered before")
    expect(page.get_by_role("button", name="Consistent", exact=False).first).to_have_attribute("aria-pressed", "true")
    desk.keys("2")
    desk.write("I am not sure.")
    desk.keys("Enter")
    desk.at("Item 2")
    expect(page.get_by_role("button", name="Borderline")).to_have_attribute("aria-pressed", "true")
    assert [answer["verdict"] for answer in hall.answers(campaign)] == ["consistent", "borderline"]
    desk.keys("p")
    desk.at("Item 1, answered before")
    desk.keys("n")
    desk.at("Item 2")
    assert len(hall.answers(campaign)) == 2


def test_a_change_of_an_earlier_answer_survives_a_reload(page: Page, hall: Hall) -> None:
    campaign = hall.campaign("label-summaries")
    desk = seated(page, hall, campaign)
    label(desk, 1)
    desk.at("Item 2")
    desk.keys("p")
    desk.at("Item 1, answered before")
    desk.keys("2")
    desk.write("It may be.")
    desk.drafted()
    page.reload()
    desk.at("Item 2")
    desk.keys("p")
    desk.at("Item 1, answered before")
    expect(page.locator(".labeller textarea")).to_have_value("It may be.")
    desk.keys("Enter")
    desk.at("Item 2")
    assert [answer["verdict"] for answer in hall.answers(campaign)] == ["consistent", "borderline"]


def test_words_are_marked_with_the_mouse_too(page: Page, hall: Hall) -> None:
    campaign = hall.campaign("label-summaries")
    desk = seated(page, hall, campaign)
    page.locator(".labeller .document .text").dblclick(position={"x": 60, "y": 25})
    page.get_by_role("button", name="Mark the chosen words").click()
    chosen = page.locator(".labeller mark")
    expect(chosen).to_have_count(1)
    words = chosen.inner_text().strip()
    desk.keys("ArrowUp", "ArrowUp", "1", "5", "Enter")
    desk.at("Item 2")
    [answer] = hall.answers(campaign)
    [[start, end]] = answer["evidence"]
    assert words
    assert DOCUMENT[start:end].strip() == words


def test_the_last_answer_is_taken_back_with_one_key(page: Page, hall: Hall) -> None:
    campaign = hall.campaign("label-summaries")
    desk = seated(page, hall, campaign)
    label(desk, 1)
    desk.at("Item 2")
    desk.keys("u")
    desk.at("Item 1")
    expect(page.locator(".labeller .receipt")).to_contain_text("was taken back")
    acts = hall.server.rows(
        "SELECT act FROM response JOIN reservation r ON r.id = reservation_id WHERE campaign_id = ? ORDER BY response.id",
        campaign.id,
    )
    assert [row["act"] for row in acts] == ["answer", "undo"]
    label(desk, 1)
    desk.at("Item 2")


@pytest.mark.parametrize(("key", "state"), [("s", "skipped"), ("f", "flagged")])
def test_an_item_is_left_out_with_a_reason(page: Page, hall: Hall, key: str, state: str) -> None:
    campaign = hall.campaign("label-summaries")
    desk = seated(page, hall, campaign)
    desk.keys(key)
    page.keyboard.type("It is cut off.")
    desk.keys("Enter")
    desk.at("Item 2")
    [row] = hall.server.rows(
        "SELECT reason, state FROM response JOIN reservation r ON r.id = reservation_id WHERE campaign_id = ?",
        campaign.id,
    )
    assert tuple(row) == ("It is cut off.", state)


def test_after_a_training_item_the_desk_says_what_was_expected(page: Page, hall: Hall) -> None:
    campaign = hall.campaign("label-summaries")
    hall.add(campaign, 1, part="training", key={"verdict": "inconsistent"}, feedback="She came by noon.")
    desk = seated(page, hall, campaign)
    desk.at("Training 1 of 1")
    desk.keys("1", "4", "Enter")
    told = page.locator(".labeller .feedback")
    expect(told).to_contain_text("Not as expected")
    expect(told).to_contain_text("Is the summary consistent with the document? Inconsistent")
    expect(told).to_contain_text("She came by noon.")
    desk.keys("Enter")
    desk.at("Item 2")


def test_who_does_not_pass_the_qualification_is_told_so(page: Page, hall: Hall) -> None:
    campaign = hall.campaign("label-summaries", pass_right=1)
    hall.add(campaign, 1, part="qualification", key={"verdict": "inconsistent"})
    desk = seated(page, hall, campaign)
    desk.at("Qualification 1 of 1")
    desk.keys("1", "4", "Enter")
    expect(page.get_by_text("too few answers were right")).to_be_visible()


def test_after_the_last_item_the_page_says_so_and_leads_back(page: Page, hall: Hall) -> None:
    desk = seated(page, hall, hall.campaign("label-summaries", items=1))
    label(desk, 1)
    expect(page.get_by_text("You have labelled everything")).to_be_visible()
    expect(page.get_by_role("button", name="Previous")).to_be_visible()
    desk.keys("p")
    desk.at("Item 1, answered before")
    desk.keys("u")
    desk.at("Item 1")


def test_scores_come_after_a_blind_label_and_ask_for_a_second(page: Page, hall: Hall) -> None:
    campaign = hall.campaign("label-summaries", reveal=True)
    desk = seated(page, hall, campaign)
    expect(page.locator(".labeller .scores")).to_be_hidden()
    desk.keys("1", "5", "Enter")
    expect(page.locator(".labeller .scores")).to_contain_text("secretmetric")
    expect(page.locator(".labeller .scores")).to_contain_text("0.877")
    desk.keys("3")
    desk.write("The metric fell.")
    desk.keys("Enter")
    desk.at("Item 2")
    rows = hall.server.rows(
        "SELECT blind FROM response JOIN reservation r ON r.id = reservation_id WHERE campaign_id = ? ORDER BY response.id",
        campaign.id,
    )
    assert [row["blind"] for row in rows] == [1, 0]


def test_a_locked_database_is_told_and_nothing_is_lost(page: Page, hall: Hall) -> None:
    campaign = hall.campaign("label-summaries")
    desk = seated(page, hall, campaign)
    desk.keys("2", "4")
    desk.write("Both readings are fair.")
    desk.drafted()
    with locked(hall.server.database):
        desk.keys("Enter")
        expect(desk.problem).to_contain_text("This was NOT saved: database is locked.")
    expect(page.locator(".labeller textarea")).to_have_value("Both readings are fair.")
    assert hall.answers(campaign) == []
    desk.keys("Enter")
    desk.at("Item 2")
    assert hall.answers(campaign) == [{"verdict": "borderline", "confidence": 4, "reason": "Both readings are fair."}]


def test_a_database_that_is_locked_before_the_next_item_is_told_with_a_way_to_try_again(page: Page, hall: Hall) -> None:
    desk = seated(page, hall, hall.campaign("label-summaries"))
    label(desk, 1)
    desk.at("Item 2")
    desk.keys("p")
    desk.at("Item 1, answered before")
    with locked(hall.server.database):
        desk.keys("n")
        expect(page.get_by_role("button", name="Try again")).to_be_visible()
        expect(page.get_by_test_id("stAlert")).to_contain_text("database is locked")
    desk.keys("Enter")
    desk.at("Item 2")


def test_time_of_work_is_kept_apart_from_time_on_the_clock(page: Page, hall: Hall) -> None:
    campaign = hall.campaign("label-summaries")
    desk = seated(page, hall, campaign)
    page.clock.install()
    label(desk, 1)
    desk.at("Item 2")
    page.clock.fast_forward(300_000)
    label(desk, 2)
    desk.at("Item 3")
    *_, last = hall.server.rows(
        "SELECT active_ms, wall_ms FROM response JOIN reservation r ON r.id = reservation_id WHERE campaign_id = ?",
        campaign.id,
    )
    assert last["wall_ms"] >= 300_000
    assert 30_000 <= last["active_ms"] < 60_000
