"""Nothing of a person's work is lost or doubled: kept pairs, their links, drafts, tabs, quick clicks, presses right after typing."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from dataclasses import replace

import pytest
from playwright.sync_api import Page, expect

from annotations.store.records import PairRecord
from core.types import Edit, ErrorType, Result, Seen, Span, Verdict
from tests.e2e.bench import Bench, example
from tests.e2e.line import Line
from tests.e2e.server import Server
from tests.e2e.waiting import download

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


def kept(server: Server, text: str) -> list[tuple[str, str, str]]:
    """Old words, new words and explanation of the edits that were kept with this summary."""
    query = """SELECT e.original_text, e.replace_text, e.explanation
               FROM edit e JOIN item i ON i.id = e.item_id WHERE i.text = ?"""
    return [(row[0], row[1], row[2]) for row in server.rows(query, text)]


def test_a_pair_is_kept_once_by_a_key_opened_by_its_link_and_exported(bench: Bench, new_page: NewPage) -> None:
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

    bench.open()
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

    page = bench.page
    page.goto(f"{bench.server.url}/data")
    expect(page.get_by_test_id("stDataFrame")).to_be_visible()
    expect(page.get_by_test_id("stMetric").filter(has_text="Labels")).to_contain_text(str(bench.server.count("label")))
    lines = download(page.get_by_role("button", name="Export JSONL")).read_text(encoding="utf-8").splitlines()
    assert any(id in json.loads(line).values() for line in lines)
    rows = csv.DictReader(
        download(page.get_by_role("button", name="Export CSV")).read_text(encoding="utf-8-sig").splitlines()
    )
    assert any(id in row.values() for row in rows)


@pytest.mark.slow
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


@pytest.mark.slow
def test_drafts_come_back_and_quick_presses_save_the_newest_text_once(bench: Bench, new_page: NewPage) -> None:
    server = bench.server
    bench.replace("Tuesday", "Sunday", "The document says Tuesday.")
    bench.shows(edited("Tuesday", "Sunday"))
    bench.page.reload()
    bench.message("Your draft is back.")
    bench.shows(edited("Tuesday", "Sunday"))
    expect(bench.page.get_by_placeholder("Why is the edited summary")).to_have_value("The document says Tuesday.")

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

    bench.press("Reset")
    bench.shows(summary())
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

    bench.open()
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


@pytest.mark.slow
def test_a_press_that_comes_in_one_message_with_typing_acts_on_the_newest_words(own_page: Page, server: Server) -> None:
    """A server that is busy reads both at once."""
    line, bench = Line(own_page), Bench(own_page, server)
    bench.open()
    line.until = "keep"
    bench.write(f"{summary()} Gulls circled.")
    bench.box.press("Alt+k")
    bench.message("Kept as")
    assert not line.until
    assert kept(bench.server, f"{summary()} Gulls circled.")

    bench.open()
    line.until = "keep"
    bench.replace("east", "west", "The document says east.")
    bench.box.press("Alt+k")
    bench.message("Kept as")
    assert not line.until
    assert kept(bench.server, summary().replace("east", "west", 1)) == [("east", "west", "The document says east.")]

    bench.open()
    tanker = summary().replace("freighter", "tanker", 1)
    bench.write(tanker)
    bench.shows(tanker)
    line.until = "keep"
    why = bench.page.get_by_placeholder("Why is the edited summary").first
    why.press_sequentially("It is a freighter.")
    why.press("Alt+k")
    bench.message("Kept as")
    assert not line.until
    assert kept(bench.server, tanker) == [("freighter", "tanker", "It is a freighter.")]

    bench.press("Reset")
    bench.shows(summary())
    bench.write(f"{summary()} Gulls circled.")
    bench.shows(f"{summary()} Gulls circled.")
    line.until = "undo"
    bench.write(f"{summary()} Gulls circled. Rain fell.")
    bench.press("Undo")
    bench.shows(f"{summary()} Gulls circled.")
    assert not line.until
    bench.press("Redo")
    bench.shows(f"{summary()} Gulls circled. Rain fell.")

    bench.press("Reset")
    bench.shows(summary())
    bench.write(f"{summary()} Gulls circled.")
    bench.shows(f"{summary()} Gulls circled.")
    line.until = "reset"
    bench.write(f"{summary()} Rain fell.")
    bench.press("Reset")
    bench.shows(summary())
    assert not line.until
    bench.press("Undo")
    bench.shows(f"{summary()} Rain fell.")
