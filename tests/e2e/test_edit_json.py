"""Executable-edit JSON on Probe: executed when it fits, answered with what to do when it does not."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import expect

from tests.e2e.bench import Bench, example
from tests.e2e.waiting import download, press

pytestmark = pytest.mark.e2e


def one(original_text: str, replace_text: str, explanation: str = "It is wrong.") -> str:
    return json.dumps({"original_text": original_text, "replace_text": replace_text, "explanation": explanation})


BAD = {
    one("Wednesday", "Friday"): ["'Wednesday' is not a substring of the summary", "Copy it exactly"],
    one("tug", "rowing boat"): ["'tug' occurs 2 times", "1:", "2:", "lengthen original_text"],
    one("Tuesday", "Tuesday"): ["nothing changes"],
    one("Tuesday", "Friday", " "): ["the explanation is empty", "Say why"],
    '{"original_text": "Tuesday",\n "replace_text" "Friday"}': ["at line 2, column 17", "Write {"],
}


def test_every_edit_that_cannot_be_executed_is_answered_with_what_to_do(bench: Bench) -> None:
    for text, words in BAD.items():
        bench.execute(text)
        for word in words:
            bench.message(word)
    bench.tab("Edit")
    expect(bench.box).to_have_value(example().example.summary)


def test_a_list_of_two_edits_is_executed(bench: Bench) -> None:
    bench.execute(f"[{one('Tuesday', 'Friday')}, {one('October', 'March')}]")
    bench.settled(
        example().example.document,
        example().example.summary.replace("Tuesday", "Friday").replace("October", "March"),
    )
    bench.tab("Edit")
    expect(bench.page.get_by_role("button", name="Revert")).to_have_count(2)


def test_the_message_goes_when_the_next_edit_can_be_executed(bench: Bench) -> None:
    bench.execute(one("Wednesday", "Friday"))
    bench.message("is not a substring")
    bench.execute(one("Tuesday", "Friday"))
    expect(bench.page.get_by_test_id("stAlert").filter(has_text="is not a substring")).to_have_count(0)


def test_words_that_occur_twice_offer_their_places(bench: Bench) -> None:
    bench.execute(one("tug", "rowing boat"))
    bench.press("Use 2:")
    bench.settled(example().example.document, example().example.summary.replace("one-tug", "one-rowing boat"))


def test_a_second_edit_is_compared_with_the_first_and_one_link_opens_both(bench: Bench) -> None:
    bench.execute(one("Tuesday", "Friday"))
    bench.settled(example().example.document, example().example.summary.replace("Tuesday", "Friday"))
    bench.execute(one("Tuesday", "Sunday"))
    compared = bench.page.locator(".st-key-comparison")
    expect(compared.locator("ins")).to_have_text("[inserted: Friday]")
    expect(compared.get_by_text("in the editor: ")).to_be_visible()
    table = download(compared.get_by_role("button", name="Comparison (CSV)")).read_text()
    assert {line.split(",")[1] for line in table.splitlines()[1:]} == {"A", "B", "in the editor"}
    press(bench.page.get_by_role("button", name="Link"))
    link = bench.page.get_by_test_id("stCode").filter(has_text="pinned=").inner_text()
    bench.page.goto(link)
    expect(compared.locator("ins")).to_have_text("[inserted: Friday]")
    expect(bench.box).to_have_value(example().example.summary.replace("Tuesday", "Sunday"))
