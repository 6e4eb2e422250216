"""What people differ on is settled in the browser, without a mouse; and a whole campaign, from its making to its export."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

from annotations.campaigns.campaign import CampaignSettings
from annotations.campaigns.labelling import AnnotatorActions
from annotations.campaigns.people import Role
from annotations.campaigns.questions import Answers
from annotations.campaigns.responses import SentResponse
from annotations.campaigns.task_texts import ShownTask
from core.datasets.bundled import bundled_items
from tests.e2e.line import Line
from tests.e2e.shared_server import AnnotatePage, SharedServer, sign_in
from tests.e2e.waiting import START_MS, attach, download, enter, idle, press

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
    expect(page.get_by_test_id("stTopNavLink")).to_contain_text(["Annotate", "Review"])
    expect(page.get_by_test_id("stTopNavLink")).to_have_count(2)
    expect(page.get_by_role("button", name="Export JSONL")).to_have_count(0)
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


def test_a_campaign_is_made_qualified_for_labelled_settled_and_exported(
    new_page: Callable[[], Page], shared_server: SharedServer, tmp_path: Path
) -> None:
    """The whole way in the browser: a manager, two people who label by keyboard only, and an adjudicator."""
    manager = new_page()
    sign_in(manager, shared_server, shared_server.code(Role.MANAGER)[1])
    manager.goto(f"{shared_server.server.url}/campaigns")
    codes = {name: shared_server.code(role, name)[1] for name, role in PEOPLE.items()}
    campaign = made(manager, tmp_path)

    for name, keys, reason in (("Anouk", "1", ""), ("Bela", "3", "It was another day.")):
        label_all(AnnotatePage(new_page(), shared_server), f"?invite={codes[name]}&campaign={campaign}", keys, reason)
    settle_all(new_page(), shared_server, codes["Carla"], campaign)

    manager.goto(f"{shared_server.server.url}/review?campaign={campaign}")
    exported = download(manager.get_by_role("button", name="Export JSONL"))
    rows = [json.loads(line) for line in exported.read_text(encoding="utf-8").splitlines()]
    labels = [row for row in rows if row["kind"] == "label"]
    assert len(labels) == 6
    assert {row["provenance"] for row in labels if row["part"] == "work"} == {"adjudicated"}
    assert {row["answers"]["verdict"] for row in rows if row["kind"] == "decision"} == {"inconsistent"}
    assert {row["cause"] for row in rows if row["kind"] == "decision"} == {"annotator slip"}
    told = json.dumps(rows)
    assert not [name for name in PEOPLE if name in told]


PEOPLE = {"Anouk": Role.ANNOTATOR, "Bela": Role.ANNOTATOR, "Carla": Role.ADJUDICATOR}


def made(manager: Page, folder: Path) -> str:
    """A campaign of two bundled summaries, for which one answer has to be right first; its id."""
    example = next(item.example for item in bundled_items() if not item.parent)
    known = {
        "part": "qualification",
        "document": example.document,
        "summary": "A boat sank.",
        "answers": {"verdict": "inconsistent"},
    }
    (folder / "known.jsonl").write_text(json.dumps(known), encoding="utf-8")
    enter(manager.get_by_role("textbox", name="Name of the campaign"), "The whole way")
    press(manager.get_by_role("radio", name="Originals"))
    originals = sum(not item.parent for item in bundled_items())
    enter(manager.get_by_role("spinbutton", name=f"How many of {originals}", exact=True), "2")
    expect(manager.get_by_text("2 items × 2 people = 4 labels")).to_be_visible(timeout=START_MS)
    press(manager.get_by_text("Training, qualification and gold"))
    attach(manager.locator("input[type=file]").last, folder / "known.jsonl")
    expect(manager.get_by_text("2 items × 2 people = 4 labels, 1 for qualification")).to_be_visible(timeout=START_MS)
    press(manager.get_by_role("button", name="Create the campaign"))
    manager.wait_for_url("**campaign=*", timeout=START_MS)
    return manager.url.partition("campaign=")[2]


def label_all(annotate_page: AnnotatePage, query: str, key: str, reason: str) -> None:
    """Qualify, then answer both items alike; not one press of the mouse."""
    annotate_page.page.goto(f"{annotate_page.shared_server.server.url}/{query}")
    annotate_page.start()
    expect(annotate_page.place).to_contain_text("Qualification")
    annotate_page.keys("3", "5")
    annotate_page.write("Nothing sank.")
    annotate_page.keys("Enter")
    for number in (2, 3):
        annotate_page.at(f"Item {number}")
        annotate_page.keys(key, "5")
        if reason:
            annotate_page.write(reason)
        annotate_page.keys("Enter")
    expect(annotate_page.page.get_by_text("You have labelled everything")).to_be_visible(timeout=START_MS)


def settle_all(page: Page, shared_server: SharedServer, code: str, campaign: str) -> None:
    """Take the label that says inconsistent, twice; by keyboard."""
    sign_in(page, shared_server, code)
    page.goto(f"{shared_server.server.url}/review?campaign={campaign}")
    for left in (2, 1):
        expect(page.get_by_role("radio", name=f"To adjudicate · {left}")).to_be_visible(timeout=START_MS)
        idle(page)
        take(page, "Inconsistent")
        cause(page, "s", "Annotator slip")
        page.keyboard.press("d")
    expect(page.get_by_text("Nothing is left to adjudicate")).to_be_visible(timeout=START_MS)
