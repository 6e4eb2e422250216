"""What is scored while typing and what waits for the key: announced, asked for, and never mistaken for current."""

from __future__ import annotations

import json
import re
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from core.engine.forecast import SLOW_EDIT_S
from tests.doubles.models import NO_HEADER
from tests.e2e.bench import Bench, example
from tests.e2e.line import SlowLine
from tests.e2e.server import Server
from tests.e2e.test_slow_and_broken import holding
from tests.e2e.waiting import idle, press

pytestmark = pytest.mark.e2e

WAITING = re.compile("waiting")
HEAVY_BYTES = 200_000_000
ADDED = "slow[checkpoint=nowhere]"


@pytest.fixture
def line(page: Page) -> SlowLine:
    return SlowLine(page)


@pytest.fixture
def bench(line: SlowLine, plugged_server: Server) -> Bench:
    opened = Bench(line.page, plugged_server)
    opened.open()
    return opened


@pytest.fixture
def heavy(bench: Bench, tmp_path: Path) -> str:
    """The spec of a metric on the bench whose model is large on disk, and quick."""
    return _add_heavy(bench, tmp_path)


@pytest.fixture
def other_heavy(bench: Bench, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Another of the kind."""
    return _add_heavy(bench, tmp_path_factory.mktemp("other"))


def _add_heavy(bench: Bench, folder: Path) -> str:
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


def move(bench: Bench, spec: str) -> None:
    """Move a metric to the other set."""
    press(bench.page.get_by_role("button", name="Metrics"))
    press(bench.page.locator(".st-key-fast").get_by_role("button", name=spec))
    bench.page.keyboard.press("Escape")


def words(text: str) -> str:
    count = float(len(text.split()))
    return f"{count:.{1 if count >= 100 else 3}f}"


def summary() -> str:
    return example().example.summary


def test_a_heavy_metric_says_what_it_would_take_and_waits_for_the_key(bench: Bench, heavy: str) -> None:
    expect(bench.row(heavy)).to_contain_text("press Alt+S")
    expect(bench.score(heavy)).to_have_text("–")
    expect(forecast(bench)).to_contain_text("Slow waits · not timed yet · 200 MB to load")
    bench.box.press("Alt+s")
    expect(bench.score(heavy)).to_have_text(words(summary()))
    expect(forecast(bench)).to_contain_text("Every metric was asked about this text.")
    expect(bench.page.get_by_role("button", name="Score all")).to_be_disabled()


def test_the_number_of_an_older_text_is_told_from_a_current_one_and_is_not_kept(
    bench: Bench, heavy: str, tmp_path: Path
) -> None:
    older, newer = f"{summary()} It rained.", f"{summary()} It rained all day long."
    bench.press("Score all")
    expect(bench.score(heavy)).to_have_text(words(summary()))
    bench.write(older)
    bench.shows(older)
    with holding(tmp_path):
        bench.press("Score all")
        expect(bench.row(heavy)).to_have_class(re.compile("pending"))
        bench.page.wait_for_timeout(1200 * SLOW_EDIT_S)  # an edit that takes longer makes a metric wait for the key
    expect(bench.score(heavy)).to_have_text(words(older))
    bench.press("Reset")
    bench.shows(summary())
    expect(bench.score(heavy, "before")).to_have_text(words(summary()))
    bench.write(newer)
    bench.shows(newer)
    expect(bench.row(heavy)).to_have_class(WAITING)
    expect(bench.row(heavy)).to_contain_text("older text")
    expect(bench.score(heavy, "shift")).to_have_text("–")
    bench.press("Keep pair")
    bench.message("Kept as")
    kept = bench.server.rows("SELECT metric FROM score s JOIN item i ON i.id = s.item_id WHERE i.text = ?", newer)
    assert "rouge2" in {row["metric"] for row in kept}
    assert heavy not in {row["metric"] for row in kept}
    bench.press("Score all")
    expect(bench.score(heavy)).to_have_text(words(newer))
    expect(bench.row(heavy)).not_to_contain_text("older text")


def test_what_the_key_asked_for_stays_while_the_text_does_not_change(bench: Bench, heavy: str) -> None:
    bench.press("Score all")
    expect(bench.score(heavy)).to_have_text(words(summary()))
    bench.tab("Record")
    bench.choose("The summary is", "Consistent")
    expect(bench.chosen("The summary is", "Consistent")).to_be_checked()
    bench.row("rouge2").locator(".title").click()
    expect(bench.row(heavy)).to_contain_text("ready")
    expect(bench.row(heavy)).not_to_have_class(WAITING)


def test_a_metric_whose_edit_was_quick_is_scored_while_typing_from_then_on(bench: Bench, heavy: str) -> None:
    edits = [f"{summary()} It rained{' again' * number}." for number in range(3)]
    bench.press("Score all")
    expect(bench.score(heavy)).to_have_text(words(summary()))
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


def test_a_metric_that_is_moved_to_the_fast_set_is_scored_without_the_key(bench: Bench, heavy: str) -> None:
    move(bench, heavy)
    expect(bench.score(heavy)).to_have_text(words(summary()))
    expect(bench.page.get_by_role("button", name="Score all")).to_have_count(0)


def test_a_metric_is_moved_while_the_page_still_draws_the_move_before(
    bench: Bench, heavy: str, other_heavy: str, line: SlowLine
) -> None:
    press(bench.page.get_by_role("button", name="Metrics"))
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


def test_a_metric_is_added_though_the_list_is_closed_at_once(bench: Bench, line: SlowLine) -> None:
    press(bench.page.get_by_role("button", name="Metrics"))
    field = bench.page.get_by_role("textbox", name="Add one with other settings")
    expect(field).to_be_visible()
    idle(bench.page)
    with line.sending_late():
        field.fill(ADDED)
        field.press("Enter")
        field.press("Escape")
    expect(bench.row(ADDED)).to_be_visible()
