"""Help while labelling: answers that a manager has filled in, and document sentences that are marked."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from annotations.people.people import Role
from tests.e2e.shared_server import AnnotatePage, SharedServer, sign_in
from tests.e2e.waiting import idle, press

pytestmark = pytest.mark.e2e


@pytest.mark.slow
def test_a_manager_fills_in_answers_which_an_annotator_confirms_and_changes(
    new_page: Callable[[], Page], shared_server: SharedServer
) -> None:
    campaign = shared_server.campaign("label-summaries", items=2)
    manager = new_page()
    sign_in(manager, shared_server, shared_server.code(Role.MANAGER)[1])
    manager.goto(f"{shared_server.server.url}/campaigns?campaign={campaign.id}")
    press(manager.get_by_role("tab", name="Items"))
    press(manager.get_by_text("Fill in answers"))
    press(manager.get_by_role("button", name="Fill in and show to annotators"))
    expect(manager.get_by_text("Answers to 2 items")).to_be_visible()

    ben = AnnotatePage(new_page(), shared_server)
    ben.enter(shared_server.code()[1], campaign)
    ben.at("Item 1")
    inconsistent = ben.page.get_by_role("button", name="Inconsistent")
    expect(ben.page.locator(".labeller .help")).to_contain_text("Answers are filled in, and may be wrong")
    expect(inconsistent).to_have_attribute("aria-pressed", "true")
    ben.keys("ArrowDown", "4")
    ben.write("It was noon.")
    ben.keys("Enter")
    ben.at("Item 2")
    expect(inconsistent).to_have_attribute("aria-pressed", "true")
    ben.keys("1", "5", "Enter")
    expect(ben.page.get_by_text("You have labelled everything")).to_be_visible()
    assert [given["verdict"] for given in shared_server.answers(campaign)] == ["inconsistent", "consistent"]

    idle(manager)
    press(manager.get_by_role("tab", name="Agreement"))
    expect(manager.get_by_text("2 of 2 first labels were given with answers filled in")).to_be_visible()
    expect(manager.get_by_text("1 kept the one to")).to_be_visible()

    press(manager.get_by_role("tab", name="Items"))
    press(manager.get_by_text("Fill in answers · 2 items have them"))
    press(manager.get_by_role("button", name="Withdraw filled-in answers"))
    expect(manager.get_by_text("see no filled-in answers from the next item on")).to_be_visible()
    expect(manager.get_by_role("button", name="Show the answers of 2 items again")).to_be_visible()
    cem = AnnotatePage(new_page(), shared_server)
    cem.enter(shared_server.code()[1], campaign)
    cem.at("Item 1")
    expect(cem.page.locator('[aria-pressed="true"]')).to_have_count(0)


@pytest.mark.slow
def test_close_sentences_are_marked_where_the_rules_say_so(page: Page, shared_server: SharedServer) -> None:
    campaign = shared_server.campaign("label-summaries", items=1, mode="assisted")
    ben = AnnotatePage(page, shared_server)
    ben.enter(shared_server.code()[1], campaign)
    ben.at("Item 1")
    marked = page.locator(".document .text em")
    expect(marked).to_have_count(3)
    expect(marked.first).to_have_text("The ferry Alma left the harbour at nine with forty crates of apples.")
    expect(page.locator(".labeller .help")).to_contain_text("most words in common")
    ben.keys("1", "5", "d", "ArrowDown", "m")
    expect(page.locator(".document .text mark")).to_have_text(
        "The ferry Alma left the harbour at nine with forty crates of apples."
    )
    ben.keys("Escape", "Enter")
    expect(page.get_by_text("You have labelled everything")).to_be_visible()
    [answers] = shared_server.answers(campaign)
    assert answers["evidence"] == [[0, 68]]
    rows = shared_server.server.rows("SELECT mode FROM response WHERE mode <> 'unaided'")
    assert {"mode": "assisted"} in [dict(row) for row in rows]
