"""A draft outlives the tab: it is sent while somebody types steadily, and the browser keeps what was not sent."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.shared_server import AnnotatePage, SharedServer
from tests.e2e.test_annotate_page import enter_campaign
from tests.e2e.waiting import press

pytestmark = pytest.mark.e2e

_KEY_MS = 120  # between keys: no pause is long enough for a draft after a pause
WORDS = "The crates were sold by noon, and not by evening as it says. "


def test_a_tab_closed_in_the_middle_of_steady_typing_loses_nothing(page: Page, shared_server: SharedServer) -> None:
    campaign = shared_server.campaign("label-summaries")
    annotate_page = enter_campaign(page, shared_server, campaign)
    annotate_page.keys("3")
    box = page.locator(".labeller textarea:focus")
    if not box.count():
        annotate_page.keys("t")
    expect(box).to_be_visible()
    page.keyboard.type(WORDS, delay=_KEY_MS)
    drafts = shared_server.server.rows("SELECT payload FROM draft ORDER BY updated_at DESC LIMIT 1")
    sent = json.loads(str(drafts[0]["payload"]))["answers"]["reason"]
    assert len(sent) > 10  # it was sent while keys came
    assert WORDS.startswith(sent)
    page.keyboard.type("At last.", delay=20)
    page.close()

    again = AnnotatePage(page.context.new_page(), shared_server)
    again.page.goto(f"{shared_server.server.url}/annotate?campaign={campaign.id}")
    again.start()
    again.at("Item 1")
    expect(again.page.locator(".labeller textarea")).to_have_value(f"{WORDS}At last.")
    expect(again.page.get_by_role("button", name="Inconsistent")).to_have_attribute("aria-pressed", "true")
    again.keys("Escape", "3", "4", "Enter")
    again.at("Item 2")
    [answer] = shared_server.answers(campaign)
    assert answer["reason"] == f"{WORDS}At last."
    stored = again.page.evaluate("Object.keys(localStorage).filter(name => name.startsWith('touchstone-draft'))")
    assert stored == []
    again.page.close()


def test_words_that_never_reached_the_server_are_there_in_the_next_tab(page: Page, shared_server: SharedServer) -> None:
    campaign = shared_server.campaign("label-summaries")
    annotate_page = enter_campaign(page, shared_server, campaign)
    annotate_page.keys("3")
    annotate_page.write("Sent. ")
    annotate_page.drafted()
    annotate_page.keys("t")
    expect(page.locator(".labeller textarea:focus")).to_be_visible()
    page.evaluate("WebSocket.prototype.send = () => undefined")
    page.keyboard.type("Never sent.")
    page.close()

    again = AnnotatePage(page.context.new_page(), shared_server)
    again.page.goto(f"{shared_server.server.url}/annotate?campaign={campaign.id}")
    again.start()
    again.at("Item 1")
    expect(again.page.locator(".labeller textarea")).to_have_value("Sent. Never sent.")
    again.page.close()


def test_a_draft_in_the_browser_is_its_persons_alone(page: Page, shared_server: SharedServer) -> None:
    campaign = shared_server.campaign("label-summaries")
    annotate_page = enter_campaign(page, shared_server, campaign)
    annotate_page.keys("3")
    annotate_page.write("Mine.")
    annotate_page.drafted()
    person, code = shared_server.code()
    page.goto(f"{shared_server.server.url}/?invite={code}&campaign={campaign.id}")
    press(page.get_by_role("button", name=f"Sign in as {person.name}"))
    other = AnnotatePage(page, shared_server)
    other.start()
    other.at("Item 1")
    expect(page.locator('.labeller [aria-pressed="true"]')).to_have_count(0)
