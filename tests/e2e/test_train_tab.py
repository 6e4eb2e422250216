"""The Train tab of Evaluate, from the settled labels of a campaign to the hub, the board and the matrix."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import Page, expect

from annotations.campaigns.campaign import (
    CampaignRules,
    CampaignSettings,
    NewTask,
    VersionContent,
    add_tasks,
    create_campaign,
)
from annotations.campaigns.labelling import AnnotatorActions, SentResponse
from annotations.campaigns.people import Role
from annotations.campaigns.questions import bundled_question_sets
from annotations.campaigns.task_texts import ShownTask
from annotations.store.records import PairRecord
from core.datasets.bundled import bundled_items
from core.models.words.head import CARD_FILE, WEIGHTS_FILE
from core.types import Item, Verdict
from tests.doubles.upload_hub import TOKEN, UploadHub
from tests.e2e.bench import WORK_MS
from tests.e2e.matrix import select_cell
from tests.e2e.shared_server import SharedServer, opened, sign_in
from tests.e2e.tabs import open_view
from tests.e2e.waiting import START_MS, enter, pick_option, press
from tests.unit.models.hub import serving

pytestmark = pytest.mark.e2e

DOCUMENTS = 20
TITLE = "A metric of your own [model=…/models/from-labels]"
SCORE = re.compile(r"^[01]\.\d\d\d$")


def test_settled_labels_become_a_metric_that_is_pushed_tried_and_run(
    page: Page, tmp_path: Path, tiny_roberta: Path
) -> None:
    with (
        serving(UploadHub("owner")) as hub,
        opened(
            tmp_path,
            TOUCHSTONE_MODELS_DIR=str(tmp_path / "models"),
            HF_ENDPOINT=hub.address,
            HF_TOKEN=TOKEN,
            HF_HUB_DISABLE_XET="1",
        ) as server,
    ):
        open_training(page, server, labelled_campaign(server, DOCUMENTS))

        enter(page.get_by_role("textbox", name="Name", exact=True), "a name")
        press(page.get_by_role("button", name="Train", exact=True))
        expect(page.get_by_text("'a name' is no name of a metric.")).to_be_visible()

        enter(page.get_by_role("textbox", name="Name", exact=True), "stopped")
        press(page.get_by_role("button", name="Train", exact=True))
        page.get_by_role("button", name="Cancel", exact=True).click()
        expect(page.get_by_text("stopped: the training was cancelled.")).to_be_visible(timeout=WORK_MS)

        # made texts would be most of the work, and train no other code
        page.get_by_role("slider", name="Share of corruptions and harmless edits").press("Home")
        enter(page.get_by_role("textbox", name="Name", exact=True), "from-labels")
        pick_option(page.get_by_role("combobox", name="Recipe"), "Cross-encoder: fine-tuned")
        enter(page.get_by_role("textbox", name="Encoder"), str(tiny_roberta))
        press(page.get_by_role("button", name="Train", exact=True))
        button = page.get_by_role("button", name="Push to the hub")
        expect(button).to_be_visible(timeout=2 * WORK_MS)

        press(button)
        enter(page.get_by_role("textbox", name="Repository"), "someone/ships")
        press(page.get_by_role("button", name="Push", exact=True))
        expect(page.get_by_text("The token may not write to someone/ships.")).to_be_visible(timeout=WORK_MS)
        enter(page.get_by_role("textbox", name="Repository"), "owner/ships")
        press(page.get_by_role("button", name="Push", exact=True))
        expect(page.get_by_text(f"Pushed to {hub.address}/owner/ships")).to_be_visible(timeout=WORK_MS)
        assert {WEIGHTS_FILE, CARD_FILE, "tokenizer.json"} <= set(hub.repositories["owner/ships"])

        press(page.get_by_role("button", name="Try it on Probe"))
        expect(page.locator("#settled")).to_be_attached(timeout=START_MS)
        expect(page.locator('tr[data-spec^="mine["] td.after .value')).to_have_text(SCORE, timeout=WORK_MS)

        page.get_by_role("link", name="Stress test").click()
        press(page.get_by_role("button", name="weather", exact=True))
        enter(page.get_by_role("textbox", name="Name of the run"), "With the trained metric")
        press(page.get_by_role("button", name="Run: 2 pairs"))
        expect(page.get_by_role("tab", name="Shifts")).to_be_visible(timeout=WORK_MS)
        expect(page.get_by_role("button", name="Cancel")).to_have_count(0, timeout=WORK_MS)
        select_cell(page, TITLE)
        expect(page.get_by_role("heading", name=f"{TITLE} · ")).to_be_visible()


def open_training(page: Page, shared: SharedServer, campaign: CampaignSettings) -> None:
    sign_in(page, shared, shared.code(Role.MANAGER)[1])
    page.goto(f"{shared.server.url}/evaluate?dataset={quote('campaign: ' + campaign.name)}")
    open_view(page, "Data", "Train")


def labelled_campaign(shared: SharedServer, documents: int) -> CampaignSettings:
    """A campaign of a consistent and an inconsistent edit of each document, every one labelled by one person as it is meant."""
    meant = {item.example.summary: item.intended for item in edited_items(documents)}
    with shared.store.writing() as session:
        wording = VersionContent(bundled_question_sets()["label-summaries"], "", CampaignRules(overlap=1, apart=0))
        campaign = create_campaign(session, "Edits of our own", "boss", wording)
    ids = [shared.store.save_pair(pair(item)).id for item in edited_items(documents)]
    with shared.store.writing() as session:
        add_tasks(session, campaign, [NewTask(id) for id in ids])
    annotator = AnnotatorActions(shared.store, shared.code()[0])
    for number in range(2 * documents):
        task = annotator.next(campaign.id)
        assert isinstance(task, ShownTask)
        verdict = meant[task.left]
        answers = {"verdict": verdict, "confidence": 5, "reason": "The document says otherwise."}
        annotator.send(SentResponse(task.reservation, "answer", f"label-{number}", answers))
    return campaign


def edited_items(documents: int) -> list[Item]:
    """A consistent and an inconsistent edit of each of so many bundled documents."""
    found: dict[str, dict[Verdict, Item]] = {}
    for item in bundled_items():
        if item.parent and item.intended in (Verdict.CONSISTENT, Verdict.INCONSISTENT):
            found.setdefault(item.example.document, {}).setdefault(item.intended, item)
    both = [list(edits.values()) for edits in found.values() if len(edits) == 2]
    return [item for edits in both[:documents] for item in edits]


def pair(item: Item) -> PairRecord:
    original = next(one for one in bundled_items() if one.example.id == item.parent)
    return PairRecord(
        item.example.document,
        original.example.summary,
        item.example.summary,
        item.edits,
        by="boss",
        intended=item.intended,
    )
