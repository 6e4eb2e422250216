"""Questions of a new campaign are changed in the page and tried in the labeller itself."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from annotations.people.people import Role
from tests.e2e.campaign_form import NEW, create, form_is_there
from tests.e2e.shared_server import SharedServer, sign_in
from tests.e2e.waiting import START_MS, enter, idle, press

pytestmark = pytest.mark.e2e


def test_a_set_is_changed_tried_and_taken_into_a_campaign(page: Page, shared_server: SharedServer) -> None:
    sign_in(page, shared_server, shared_server.code(Role.MANAGER)[1])
    page.goto(f"{shared_server.server.url}/{NEW}")
    form_is_there(page)
    press(page.get_by_role("button", name="Change", exact=True))
    enter(page.get_by_role("textbox", name="Title", exact=True), "Is it true to its source?")
    press(page.get_by_role("button", name="Try it"))
    dialog = page.get_by_role("dialog")
    verdict = dialog.get_by_role("button", name="Inconsistent", exact=True)
    expect(verdict).to_be_visible(timeout=START_MS)
    press(verdict)
    expect(verdict).to_have_attribute("aria-pressed", "true")
    expect(dialog.get_by_role("button", name="Save", exact=True)).to_be_disabled()
    idle(page)
    page.screenshot(path="/tmp/h60_shot.png")
    expect(verdict).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    idle(page)
    page.keyboard.press("Escape")
    enter(page.get_by_role("textbox", name="Name of the campaign"), "Own questions")
    campaign = create(page)
    with shared_server.store.engine.connect() as connection:
        questions = connection.exec_driver_sql(
            "SELECT questions FROM campaignversion WHERE campaign_id = ?", (campaign,)
        ).scalar_one()
    assert "Is it true to its source?" in questions
    assert "own-label-summaries" in questions
