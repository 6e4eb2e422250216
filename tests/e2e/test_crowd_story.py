"""A participant of Prolific comes by the study link, labels, and goes back with the code of completion; the manager sees the session."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from annotations.labelling.crowd import StudyTerms
from annotations.management.manage import ManagerActions
from annotations.people.people import Role
from tests.e2e.shared_server import AnnotatePage, SharedServer, sign_in
from tests.e2e.waiting import START_MS

pytestmark = [pytest.mark.e2e, pytest.mark.slow]


def test_a_participant_labels_and_is_sent_back_with_the_code(
    new_page: Callable[[], Page], shared_server: SharedServer
) -> None:
    campaign = shared_server.campaign("label-summaries", items=3, overlap=3, most_per_person=2)
    boss, code = shared_server.code(Role.MANAGER)
    terms = StudyTerms("prolific", 5, 30, "DONE1", pay=2.5)
    key = ManagerActions(shared_server.store, boss).set_study(campaign.id, terms)

    page = new_page()
    page.goto(f"{shared_server.server.url}/study/{key}?PROLIFIC_PID=5f1c&STUDY_ID=s1&SESSION_ID=t1")
    annotate_page = AnnotatePage(page, shared_server)
    annotate_page.start()
    for number in (1, 2):
        annotate_page.at(f"Item {number}")
        annotate_page.keys("1", "4", "Enter")
    finish = page.get_by_role("link", name="Finish and get the code")
    expect(finish).to_be_visible()
    end = page.request.get(f"{shared_server.server.url}{finish.get_attribute('href')}", max_redirects=0)
    assert end.headers["location"] == "https://app.prolific.com/submissions/complete?cc=DONE1"

    manager = new_page()
    sign_in(manager, shared_server, code)
    manager.goto(f"{shared_server.server.url}/campaigns?campaign={campaign.id}")
    manager.get_by_text("Prolific and MTurk").click(timeout=START_MS)
    expect(manager.get_by_text("PROLIFIC_PID={{%PROLIFIC_PID%}}")).to_be_visible()
    expect(manager.get_by_text("The link of the study")).to_be_visible()
