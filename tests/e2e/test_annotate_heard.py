"""The labeller as a screen reader has it: names without keys, pressed answers, and the keys in words."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.shared_server import AnnotatePage, SharedServer

pytestmark = pytest.mark.e2e

HEARD = (
    '- region "Document":',
    '- heading "Document" [level=3]',
    '- button "Find"',
    '- group "Summary":',
    '- group "Is the summary consistent with the document?":',
    '- button "Consistent"',
    '- button "Borderline"',
    '- button "Inconsistent" [pressed]',
    "- paragraph: Something is contradicted or not in the document.",
    '- group "How sure are you?":',
    '- group "What decided it?":',
    '- textbox "What decided it?"',
    '- button "Save"',
    '- button "Previous" [disabled]',
    '- button "Skip"',
)
"""Of the tree of accessibility, in its order."""


def test_answers_are_heard_by_their_names_and_as_pressed_and_keys_in_words(
    page: Page, shared_server: SharedServer
) -> None:
    campaign, (_, code) = shared_server.campaign("label-summaries"), shared_server.code()
    annotate_page = AnnotatePage(page, shared_server)
    annotate_page.enter(code, campaign)
    consistent = page.get_by_role("button", name="Consistent", exact=True)
    expect(consistent).to_have_attribute("aria-keyshortcuts", "1")
    annotate_page.keys("3")
    expect(page.get_by_role("button", name="Inconsistent", exact=True, pressed=True)).to_be_visible()
    expect(page.get_by_role("textbox", name="What decided it?")).to_be_visible()
    heard = page.locator(".labeller").aria_snapshot()
    lines = [line.strip() for line in heard.splitlines()]
    assert [line for line in HEARD if not any(heard_line.startswith(line) for heard_line in lines)] == []
    places = [next(place for place, line in enumerate(lines) if line.startswith(start)) for start in HEARD]
    assert places == sorted(places)
    assert "/ find, J next number or name of the summary" in heard
    assert "1…9 answer" in heard
