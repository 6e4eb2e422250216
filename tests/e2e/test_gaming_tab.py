"""The gaming tab: the leaderboard, a discovered phrase tried by one press, one's own, and every phrase in every place."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from core.datasets.bundled import bundled_items
from core.metric import METRICS
from core.perturbation import PERTURBATIONS
from core.stress.run import Plan, Run, Source, run_from_lines, to_json_line
from tests.e2e.bench import Bench
from tests.e2e.server import Server
from tests.e2e.waiting import idle

pytestmark = pytest.mark.e2e

RUN_MS = 60_000
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
        page.get_by_role("button", name="Continue").click()
        page.get_by_role("tab", name="Gaming").click(timeout=RUN_MS)
        idle(page)
        expect(page.get_by_role("button", name="Cancel")).to_have_count(0, timeout=RUN_MS)

    return open


def press(page: Page, button: str, name: str) -> None:
    """Begin the longer run of that name, and wait until it is done."""
    page.get_by_role("button", name=button).click()
    expect(page.get_by_role("combobox", name="Run")).to_have_value(re.compile(f"^{re.escape(name)} \\("))
    idle(page)
    expect(page.get_by_role("button", name="Cancel")).to_have_count(0, timeout=RUN_MS)


def test_a_discovered_phrase_is_tried_by_one_press(page: Page, server: Server, opened: Callable[[str], None]) -> None:
    opened("Discovered")
    expect(page.get_by_role("heading", name="Every phrase against BLEU")).to_be_visible()
    button = page.get_by_role("button", name=re.compile("^.*Try “")).first
    phrase = re.search("“(.*)”", button.inner_text())
    assert phrase
    press(page, f"Try “{phrase[1]}”", f"Discovered + “{phrase[1]}”")
    expect(page.get_by_role("tab", name="Gaming")).to_have_attribute("aria-selected", "true")
    expect(page.get_by_role("button", name=f"Try “{phrase[1]}”")).to_be_disabled()
    run = stored(server, f"Discovered + “{phrase[1]}”")
    assert run.plan.kinds == (
        "phrase",
        f"phrase[phrase={phrase[1]}]",
        f"phrase[place=prefix,phrase={phrase[1]}]",
        f"phrase[place=alone,phrase={phrase[1]}]",
    )
    assert run.done == run.total


def test_a_phrase_of_ones_own_is_tried_as_it_is_written(
    page: Page, server: Server, opened: Callable[[str], None]
) -> None:
    opened("Own")
    expect(page.get_by_role("button", name="Try it")).to_be_disabled()
    page.get_by_role("textbox", name="A phrase of your own").fill(OWN)
    page.get_by_role("textbox", name="A phrase of your own").press("Enter")
    press(page, "Try it", f"Own + “{OWN}”")
    run = stored(server, f"Own + “{OWN}”")
    appended = [variant for variant in run.variants.values() if variant.kind == f"phrase[phrase={OWN}]"]
    assert {variant.summary for variant in appended} == {
        f"{source.example.summary} {OWN}" for source in run.sources.values()
    }


def test_every_phrase_is_played_in_every_place(page: Page, server: Server, opened: Callable[[str], None]) -> None:
    opened("All")
    press(page, "Try every phrase in every position", "All + every phrase")
    run = stored(server, "All + every phrase")
    assert len(run.plan.kinds) == 4 * 3
    assert run.done == run.total
    expect(page.get_by_role("button", name="Try every phrase in every position")).to_have_count(0)
