"""Nothing of a person's work is lost or doubled: kept pairs, their links, drafts, tabs and quick clicks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from playwright.sync_api import Page, expect

from annotations.store.records import PairRecord
from core.types import Edit, ErrorType, Result, Seen, Span, Verdict
from tests.e2e.bench import Bench, example
from tests.e2e.server import Server

pytestmark = pytest.mark.e2e

NewPage = Callable[[], Page]


def summary() -> str:
    return example().example.summary


def edited(old: str, new: str) -> str:
    return summary().replace(old, new)


def item(server: Server, text: str) -> str:
    """The id of the only kept or labelled item with this text."""
    [row] = server.rows("SELECT id FROM item WHERE parent_id IS NOT NULL AND text = ?", text)
    id: str = row["id"]
    return id


def test_the_key_keeps_what_was_typed_a_moment_ago(bench: Bench) -> None:
    typed = f"{summary()} Ferries wait."
    bench.box.evaluate(
        """(box, text) => {
        box.value = text;
        box.dispatchEvent(new Event('input', { bubbles: true }));
        const key = { key: 'k', code: 'KeyK', altKey: true, bubbles: true, composed: true };
        box.dispatchEvent(new KeyboardEvent('keydown', key));
        }""",
        typed,
    )
    bench.message("Kept as")
    assert item(bench.server, typed)


def test_a_key_keeps_the_pair_once_even_from_within_the_editor(bench: Bench, new_page: NewPage) -> None:
    bench.variant(example("news-harbour/who-claims").title)
    bench.shows(example("news-harbour/who-claims").example.summary)
    bench.box.press("Alt+k")
    bench.message("Kept as")
    bench.box.press("Alt+k")
    bench.message("This pair was kept before as")

    id = item(bench.server, example("news-harbour/who-claims").example.summary)
    [origin] = bench.server.rows("SELECT * FROM origin WHERE item_id = ?", id)
    assert (origin["by"], origin["intended"], origin["error_type"]) == ("local", "inconsistent", "Intrinsic Entity")
    [edit] = bench.server.rows("SELECT * FROM edit WHERE item_id = ?", id)
    assert (edit["original_text"], edit["replace_text"]) == ("from the port.", "from the pilots' association.")
    assert edit["explanation"] == example("news-harbour/who-claims").edits[0].explanation
    [parent] = bench.server.rows("SELECT p.text FROM item i JOIN item p ON p.id = i.parent_id WHERE i.id = ?", id)
    assert parent["text"] == summary()
    scores = bench.server.rows("SELECT metric, value, signature FROM score WHERE item_id = ? AND status = 'ok'", id)
    assert {"rouge2", "bleu", "semantic-similarity"} <= {row["metric"] for row in scores}

    other = Bench(new_page(), bench.server)
    other.open(f"?example={id}")
    other.shows(example("news-harbour/who-claims").example.summary)
    expect(other.page.locator("ins").first).to_contain_text("pilots' association")
    expect(other.score("rouge2")).to_have_text(bench.score("rouge2").inner_text())
    expect(other.page.locator("table")).not_to_contain_text("saved")


def test_a_score_that_differs_from_the_saved_one_is_marked(page: Page, server: Server) -> None:
    old = Edit(Span(0, 3), "One", "There was only one.", "somebody")
    text = old.new + summary()[3:]
    rouge = Result("edited", "rouge2", "rouge2|another", 0.111, (), Seen(), 0.1, "cpu")
    pair = PairRecord(
        document=example().example.document,
        original=summary(),
        edited=text,
        edits=(old,),
        by="somebody",
        intended=Verdict.INCONSISTENT,
        error_type=ErrorType.OTHER,
        outcomes=(rouge, replace(rouge, example_id="original")),
    )
    store = server.store()
    receipt = store.save_pair(pair)
    store.close()
    bench = Bench(page, server)
    bench.open(f"?example={receipt.id}")
    bench.shows(text)
    expect(bench.row("rouge2")).to_contain_text("saved 0.111")
    expect(bench.row("bleu")).not_to_contain_text("saved")


def test_a_reload_brings_the_draft_back(bench: Bench) -> None:
    bench.replace("Tuesday", "Sunday", "The document says Tuesday.")
    bench.shows(edited("Tuesday", "Sunday"))
    bench.page.reload()
    bench.message("Your draft is back.")
    bench.shows(edited("Tuesday", "Sunday"))
    expect(bench.page.get_by_placeholder("Why is the edited summary")).to_have_value("The document says Tuesday.")


def test_two_tabs_on_one_example_leave_each_other_alone(new_page: NewPage, server: Server) -> None:
    tabs = [Bench(new_page(), server) for _ in range(2)]
    texts = [edited("Tuesday", "Monday"), edited("October", "May")]
    for tab in tabs:
        tab.open("?example=news-harbour")
    for tab, text in zip(tabs, texts, strict=True):
        tab.write(text)
        tab.shows(text)
    for tab, text in zip(tabs, texts, strict=True):
        tab.page.reload()
        tab.shows(text)


def test_a_click_right_after_typing_is_not_lost_and_saves_the_newest_text(bench: Bench) -> None:
    bench.write(edited("grain", "coal"))
    bench.shows(edited("grain", "coal"))
    bench.tab("Record")
    bench.choose("The edited summary is", "Borderline")
    expect(bench.page.get_by_role("button", name="Save label")).to_be_enabled()
    bench.tab("Edit")
    bench.box.press("Control+End")
    bench.page.keyboard.type(" Nobody slept.")
    bench.tab("Record")
    bench.press("Save label")
    bench.message("Saved: label of")
    id = item(bench.server, edited("grain", "coal") + " Nobody slept.")
    [label] = bench.server.rows("SELECT * FROM label WHERE item_id = ?", id)
    assert label["verdict"] == "borderline"
    assert not bench.server.rows("SELECT * FROM item WHERE text = ?", edited("grain", "coal"))


def test_a_double_click_saves_one_row(bench: Bench) -> None:
    bench.write(edited("grain", "ore"))
    bench.shows(edited("grain", "ore"))
    bench.tab("Record")
    bench.choose("The edited summary is", "Inconsistent")
    bench.page.get_by_role("button", name="Save label").dblclick(delay=80)
    bench.message("Saved: label of")
    bench.press("Save label")
    bench.tab("Edit")
    bench.press("Reset")
    bench.shows(summary())
    assert (
        len(bench.server.rows("SELECT * FROM label WHERE item_id = ?", item(bench.server, edited("grain", "ore")))) == 1
    )
