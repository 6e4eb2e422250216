"""Ways about a long document by keys: find, numbers and names of the summary, paragraphs; and names of buttons without their keys."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from annotations.campaigns.campaign import NewTask, add_tasks
from annotations.store.records import PairRecord
from tests.e2e.shared_server import AnnotatePage, SharedServer

pytestmark = pytest.mark.e2e

PARAGRAPHS = [f"Paragraph {number} tells of the weather and of nothing else, at some length." for number in range(40)]
PARAGRAPHS[30] = "The ferry Alma carried 40 crates. The harbour of Kiel was closed, and the ferry Alma turned back."
DOCUMENT = "\n".join(PARAGRAPHS)
SUMMARY = "The ferry Alma carried 41 crates."


def opened(page: Page, shared_server: SharedServer) -> tuple[AnnotatePage, str]:
    """Somebody new at a campaign with one long document."""
    campaign, (_, code) = shared_server.campaign("label-summaries", items=0), shared_server.code()
    pair = PairRecord(DOCUMENT, SUMMARY, SUMMARY, (), by="ada")
    with shared_server.store.writing() as session:
        add_tasks(session, campaign, [NewTask(pair=pair)])
    annotate_page = AnnotatePage(page, shared_server)
    annotate_page.enter(code, campaign)
    return annotate_page, campaign.id


def test_words_of_a_long_document_are_found_by_keys_and_marked_from_there(
    page: Page, shared_server: SharedServer
) -> None:
    annotate_page, _ = opened(page, shared_server)
    place, here = page.locator(".labeller .find output"), page.locator(".labeller mark.here")
    annotate_page.keys("/")
    page.keyboard.type("ferry  alma")
    expect(place).to_have_text("1 of 2")
    expect(here).to_be_in_viewport()
    annotate_page.keys("Enter")
    expect(place).to_have_text("2 of 2")
    annotate_page.keys("Shift+Enter")
    expect(place).to_have_text("1 of 2")
    annotate_page.keys("Escape")
    expect(page.locator(".labeller mark.found")).to_have_count(0)

    annotate_page.keys("j")  # the first name of the summary; "The" is no name
    expect(page.locator(".labeller .find input")).to_have_value("Alma")
    annotate_page.keys("j")
    expect(page.locator(".labeller .find input")).to_have_value("41")
    expect(place).to_have_text("not in the document")
    annotate_page.keys("j", "3", "4")
    annotate_page.write("Forty.")
    annotate_page.keys("d", "Shift+ArrowRight", "m", "Enter")
    annotate_page.past(1)


def test_paragraphs_are_gone_through_by_keys(page: Page, shared_server: SharedServer) -> None:
    annotate_page, _ = opened(page, shared_server)
    here = page.locator(".labeller mark.here")
    annotate_page.keys(".", ".", ".")
    expect(here).to_have_text(PARAGRAPHS[2])
    annotate_page.keys(",")
    expect(here).to_have_text(PARAGRAPHS[1])


def test_buttons_are_named_without_their_keys_and_tell_whether_they_are_pressed(
    page: Page, shared_server: SharedServer
) -> None:
    annotate_page, _ = opened(page, shared_server)
    verdict = page.get_by_role("button", name="Consistent", exact=True)
    expect(verdict).to_have_attribute("aria-pressed", "false")
    expect(verdict).to_have_attribute("aria-keyshortcuts", "1")
    annotate_page.keys("1")
    expect(verdict).to_have_attribute("aria-pressed", "true")
    for name in ("Save", "Skip", "Flag", "Undo last", "Previous", "Find"):
        expect(page.get_by_role("button", name=name, exact=True)).to_have_count(1)
