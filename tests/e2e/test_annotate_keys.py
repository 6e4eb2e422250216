"""Every ready-made question set is labelled without a mouse; keys are inert while somebody types."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.hall import DOCUMENT, SUMMARY, Desk, Hall

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


def desk_of(page: Page, hall: Hall, questions: str, **rules: Any) -> tuple[Desk, Any]:
    """Somebody new at a new campaign."""
    campaign, (_, code) = hall.campaign(questions, **rules), hall.code()
    desk = Desk(page, hall)
    desk.enter(code, campaign)
    return desk, campaign


def test_a_summary_is_labelled_with_reason_and_passage_by_keyboard(page: Page, hall: Hall) -> None:
    desk, campaign = desk_of(page, hall, "label-summaries")
    desk.keys("3", "4")
    desk.write("It was noon.")
    desk.keys("d", "ArrowDown", "ArrowDown", "ArrowRight", "Shift+ArrowRight", "Shift+ArrowRight", "m", "Enter")
    desk.at("Item 2")
    [answer] = hall.answers(campaign)
    [[start, end]] = answer.pop("evidence")
    assert answer == {"verdict": "inconsistent", "confidence": 4, "reason": "It was noon."}
    assert DOCUMENT[start:end] == "captain had asked"


def test_a_pair_is_labelled_with_type_words_and_explanation_by_keyboard(page: Page, hall: Hall) -> None:
    desk, campaign = desk_of(page, hall, "label-pairs")
    shown = page.locator(".labeller .side .text").all_text_contents()
    wrong = next(i for i, text in enumerate(shown) if "night" in text)
    desk.keys(str(wrong + 1), "5", "w", *["w"] * wrong)
    desk.keys("ArrowDown", "ArrowDown", "ArrowDown", *["ArrowRight"] * 5, "Enter")
    expect(page.get_by_role("button", name="night ×")).to_be_visible()
    desk.write("It was noon.")
    desk.keys("Enter")
    desk.at("Item 2")
    [answer] = hall.answers(campaign)
    [[start, end, side]] = answer.pop("wrong_words")
    side_names = ["left", "right"]
    assert (shown[wrong][start:end], side) == ("night", side_names[wrong])
    assert answer == {
        "unfaithful": side_names[wrong],
        "error_type": "Intrinsic Circumstance",
        "explanation": "It was noon.",
    }


def test_later_questions_about_an_edit_come_only_after_a_yes(page: Page, hall: Hall) -> None:
    desk, campaign = desk_of(page, hall, "edit-quality")
    expect(page.locator("fieldset")).to_have_count(1)
    desk.keys("1", "1", "1", "2", "Enter")
    desk.at("Item 2")
    desk.keys("1", "2")
    expect(page.locator("fieldset")).to_have_count(2)
    desk.keys("Enter")
    desk.at("Item 3")
    passed, trivial = hall.answers(campaign)
    assert passed == {"inconsistent": "yes", "interesting": "yes", "controlled": "yes", "explanation_good": "no"}
    assert trivial == {"inconsistent": "yes", "interesting": "no"}


def test_an_explanation_is_judged_beside_what_was_changed(page: Page, hall: Hall) -> None:
    desk, campaign = desk_of(page, hall, "judge-explanations")
    expect(page.locator(".labeller del")).to_have_text("noon")
    expect(page.locator(".labeller ins")).to_have_text("night")
    desk.keys("2", "3", "Enter")
    desk.at("Item 2")
    assert hall.answers(campaign) == [{"grade": "partially", "cause": "completeness"}]


def test_an_edit_of_the_required_type_is_written_and_kept_as_executable_edits(page: Page, hall: Hall) -> None:
    desk, campaign = desk_of(page, hall, "write-typed")
    expect(page.locator(".labeller .asked")).to_contain_text("Intrinsic Entity")
    desk.keys("1", "t", "Control+Home", *["ArrowRight"] * 4, *["Shift+ArrowRight"] * 5)
    page.keyboard.type("island")
    expect(page.locator(".labeller .preview ins")).to_have_text("island")
    desk.keys("Escape", "ArrowDown")
    desk.write("It was the ferry.")
    desk.keys("Enter")
    desk.at("Item 2")
    [answer] = hall.answers(campaign)
    assert [(edit["original_text"], edit["replace_text"]) for edit in answer["edit"]] == [("ferry", "island")]


def test_a_free_edit_that_is_none_is_told_while_it_is_written_and_refused(page: Page, hall: Hall) -> None:
    desk, campaign = desk_of(page, hall, "write-free")
    desk.keys("1", "t", "Control+End")
    page.keyboard.type("!")
    expect(page.locator(".labeller .preview")).to_contain_text("Only punctuation")
    desk.keys("Escape", "ArrowDown")
    desk.write("Nothing, really.")
    desk.keys("Enter")
    expect(desk.problem).to_contain_text("Only punctuation")
    desk.keys("ArrowUp", "ArrowUp", "2")
    desk.write("There is nothing to change.")
    desk.keys("Enter")
    desk.at("Item 2")
    assert hall.answers(campaign) == [{"possible": "not applicable", "why_not": "There is nothing to change."}]


def test_a_question_set_of_ones_own_is_labelled_by_keyboard(page: Page, hall: Hall) -> None:
    desk, campaign = desk_of(page, hall, OWN)
    shown = page.locator(".labeller .texts .text").inner_text()
    desk.keys("6", "3", "1", "2", "2", "w", "ArrowRight", "ArrowRight", "m", "ArrowRight", "Enter")
    expect(page.get_by_role("button", name="left ×")).to_be_visible()
    desk.keys("ArrowRight", "Escape", "Enter")
    desk.at("Item 2")
    [answer] = hall.answers(campaign)
    assert [shown[start:end] for start, end in answer.pop("words")] == ["ferry", "left"]
    assert answer == {"fluent": 6, "faults": ["sense", "detail"]}


def test_keys_do_nothing_while_somebody_types(page: Page, hall: Hall) -> None:
    desk, campaign = desk_of(page, hall, "label-summaries")
    desk.keys("3")
    desk.write("12 sufpngdm?")
    expect(page.locator(".labeller textarea")).to_have_value("12 sufpngdm?")
    expect(page.get_by_role("button", name="Inconsistent")).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.locator(".labeller .why")).to_be_hidden()
    assert hall.answers(campaign) == []


def test_what_is_missing_is_said_and_shown_before_anything_is_sent(page: Page, hall: Hall) -> None:
    desk, campaign = desk_of(page, hall, "label-summaries")
    desk.keys("1", "Enter")
    expect(desk.problem).to_have_text("“How sure are you?” is not answered yet.")
    desk.active("confidence")
    desk.keys("5", "Enter")
    desk.at("Item 2")
    assert hall.answers(campaign) == [{"verdict": "consistent", "confidence": 5}]


def test_guidelines_open_over_the_page_and_keep_the_keys_to_themselves(page: Page, hall: Hall) -> None:
    desk, campaign = desk_of(page, hall, "label-summaries")
    desk.keys("g")
    expect(page.get_by_role("dialog")).to_contain_text("Read the whole document")
    desk.keys("3")
    desk.keys("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.get_by_role("button", name="Inconsistent")).to_have_attribute("aria-pressed", "false")
    assert SUMMARY[:9] in page.locator(".labeller .texts").inner_text()
    assert hall.answers(campaign) == []
