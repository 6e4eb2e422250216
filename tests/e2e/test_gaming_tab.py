"""The gaming tab: the leaderboard, a discovered phrase tried by one press, one's own, and every phrase in every place."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from core.data.datasets.bundled import bundled_items
from core.edits.perturbation import PERTURBATIONS
from core.results.runs.stress_run import Plan, Source, StressRun, run_from_lines, to_json_line
from core.scoring.metric import METRICS
from tests.e2e.bench import WORK_MS
from tests.e2e.server import Server
from tests.e2e.tabs import open_view
from tests.e2e.waiting import enter, idle, press

pytestmark = pytest.mark.e2e

OWN = "<b>so</b> *they* say"


def stored(server: Server, name: str) -> StressRun:
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


def done(page: Page) -> None:
    """Nothing goes on in the background."""
    idle(page)
    expect(page.get_by_role("button", name="Cancel")).to_have_count(0, timeout=WORK_MS)


def run(page: Page, button: str, name: str) -> None:
    """Begin the longer run of that name, and wait until it is done."""
    press(page.get_by_role("button", name=button))
    expect(page.get_by_role("combobox", name="Run")).to_have_value(re.compile(f"^{re.escape(name)} \\("))
    done(page)


def open_gaming(page: Page, address: str) -> None:
    page.goto(address)
    press(page.get_by_role("tab", name="Gaming"))
    done(page)


@pytest.mark.slow
def test_phrases_that_were_discovered_written_and_all_are_each_tried_by_one_press(page: Page, server: Server) -> None:
    address = f"{server.url}/stress?run={begin(server, 'Gamed')}"
    page.goto(address)
    press(page.get_by_role("button", name="Continue"))
    press(page.get_by_role("tab", name="Gaming"))
    done(page)
    expect(page.get_by_role("heading", name="Each phrase against each metric")).to_be_visible(timeout=WORK_MS)
    expect(page.get_by_role("button", name="Try it")).to_be_disabled()
    enter(page.get_by_role("textbox", name="A phrase of your own"), OWN)
    run(page, "Try it", f"Gamed + “{OWN}”")
    found = stored(server, f"Gamed + “{OWN}”")
    appended = [variant for variant in found.variants.values() if variant.kind == f"phrase[phrase={OWN}]"]
    assert {variant.summary for variant in appended} == {
        f"{source.example.summary} {OWN}" for source in found.sources.values()
    }

    open_gaming(page, address)
    open_view(page, "Gaming", "Phrases that metrics like")
    button = page.get_by_role("button", name=re.compile("^.*Try “")).first
    phrase = re.search("“(.*)”", button.inner_text())
    assert phrase
    run(page, f"Try “{phrase[1]}”", f"Gamed + “{phrase[1]}”")
    expect(page.get_by_role("tab", name="Gaming")).to_have_attribute("aria-selected", "true")
    expect(page.get_by_role("button", name=f"Try “{phrase[1]}”")).to_be_disabled()
    found = stored(server, f"Gamed + “{phrase[1]}”")
    assert found.plan.kinds == (
        "phrase",
        f"phrase[phrase={phrase[1]}]",
        f"phrase[place=prefix,phrase={phrase[1]}]",
        f"phrase[place=alone,phrase={phrase[1]}]",
    )
    assert found.done == found.total

    open_gaming(page, address)
    run(page, "Try every phrase in every position", "Gamed + every phrase")
    found = stored(server, "Gamed + every phrase")
    assert len(found.plan.kinds) == 4 * 3
    assert found.done == found.total
    expect(page.get_by_role("button", name="Try every phrase in every position")).to_have_count(0)
