"""The whole way of a person on Probe: edit, look, judge, keep; what was kept is read from the database."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.bench import Bench, example

pytestmark = pytest.mark.e2e

QUESTIONS = (
    "Does the edit make the summary inconsistent",
    "Is the error interesting",
    "Is the edit controlled",
    "Does the explanation say completely",
)
ONE_WORD = example("news-harbour/one-word")


def summary() -> str:
    return example().example.summary


def test_an_edit_is_tried_looked_at_judged_and_saved_once(bench: Bench) -> None:
    page = bench.page
    bench.variant(ONE_WORD.title)
    bench.shows(ONE_WORD.example.summary)
    expect(page.locator("del").first).to_contain_text("requested")
    expect(page.locator("ins").first).to_contain_text("declined")
    expect(bench.score("rouge2", "shift")).to_have_text("▼ −0.010")

    bench.row("rouge2").locator(".title").focus()
    for key in ("ArrowRight", "ArrowRight", "Enter"):
        page.keyboard.press(key)
    expect(bench.cell("rouge2", 2)).to_have_attribute("aria-pressed", "true")
    expect(bench.evidence()).to_have_count(1)
    expect(bench.evidence()).to_contain_text("the pilot requested a second tug")

    bench.tab("Record")
    bench.choose("The edited summary is", "Inconsistent")
    bench.choose("How sure are you?", "4")
    for question, later in zip(QUESTIONS, (*QUESTIONS[1:], None), strict=True):
        if later:
            expect(page.get_by_role("radiogroup", name=later)).to_have_count(0)
        bench.choose(question, "Yes")
    bench.choose("The explanation is", "Partially correct")
    bench.choose("because of", "Completeness")
    page.get_by_label("Note").fill("The office refused.")
    bench.press("Save label")
    bench.message("Saved: label of")

    [label] = bench.server.rows("SELECT * FROM label WHERE item_id = ?", receipt(page))
    assert (label["verdict"], label["confidence"], label["note"]) == ("inconsistent", 4, "The office refused.")
    assert (label["annotator"], label["revision"]) == ("local", 1)
    [answers] = bench.server.rows("SELECT * FROM editjudgement WHERE item_id = ?", label["item_id"])
    assert [answers[name] for name in ("inconsistent", "interesting", "controlled", "explanation_good")] == [1] * 4
    [explanation] = bench.server.rows("SELECT * FROM explanation WHERE item_id = ?", label["item_id"])
    assert explanation["text"] == ONE_WORD.edits[0].explanation
    [judged] = bench.server.rows("SELECT * FROM explanationjudgement WHERE explanation_id = ?", explanation["id"])
    assert (judged["grade"], judged["cause"]) == ("partially", "completeness")


def test_a_no_ends_the_questions(bench: Bench) -> None:
    bench.variant(ONE_WORD.title)
    bench.tab("Record")
    bench.choose(QUESTIONS[0], "Yes")
    bench.choose(QUESTIONS[1], "No")
    expect(bench.chosen(QUESTIONS[1], "No")).to_be_checked()
    expect(bench.page.get_by_role("radiogroup", name=QUESTIONS[2])).to_have_count(0)


def test_typing_moves_the_scores_and_draws_an_edit(bench: Bench) -> None:
    bench.write(summary().replace("eleven-metre", "twelve-metre"))
    bench.shows(summary().replace("eleven-metre", "twelve-metre"))
    expect(bench.page.locator("del").first).to_contain_text("eleven")
    expect(bench.page.locator("ins").first).to_contain_text("twelve")
    expect(bench.score("rouge2", "shift")).to_contain_text("▼")


def test_revert_takes_back_one_of_two_edits(bench: Bench) -> None:
    twice = summary().replace("eleven-metre", "twelve-metre").replace("October", "March")
    bench.write(twice)
    bench.shows(twice)
    bench.page.get_by_role("button", name="Revert").first.click()
    bench.shows(summary().replace("October", "March"))
    expect(bench.page.get_by_role("button", name="Revert")).to_have_count(1)


def test_undo_redo_and_reset_walk_through_the_history(bench: Bench) -> None:
    first, second = summary().replace("eleven", "twelve"), summary().replace("eleven", "thirteen")
    for text in (first, second):
        bench.write(text)
        bench.shows(text)
    bench.press("Undo")
    bench.shows(first)
    bench.press("Redo")
    bench.shows(second)
    bench.press("Reset")
    bench.shows(summary())
    expect(bench.page.get_by_role("button", name="Reset")).to_be_disabled()
    bench.press("Undo")
    bench.shows(second)


def test_replaced_words_become_an_executable_edit_with_its_explanation(bench: Bench) -> None:
    bench.replace("Tuesday", "Friday", "The document says Tuesday.")
    bench.shows(summary().replace("Tuesday", "Friday"))
    bench.tab("Edit JSON")
    written = bench.page.get_by_test_id("stCode").locator("code")
    expect(written).to_contain_text("The document says Tuesday.")
    assert json.loads(written.inner_text()) == [
        {"original_text": "Tuesday", "replace_text": "Friday", "explanation": "The document says Tuesday."}
    ]


def receipt(page: Page) -> str:
    """The id of the item in the receipt on the screen."""
    return (
        page.get_by_test_id("stToast").filter(has_text="Saved").last.inner_text().split("of ")[1].split()[0].strip("`.")
    )
