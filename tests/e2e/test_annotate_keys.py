"""Every ready-made question set is labelled without a mouse; keys are inert while somebody types."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.shared_server import DOCUMENT, SUMMARY, AnnotatePage, SharedServer

pytestmark = pytest.mark.e2e

OWN = """
name: own
title: What is it like?
unit: summary
measure: fluent
questions:
  - {id: fluent, ask: "How fluent is it?", kind: scale, low: 1, high: 7}
  - id: faults
    ask: What does it lack?
    kind: several
    options: [{value: detail, text: Detail}, {value: order, text: Order}, {value: sense, text: Sense}]
  - {id: words, ask: "Which words are wrong?", kind: span, of: summary, required: false}
"""


def open_annotate_page(
    page: Page, shared_server: SharedServer, questions: str, **rules: Any
) -> tuple[AnnotatePage, Any]:
    """Somebody new at a new campaign."""
    campaign, (_, code) = shared_server.campaign(questions, **rules), shared_server.code()
    annotate_page = AnnotatePage(page, shared_server)
    annotate_page.enter(code, campaign)
    return annotate_page, campaign


def test_a_summary_is_labelled_with_reason_and_passage_by_keyboard_while_dialogs_and_typing_keep_keys_to_themselves(
    page: Page, shared_server: SharedServer
) -> None:
    annotate_page, campaign = open_annotate_page(page, shared_server, "label-summaries")
    inconsistent = page.get_by_role("button", name="Inconsistent")
    annotate_page.keys("g")
    expect(page.get_by_role("dialog")).to_contain_text("Read the whole document")
    annotate_page.keys("3")
    annotate_page.keys("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(inconsistent).to_have_attribute("aria-pressed", "false")
    assert SUMMARY[:9] in page.locator(".labeller .texts").inner_text()

    annotate_page.keys("3")
    annotate_page.write("12 sufpngdm?")
    expect(page.locator(".labeller textarea")).to_have_value("12 sufpngdm?")
    expect(inconsistent).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.locator(".labeller .why")).to_be_hidden()

    annotate_page.keys("Enter")
    expect(annotate_page.problem).to_have_text("“How sure are you?” is not answered yet.")
    annotate_page.active("confidence")
    assert shared_server.answers(campaign) == []

    annotate_page.keys("4")
    annotate_page.keys(
        "d", "ArrowDown", "ArrowDown", "ArrowRight", "Shift+ArrowRight", "Shift+ArrowRight", "m", "Enter"
    )
    annotate_page.at("Item 2")
    [answer] = shared_server.answers(campaign)
    [[start, end]] = answer.pop("evidence")
    assert answer == {"verdict": "inconsistent", "confidence": 4, "reason": "12 sufpngdm?"}
    assert DOCUMENT[start:end] == "captain had asked"


@pytest.mark.slow
def test_claims_are_linked_with_passages_by_keys_and_by_mouse(page: Page, shared_server: SharedServer) -> None:
    annotate_page, campaign = open_annotate_page(page, shared_server, "label-frank")
    annotate_page.keys("2", "3", "ArrowDown", "ArrowDown")
    annotate_page.active("links")
    annotate_page.keys("w", "ArrowRight", "ArrowRight", "m")
    expect(page.locator(".labeller .half")).to_contain_text("ferry ←")
    annotate_page.keys("d", "ArrowRight", "ArrowRight", "ArrowRight", "m", "Escape")
    expect(page.get_by_role("button", name="ferry ← Alma ×")).to_be_visible()
    page.locator(".labeller .texts .text").dblclick(position={"x": 60, "y": 25})
    page.get_by_role("button", name="Mark a claim").click()
    page.locator(".labeller .document .text").dblclick(position={"x": 60, "y": 25})
    page.get_by_role("button", name="Mark its passage").click()
    expect(page.locator('fieldset[data-question="links"] button[data-place]')).to_have_count(2)
    annotate_page.keys("Enter")
    annotate_page.at("Item 2")
    [answer] = shared_server.answers(campaign)
    first, _ = answer["links"]
    assert (answer["errors"], DOCUMENT[slice(*first["evidence"])]) == (["CircE"], "Alma")


def test_a_pair_is_labelled_with_type_words_and_explanation_by_keyboard(
    page: Page, shared_server: SharedServer
) -> None:
    annotate_page, campaign = open_annotate_page(page, shared_server, "label-pairs")
    shown = page.locator(".labeller .side .text").all_text_contents()
    wrong = next(i for i, text in enumerate(shown) if "night" in text)
    annotate_page.keys(str(wrong + 1), "5", "w", *["w"] * wrong)
    annotate_page.keys("ArrowDown", "ArrowDown", "ArrowDown", *["ArrowRight"] * 5, "Enter")
    expect(page.get_by_role("button", name="night ×")).to_be_visible()
    annotate_page.write("It was noon.")
    annotate_page.keys("Enter")
    annotate_page.at("Item 2")
    [answer] = shared_server.answers(campaign)
    [[start, end, side]] = answer.pop("wrong_words")
    side_names = ["left", "right"]
    assert (shown[wrong][start:end], side) == ("night", side_names[wrong])
    assert answer == {
        "unfaithful": side_names[wrong],
        "error_type": "Intrinsic Circumstance",
        "explanation": "It was noon.",
    }


@pytest.mark.slow
def test_later_questions_about_an_edit_come_only_after_a_yes(page: Page, shared_server: SharedServer) -> None:
    annotate_page, campaign = open_annotate_page(page, shared_server, "edit-quality")
    expect(page.locator("fieldset")).to_have_count(1)
    annotate_page.keys("1", "1", "1", "2", "Enter")
    annotate_page.at("Item 2")
    annotate_page.keys("1", "2")
    expect(page.locator("fieldset")).to_have_count(2)
    annotate_page.keys("Enter")
    annotate_page.at("Item 3")
    passed, trivial = shared_server.answers(campaign)
    assert passed == {"inconsistent": "yes", "interesting": "yes", "controlled": "yes", "explanation_good": "no"}
    assert trivial == {"inconsistent": "yes", "interesting": "no"}


@pytest.mark.slow
def test_an_explanation_is_judged_beside_what_was_changed(page: Page, shared_server: SharedServer) -> None:
    annotate_page, campaign = open_annotate_page(page, shared_server, "judge-explanations")
    expect(page.locator(".labeller del")).to_have_text("noon")
    expect(page.locator(".labeller ins")).to_have_text("night")
    annotate_page.keys("2", "3", "Enter")
    annotate_page.at("Item 2")
    assert shared_server.answers(campaign) == [{"grade": "partially", "cause": "completeness"}]


def test_an_edit_of_the_required_type_is_written_and_kept_as_executable_edits(
    page: Page, shared_server: SharedServer
) -> None:
    annotate_page, campaign = open_annotate_page(page, shared_server, "write-typed")
    expect(page.locator(".labeller .asked")).to_contain_text("Intrinsic Entity")
    annotate_page.keys("1", "t", "Control+Home", *["ArrowRight"] * 4, *["Shift+ArrowRight"] * 5)
    page.keyboard.type("island")
    expect(page.locator(".labeller .preview ins")).to_have_text("island")
    annotate_page.keys("Escape", "ArrowDown")
    annotate_page.write("It was the ferry.")
    annotate_page.keys("Enter")
    annotate_page.at("Item 2")
    [answer] = shared_server.answers(campaign)
    assert [(edit["original_text"], edit["replace_text"]) for edit in answer["edit"]] == [("ferry", "island")]


@pytest.mark.slow
def test_a_free_edit_that_is_none_is_told_while_it_is_written_and_refused(
    page: Page, shared_server: SharedServer
) -> None:
    annotate_page, campaign = open_annotate_page(page, shared_server, "write-free")
    annotate_page.keys("1", "t", "Control+End")
    page.keyboard.type("!")
    expect(page.locator(".labeller .preview")).to_contain_text("Only punctuation")
    annotate_page.keys("Escape", "ArrowDown")
    annotate_page.write("Nothing, really.")
    annotate_page.keys("Enter")
    expect(annotate_page.problem).to_contain_text("Only punctuation")
    annotate_page.keys("ArrowUp", "ArrowUp", "2")
    annotate_page.write("There is nothing to change.")
    annotate_page.keys("Enter")
    annotate_page.at("Item 2")
    assert shared_server.answers(campaign) == [{"possible": "not applicable", "why_not": "There is nothing to change."}]


@pytest.mark.slow
def test_a_question_set_of_ones_own_is_labelled_by_keyboard(page: Page, shared_server: SharedServer) -> None:
    annotate_page, campaign = open_annotate_page(page, shared_server, OWN)
    shown = page.locator(".labeller .texts .text").inner_text()
    annotate_page.keys("6", "3", "1", "2", "2", "w", "ArrowRight", "ArrowRight", "m", "ArrowRight", "Enter")
    expect(page.get_by_role("button", name="left ×")).to_be_visible()
    annotate_page.keys("ArrowRight", "Escape", "Enter")
    annotate_page.at("Item 2")
    [answer] = shared_server.answers(campaign)
    assert [shown[start:end] for start, end in answer.pop("words")] == ["ferry", "left"]
    assert answer == {"fluent": 6, "faults": ["sense", "detail"]}


@pytest.mark.slow
def test_keys_that_come_before_the_next_item_wait_for_it(page: Page, shared_server: SharedServer) -> None:
    annotate_page, campaign = open_annotate_page(page, shared_server, "label-summaries", items=5)
    annotate_page.keys(*["1", "2", "Enter"], *["1", "3", "Enter"], *["1", "4", "Enter"], *["1", "5"], "t")
    annotate_page.at("Item 4")
    assert [answer["confidence"] for answer in shared_server.answers(campaign)] == [2, 3, 4]
    expect(page.get_by_role("button", name="Consistent", exact=False).first).to_have_attribute("aria-pressed", "true")
    annotate_page.keys("Enter", "p")  # what was just sent is looked at again
    annotate_page.at("Item 4, answered before")
    page.reload(wait_until="commit")
    page.get_by_test_id("stApp").wait_for()
    annotate_page.keys("1", "1", "Enter")  # nothing is drawn yet
    expect(page.get_by_text("You have labelled everything")).to_be_visible()
    assert [answer["confidence"] for answer in shared_server.answers(campaign)] == [2, 3, 4, 5, 1]
