"""Our own campaign, from the Annotate page to the paper pack: labelled by keyboard, scored, evaluated, downloaded."""

from __future__ import annotations

import csv
import io
import re
from urllib.parse import quote

import pytest
from playwright.sync_api import Page, expect

from annotations.people.people import Role
from tests.e2e.bench import WORK_MS
from tests.e2e.shared_server import AnnotatePage, SharedServer, sign_in
from tests.e2e.test_evaluate_flow import pack_of
from tests.e2e.waiting import press

pytestmark = pytest.mark.e2e


@pytest.mark.slow
def test_labels_of_a_campaign_become_tables_and_a_paper_pack(page: Page, shared_server: SharedServer) -> None:
    campaign = shared_server.campaign("label-summaries", items=3, overlap=1)
    annotate_page = AnnotatePage(page, shared_server)
    sign_in(page, shared_server, shared_server.code(Role.MANAGER)[1])
    page.goto(f"{shared_server.server.url}/annotate?campaign={campaign.id}")
    annotate_page.start()
    for number, verdict in ((1, "3"), (2, "1"), (3, "3")):
        annotate_page.at(f"Item {number}")
        annotate_page.keys(verdict, "5")
        if verdict == "3":
            annotate_page.write("It was noon.")
        annotate_page.keys("Enter")
        annotate_page.past(number)

    page.goto(f"{shared_server.server.url}/evaluate?dataset={quote('campaign: ' + campaign.name)}")
    expect(page.get_by_text("No metric has a score here yet.")).to_be_visible(timeout=WORK_MS)
    said = page.get_by_text("Labels: 3 of one person.")
    expect(said).to_be_visible(timeout=WORK_MS)
    press(page.get_by_role("button", name="Score", exact=True))

    pack = pack_of(page)
    rows = list(csv.DictReader(io.StringIO(pack.read("tables/measures.csv").decode())))
    [row] = [row for row in rows if (row["metric"], row["slice"]) == ("rouge2", "Overall")]
    assert (row["auc_n"], row["consistency_n"], row["failed"]) == ("3", "2", "0")
    card = pack.read("data-card.md").decode()
    assert f"campaign: {campaign.name}" in card
    assert "1 person gave 3 first blind labels" in card
    command = re.search(r"python cli\.py pack --dataset '(.+?)'", pack.read("README.md").decode())
    assert command
    assert command[1] == f"campaign: {campaign.name}"
