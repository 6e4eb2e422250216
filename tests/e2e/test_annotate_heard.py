"""What those who hear the labeller are told: names without keys, pressed answers, and the keys in words."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.shared_server import DOCUMENT, SUMMARY, AnnotatePage, SharedServer

pytestmark = pytest.mark.e2e

FIRST = f"""
- region "Document":
  - heading "Document" [level=3]
  - button "Find"
  - text: {DOCUMENT[:20]}
- paragraph: Item 1
- heading "Summary" [level=3]
- group "Summary": {SUMMARY[:10]}
- group "Is the summary consistent with the document?":
  - button "Consistent"
  - button "Borderline"
  - button "Inconsistent" [pressed]
  - paragraph: Something is contradicted or not in the document.
- group "How sure are you?":
  - button "1"
  - button "5"
- group "What decided it?":
  - textbox "What decided it?"
- button "Save"
- button "Previous" [disabled]
- button "Skip"
"""


def test_answers_are_heard_by_their_names_and_as_pressed_and_keys_in_words(
    page: Page, shared_server: SharedServer
) -> None:
    campaign, (_, code) = shared_server.campaign("label-summaries"), shared_server.code()
    annotate_page = AnnotatePage(page, shared_server)
    annotate_page.enter(code, campaign)
    consistent = page.get_by_role("button", name="Consistent", exact=True)
    expect(consistent).to_have_attribute("aria-keyshortcuts", "1")
    annotate_page.keys("3")
    labeller = page.locator(".labeller")
    expect(page.get_by_role("button", name="Inconsistent", exact=True, pressed=True)).to_be_visible()
    expect(labeller).to_match_aria_snapshot(
        FIRST.replace(DOCUMENT[:20], f"/{DOCUMENT[:20]}/").replace(SUMMARY[:10], f"/{SUMMARY[:10]}/")
    )
    heard = labeller.aria_snapshot()
    assert "/ find, J next number or name of the summary" in heard
    assert "1…9 answer" in heard
