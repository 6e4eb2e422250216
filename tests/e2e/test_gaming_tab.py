"""The gaming tab: the leaderboard, a discovered phrase tried by one press, one's own, and every phrase in every place."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from core.datasets.bundled import bundled_items
from core.metric import METRICS
from core.perturbation import PERTURBATIONS
from core.runs.run import Plan, Run, Source, run_from_lines, to_json_line
from tests.e2e.bench import WORK_MS, Bench
from tests.e2e.server import Server
from tests.e2e.tabs import open_view
from tests.e2e.waiting import enter, idle, press

pytestmark = pytest.mark.e2e

OWN = "<b>so</b> *they* say"


def stored(server: Server, name: str) -> Run:
    """What the database has of a run."""
    [row] = server.rows("SELECT * FROM run WHERE name = ?", name)
    lines = [line["line"] for line in server.rows("SELECT line FROM runline WHERE run_id = ? ORDER BY id", row["id"])]
    return run_from_lines([row["plan"], *lines])


def begin(server: Server, name: str) -> str:
    """Keep a run of one phrase on the bundled examples, of which nothing is scored yet; its id."""
    store, metrics = server.store(), map(METRICS.parse, ("rouge2", "bleu", "conciseness"))
    plan = Plan.of(name, [PERTURBATIONS.parse("phrase")], metrics)
    id = store.begin_run(name, "local", to_json_line(plan))
    store.append_run(id, [to_json_line(Source.of(item)) for item in bundled_items() if not item.parent])
    return id


@pytest.fixture
def opened(page: Page, server: Server) -> Callable[[str], None]:
    """Opens the gaming tab of a new run of that name, carried to its end."""

    def open(name: str) -> None:
        Bench(page, server).open()
        page.goto(f"{server.url}/stress?run={begin(server, name)}")
        press(page.get_by_role("button", name="Continue"))
        press(page.get_by_role("tab", name="Gaming"))
        done(page)

    return open


def done(page: Page) -> None:
    """Nothing goes on in the background."""
    idle(page)
    expect(page.get_by_role("button", name="Cancel")).to_have_count(0, timeout=WORK_MS)


def run(page: Page, button: str, name: str) -> None:
    """Begin the longer run of that name, and wait until it is done."""
    press(page.get_by_role("button", name=button))
    expect(page.get_by_role("combobox", name="Run")).to_have_value(re.compile(f"^{re.escape(name)} \\("))
    done(page)


def test_a_discovered_phrase_is_tried_by_one_press(page: Page, server: Server, opened: Callable[[str], None]) -> None:
    opened("Discovered")
    expect(page.get_by_role("heading", name="Each phrase against each metric")).to_be_visible(timeout=WORK_MS)
    open_view(page, "Gaming", "Phrases that metrics like")
    button = page.get_by_role("button", name=re.compile("^.*Try “")).first
    phrase = re.search("“(.*)”", button.inner_text())
    assert phrase
    run(page, f"Try “{phrase[1]}”", f"Discovered + “{phrase[1]}”")
    expect(page.get_by_role("tab", name="Gaming")).to_have_attribute("aria-selected", "true")
    expect(page.get_by_role("button", name=f"Try “{phrase[1]}”")).to_be_disabled()
    found = stored(server, f"Discovered + “{phrase[1]}”")
    assert found.plan.kinds == (
        "phrase",
        f"phrase[phrase={phrase[1]}]",
        f"phrase[place=prefix,phrase={phrase[1]}]",
        f"phrase[place=alone,phrase={phrase[1]}]",
    )
    assert found.done == found.total


def test_a_phrase_of_ones_own_is_tried_as_it_is_written(
    page: Page, server: Server, opened: Callable[[str], None]
) -> None:
    opened("Own")
    expect(page.get_by_role("button", name="Try it")).to_be_disabled()
    enter(page.get_by_role("textbox", name="A phrase of your own"), OWN)
    run(page, "Try it", f"Own + “{OWN}”")
    found = stored(server, f"Own + “{OWN}”")
    appended = [variant for variant in found.variants.values() if variant.kind == f"phrase[phrase={OWN}]"]
    assert {variant.summary for variant in appended} == {
        f"{source.example.summary} {OWN}" for source in found.sources.values()
    }


def test_every_phrase_is_played_in_every_place(page: Page, server: Server, opened: Callable[[str], None]) -> None:
    opened("All")
    run(page, "Try every phrase in every position", "All + every phrase")
    found = stored(server, "All + every phrase")
    assert len(found.plan.kinds) == 4 * 3
    assert found.done == found.total
    expect(page.get_by_role("button", name="Try every phrase in every position")).to_have_count(0)
