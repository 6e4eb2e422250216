"""A demonstration: it shows everything, and keeps nothing."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.bench import Bench, example
from tests.e2e.matrix import select_cell
from tests.e2e.server import Server, serve
from tests.e2e.test_stress_nli_check import only_weather, open_stress, run_to_the_end
from tests.e2e.waiting import START_MS, press

pytestmark = pytest.mark.e2e


@pytest.fixture(scope="module")
def demo_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Touchstone as a demonstration."""
    with serve(tmp_path_factory.mktemp("demo"), TOUCHSTONE_DEMO="true") as running:
        yield running


def test_a_demonstration_scores_edits_and_keeps_nothing(page: Page, demo_server: Server) -> None:
    bench = Bench(page, demo_server)
    bench.open()
    expect(bench.score("rouge2")).to_have_text("0.704")
    bench.write(example().example.summary + " It rained.")
    expect(bench.cell("rouge2", 5)).to_have_text("0.00")
    expect(page.get_by_role("button", name="Keep pair")).to_be_disabled()
    bench.tab("Record")
    bench.choose("The edited summary is", "Inconsistent")
    expect(bench.chosen("The edited summary is", "Inconsistent")).to_be_checked()
    expect(page.get_by_role("button", name="Save label")).to_be_disabled()
    expect(page.get_by_text("Nothing is kept in this demo.")).to_be_visible()
    assert not demo_server.database.exists()


def test_a_demo_runs_in_memory_and_shows_each_visitor_only_what_is_theirs(
    page: Page, demo_server: Server, new_page: Callable[[], Page]
) -> None:
    open_stress(page, demo_server)
    expect(page.get_by_text("are not kept")).to_be_visible()
    only_weather(page)
    run_to_the_end(page, "In a demo")
    page.reload()
    expect(page.get_by_role("combobox", name="Run")).to_have_value(re.compile("^In a demo "), timeout=START_MS)
    select_cell(page, "ROUGE-2")
    press(page.get_by_role("radio", name="kept"))
    expect(page.get_by_role("button", name="not verified by a person")).to_be_visible()
    assert not demo_server.database.exists()

    other = new_page()
    open_stress(other, demo_server)
    expect(other.get_by_placeholder("A new run")).to_be_visible()
    expect(
        other.get_by_role("button", name="Look at a run of the bundled examples")
    ).to_be_visible()  # no other is theirs
