"""An own table becomes a campaign in one form, people label it, and the same table comes back with their labels."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from playwright.sync_api import Page, expect

from annotations.campaigns.task_texts import ShownTask
from annotations.labelling.labelling import AnnotatorActions
from annotations.labelling.responses import SentResponse
from annotations.people.people import Role
from tests.e2e.campaign_form import choose_items
from tests.e2e.shared_server import SharedServer, sign_in
from tests.e2e.test_campaign_setup import name_it, open_campaigns
from tests.e2e.waiting import START_MS, attach, download, enter, idle, press

pytestmark = pytest.mark.e2e

ROWS = 30
NAME = "Lighthouse table"


def own_table(folder: Path, rows: int = ROWS) -> pd.DataFrame:
    table = pd.DataFrame(
        {
            "record": [f"lh-{number:03}" for number in range(rows)],
            "document": [f"Keeper {number} lit the lamp at six, and the boats came in." for number in range(rows)],
            "summary": [f"Keeper {number} lit the lamp at {6 + number % 2}." for number in range(rows)],
            "model": ["north" if number % 3 else "south" for number in range(rows)],
            "shift": [number - 10 for number in range(rows)],
        }
    )
    table.to_csv(folder / "lighthouse.csv", index=False)
    return table


def label_some(shared_server: SharedServer, campaign: str, name: str, number: int) -> dict[str, str]:
    """Label so many items; the verdict by the text of the summary."""
    person, verdicts = AnnotatorActions(shared_server.store, shared_server.code(name=name)[0]), {}
    for place in range(number):
        work = person.next(campaign)
        assert isinstance(work, ShownTask)
        verdict = "inconsistent" if work.left.endswith("7.") else "consistent"
        answers = {"verdict": verdict, "confidence": 4, "reason": "It was six."}
        person.send(
            SentResponse(work.reservation, "answer", f"lighthouse-{name}-{place}-press", answers, "", 2500, 3000)
        )
        verdicts[work.left] = verdict
    return verdicts


def test_a_file_becomes_a_campaign_and_comes_back_with_labels(
    page: Page, shared_server: SharedServer, tmp_path: Path
) -> None:
    table = own_table(tmp_path)
    open_campaigns(page, shared_server)
    name_it(page, NAME)
    choose_items(page, "From a file")
    box = page.get_by_test_id("stFileUploader").filter(has_text="Your file")
    attach(box.locator("input[type=file]"), tmp_path / "lighthouse.csv")
    expect(page.get_by_text(f"{ROWS} items in lighthouse.csv.")).to_be_visible(timeout=START_MS)
    expect(page.get_by_text(f"{ROWS} items × 2 people")).to_be_visible()
    enter(page.get_by_role("spinbutton", name="People per item"), "3")
    press(page.get_by_role("button", name="Create the campaign"))
    expect(page.get_by_text(f"{NAME} is open: {ROWS} items to label")).to_be_visible(timeout=START_MS)

    [campaign] = [row["id"] for row in shared_server.server.rows("SELECT id FROM campaign WHERE name = ?", NAME)]
    verdicts = [
        label_some(shared_server, campaign, name, 20) for name in ("first reader", "second reader", "third reader")
    ]
    page.reload()
    expect(page.get_by_text("60 of 90", exact=True)).to_be_visible(timeout=START_MS)
    labels = pd.read_csv(download(page.get_by_role("button", name="Export labels.csv")))
    items = pd.read_csv(download(page.get_by_role("button", name="Export items.csv")))

    own = ["record", "document", "summary", "model", "shift"]
    assert len(labels) == sum(map(len, verdicts)) == 60
    pairs = sorted(zip(labels["summary"], labels["answer.verdict"], strict=True))
    assert pairs == sorted((summary, verdict) for person in verdicts for summary, verdict in person.items())
    back = labels[own].drop_duplicates().sort_values("record").reset_index(drop=True)
    labelled = table[own][table["summary"].isin(labels["summary"])].reset_index(drop=True)
    pd.testing.assert_frame_equal(back, labelled)
    assert set(labels["seconds"]) == {2.5}
    assert set(labels["version"]) == {1}
    assert labels["person"].nunique() == 3

    pd.testing.assert_frame_equal(items[own].sort_values("record").reset_index(drop=True), table[own])
    assert items["decision"].value_counts().to_dict() == {"unanimous": 20, "not labelled": 10}
    assert len([name for name in items.columns if name.startswith("p-")]) == 3
    decided = items[items["labels"] == 3]
    right = decided["summary"].str.endswith("7.").map({True: "inconsistent", False: "consistent"})
    assert (decided["decided.verdict"] == right).all()


def test_annotators_see_own_columns_but_not_who_wrote_the_summary(
    page: Page, shared_server: SharedServer, tmp_path: Path
) -> None:
    own_table(tmp_path)
    open_campaigns(page, shared_server)
    name_it(page, "Lighthouse, blind")
    choose_items(page, "From a file")
    box = page.get_by_test_id("stFileUploader").filter(has_text="Your file")
    attach(box.locator("input[type=file]"), tmp_path / "lighthouse.csv")
    expect(page.get_by_text(f"{ROWS} items in lighthouse.csv.")).to_be_visible(timeout=START_MS)
    shown = page.get_by_test_id("stMultiSelect").filter(has_text="Columns that annotators see")
    expect(shown).to_contain_text("record")
    expect(shown).not_to_contain_text("model")
    press(page.get_by_role("button", name="Create the campaign"))
    expect(page.get_by_text(f"Lighthouse, blind is open: {ROWS} items")).to_be_visible(timeout=START_MS)
    [campaign] = [
        row["id"] for row in shared_server.server.rows("SELECT id FROM campaign WHERE name = ?", "Lighthouse, blind")
    ]
    sign_in(page, shared_server, shared_server.code(Role.ANNOTATOR)[1])
    page.goto(f"{shared_server.server.url}/annotate?campaign={campaign}")
    start = page.get_by_role("button", name="Start")
    start.wait_for(timeout=START_MS)
    idle(page)
    press(start)
    heading = page.locator(".heading.columns")
    heading.wait_for(timeout=START_MS)
    label = heading.get_attribute("data-label") or ""
    assert label.startswith("record: lh-")
    assert "north" not in label
    assert "south" not in label
