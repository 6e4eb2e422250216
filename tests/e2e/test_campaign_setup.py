"""A manager sets a campaign up, changes it, and sees how it goes; rows are read back from the database."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import Page, expect

from annotations.campaigns.campaign import CampaignSettings
from annotations.campaigns.questions import bundled_question_sets
from annotations.campaigns.task_texts import ShownTask
from annotations.labelling.labelling import AnnotatorActions
from annotations.labelling.responses import SentResponse
from annotations.people.people import Role
from core.data.datasets.bundled import bundled_items
from tests.e2e.campaign_form import NEW, RULES, WHICH, WORDING, form_is_there
from tests.e2e.shared_server import SharedServer, sign_in
from tests.e2e.stress_form import behind
from tests.e2e.waiting import START_MS, download, enter, idle, pick_option, press

pytestmark = pytest.mark.e2e

KNOWN = [
    {"part": "training", "summary": "The quay was open.", "answers": {"verdict": "inconsistent"}, "feedback": "Shut."},
    {"part": "qualification", "summary": "The quay was shut.", "answers": {"verdict": "consistent"}},
    {"part": "exam", "summary": "The quay was shut.", "answers": {"verdict": "consistent"}},
]
OWN = bundled_question_sets()["label-summaries"].replace("name: label-summaries", "name: harbour-set")


def open_campaigns(page: Page, shared_server: SharedServer) -> None:
    sign_in(page, shared_server, shared_server.code(Role.MANAGER)[1])
    page.goto(f"{shared_server.server.url}/{NEW}")
    form_is_there(page)


def open_campaign(page: Page, shared_server: SharedServer, campaign: CampaignSettings) -> None:
    sign_in(page, shared_server, shared_server.code(Role.MANAGER)[1])
    page.goto(f"{shared_server.server.url}/campaigns?campaign={campaign.id}")
    expect(page.get_by_text("Items done")).to_be_visible(timeout=START_MS)


def name_it(page: Page, name: str) -> None:
    enter(page.get_by_role("textbox", name="Name of the campaign"), name)


def upload(page: Page, label: str, name: str, text: str) -> None:
    box = page.get_by_test_id("stFileUploader").filter(has_text=label)
    box.wait_for(timeout=START_MS)
    idle(page)
    box.locator("input[type=file]").set_input_files({"name": name, "mimeType": "text/plain", "buffer": text.encode()})


def rows(shared_server: SharedServer, query: str, name: str) -> list[dict[str, object]]:
    return [dict(row) for row in shared_server.server.rows(query, name)]


def label_all(shared_server: SharedServer, campaign: CampaignSettings, name: str, wrong: int) -> None:
    """Somebody labels the whole campaign, so many first ones inconsistent."""
    annotate_page, number = AnnotatorActions(shared_server.store, shared_server.code(name=name)[0]), 0
    while isinstance(work := annotate_page.next(campaign.id), ShownTask):
        verdict = "inconsistent" if (number := number + 1) <= wrong else "consistent"
        answers = {"verdict": verdict, "confidence": 3, "reason": "It says night."}
        annotate_page.send(
            SentResponse(
                work.reservation, "answer", f"{campaign.id}-{wrong}-{number}", answers, active_ms=4000, wall_ms=5000
            )
        )


def test_a_campaign_is_made_of_bundled_examples_and_known_answers(page: Page, shared_server: SharedServer) -> None:
    open_campaigns(page, shared_server)
    with behind(page, WHICH):
        enter(page.get_by_role("spinbutton", name=f"How many of {len(bundled_items())}"), "12")
    with behind(page, RULES):
        press(page.get_by_text("Training, qualification and gold"))
        pick_first_as_gold(page)
        lines = [json.dumps({"document": "The quay was shut.", **line}) for line in KNOWN]
        upload(page, "Or from a file", "known.jsonl", "\n".join(lines))
        expect(page.get_by_text("Line 3: The part is 'exam'.")).to_be_visible()
        expect(page.get_by_text("2 items read from the file, 1 refused.")).to_be_visible()
        expect(page.get_by_role("spinbutton", name="Right to pass")).to_have_value("1")
    enter(page.get_by_role("spinbutton", name="People per item"), "3")
    name_it(page, "Harbour news")
    expect(page.get_by_text(re.compile("Right to pass: Each of .* needs 1 of 1 right to go on"))).to_be_visible()
    expect(
        page.get_by_text("12 items × 3 people = 36 labels, 1 for training, 1 for qualification, 1 for gold")
    ).to_be_visible()
    press(page.get_by_role("button", name="Create the campaign"))
    expect(page.get_by_text("Harbour news is open: 15 items to label")).to_be_visible()
    parts = (
        "SELECT part, count(*) AS n FROM task JOIN campaign ON campaign.id = campaign_id WHERE name = ? GROUP BY part"
    )
    found = {row["part"]: row["n"] for row in rows(shared_server, parts, "Harbour news")}
    assert found == {"work": 12, "training": 1, "qualification": 1, "gold": 1}
    versions = "SELECT rules FROM campaignversion JOIN campaign ON campaign.id = campaign_id WHERE name = ?"
    [version] = rows(shared_server, versions, "Harbour news")
    rules = json.loads(str(version["rules"]))
    assert (rules["overlap"], rules["pass_right"], rules["gold_every"]) == (3, 1, 10)
    page.reload()
    expect(page.get_by_text("0 of 36")).to_be_visible(timeout=START_MS)
    press(page.get_by_role("tab", name="Items"))
    expect(page.get_by_text("Add items")).to_be_visible()


def pick_first_as_gold(page: Page) -> None:
    """Choose a part in the first cell of the table, as a keyboard does."""
    grid = page.get_by_test_id("stDataFrame").first
    grid.scroll_into_view_if_needed()
    idle(page, grid)
    grid.hover(position={"x": 50, "y": 17})  # as a hand does, that comes from elsewhere
    grid.click(position={"x": 50, "y": 52})
    page.keyboard.press("Enter")
    expect(page.get_by_role("option", name="training")).to_be_visible()
    page.keyboard.type("gold")
    expect(page.get_by_role("option", name="training")).to_have_count(0)
    page.keyboard.press("Enter")
    expect(page.get_by_text("labels, 1 for gold")).to_be_visible()


@pytest.mark.slow
def test_ones_own_question_set_is_checked_before_it_is_used(page: Page, shared_server: SharedServer) -> None:
    open_campaigns(page, shared_server)
    pick_option(page.get_by_role("combobox", name="What is asked"), "My own, from a YAML file")
    upload(page, "Question set", "own.yaml", OWN.replace("measure: verdict", "measure: mood"))
    expect(page.get_by_text("'mood' is not the id of a choice or a scale among the questions")).to_be_visible()
    expect(page.get_by_role("button", name="Create the campaign")).to_have_count(0)
    upload(page, "Question set", "own.yaml", OWN)
    with behind(page, WORDING):
        press(page.get_by_test_id("stExpander").get_by_text("Preview of the questions"))
        expect(page.get_by_text("2. How sure are you?")).to_be_visible()
    name_it(page, "Harbour set")
    press(page.get_by_role("button", name="Create the campaign"))
    expect(page.get_by_text("Harbour set is open")).to_be_visible()


@pytest.mark.slow
def test_guidelines_go_on_in_versions_and_a_closed_campaign_hands_nothing_out(
    page: Page, shared_server: SharedServer
) -> None:
    campaign = shared_server.campaign("label-summaries", items=2, guidelines="Read once.")
    open_campaign(page, shared_server, campaign)
    press(page.get_by_role("tab", name="Guidelines and rules"))
    box = page.get_by_role("textbox", name="Guidelines (Markdown)")
    expect(box).to_have_value("Read once.")
    idle(page)
    box.fill("Read **twice**. <script>window.__xss=1</script>")
    press(page.get_by_role("tab", name="Preview"))
    expect(page.locator("strong", has_text="twice")).to_be_visible()
    press(page.get_by_role("button", name="Issue version 2"))
    expect(page.get_by_role("button", name="Issue version 3")).to_be_disabled()
    press(page.get_by_role("button", name="Close", exact=True))
    expect(page.locator(".st-key-campaign-toggle").get_by_role("button", name="Open", exact=True)).to_be_visible()
    assert page.evaluate("window.__xss") is None
    query = "SELECT version, guidelines, open FROM campaignversion WHERE campaign_id = ? ORDER BY version"
    told = [
        (row["version"], row["guidelines"][:8], row["open"]) for row in shared_server.server.rows(query, campaign.id)
    ]
    assert told == [(1, "Read onc", 1), (2, "Read **t", 1), (3, "Read **t", 0)]
    assert campaign.id not in {
        one.id for one in AnnotatorActions(shared_server.store, shared_server.code()[0]).campaigns()
    }


@pytest.mark.slow
def test_progress_and_agreement_follow_the_labels(page: Page, shared_server: SharedServer) -> None:
    campaign = shared_server.campaign("label-summaries", items=4)
    label_all(shared_server, campaign, "Jo Marsh", wrong=0)
    open_campaigns(page, shared_server)
    press(page.get_by_role("button", name="Back to the campaigns"))
    pick_option(page.get_by_role("combobox", name="Campaign", exact=True), campaign.name)
    expect(page.get_by_text("Items done")).to_be_visible()
    expect(page.get_by_text("0 of 4", exact=True)).to_be_visible()
    expect(page.get_by_text("about 1 min of work")).to_be_visible()
    label_all(shared_server, campaign, "Kit Reed", wrong=2)
    press(page.get_by_role("tab", name="Agreement"))
    expect(page.get_by_role("heading", name="Cohen's kappa, Overall")).to_be_visible(timeout=START_MS)
    press(page.get_by_role("tab", name="Progress"))
    expect(page.get_by_text("8 of 8", exact=True)).to_be_visible()
    assert "Kit Reed" not in download(page.get_by_role("button", name="Export labels.csv")).read_text(encoding="utf-8")


@pytest.mark.slow
def test_what_people_wrote_is_text_on_every_tab(page: Page, shared_server: SharedServer) -> None:
    hostile = '<img src=x onerror="window.__xss=1"><script>window.__xss=1</script> ![a](http://127.0.0.1:9/b.png) **b**'
    campaign = shared_server.hostile(hostile)
    shared_server.code(name=hostile)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    open_campaign(page, shared_server, campaign)
    for tab in ("Agreement", "Items", "Guidelines and rules", "Preview"):
        press(page.get_by_role("tab", name=tab))
    expect(page.get_by_role("tabpanel", name="Preview")).to_contain_text("<script>window.__xss=1</script> ![a](")
    press(page.get_by_test_id("stButtonGroup").get_by_text("People"))
    expect(page.get_by_text(f"{hostile}, made")).to_be_visible()
    assert page.evaluate("window.__xss") is None
    assert not [url for url in asked if "127.0.0.1:9/" in url]
