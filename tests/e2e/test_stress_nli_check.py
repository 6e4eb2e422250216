"""Stress runs with an NLI check, from a file, from Probe, and in a demo that keeps nothing."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from core.results.runs.stress_run import StressRun, run_from_lines
from tests.e2e.bench import WORK_MS
from tests.e2e.matrix import select_cell
from tests.e2e.server import Server, serve
from tests.e2e.stress_form import DOMAINS, KINDS, MORE, behind
from tests.e2e.tabs import open_view
from tests.e2e.waiting import START_MS, attach, download, enter, idle, pick_option, press
from tests.unit.core.models.llm.scripted import Reply, serving, text

pytestmark = pytest.mark.e2e

DOCUMENT = (
    "The harbour of Lindvale was closed on Tuesday after a storm tore two ferries away. Nobody was hurt in the storm."
)
PAIRS = [
    {"id": "two", "document": DOCUMENT, "summary": "The harbour was closed on Tuesday. Nobody was hurt."},
    {"id": "one", "document": DOCUMENT, "summary": "The harbour was closed on Tuesday."},
]


def answer(_path: str, body: Mapping[str, Any]) -> Reply:
    """Every rewriting is talk, and every variant contradicts."""
    if "response_format" in body:
        return text(json.dumps({"contradicts": True, "because": "The order of events is another."}))
    return text("Sure! Here is what I think of it: it is good. Let me know if it helps!")


@pytest.fixture(scope="module")
def checked_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Touchstone with an endpoint that answers from a script."""
    with (
        serving(answer) as endpoint,
        serve(
            tmp_path_factory.mktemp("checked"), TOUCHSTONE_LLM_BASE_URL=endpoint.url, TOUCHSTONE_LLM_MODEL="tiny"
        ) as running,
    ):
        yield running


def open_stress(page: Page, server: Server) -> None:
    page.goto(f"{server.url}/stress")
    expect(page.get_by_role("button", name="Run: ")).to_be_visible(timeout=START_MS)


def choose(page: Page, perturbation: str) -> None:
    """Add a perturbation to a form that is drawn to its end; wait until the server counts it."""
    idle(page)
    button = page.get_by_role("button", name="Run: ")
    _, before, rest = button.inner_text().split(" × ")
    with behind(page, KINDS):
        press(page.get_by_role("button", name=perturbation, exact=True))
    more = int(before.split()[0]) + 1
    expect(page.get_by_role("button", name=f"× {more} perturbations × {rest}")).to_be_visible(timeout=START_MS)


def run_to_the_end(page: Page, name: str) -> None:
    with behind(page, MORE):
        enter(page.get_by_role("textbox", name="Name of the run"), name)
    press(page.get_by_role("button", name=re.compile("^Run: [12] pair")))
    expect(page.get_by_text(re.compile("^Complete: "))).to_be_visible(timeout=WORK_MS)


def only_weather(page: Page) -> None:
    with behind(page, DOMAINS):
        press(page.get_by_role("button", name="weather", exact=True))


def stored(server: Server, name: str) -> StressRun:
    [row] = server.rows("SELECT * FROM run WHERE name = ?", name)
    lines = server.rows("SELECT line FROM runline WHERE run_id = ? ORDER BY id", row["id"])
    return run_from_lines([row["plan"], *(line["line"] for line in lines)])


def shifts_of(page: Page, number: int) -> list[dict[str, str]]:
    """The shifts as they are exported, once so many variants count."""
    open_view(page, "Compare and export", "Export")
    expect(page.get_by_text(f"shifts of {number} variants")).to_be_visible()
    saved = download(page.get_by_role("button", name="Shifts (CSV)"))
    return list(csv.DictReader(saved.read_text(encoding="utf-8-sig").splitlines()))


@pytest.mark.slow
def test_a_file_is_run_with_an_nli_check_whose_results_are_shown_and_can_be_left_out(
    page: Page, checked_server: Server, tmp_path: Path
) -> None:
    file = tmp_path / "pairs.jsonl"
    file.write_text("".join(json.dumps(pair) + "\n" for pair in PAIRS) + "{broken\n", encoding="utf-8")
    open_stress(page, checked_server)
    attach(page.locator("input[type=file]"), file)
    expect(page.get_by_role("combobox", name="Pairs")).to_have_value("A file")
    expect(page.get_by_text("Line 3: ")).to_be_visible()
    choose(page, "Paraphrase (LLM)")
    with behind(page, MORE):
        pick_option(page.get_by_role("combobox", name="NLI check of the meaning"), "Language model", typed="Language")
    expect(page.get_by_text(re.compile(r"^\d+ questions to endpoints, about .* tokens read"))).to_be_visible()
    run_to_the_end(page, "From a file")

    run = stored(checked_server, "From a file")
    assert set(run.sources) == {"one", "two"}
    assert run.done == run.total
    assert run.checks
    assert all(check.mark and check.mark.contradicts for check in run.checks.values())

    select_cell(page, "ROUGE-2")
    expect(page.get_by_text(re.compile("Contradicts the original, says tiny.*The order of events"))).to_be_visible()
    press(page.get_by_text("Answers of language models that were not used (2)"))
    expect(page.get_by_text("Let me know if it helps!").last).to_be_visible()
    press(page.get_by_text(re.compile(r"Remarks \(")))
    expect(page.get_by_text(f"{len(run.checks)} of {len(run.checks)} variants contradict")).to_be_visible()

    marked = {kind for _, kind in run.checks}
    made = sum(variant.summary is not None for variant in run.variants.values())
    rows = shifts_of(page, made)
    assert {row["contradicts"] for row in rows if row["kind"] in marked} == {"True"}
    press(page.get_by_role("button", name=f"marked as contradicting ({len(run.checks)})"))
    assert {row["kind"] for row in shifts_of(page, made - len(run.checks))}.isdisjoint(marked)
