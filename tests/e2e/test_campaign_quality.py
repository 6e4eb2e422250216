"""A manager sets a limit; a person who answers known items wrongly is paused, the manager sees why, leaves the labels out, and the places are open again."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from annotations.people.people import Role
from tests.e2e.shared_server import AnnotatePage, SharedServer, sign_in
from tests.e2e.waiting import START_MS, enter, idle, press

pytestmark = pytest.mark.e2e


@pytest.mark.slow
def test_who_has_no_known_answer_right_is_paused_and_their_places_are_free_again(
    new_page: Callable[[], Page], shared_server: SharedServer
) -> None:
    campaign = shared_server.campaign("label-summaries", items=12, overlap=1, gold_every=10)
    shared_server.add(campaign, 5, part="gold", key={"verdict": "inconsistent"})
    (bad, code), (_, other) = shared_server.code(name="Bea Guess"), shared_server.code()
    annotator, manager = new_page(), new_page()
    sign_in(manager, shared_server, shared_server.code(Role.MANAGER)[1])
    manager.goto(f"{shared_server.server.url}/campaigns?campaign={campaign.id}")
    tab = manager.get_by_role("tab", name="Guidelines and rules")
    tab.wait_for(timeout=START_MS)
    press(tab)
    press(manager.get_by_test_id("stExpander").get_by_text("Limits of each person"))
    enter(manager.get_by_role("spinbutton", name="Known right, %"), "70")
    press(manager.get_by_role("button", name="Issue version 2"))
    expect(manager.get_by_role("button", name="Issue version 3")).to_be_disabled()

    annotate_page = AnnotatePage(annotator, shared_server)
    annotate_page.enter(code, campaign)
    paused = annotator.get_by_text("Your work on this campaign is paused")
    answered = 0
    annotate_page.at("Item 1")
    while not paused.is_visible():
        answered += 1
        assert answered <= 8
        annotate_page.keys("1", "4", "Enter")
        kept = annotator.locator('.labeller[aria-busy="false"] .where', has_text=f"Item {answered + 1}")
        expect(paused.or_(kept)).to_be_visible()
    assert len(shared_server.answers(campaign)) == answered
    text = annotator.locator("body").inner_text()
    assert "gold" not in text.lower()
    assert "known" not in text.lower()

    manager.goto(f"{shared_server.server.url}/campaigns?campaign={campaign.id}")
    expect(manager.get_by_text("Bea Guess: 0 of 4 known answers right")).to_be_visible(timeout=START_MS)
    labels = manager.get_by_test_id("stMetric").filter(has_text="Labels left")
    expect(labels).to_contain_text(str(12 - (answered - 4)))
    idle(manager)
    press(manager.locator(f".st-key-exclude-{campaign.id}").get_by_text("Leave labels out"))
    reason = manager.get_by_role("textbox", name="Reason").first
    reason.fill("No known answer is right.")
    press(manager.get_by_role("button", name="Leave out", exact=True))
    expect(manager.get_by_text("labels left out by").first).to_be_visible()
    expect(labels).to_contain_text("12")

    second = AnnotatePage(new_page(), shared_server)
    second.enter(other, campaign)
    second.at("Item 1")
    [row] = shared_server.server.rows("SELECT COUNT(*) AS number FROM exclusion WHERE person_id = ?", bad.id)
    assert row["number"] == 1
