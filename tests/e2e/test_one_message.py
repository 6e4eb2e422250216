"""A press that comes right after typing: a busy server reads both as one message, and acts on the newest words."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page

from tests.e2e.bench import Bench, example
from tests.e2e.line import Line
from tests.e2e.server import Server

pytestmark = pytest.mark.e2e

SUMMARY = example().example.summary


@pytest.fixture
def line(page: Page) -> Line:
    return Line(page)


@pytest.fixture
def bench(line: Line, server: Server) -> Bench:
    opened = Bench(line.page, server)
    opened.open()
    return opened


def kept(server: Server, text: str) -> list[tuple[str, str, str]]:
    """Old words, new words and explanation of the edits that were kept with this summary."""
    query = """SELECT e.original_text, e.replace_text, e.explanation
               FROM edit e JOIN item i ON i.id = e.item_id WHERE i.text = ?"""
    return [(row[0], row[1], row[2]) for row in server.rows(query, text)]


def test_what_is_kept_is_what_was_typed(line: Line, bench: Bench) -> None:
    line.until = "keep"
    bench.write(f"{SUMMARY} Gulls circled.")
    bench.box.press("Alt+k")
    bench.message("Kept as")
    assert not line.until
    assert kept(bench.server, f"{SUMMARY} Gulls circled.")


def test_an_explanation_is_kept_with_the_words_it_was_given_for(line: Line, bench: Bench) -> None:
    line.until = "keep"
    bench.replace("east", "west", "The document says east.")
    bench.box.press("Alt+k")
    bench.message("Kept as")
    assert not line.until
    assert kept(bench.server, SUMMARY.replace("east", "west", 1)) == [("east", "west", "The document says east.")]


def test_an_explanation_that_is_still_being_typed_is_kept(line: Line, bench: Bench) -> None:
    tanker = SUMMARY.replace("freighter", "tanker", 1)
    bench.write(tanker)
    bench.shows(tanker)
    line.until = "keep"
    why = bench.page.get_by_placeholder("Why is the edited summary").first
    why.press_sequentially("It is a freighter.")
    why.press("Alt+k")
    bench.message("Kept as")
    assert not line.until
    assert kept(bench.server, tanker) == [("freighter", "tanker", "It is a freighter.")]


def test_undo_takes_back_what_was_typed_and_no_more(line: Line, bench: Bench) -> None:
    bench.write(f"{SUMMARY} Gulls circled.")
    bench.shows(f"{SUMMARY} Gulls circled.")
    line.until = "undo"
    bench.write(f"{SUMMARY} Gulls circled. Rain fell.")
    bench.press("Undo")
    bench.shows(f"{SUMMARY} Gulls circled.")
    assert not line.until
    bench.press("Redo")
    bench.shows(f"{SUMMARY} Gulls circled. Rain fell.")


def test_reset_can_be_taken_back_to_what_was_typed(line: Line, bench: Bench) -> None:
    bench.write(f"{SUMMARY} Gulls circled.")
    bench.shows(f"{SUMMARY} Gulls circled.")
    line.until = "reset"
    bench.write(f"{SUMMARY} Rain fell.")
    bench.press("Reset")
    bench.shows(SUMMARY)
    assert not line.until
    bench.press("Undo")
    bench.shows(f"{SUMMARY} Rain fell.")
