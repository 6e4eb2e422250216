"""Our own campaign, from the desk to the paper pack: labelled by keyboard, scored, evaluated, downloaded."""

from __future__ import annotations

import csv
import io
import re
from urllib.parse import quote

import pytest
from playwright.sync_api import Page, expect

from annotations.campaigns.people import Role
from tests.e2e.hall import Desk, Hall, sign_in
from tests.e2e.test_evaluate_flow import WORK_MS, pack_of

pytestmark = pytest.mark.e2e


def test_labels_of_a_campaign_become_tables_and_a_paper_pack(page: Page, hall: Hall) -> None:
    campaign = hall.campaign("label-summaries", items=3, overlap=1)
    desk = Desk(page, hall)
    sign_in(page, hall, hall.code(Role.MANAGER)[1])
    page.goto(f"{hall.server.url}/annotate?campaign={campaign.id}")
    desk.start()
    for number, verdict in ((1, "3"), (2, "1"), (3, "3")):
        desk.at(f"Item {number}")
        desk.keys(verdict, "5")
        if verdict == "3":
            desk.write("It was noon.")
        desk.keys("Enter")
        desk.past(number)

    page.goto(f"{hall.server.url}/evaluate?dataset={quote('campaign: ' + campaign.name)}")
    expect(page.get_by_text("No metric has a score here yet.")).to_be_visible(timeout=WORK_MS)
    said = page.get_by_text("Labels: 3 of one person.")
    expect(said).to_be_visible(timeout=WORK_MS)
    page.get_by_role("button", name="Score", exact=True).click()

    pack = pack_of(page)
    rows = list(csv.DictReader(io.StringIO(pack.read("tables/all.csv").decode())))
    figures = {row["figure"]: row for row in rows if (row["metric"], row["slice"]) == ("rouge2", "Overall")}
    assert (figures["auc"]["n"], figures["auc"]["failed"]) == ("3", "0")
    assert figures["consistency"]["n"] == "2"
    card = pack.read("data-card.md").decode()
    assert f"campaign: {campaign.name}" in card
    assert "1 person gave 3 first blind labels" in card
    command = re.search(r"python cli\.py meta --dataset '(.+?)'", pack.read("README.md").decode())
    assert command
    assert command[1] == f"campaign: {campaign.name}"
