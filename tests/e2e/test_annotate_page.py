"""Labelling in the browser: nothing is lost, what was done can be seen again and taken back, and it says why where it ends."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from annotations.campaigns.campaign import CampaignSettings
from tests.e2e.shared_server import DOCUMENT, AnnotatePage, SharedServer, opened
from tests.e2e.waiting import idle, press

pytestmark = pytest.mark.e2e


def enter_campaign(page: Page, shared_server: SharedServer, campaign: CampaignSettings) -> AnnotatePage:
    annotate_page = AnnotatePage(page, shared_server)
    annotate_page.enter(shared_server.code()[1], campaign)
    return annotate_page


def label(annotate_page: AnnotatePage, number: int) -> None:
    """Answer the item of this number and wait for the next."""
    annotate_page.at(f"Item {number}")
    annotate_page.keys("1", "5", "Enter")


def test_what_was_half_done_and_earlier_answers_come_back_after_a_reload_and_are_changed_and_taken_back(
    page: Page, shared_server: SharedServer
) -> None:
    campaign = shared_server.campaign("label-summaries")
    annotate_page = enter_campaign(page, shared_server, campaign)
    reason = page.locator(".labeller textarea")
    label(annotate_page, 1)
    annotate_page.at("Item 2")
    annotate_page.keys("u")
    annotate_page.at("Item 1")
    expect(page.locator(".labeller .receipt")).to_contain_text("was taken back")
    acts = shared_server.server.rows(
        "SELECT act FROM response JOIN reservation r ON r.id = reservation_id WHERE campaign_id = ? ORDER BY response.id",
        campaign.id,
    )
    assert [row["act"] for row in acts] == ["answer", "undo"]
    label(annotate_page, 1)

    annotate_page.at("Item 2")
    annotate_page.keys("3")
    annotate_page.write("It was no")
    annotate_page.drafted()
    page.reload()
    annotate_page.at("Item 2")
    expect(reason).to_have_value("It was no")
    expect(page.get_by_role("button", name="Inconsistent")).to_have_attribute("aria-pressed", "true")

    annotate_page.keys("p")
    annotate_page.at("Item 1, answered before")
    expect(page.get_by_role("button", name="Consistent", exact=False).first).to_have_attribute("aria-pressed", "true")
    annotate_page.keys("2")
    annotate_page.write("It may be.")
    annotate_page.drafted()
    page.reload()
    annotate_page.at("Item 2")
    annotate_page.keys("p")
    annotate_page.at("Item 1, answered before")
    expect(reason).to_have_value("It may be.")
    annotate_page.keys("Enter")
    annotate_page.at("Item 2")
    expect(page.get_by_role("button", name="Inconsistent")).to_have_attribute("aria-pressed", "true")
    verdicts = [answer["verdict"] for answer in shared_server.answers(campaign)]
    assert verdicts == ["consistent", "consistent", "borderline"]

    annotate_page.keys("p")
    annotate_page.at("Item 1, answered before")
    annotate_page.keys("n")
    annotate_page.at("Item 2")
    assert len(shared_server.answers(campaign)) == 3


@pytest.mark.slow
def test_a_new_server_brings_back_what_was_half_done(new_page: Callable[[], Page], tmp_path: Path) -> None:
    with opened(tmp_path) as shared_server:
        campaign, (_, code) = shared_server.campaign("label-summaries"), shared_server.code()
        annotate_page = AnnotatePage(new_page(), shared_server)
        annotate_page.enter(code, campaign)
        annotate_page.keys("2")
        annotate_page.drafted()
        annotate_page.page.close()
    with opened(tmp_path) as shared_server:
        again = AnnotatePage(new_page(), shared_server)
        again.enter(code, campaign)
        expect(again.page.get_by_role("button", name="Borderline")).to_have_attribute("aria-pressed", "true")


@pytest.mark.slow
def test_words_are_marked_with_the_mouse_too_and_items_are_left_out_with_a_reason(
    page: Page, shared_server: SharedServer
) -> None:
    campaign = shared_server.campaign("label-summaries", items=4)
    annotate_page = enter_campaign(page, shared_server, campaign)
    idle(page)
    page.locator(".labeller .document .text").dblclick(position={"x": 60, "y": 25})
    page.get_by_role("button", name="Mark the chosen words").click()
    chosen = page.locator(".labeller mark")
    expect(chosen).to_have_count(1)
    words = chosen.inner_text().strip()
    annotate_page.keys("ArrowUp", "ArrowUp", "1", "5", "Enter")
    annotate_page.at("Item 2")
    [answer] = shared_server.answers(campaign)
    [[start, end]] = answer["evidence"]
    assert words
    assert DOCUMENT[start:end].strip() == words

    for number, key in ((2, "s"), (3, "f")):
        annotate_page.at(f"Item {number}")
        annotate_page.keys(key)
        page.keyboard.type("It is cut off.")
        annotate_page.keys("Enter")
    annotate_page.at("Item 4")
    left_out = shared_server.server.rows(
        "SELECT state FROM response JOIN reservation r ON r.id = reservation_id "
        "WHERE campaign_id = ? AND reason = 'It is cut off.' ORDER BY response.id",
        campaign.id,
    )
    assert [row["state"] for row in left_out] == ["skipped", "flagged"]


@pytest.mark.slow
def test_names_of_contexts_and_the_question_are_headings_that_no_mark_counts(
    page: Page, shared_server: SharedServer
) -> None:
    campaign = shared_server.passages()
    annotate_page = enter_campaign(page, shared_server, campaign)
    headings = page.locator(".labeller .document .heading")
    expect(headings).to_have_count(3)
    names = [headings.nth(place).get_attribute("data-label") for place in range(3)]
    assert names == ["Question: How was the sea?", "Harbour", "Weather"]
    annotate_page.keys("1", "5", "d", *["ArrowDown"] * 4, "m")
    expect(page.locator(".labeller .document mark")).to_have_text("The sea was calm.")
    annotate_page.keys("Escape", "Enter")
    expect(page.get_by_text("You have labelled everything")).to_be_visible()
    [answer] = shared_server.answers(campaign)
    start = len(DOCUMENT) + len("\n\n")
    assert answer["evidence"] == [[start, start + len("The sea was calm.")]]


@pytest.mark.slow
def test_training_says_what_was_expected_and_how_many_were_right_and_is_had_once_more_before_the_qualification(
    page: Page, shared_server: SharedServer
) -> None:
    campaign = shared_server.campaign("label-summaries", pass_right=1)
    shared_server.add(campaign, 1, part="training", key={"verdict": "inconsistent"}, feedback="She came by noon.")
    shared_server.add(campaign, 1, part="qualification", key={"verdict": "inconsistent"})
    annotate_page = enter_campaign(page, shared_server, campaign)
    annotate_page.at("Training 1 of 1")
    annotate_page.keys("1", "4", "Enter")
    told = page.locator(".labeller .feedback")
    expect(told).to_contain_text("Not as expected")
    expect(told).to_contain_text("Is the summary consistent with the document? Inconsistent")
    expect(told).to_contain_text("She came by noon.")
    annotate_page.keys("Enter")
    expect(page.get_by_text("0 of 1 answers agree with the known ones.")).to_be_visible()
    press(page.get_by_role("button", name="Train once more"))
    annotate_page.at("Training")
    annotate_page.keys("3", "4")
    annotate_page.write("She came by noon.")
    annotate_page.keys("Enter")
    expect(told).to_contain_text("Right.")
    annotate_page.keys("Enter")
    expect(page.get_by_text("1 of 1 answers agree with the known ones.")).to_be_visible()
    expect(page.get_by_text("Before: 0 of 1.")).to_be_visible()
    press(page.get_by_role("button", name="Go on to the qualification"))
    annotate_page.at("Qualification 1 of 1")
    annotate_page.keys("1", "4", "Enter")
    expect(page.get_by_text("too few answers were right")).to_be_visible()


def test_after_the_last_item_the_page_says_so_and_leads_back(page: Page, shared_server: SharedServer) -> None:
    annotate_page = enter_campaign(page, shared_server, shared_server.campaign("label-summaries", items=1))
    label(annotate_page, 1)
    expect(page.get_by_text("You have labelled everything")).to_be_visible()
    press(page.get_by_role("button", name="Previous"))  # it hears its key some time after it is drawn
    annotate_page.at("Item 1, answered before")
    annotate_page.keys("u")
    annotate_page.at("Item 1")


@pytest.mark.slow
def test_scores_come_after_a_blind_label_and_ask_for_a_second(page: Page, shared_server: SharedServer) -> None:
    campaign = shared_server.campaign("label-summaries", reveal=True)
    annotate_page = enter_campaign(page, shared_server, campaign)
    expect(page.locator(".labeller .scores")).to_be_hidden()
    annotate_page.keys("1", "5", "Enter")
    expect(page.locator(".labeller .scores")).to_contain_text("secretmetric")
    expect(page.locator(".labeller .scores")).to_contain_text("0.877")
    annotate_page.keys("3")
    annotate_page.write("The metric fell.")
    annotate_page.keys("Enter")
    annotate_page.at("Item 2")
    rows = shared_server.server.rows(
        "SELECT blind FROM response JOIN reservation r ON r.id = reservation_id WHERE campaign_id = ? ORDER BY response.id",
        campaign.id,
    )
    assert [row["blind"] for row in rows] == [1, 0]


@pytest.mark.slow
def test_time_of_work_is_kept_apart_from_time_on_the_clock(
    new_context: Callable[[], BrowserContext], shared_server: SharedServer
) -> None:
    campaign, page = shared_server.campaign("label-summaries"), new_context().new_page()
    annotate_page = enter_campaign(page, shared_server, campaign)
    page.clock.install()
    label(annotate_page, 1)
    annotate_page.at("Item 2")
    page.clock.fast_forward(300_000)
    label(annotate_page, 2)
    annotate_page.at("Item 3")
    *_, last = shared_server.server.rows(
        "SELECT active_ms, wall_ms FROM response JOIN reservation r ON r.id = reservation_id WHERE campaign_id = ?",
        campaign.id,
    )
    assert last["wall_ms"] >= 300_000
    assert 30_000 <= last["active_ms"] < 60_000
