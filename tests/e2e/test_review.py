"""What people differ on is settled in the browser, without a mouse."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import Page, Route, expect

from annotations.campaigns.campaign import CampaignSettings
from annotations.campaigns.questions import Answers
from annotations.campaigns.task_texts import ShownTask
from annotations.labelling.labelling import AnnotatorActions
from annotations.labelling.responses import SentResponse
from annotations.people.people import Role
from tests.e2e.line import Line
from tests.e2e.shared_server import SharedServer, sign_in
from tests.e2e.waiting import START_MS, idle

pytestmark = pytest.mark.e2e

GOOD: Answers = {"verdict": "consistent", "confidence": 5}
BAD: Answers = {"verdict": "inconsistent", "confidence": 2, "reason": "It was <b>noon</b>.", "evidence": [[0, 14]]}


def disputed(shared_server: SharedServer, items: int = 1) -> CampaignSettings:
    """A campaign in which two people differ on everything."""
    campaign = shared_server.campaign("label-summaries", items=items)
    for answers in (GOOD, BAD):
        annotate_page = AnnotatorActions(shared_server.store, shared_server.code()[0])
        while isinstance(work := annotate_page.next(campaign.id), ShownTask):
            annotate_page.send(
                SentResponse(work.reservation, "answer", f"event-{campaign.id}-{work.reservation}", answers)
            )
    return campaign


def review(page: Page, shared_server: SharedServer, campaign: CampaignSettings, code: str) -> None:
    """Sign in and open a campaign on Review."""
    sign_in(page, shared_server, code)
    page.goto(f"{shared_server.server.url}/review?campaign={campaign.id}")
    expect(page.get_by_role("combobox", name="Campaign")).to_be_visible(timeout=START_MS)
    expect(page.get_by_text("Why did people differ?")).to_be_visible(timeout=START_MS)
    idle(page)


def label_of(page: Page, words: str) -> int:
    """The number of the label that says this."""
    return next(n for n in (1, 2) if words in page.locator(f".st-key-label-{n}").inner_text().split("\n"))


def take(page: Page, words: str) -> None:
    """Press the number of the label that says this, and wait until it stands in the form."""
    page.keyboard.press(str(label_of(page, words)))
    expect(page.get_by_role("radio", name=words, exact=True)).to_be_checked()
    idle(page)


def cause(page: Page, key: str, name: str) -> None:
    page.keyboard.press(key)
    expect(page.get_by_role("button", name=name).get_by_text("check")).to_be_visible()


def test_a_case_is_settled_by_keyboard_only_by_who_may_neither_manage_nor_export(
    page: Page, shared_server: SharedServer
) -> None:
    campaign = disputed(shared_server, items=2)
    person, code = shared_server.code(Role.ADJUDICATOR)
    review(page, shared_server, campaign, code)
    expect(page.get_by_test_id("stTopNavLink")).to_contain_text(["Annotate", "Campaigns"])
    expect(page.get_by_test_id("stTopNavLink")).to_have_count(2)
    expect(page.get_by_role("button", name="Export labels.csv")).to_have_count(0)
    expect(page.get_by_text("It was <b>noon</b>.", exact=True)).to_be_visible()
    for name in shared_server.server.rows("SELECT name FROM person WHERE name != ?", person.name):
        expect(page.get_by_text(name["name"], exact=True)).to_have_count(0)
    page.keyboard.press("d")
    expect(page.get_by_text("Say why people differed")).to_be_visible()
    take(page, "Inconsistent")
    box = page.get_by_role("textbox", name="What decided it?")
    expect(box).to_have_value("It was <b>noon</b>.")
    box.focus()
    page.keyboard.press("End")
    page.keyboard.type(" Gates 1 and 2.")  # keys that mean something are inert here
    page.keyboard.press("Tab")
    cause(page, "g", "Guideline gap")
    page.keyboard.press("d")
    expect(page.get_by_role("radio", name="To adjudicate · 1")).to_be_visible()
    [row] = shared_server.server.rows(
        "SELECT s.* FROM settlement s JOIN task t ON t.id = s.task_id WHERE t.campaign_id = ?", campaign.id
    )
    assert json.loads(row["answers"]) == {**BAD, "reason": "It was <b>noon</b>. Gates 1 and 2."}
    assert (row["cause"], row["by"]) == ("guideline gap", person.name)
    assert len(json.loads(row["settles"])) == 2


@pytest.mark.slow
def test_keys_that_come_at_once_settle_with_what_was_chosen_last(own_page: Page, shared_server: SharedServer) -> None:
    page, campaign, line = own_page, disputed(shared_server), Line(own_page)
    review(page, shared_server, campaign, shared_server.code(Role.ADJUDICATOR)[1])
    take(page, "Consistent")
    cause(page, "g", "Guideline gap")
    line.until = "settle"
    place = label_of(page, "Inconsistent")
    for key in (str(place), "s", "d"):
        page.keyboard.press(key)
    expect(page.get_by_role("radio", name="To adjudicate · 0")).to_be_visible()
    assert not line.until
    [row] = shared_server.server.rows(
        "SELECT s.* FROM settlement s JOIN task t ON t.id = s.task_id WHERE t.campaign_id = ?", campaign.id
    )
    assert (json.loads(row["answers"]), row["cause"]) == (BAD, "annotator slip")


@pytest.mark.slow
def test_keys_that_are_pressed_before_the_buttons_are_drawn_are_heard_in_their_order(
    own_page: Page, shared_server: SharedServer
) -> None:
    """The texts of a page can be read before the script that draws Streamlit's buttons has come."""
    page, campaign, held = own_page, disputed(shared_server), list[Route]()
    page.route("**/static/js/Button.*.js", lambda route: held.append(route))
    sign_in(page, shared_server, shared_server.code(Role.ADJUDICATOR)[1])
    page.goto(f"{shared_server.server.url}/review?campaign={campaign.id}")
    expect(page.get_by_text("Why did people differ?")).to_be_visible(timeout=START_MS)
    idle(page)
    page.keyboard.press(str(label_of(page, "Inconsistent")))
    page.keyboard.press("s")
    expect(page.get_by_role("button", name="Annotator slip")).to_have_count(0)
    for script in held:
        script.continue_()
    expect(page.get_by_role("radio", name="Inconsistent", exact=True)).to_be_checked()
    expect(page.get_by_role("button", name="Annotator slip").get_by_text("check")).to_be_visible()
