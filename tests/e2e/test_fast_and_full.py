"""What is scored while typing and what waits for the key: announced, asked for, and never mistaken for current."""

from __future__ import annotations

import json
import re
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.doubles.models import NO_HEADER
from tests.e2e.bench import Bench, example
from tests.e2e.line import SlowLine
from tests.e2e.server import Server
from tests.e2e.waiting import idle, press

pytestmark = pytest.mark.e2e

WAITING = re.compile("waiting")
HEAVY_BYTES = 200_000_000
ADDED = "slow[checkpoint=nowhere]"


@pytest.fixture
def bench(page: Page, plugged_server: Server) -> Bench:
    opened = Bench(page, plugged_server)
    opened.open()
    return opened


@pytest.fixture
def heavy(bench: Bench, tmp_path: Path) -> str:
    """The spec of a metric on the bench whose model is large on disk, and quick."""
    return add_heavy(bench, tmp_path)


def add_heavy(bench: Bench, folder: Path) -> str:
    (folder / "config.json").write_text(json.dumps({}))
    with (folder / "model.safetensors").open("wb") as file:
        file.write(NO_HEADER + str(folder).encode())
        file.truncate(HEAVY_BYTES)  # a hole: it takes no room on the disk
    spec = f"slow[checkpoint={folder}]"
    bench.add_metric(spec)
    field = bench.page.get_by_role("textbox", name="Add one with other settings")
    expect(field).to_have_value("")
    bench.page.keyboard.press("Escape")
    expect(field).to_be_hidden()
    expect(bench.row(spec)).to_have_class(WAITING)
    return spec


def forecast(bench: Bench) -> Locator:
    return bench.page.locator(".st-key-forecast")


def words(text: str) -> str:
    count = float(len(text.split()))
    return f"{count:.{1 if count >= 100 else 3}f}"


def summary() -> str:
    return example().example.summary


@pytest.mark.slow
def test_a_heavy_metric_waits_for_the_key_until_its_edits_turn_out_to_be_quick(bench: Bench, heavy: str) -> None:
    expect(bench.row(heavy)).to_contain_text("press Alt+S")
    expect(bench.score(heavy)).to_have_text("–")
    expect(forecast(bench)).to_contain_text("Slow waits · not timed yet · 200 MB to load")
    bench.box.press("Alt+s")
    expect(bench.score(heavy)).to_have_text(words(summary()))
    expect(forecast(bench)).to_contain_text("Every metric was asked about this text.")
    expect(bench.page.get_by_role("button", name="Score all")).to_be_disabled()

    # what the key asked for stays while the text does not change
    bench.tab("Record")
    bench.choose("The summary is", "Consistent")
    expect(bench.chosen("The summary is", "Consistent")).to_be_checked()
    bench.row("rouge2").locator(".title").click()
    expect(bench.row(heavy)).to_contain_text("ready")
    expect(bench.row(heavy)).not_to_have_class(WAITING)
    bench.tab("Edit")

    edits = [f"{summary()} It rained{' again' * number}." for number in range(3)]
    bench.write(edits[0])
    bench.shows(edits[0])
    expect(bench.row(heavy)).to_have_class(WAITING)
    expect(forecast(bench)).not_to_contain_text("to load")
    bench.press("Score all")
    expect(bench.score(heavy)).to_have_text(words(edits[0]))
    for edit in edits[1:]:
        bench.write(edit)
        bench.shows(edit)
        if bench.score(heavy).inner_text() == words(edit):
            return
        bench.press("Score all")  # the machine was too busy for the edit before to be quick
        expect(bench.score(heavy)).to_have_text(words(edit))
    pytest.fail("No edit was scored without the key.")


@pytest.mark.slow
def test_metrics_are_moved_to_the_fast_set_and_added_while_the_page_still_draws_what_was_before(
    own_page: Page, plugged_server: Server, tmp_path_factory: pytest.TempPathFactory
) -> None:
    line, bench = SlowLine(own_page), Bench(own_page, plugged_server)
    bench.open()
    heavy, other_heavy = (add_heavy(bench, tmp_path_factory.mktemp("heavy")) for _ in range(2))
    press(bench.metrics_button)
    fast = bench.page.locator(".st-key-fast")
    expect(fast.get_by_role("button", name=other_heavy)).to_be_visible()
    idle(bench.page)
    with ExitStack() as sending:
        with line.drawing_late():
            fast.get_by_role("button", name=heavy).click()
            line.answered()
            sending.enter_context(line.sending_late())
            fast.get_by_role("button", name=other_heavy).click()
        expect(bench.score(heavy)).to_have_text(words(summary()))
        idle(bench.page)
        bench.page.keyboard.press("Escape")
    expect(bench.score(other_heavy)).to_have_text(words(summary()))
    expect(bench.page.get_by_role("button", name="Score all")).to_have_count(0)  # none waits for the key

    press(bench.metrics_button)
    field = bench.page.get_by_role("textbox", name="Add one with other settings")
    expect(field).to_be_visible()
    idle(bench.page)
    with line.sending_late():
        field.fill(ADDED)
        field.press("Enter")
        field.press("Escape")
    expect(bench.row(ADDED)).to_be_visible()
