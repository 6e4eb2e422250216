"""Comments on items: an annotator flags and asks, a manager answers and resolves, the annotator reads it, and nobody else does."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from annotations.people.people import Role
from tests.e2e.shared_server import AnnotatePage, SharedServer, sign_in
from tests.e2e.waiting import idle, press

pytestmark = pytest.mark.e2e

HOSTILE = "Is <b>this</b> ![x](http://evil.example/x.png) the **end**?"


def send(form: Locator, label: str, text: str) -> None:
    """Write into a form and send it; what was kept stands above it."""
    box = form.get_by_label(label)
    idle(form.page)
    box.fill(text)
    form.get_by_role("button", name="Send").last.click()
    expect(form.get_by_test_id("stText").filter(has_text=text)).to_be_visible()


def open_comments(page: Page, name: str = "Comments") -> Locator:
    press(page.get_by_role("button", name=name))
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_text("others who label do not")).to_be_visible()
    return dialog


@pytest.mark.slow
def test_a_flag_is_asked_about_answered_and_resolved(new_page: Callable[[], Page], shared_server: SharedServer) -> None:
    campaign = shared_server.campaign("label-summaries", items=1)
    ben, cem = (AnnotatePage(new_page(), shared_server) for _ in range(2))
    person, code = shared_server.code()
    ben.enter(code, campaign)
    cem.enter(shared_server.code()[1], campaign)
    ben.at("Item 1")
    ben.keys("f")
    ben.page.keyboard.type("It is cut off.")
    ben.keys("Enter")
    expect(ben.page.get_by_text("You have labelled everything")).to_be_visible()

    ben.keys("k")
    dialog = ben.page.get_by_role("dialog")
    expect(dialog.get_by_text("It is cut off.")).to_be_visible()
    send(dialog, "Your comment", HOSTILE)
    expect(dialog.locator("a, img, b")).to_have_count(0)

    manager = new_page()
    sign_in(manager, shared_server, shared_server.code(Role.MANAGER)[1])
    manager.goto(f"{shared_server.server.url}/campaigns?campaign={campaign.id}")
    press(manager.get_by_role("tab", name="Flags and comments"))
    expect(manager.get_by_text("1 of 1 wait for an answer")).to_be_visible()
    conversation = manager.locator(".st-key-conversation")
    expect(conversation.get_by_text(HOSTILE)).to_be_visible()
    send(conversation, f"Answer {person.name}", "Yes, read it as it stands.")
    idle(manager)
    conversation.get_by_label("What was done about the flag").fill("The source ends there.")
    press(conversation.get_by_role("button", name="Resolve the flag"))
    expect(manager.get_by_text("0 of 1 wait for an answer")).to_be_visible()
    expect(conversation.get_by_role("button", name="Resolve the flag")).to_have_count(0)

    ben.page.reload()
    dialog = open_comments(ben.page, "Comments · 1 new")
    expect(dialog.get_by_text("Yes, read it as it stands.")).to_be_visible()
    expect(dialog.get_by_text("The source ends there.")).to_be_visible()
    expect(dialog.get_by_text("Manager, flag resolved")).to_be_visible()
    ben.keys("Escape")
    expect(ben.page.get_by_role("button", name="Comments", exact=False)).not_to_contain_text("new")

    dialog = open_comments(cem.page)
    expect(dialog.get_by_label("Comment on item 1, which is open now")).to_be_visible()
    expect(dialog.get_by_text("cut off")).to_have_count(0)


@pytest.mark.slow
def test_who_labels_comments_on_the_item_in_hand_and_goes_on_with_the_keys(
    page: Page, shared_server: SharedServer
) -> None:
    campaign = shared_server.campaign("label-summaries", items=2)
    ben = AnnotatePage(page, shared_server)
    ben.enter(shared_server.code()[1], campaign)
    ben.at("Item 1")
    dialog = open_comments(page)
    send(dialog, "Comment on item 1, which is open now", "12 Enter is no label here.")
    ben.keys("Escape")
    expect(dialog).to_have_count(0)
    idle(page)
    ben.keys("1", "4", "Enter")
    ben.at("Item 2")
    assert [given["verdict"] for given in shared_server.answers(campaign)] == ["consistent"]
